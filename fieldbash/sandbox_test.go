package fieldbash_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

func TestSandboxIsRead(t *testing.T) {
	for _, row := range []struct {
		text string
		want fieldbash.Sandbox
		err  string
	}{
		{`"read"`, fieldbash.Sandbox{Profile: "read"}, ""},
		{`"workspace"`, fieldbash.Sandbox{Profile: "workspace"}, ""},
		{`{"network":["a.org","*.b.org:443"]}`, fieldbash.Sandbox{Profile: "workspace", Network: []string{"a.org", "*.b.org:443"}}, ""},
		{`{"network":[]}`, fieldbash.Sandbox{Profile: "workspace", Network: []string{}}, ""},
		{`"free"`, fieldbash.Sandbox{}, `"sandbox" is "read", "workspace" or {"network"`},
		{`""`, fieldbash.Sandbox{}, `"sandbox" is`},
		{`true`, fieldbash.Sandbox{}, `"sandbox" is`},
		{`{}`, fieldbash.Sandbox{}, `"sandbox" is`},
		{`{"network":true}`, fieldbash.Sandbox{}, `"sandbox" is`},
		{`{"network":["a"],"write":["/"]}`, fieldbash.Sandbox{}, `"sandbox" is`},
		{`{"network":["https://a.org/"]}`, fieldbash.Sandbox{}, `"https://a.org/" is no host`},
		{`{"network":[""]}`, fieldbash.Sandbox{}, `"" is no host`},
	} {
		var got fieldbash.Sandbox
		err := json.Unmarshal([]byte(row.text), &got)
		if row.err != "" {
			require.ErrorContains(t, err, row.err, row.text)
			continue
		}
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, got, row.text)
		back, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, row.text, string(back))
	}
}

// What is asked before a program starts sees what will run, and keeps it from that.
func TestWhatMayStart(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	cfg := config(t, `{
		"mcpServers": {"s": {"command": "sh", "args": ["-c", "touch `+made+`"]}, "held": {"command": "sh", "args": ["-c", "touch `+made+`"], "sandbox": "read"}},
		"functions": {"g": [{"name": "f", "exec": {"argv": ["sh", "-c", "touch `+made+`"]}}, {"name": "held", "exec": {"argv": ["sh", "-c", "touch `+made+`"], "sandbox": "workspace"}}]}
	}`)
	groups := []string{"field:s:x", "field:held:x", "field:g:f", "field:g:held"}
	var seen []string
	b := layer(t, cfg, &fieldbash.Options{
		Permit: func(server string, _ fieldbash.Server) error { seen = append(seen, server); return nil },
		Check: func(argv []string, dir string) error {
			require.True(t, filepath.IsAbs(argv[0]) && filepath.IsAbs(dir), argv)
			seen = append(seen, filepath.Base(argv[0]))
			return errors.New("it was changed")
		},
	})
	for _, name := range groups {
		o := b.run(t, name)
		require.Equal(t, 126, o.status, name)
		require.Contains(t, o.stderr, "it was changed")
	}
	require.Equal(t, []string{"s", "sh", "held", "sh", "sh", "sh"}, seen)

	b = layer(t, cfg, &fieldbash.Options{Permit: func(string, fieldbash.Server) error { return errors.New("not now") }})
	require.Contains(t, b.run(t, "field:s:x").stderr, "start: not now")
	require.Contains(t, b.run(t, "field:g:held").stderr, `its "sandbox" cannot be made here`)
	require.NoFileExists(t, made)

	var launched []fieldbash.Sandbox
	b = layer(t, cfg, &fieldbash.Options{Launch: func(cmd *exec.Cmd, s fieldbash.Sandbox) error {
		launched = append(launched, s)
		cmd.Args = []string{"sh", "-c", "echo held > " + made}
		return nil
	}})
	b.run(t, "field:held:x")
	b.run(t, "field:g:held")
	require.Equal(t, []fieldbash.Sandbox{{Profile: "read"}, {Profile: "workspace"}}, slices.CompactFunc(launched, func(a, b fieldbash.Sandbox) bool { return a.Profile == b.Profile }))
	text, err := os.ReadFile(made)
	require.NoError(t, err)
	require.Equal(t, "held\n", string(text), "what launches may change how it starts")
}
