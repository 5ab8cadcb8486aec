package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// runsEverywhere has a hook, a function and a server, each with a file of its own.
const runsEverywhere = `{
	"hooks": {"before": [{"argv": ["python3", "tools/hook.py", "--rules=tools/rules.json", "plain"]}]},
	"functions": {"g": [{"name": "f", "exec": {"argv": ["./f.sh"], "cwd": "tools"}}]},
	"mcpServers": {"s": {"command": "tool", "args": ["-y", "@scope/pkg", "tools/srv.js", "https://x/y", "data.db"], "env": {"PATH": "${BIN}"}},
	               "off": {"command": "tools/off", "disabled": true}}
}`

func newExecutedHome(t *testing.T, config string) *testHome {
	w := newTestHome(t, map[string]string{config: runsEverywhere, "tmp/x": "", "outside": "x"})
	w.env["TMPDIR"], w.env["BIN"] = w.path("tmp"), w.path("repo/bin")+":/usr/bin"
	w.dir = w.path("repo")
	for _, name := range []string{"tools/hook.py", "tools/rules.json", "tools/f.sh", "tools/srv.js", "tools/off", "bin/tool"} {
		w.write("repo/"+name, "text of "+name)
	}
	require.NoError(t, os.Chmod(w.path("repo/bin/tool"), 0o700))
	w.write("repo/data.db", "SQLite format 3\x00")
	return w
}

func TestExecutedIsWhatTheConfigurationRuns(t *testing.T) {
	w := newExecutedHome(t, userFile)
	require.NoError(t, os.Remove(w.path("repo/tools/srv.js")))
	require.NoError(t, os.Remove(w.path("repo/tools/f.sh")))
	require.NoError(t, os.Symlink("f.real", w.path("repo/tools/f.sh")))
	w.write("repo/tools/f.real", "echo f")
	var want []string
	for _, name := range []string{"bin/tool", "tools/f.real", "tools/f.sh", "tools/hook.py", "tools/rules.json", "tools/srv.js"} {
		want = append(want, w.path("repo/"+name))
	}
	require.Equal(t, want, w.load().Executed(), "also where a link leads, and what is missing; no data, no package, no address, nothing that is off")
}

func TestAProjectsApprovalIsOfWhatItRuns(t *testing.T) {
	w := newExecutedHome(t, projectOwn)
	r := w.load()
	require.Len(t, r.Pending, 1)
	require.Len(t, r.Pending[0].Files, 5)
	before := Hash(r.Pending)
	w.write("repo/tools/srv.js", "another text")
	require.NotEqual(t, before, Hash(w.load().Pending))
	w.approve()
	r = w.load()
	require.Empty(t, r.Pending)
	srv := []string{"tool", "tools/srv.js"}
	require.NoError(t, r.CheckRun(srv, w.dir))

	w.write("repo/tools/srv.js", "changed")
	require.ErrorContains(t, r.CheckRun(srv, w.dir), w.path("repo/tools/srv.js")+" is not what it was when it was trusted, so it does not run: look at it, then type agentbash config trust")
	require.NoError(t, r.CheckRun([]string{"python3", "tools/hook.py"}, w.dir), "the others still run")
	pending := w.load().Pending
	require.Len(t, pending, 1)
	require.True(t, pending[0].Changed)
	require.Len(t, pending[0].Files, 1)
	w.approve()
	require.NoError(t, r.CheckRun(srv, w.dir), "one command is enough, also for a program that runs")

	w.write("repo/tools/srv.js", "another text")
	require.NoError(t, r.CheckRun(srv, w.dir), "what was trusted once stays so: a branch is switched back")
	require.NoError(t, os.Remove(w.path("repo/data.db")))
	w.write("repo/data.db", "import os")
	require.ErrorContains(t, r.CheckRun([]string{"tool", "data.db"}, w.dir), "data.db", "data that became a text")
}

func TestTheUsersOwnIsTrustedAtFirstSight(t *testing.T) {
	w := newExecutedHome(t, userFile)
	require.NoError(t, os.Remove(w.path("repo/tools/srv.js")))
	r := w.load()
	require.Empty(t, r.Pending)
	require.NoError(t, r.TrustFirstSeen())
	hook := []string{"python3", "tools/hook.py"}
	require.NoError(t, r.CheckRun(hook, w.dir))

	for _, name := range []string{"tools/hook.py", "tools/srv.js"} { // one changed, one is new
		w.write("repo/"+name, "by somebody else")
		r = w.load()
		require.Len(t, r.Pending, 1)
		require.Equal(t, w.path(userFile), r.Pending[0].Path)
		require.Equal(t, w.path("repo/"+name), r.Pending[0].Files[0].Path)
		require.NoError(t, r.TrustFirstSeen())
		require.Error(t, r.CheckRun([]string{"x", name}, w.dir))
		w.approve()
		require.NoError(t, w.load().CheckRun([]string{"x", name}, w.dir))
	}
	w.dir = filepath.Dir(w.dir)
	require.NoError(t, w.load().CheckRun([]string{"cat", "/etc/hostname"}, "/"), "what no command can write is not looked at")
}
