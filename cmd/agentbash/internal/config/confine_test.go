package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/confinement/network"
)

func TestConfine(t *testing.T) {
	w := newTestHome(t, map[string]string{userFile: `{"workspace": ["${HOME}/shared"], "secrets": ["~/keys", "!~/.npmrc"], "env": ["AWS_*"], "network": {"allow": ["a.example:443", "${HOST}"], "deny": ["b.example"]}}`,
		projectOwn: `{"workspace": ["/"], "secrets": ["vault", "!~/.ssh"], "env": ["X"], "network": {"allow": ["*"], "deny": ["c.example"]}}`})
	w.env["HOST"] = "d.example"
	r := w.load()
	c := r.Confine
	require.Equal(t, []string{w.path("repo/vault"), "~/keys", "!~/.npmrc"}, c.Secrets, "a project adds secrets, and takes none off")
	require.Len(t, c.Workspace, 1)
	require.Equal(t, []string{"AWS_*"}, c.Env)
	require.Equal(t, network.Allowed, c.Network.Judge("a.example", 443))
	require.Equal(t, network.Allowed, c.Network.Judge("d.example", 1))
	require.Equal(t, network.Denied, c.Network.Judge("b.example", 443))
	require.Equal(t, network.Denied, c.Network.Judge("c.example", 443), "a project denies")
	require.Equal(t, network.Unknown, c.Network.Judge("e.example", 443), "and allows nothing")
	require.Len(t, r.Warnings, 4)
	for _, bad := range []string{`{"env": "PATH"}`, `{"workspace": {}}`} {
		_, err := newTestHome(t, map[string]string{userFile: bad}).try()
		require.Error(t, err, bad)
	}
}

func TestNetwork(t *testing.T) {
	for text, want := range map[string]network.Verdict{`true`: network.Allowed, `false`: network.Unknown, `null`: network.Unknown, `{}`: network.Unknown,
		`{"allow": ["*.example:443"]}`: network.Allowed, `{"allow": ["*"], "deny": ["a.example"]}`: network.Denied} {
		r := newTestHome(t, map[string]string{userFile: `{"network": ` + text + `}`}).load()
		require.Equal(t, want, r.Confine.Network.Judge("a.example", 443), text)
		require.Equal(t, text == "true", r.Confine.Network.AllowAll(), text)
	}
	for text, want := range map[string]string{
		`"yes"`:                 "network: a string stands where an object {...} is wanted",
		`[443, 80]`:             `network: it is a list of ports: for these of every host write {"allow": ["*:443", "*:80"]}, or name the hosts`,
		`["a.example"]`:         "network: a list stands where an object {...} is wanted",
		`{"allow": "x"}`:        "network.allow: a string stands where a list [...] is wanted",
		`{"allow": [443]}`:      "network.allow: a number stands where a string is wanted",
		`{"allow": ["x:0"]}`:    `network: "x:0": "0" is no port: write a number from 1 to 65535`,
		`{"deny": ["ftp://x"]}`: `network: "ftp://x": write the host alone, without scheme, user or path`,
		`{"alow": []}`:          "network.alow: unknown key: did you mean allow?",
	} {
		_, err := newTestHome(t, map[string]string{userFile: `{"network": ` + text + `}`}).try()
		require.ErrorContains(t, err, want, text)
	}
}
