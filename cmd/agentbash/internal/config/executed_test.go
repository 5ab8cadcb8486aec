package config

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runsEverywhere has a hook, a function and a server, each with a file of its own.
const runsEverywhere = `{
	"hooks": {"before": [{"argv": ["python3", "tools/hook.py", "--rules=tools/rules.json", "plain"]}]},
	"functions": {"g": [{"name": "f", "exec": {"argv": ["./f.sh"], "cwd": "${REPO}/tools"}}]},
	"mcpServers": {"s": {"command": "tool", "args": ["-y", "@scope/pkg", "tools/srv.js", "https://x/y", "data.db"], "env": {"PATH": "${BIN}"}},
	               "off": {"command": "tools/off", "disabled": true}}
}`

func newExecutedHome(t *testing.T, config string) *testHome {
	w := newTestHome(t, map[string]string{config: runsEverywhere, "tmp/x": "", "outside": "x"})
	w.env["TMPDIR"], w.env["BIN"], w.env["REPO"] = w.path("tmp"), w.path("repo/bin")+":/usr/bin", w.path("repo")
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

// A text for a shell names files too, and so does a file of definitions.
func TestExecutedInTexts(t *testing.T) {
	w := newTestHome(t, map[string]string{"repo/tools/a.sh": "a", "repo/defs.json": `[{"name": "f", "exec": {"argv": ["true"]}}]`, "repo/more.json": "[]"})
	w.write(userFile, `{"hooks": {"before": [{"argv": ["bash", "-c", "cd sub; exec 'tools/a.sh' <tools/in && x=tools/b.sh y"]}]},
		"functions": {"g": [{"file": "`+w.path("repo/defs.json")+`"}, {"file": "`+w.path("repo/more.json")+`"}]}}`)
	w.dir = w.path("repo")
	r := w.load()
	var want []string
	for _, name := range []string{"defs.json", "more.json", "tools/a.sh", "tools/b.sh", "tools/in"} {
		want = append(want, w.path("repo/"+name))
	}
	require.Equal(t, want, r.Executed())
	require.NoError(t, r.TrustFirstSeen())
	require.Len(t, w.load().Fields.Functions["g"], 1)

	w.write("repo/more.json", `[{"name": "h", "exec": {"argv": ["touch", "/made"]}}]`)
	r = w.load()
	require.Len(t, r.Fields.Functions["g"], 1, "what changed is left out, and the rest stays")
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "more.json changed since it was trusted")
	require.Len(t, r.Pending, 1)
	w.approve()
	require.Len(t, w.load().Fields.Functions["g"], 2)
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

	// Also where it could not be written, and is wanted for the first time.
	w.write("repo/tools/hook.py", "changed from elsewhere")
	w.write(userFile, strings.ReplaceAll(runsEverywhere, "tools/", w.path("repo/tools")+"/"))
	require.NoError(t, os.MkdirAll(w.path("elsewhere"), 0o700))
	w.dir = w.path("elsewhere")
	r = w.load()
	require.Len(t, r.Pending, 1)
	require.NoError(t, r.TrustFirstSeen())
	require.Error(t, r.CheckRun([]string{"python3", w.path("repo/tools/hook.py")}, w.dir))
	require.NoError(t, w.load().CheckRun([]string{"cat", "/etc/hostname"}, "/"), "what no command can write is not looked at")
}
