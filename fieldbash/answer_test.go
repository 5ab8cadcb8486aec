package fieldbash

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswerSchema(t *testing.T) {
	s, err := NewAnswerSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["n"]}`))
	require.NoError(t, err)
	for text, wrong := range map[string]bool{
		`{"n": 3}`: false, `{"n": 3, "tags": ["a"]}`: false, `{"n": "3"}`: true, `{}`: true, `[]`: true, `{"n": 3, "tags": [1]}`: true, `three`: true,
	} {
		require.Equal(t, wrong, len(s.Check([]byte(text))) > 0, text)
	}
	for _, bad := range []string{``, `{"type":"nonsense"}`, `{"$ref":"https://example.com/s.json"}`, `{"$schema":"http://json-schema.org/draft-03/schema#"}`, `{`} {
		_, err := NewAnswerSchema(json.RawMessage(bad))
		require.Error(t, err, bad)
	}
}

func TestASummaryIsNoHeading(t *testing.T) {
	for text, want := range map[string]string{
		"# The Server\n\nKeeps facts. And more": "Keeps facts", "## Only this": "Only this", "#\n": "", "": "", "\n\n# A\n## B\n\nText.\n": "Text", "C# code": "C# code",
	} {
		require.Equal(t, want, summaryOf(text), "%q", text)
	}
}
