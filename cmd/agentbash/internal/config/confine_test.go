package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfine(t *testing.T) {
	w := newTestHome(t, map[string]string{userFile: `{"workspace": ["${HOME}/shared"], "secrets": ["~/keys", "!~/.npmrc"], "env": ["AWS_*"], "network": [443]}`,
		projectOwn: `{"workspace": ["/"], "secrets": ["vault", "!~/.ssh"], "env": ["X"], "network": true}`})
	r := w.load()
	c := r.Confine
	require.Equal(t, []string{w.path("repo/vault"), "~/keys", "!~/.npmrc"}, c.Secrets, "a project adds secrets, and takes none off")
	require.Len(t, c.Workspace, 1)
	require.Equal(t, []string{"AWS_*"}, c.Env)
	require.Equal(t, Network{Ports: []uint16{443}}, c.Network)
	require.Len(t, r.Warnings, 4)
	for _, bad := range []string{`{"network": "yes"}`, `{"network": [0]}`, `{"network": [70000]}`, `{"env": "PATH"}`, `{"workspace": {}}`} {
		_, err := newTestHome(t, map[string]string{userFile: bad}).try()
		require.Error(t, err, bad)
	}
}
