package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersThatJSONCannotHold are refused, wherever they come from, and so is
// what stands after a value.
func TestNumbersThatJSONCannotHold(t *testing.T) {
	tool := &Tool{Name: "count", Summary: "Count", Params: NewParams(Param{Name: "limit", Type: Integer}, Param{Name: "rate", Type: Number}, Param{Name: "obj", Type: Object})}
	for _, kwargs := range []Kwargs{{"limit": json.Number("abc")}, {"rate": json.Number("abc")}, {"rate": json.Number("NaN")}, {"rate": json.Number("0x10")}, {"limit": json.Number("")}} {
		_, err := tool.Bind(kwargs, false)
		require.Error(t, err, "%v", kwargs)
	}
	got, err := tool.Bind(Kwargs{"limit": json.Number("+5"), "rate": json.Number("1e3")}, false)
	require.NoError(t, err)
	require.Equal(t, Kwargs{"limit": json.Number("5"), "rate": json.Number("1e3")}, got)
	for _, word := range []string{`--obj={"a":1}}`, `--obj={"a":1} ]`, `--obj={"a":1} {}`} {
		_, err := tool.Parse([]string{word}, false)
		require.Error(t, err, word)
	}
	_, err = tool.Parse([]string{"--obj={\"a\":1} \n"}, false)
	require.NoError(t, err)
	require.Error(t, New().Register(nil))
}
