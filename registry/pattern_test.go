package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatternWords(t *testing.T) {
	tool := &Tool{Name: "t", Params: NewParams(
		Param{Name: "pattern", Type: String, Required: true, Pattern: true}, Param{Name: "path", Type: String},
		Param{Name: "texts", Type: Array, Items: &Param{Type: String}, Pattern: true, Aliases: []string{"ts"}}, Param{Name: "flag", Type: Boolean}, Param{Name: "n", Type: Integer})}
	for _, row := range []struct {
		words []string
		want  []bool
	}{
		{[]string{"*"}, []bool{true}},
		{[]string{"--path", "*", "*"}, []bool{false, false, true}},
		{[]string{"--pattern=*", "--path=*"}, []bool{true, false}},
		{[]string{"--path=a=*", "--pattern=a=*"}, []bool{false, true}},
		{[]string{"--ts", "*", "--texts=*", "--flag", "*"}, []bool{false, true, true, false, true}},
		{[]string{"--n", "*", "--", "*"}, []bool{false, false, false, true}},
		{[]string{"--nope", "*", "*"}, []bool{false, false, true}},
		{[]string{}, []bool{}},
	} {
		require.Equal(t, row.want, tool.PatternWords(row.words), "%q", row.words)
	}
}
