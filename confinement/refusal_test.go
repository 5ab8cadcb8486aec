package confinement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/registry"
)

// What a note says the user may write is what the refusal lacks.
func TestRefusalNoteNamesWhatIsLacking(t *testing.T) {
	c := &Confinement{opts: Options{Settings: registry.Settings{Hosts: `write "allow": ["HOST"]`}}}
	for _, row := range []struct {
		refusal network.Refusal
		want    string
	}{
		{network.Refusal{Host: "a.example", Port: 443, Reason: "nobody allowed it", Allow: "a.example"},
			`note: the connection to a.example:443 was refused: nobody allowed it; the user may allow it: write "allow": ["a.example"]`},
		{network.Refusal{Host: "a.example", Port: 443, Reason: "it leads to 10.0.0.1", Allow: "10.0.0.1"},
			`note: the connection to a.example:443 was refused: it leads to 10.0.0.1; the user may allow it: write "allow": ["10.0.0.1"]`},
		{network.Refusal{Host: "a.example", Port: 443, Reason: "what only reads has no network"},
			"note: the connection to a.example:443 was refused: what only reads has no network"},
		{network.Refusal{Host: "a.example", Port: 443, Reason: "no such host", Failed: true},
			"note: the connection to a.example:443 failed: no such host"},
	} {
		require.Equal(t, row.want, c.refusalNote(row.refusal))
	}
}
