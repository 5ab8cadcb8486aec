package router

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/router/internal/protocol"
	"github.com/stretchr/testify/require"
)

// TestImportTakesNothingOver: a program that only imports the router reaches
// its own main under every name, and its commands can be used inside bash.
func TestImportTakesNothingOver(t *testing.T) {
	program := filepath.Join(t.TempDir(), "embedder")
	out, err := exec.Command("go", "build", "-o", program, "./testdata/embedder").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"agent:read", "field:a:b", "glob", "embedder"} {
		cmd := exec.Command(program, "cd testdata/embedder; for f in $(glob '*.go'); do echo $f; done")
		cmd.Args[0] = name
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "main reached as "+name+"\nmain.go\n", string(out))
	}
}

// TestNoClient: where this system has no program that calls, and the host's own
// is not one, a call from inside bash says what is missing; bash and plain calls work.
func TestNoClient(t *testing.T) {
	protocol.Client = false
	t.Cleanup(func() { protocol.Client = true })
	r := newTestRouter(t, false)
	res := run(t, r, "glob x | cat; agent:glob x; echo $?; nosuch_command")
	require.Equal(t, "3\n", res.Stdout)
	require.Contains(t, res.Stderr, "agent:glob: "+protocol.NoClient+"\nagent:glob: "+protocol.NoClient+"\n")
	require.Contains(t, res.Stderr, "nosuch_command: command not found")
	require.Equal(t, "pattern=x\n", run(t, r, "glob x").Stdout)
}
