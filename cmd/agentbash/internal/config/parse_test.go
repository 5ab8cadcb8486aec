package config

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that a text is taken exactly when it is a JSON object
// without a key that stands twice, that it is written back as the same value, and that
// errors point into the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":[1,-2.5e3,true,null,"\u00e4\ud800"],"b":{"":""}}`, "{\n,}", `{"a":1,"a":2}`, "\ufeff{}", `[`, `{"a`, `{"a":1}x`, "{\"\xff\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{path: "f", data: data}
		v, err := s.parse()
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Positive(t, e.Line)
			require.Positive(t, e.Col)
			return
		}
		var want, got any
		if json.Unmarshal(s.data, &want) != nil {
			want = map[string]any{} // an empty file
		}
		require.NoError(t, json.Unmarshal(v.encode(), &got))
		require.Equal(t, want, got)
		v.text = nil // as if something had been expanded
		got = nil
		require.NoError(t, json.Unmarshal(v.encode(), &got))
		require.Equal(t, want, got)
	})
}
