package config

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

// testHome is a home, a repository and an environment.
type testHome struct {
	t     *testing.T
	root  string // of everything
	dir   string // the working directory, two levels inside the repository
	env   map[string]string
	flags Flags
}

const (
	userFile    = "home/.config/agentbash/config.json"
	projectOwn  = "repo/.agentbash/config.json"
	projectMCP  = "repo/.mcp.json"
	nestedOwn   = "repo/a/.agentbash/config.json"
	outsideFile = ".agentbash/config.json" // above the repository
)

func newTestHome(t *testing.T, files map[string]string) *testHome {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &testHome{t: t, root: root, dir: filepath.Join(root, "repo", "a", "b")}
	w.env = map[string]string{"HOME": filepath.Join(root, "home")}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "repo", ".git"), 0o700))
	require.NoError(t, os.MkdirAll(w.dir, 0o700))
	for name, content := range files {
		w.write(name, content)
	}
	return w
}

func (w *testHome) path(name string) string { return filepath.Join(w.root, name) }

func (w *testHome) write(name, content string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(content), 0o600))
}

func (w *testHome) try() (*Result, error) {
	return Load(&Options{Flags: w.flags, Dir: w.dir, Lookup: func(k string) (string, bool) { v, ok := w.env[k]; return v, ok }})
}

func (w *testHome) load() *Result {
	w.t.Helper()
	r, err := w.try()
	require.NoError(w.t, err)
	return r
}

// approve approves everything that is pending.
func (w *testHome) approve() {
	w.t.Helper()
	r := w.load()
	for _, p := range r.Pending {
		require.NoError(w.t, Approve(r.Dirs, p))
	}
}

func TestFlagsThenEnvironmentThenProjectThenUser(t *testing.T) {
	w := newTestHome(t, map[string]string{
		userFile:   `{"model": "of-user", "baseURL": "http://user/v1", "apiKey": "${USER_KEY:-user-key}", "mode": "auto"}`,
		projectOwn: `{"model": "of-project"}`,
	})
	r := w.load()
	require.Equal(t, "of-project", r.Model)
	require.Equal(t, "http://user/v1", r.BaseURL)
	require.Equal(t, "user-key", r.APIKey)
	require.Equal(t, "auto", r.Mode)
	require.Equal(t, map[string]string{"model": w.path(projectOwn), "baseURL": w.path(userFile), "apiKey": w.path(userFile), "mode": w.path(userFile)}, r.From)
	require.Equal(t, []string{w.path(projectOwn), w.path(userFile)}, r.Files)

	w.env["USER_KEY"] = "expanded"
	require.Equal(t, "expanded", w.load().APIKey)

	w.env[EnvModel], w.env[EnvBaseURL], w.env[EnvKey] = "of-env", "http://env/v1", "env-key"
	r = w.load()
	require.Equal(t, []string{"of-env", "http://env/v1", "env-key"}, []string{r.Model, r.BaseURL, r.APIKey})

	w.write("extra.json", `{"model": "of-file", "mode": "full", "baseURL": "http://file/v1"}`)
	t.Chdir(w.path("."))
	w.flags = Flags{Model: "of-flag", File: "extra.json"}
	r = w.load()
	require.Equal(t, "of-flag", r.Model)
	require.Equal(t, "http://env/v1", r.BaseURL)
	require.Equal(t, "full", r.Mode)
	require.Equal(t, "--model", r.From["model"])
}

func TestNothingIsConfigured(t *testing.T) {
	w := newTestHome(t, nil)
	r := w.load()
	require.Empty(t, r.Model+r.BaseURL+r.APIKey+r.Mode)
	require.Empty(t, r.Files)
	require.Empty(t, r.Pending)
	require.Empty(t, r.Warnings)
	require.Equal(t, w.path("home/.local/state/agentbash"), r.Dirs.State)
	require.NoDirExists(t, r.Dirs.State)
}

func TestXDGVariables(t *testing.T) {
	w := newTestHome(t, map[string]string{"x/agentbash/config.json": `{"model": "m"}`})
	w.env["XDG_CONFIG_HOME"], w.env["XDG_STATE_HOME"] = w.path("x"), "not/absolute"
	r := w.load()
	require.Equal(t, "m", r.Model)
	require.Equal(t, w.path("home/.local/state/agentbash"), r.Dirs.State)

	delete(w.env, "HOME")
	u, err := user.Current()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(u.HomeDir, ".local/state/agentbash"), w.load().Dirs.State)
}

// TestAHomeThatCannotBeWritten expects a private directory among the temporary files, told of
// until it is there, or a sentence that says what to do.
func TestAHomeThatCannotBeWritten(t *testing.T) {
	w := newTestHome(t, nil)
	w.env["HOME"], w.env["TMPDIR"] = "/dev/null", t.TempDir()
	r := w.load()
	own := filepath.Join(w.env["TMPDIR"], fmt.Sprintf("agentbash-user-%d", os.Getuid()))
	require.Equal(t, filepath.Join(own, "state"), r.Dirs.State)
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], own)

	require.NoError(t, r.Dirs.MakeState())
	st, err := os.Stat(own)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), st.Mode().Perm())
	require.Empty(t, w.load().Warnings)

	require.NoError(t, os.Chmod(own, 0o755))
	_, err = w.try()
	require.ErrorContains(t, err, own+" is not a directory of this user alone: set XDG_STATE_HOME")
	w.env["TMPDIR"] = "/dev/null"
	_, err = w.try()
	require.ErrorContains(t, err, "HOME (/dev/null) cannot be written, and ")
}

