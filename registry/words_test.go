package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsAreParsedBack(t *testing.T) {
	tool := &Tool{Name: "x", Params: NewParams(
		Param{Name: "text", Type: String}, Param{Name: "n", Type: Integer}, Param{Name: "on", Type: Boolean},
		Param{Name: "list", Type: Array}, Param{Name: "map", Type: Object, Props: AnyParams()},
	)}
	for _, kwargs := range []Kwargs{
		{},
		{"text": "", "n": json.Number("-5"), "on": false},
		{"text": "--n=3 'q' $x\n-h", "on": true, "list": []any{"a", json.Number("1"), nil, "<&>"}},
		{"list": []any{}, "map": map[string]any{"a.b": map[string]any{"c": []any{true}}, "d": "é"}},
		{"text": "null"},
	} {
		words, err := tool.Words(kwargs)
		require.NoError(t, err)
		p, err := tool.Parse(words, false)
		require.NoError(t, err, "%q", words)
		require.Equal(t, kwargs, p.Kwargs, "%q", words)
	}
	words, err := tool.Words(Kwargs{"n": 7, "zzz": 1.5, "list": []string{"a"}})
	require.NoError(t, err)
	require.Equal(t, []string{"--n=7", `--list=["a"]`, "--zzz=1.5"}, words)
	_, err = tool.Words(Kwargs{"n": func() {}})
	require.Error(t, err)
	for _, name := range []string{"text@", "json", "json@", "text:", "map.a@"} {
		words, err := tool.Words(Kwargs{name: "@/etc/hostname"})
		require.NoError(t, err)
		_, err = tool.Parse(words, false)
		require.Error(t, err, "%q is no name: it stands for no file", words)
	}
}