func TestTheNearestProjectFileUpToTheRootOfTheRepository(t *testing.T) {
	w := newTestHome(t, map[string]string{outsideFile: `{"model": "outside"}`})
	require.Empty(t, w.load().Model)
	w.write(projectOwn, `{"model": "root"}`)
	require.Equal(t, "root", w.load().Model)
	w.write(nestedOwn, `{"model": "nested"}`)
	require.Equal(t, "nested", w.load().Model)

	// Outside of a repository only the directory itself counts.
	require.NoError(t, os.Remove(w.path("repo/.git")))
	require.Empty(t, w.load().Model)
	w.dir = w.path("repo/a")
	require.Equal(t, "nested", w.load().Model)
}

func TestErrorsNameThePlaceAndTheNextMove(t *testing.T) {
	tests := []struct {
		name, content string
		want          string
	}{
		{"a comma too many", "{\n  \"model\": \"m\",\n}", "line 3, column 1: a comma before } is not JSON: remove it"},
		{"a comma missing", "{\n  \"model\": \"m\"\n  \"mode\": \"ask\"\n}", "line 3, column 3: a comma is missing before it"},
		{"a comment", "{\n  // mine\n  \"model\": \"m\"\n}", "line 2, column 3: JSON has no comments: remove it"},
		{"single quotes", "{'model': 1}", `line 1, column 2: strings stand in double quotes: "..."`},
		{"not closed", "{\"model\": \"m\"", "line 1, column 14: the file ends too early"},
		{"an open string", "{\"model\": \"m}\n", "line 1, column 14: invalid character '\\n' in string literal"},
		{"not an object", "[1]", `line 1, column 1: it holds a list: write an object`},
		{"columns are characters", "{\"model\": \"\u00e4\u00e4\",,}", "line 1, column 16: "},
		{"a key twice", "{\"model\": \"a\",\n \"model\": \"b\"}", "line 2, column 2: model: it stands here for the second time"},
		{"a mistyped key", "{\n \"modle\": \"m\"}", "line 2, column 2: modle: unknown key: did you mean model or mode?"},
		{"a key of another case", `{"mcpservers": {}}`, "unknown key: did you mean mcpServers?"},
		{"an unknown key", `{"colour": 1}`, "line 1, column 2: colour: unknown key: known are $schema, mcpServers"},
		{"a mistyped limit", `{"limits": {"turn": 1}}`, "limits.turn: unknown key: did you mean turns?"},
		{"a wrong type", "{\"model\":\n 5}", "line 2, column 2: model: a number stands where a string is wanted"},
		{"an unknown mode", `{"mode": "yolo"}`, `line 1, column 10: mode: "yolo" is no mode: use plan, ask, auto, full`},
		{"a limit below 0", `{"limits": {"turns": -1}}`, "limits.turns: it is below 0"},
		{"a variable that is not closed", `{"model": "${HOME"}`, "model: ${ is not closed"},
		{"not a variable", `{"model": "${id -u}"}`, "model: ${id -u} names no variable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newTestHome(t, map[string]string{userFile: tt.content})
			_, err := w.try()
			require.ErrorContains(t, err, "config "+w.path(userFile)+": ")
			require.ErrorContains(t, err, tt.want)
			var e *Error
			require.True(t, errors.As(err, &e))
			require.Equal(t, 2, e.ExitStatus())
		})
	}
}

// A mistake in a server or a group of functions is that one's alone: the rest of the file counts.
func TestABadEntryIsLeftOut(t *testing.T) {
	const good = `"mode": "auto", "functions": {"good": [{"name": "f", "exec": {"argv": ["x"]}}]}, "mcpServers": {"good": {"command": "x"}, `
	const goodToo = `"mode": "auto", "mcpServers": {"good": {"command": "x"}}, "functions": {"good": [{"name": "f", "exec": {"argv": ["x"]}}], `
	tests := []struct{ name, content, want string }{
		{"a mistyped key", good + "\n\"a\": {\"comand\": \"x\"}}", "line 2, column 7: mcpServers.a.comand: unknown key: did you mean command?; this server is left out"},
		{"args that are text", good + "\n\"a\": {\"args\": \"x.js\"}}", "line 2, column 15: mcpServers.a.args: a string stands where a list [...] is wanted; this server is left out"},
		{"a command that is a list", good + `"a": {"command": ["a", "b"]}}`, "mcpServers.a.command: a list stands where a string is wanted; this server is left out"},
		{"a variable that is not set", good + "\n\"a\": {\"url\": \"http://x\", \"headers\": {\"A\": \"Bearer ${NOT_SET}\"}}}",
			"line 2, column 43: mcpServers.a.headers.A: the variable NOT_SET is not set: export it, or write ${NOT_SET:-default}; this server is left out"},
		{"no variable", good + `"a": {"url": "${input:x}"}}`, "mcpServers.a.url: ${input:x} names no variable: write ${NAME} or ${NAME:-default}, or $${ for the characters themselves; this server is left out"},
		{"no server", good + `"a": 5}`, "mcpServers.a: a number stands where an object {...} is wanted; this server is left out"},
		{"several mistakes", good + `"a": {"args": "x", "env": 5, "comand": 1}}`, "; this server is left out"},
		{"a mistyped key of a function", goodToo + `"a": [{"name": "f", "exec": {"argvs": []}}]}`, "functions.a[0].exec.argvs: unknown key: did you mean argv?; these functions are left out"},
		{"functions that are no list", goodToo + `"a": {"name": "f"}}`, "functions.a: it is an object: write a list [...] of definitions; these functions are left out"},
		{"a wrong type in a function", goodToo + `"a": [{"name": 5}]}`, "functions.a[0].name: a number stands where a string is wanted; these functions are left out"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newTestHome(t, map[string]string{userFile: "{" + tt.content + "}"})
			r := w.load()
			require.Equal(t, "auto", r.Mode)
			require.Contains(t, r.Fields.MCPServers, "good")
			require.Contains(t, r.Fields.Functions, "good")
			require.NotContains(t, r.Fields.MCPServers, "a")
			require.NotContains(t, r.Fields.Functions, "a")
			require.Len(t, r.Warnings, 1)
			require.ErrorContains(t, r.Warnings[0], "config "+w.path(userFile)+": line ")
			require.ErrorContains(t, r.Warnings[0], tt.want)
			require.NotContains(t, r.Warnings[0].Error(), "\n")
		})
	}
	for _, content := range []string{`{"mode": "auto", "mcpServers": []}`, `{"mode": "auto", "functions": 5}`} {
		r := newTestHome(t, map[string]string{userFile: content}).load()
		require.Equal(t, "auto", r.Mode)
		require.ErrorContains(t, r.Warnings[0], ": write an object {...}; th")
	}
}

func TestAllErrorsAreReportedAtOnce(t *testing.T) {
	w := newTestHome(t, map[string]string{userFile: `{"modle": 1, "mode": "x"}`, projectOwn: `{"colour": 1}`})
	_, err := w.try()
	for _, want := range []string{"modle", `"x" is no mode`, "colour"} {
		require.ErrorContains(t, err, want)
	}
	require.Len(t, strings.Split(err.Error(), "\n"), 3)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	w := newTestHome(t, nil)
	w.flags.File = "none.json"
	_, err := w.try()
	require.ErrorContains(t, err, "none.json: no such file or directory: check the path given with --config")

	w.flags.File = ""
	require.NoError(t, os.MkdirAll(w.path(userFile), 0o700))
	_, err = w.try()
	require.ErrorContains(t, err, "is a directory")
}

func TestEmptyFilesAndByteOrderMarks(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "blank": " \n", "mark": "\ufeff{\"model\": \"m\"}"} {
		t.Run(name, func(t *testing.T) {
			w := newTestHome(t, map[string]string{userFile: content})
			require.Len(t, w.load().Files, 1)
		})
	}
}

func TestExpansion(t *testing.T) {
	w := newTestHome(t, map[string]string{userFile: `{
		"mcpServers": {"a": {"command": "${BIN}/x", "args": ["${EMPTY:-d}", "${EMPTY}", "$HOME", "$${HOME}", "${NONE:-}", "${NONE:-a:-b}", "${env:BIN}", "${env:NONE:-e}"], "autoApprove": ["x"]}},
		"functions": {"g": [{"name": "f", "description": "takes ${ANYTHING}", "parameters": {"type": "object", "description": "${X}"}, "exec": {"argv": ["${BIN}/f"]}},
			{"type": "function", "function": {"name": "h", "parameters": {}, "http": {"url": "http://${HOST:-127.0.0.1}/h"}}}]}
	}`})
	w.env["BIN"], w.env["EMPTY"] = "/bin", ""
	r := w.load()
	require.Equal(t, "/bin/x", r.Fields.MCPServers["a"].Command)
	require.Equal(t, []string{"d", "", "$HOME", "${HOME}", "", "a:-b", "/bin", "e"}, r.Fields.MCPServers["a"].Args)
	g := r.Fields.Functions["g"]
	require.Equal(t, &fieldbash.Exec{Argv: []string{"/bin/f"}, Cwd: w.path("home/.config/agentbash")}, g[0].Exec)
	require.Equal(t, "takes ${ANYTHING}", g[0].Description)
	require.JSONEq(t, `{"type": "object", "description": "${X}"}`, string(g[0].Parameters))
	require.Equal(t, "http://127.0.0.1/h", g[1].HTTP.URL)
}

// A project can hold what nobody ever writes to.
func TestAPipeIsNoFile(t *testing.T) {
	w := newTestHome(t, map[string]string{"repo/.git/HEAD": ""})
	require.NoError(t, syscall.Mkfifo(w.path("repo/.mcp.json"), 0o600))
	r := w.load()
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "it is no regular file")
}
