package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

const openaiTools = `[
	{"type": "function", "function": {"name": "find", "description": "Finds", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}},
	{"name": "ask", "input_schema": {"type": "object", "x-big": 9007199254740993}, "exec": {"argv": ["own", "${WHO}"]}, "timeout": 3}
]`

func names(list []fieldbash.Function) (out []string) {
	for _, f := range list {
		out = append(out, f.Name)
	}
	return out
}

func TestFunctionsFromFiles(t *testing.T) {
	w := newTestHome(t, map[string]string{
		userFile: `{"functions": {"db": [
			{"file": "defs/tools.json", "exec": {"argv": ["run", "${WHO}"]}, "timeout": 9},
			{"name": "inline", "exec": {"argv": ["x"]}},
			{"file": "${HOME}/more.json", "http": {"url": "http://127.0.0.1:1/{function}"}}
		]}}`,
		"home/.config/agentbash/defs/tools.json": openaiTools,
		"home/more.json":                         `{"tools": [{"name": "third"}]}`,
	})
	w.env["WHO"] = "me"
	r := w.load()
	require.Empty(t, r.Warnings)
	db := r.Fields.Functions["db"]
	require.Equal(t, []string{"find", "ask", "inline", "third"}, names(db))
	require.Equal(t, &fieldbash.Exec{Argv: []string{"run", "me"}, Cwd: w.path("home/.config/agentbash")}, db[0].Exec)
	require.EqualValues(t, 9, db[0].Timeout)
	require.Equal(t, &fieldbash.Exec{Argv: []string{"own", "me"}, Cwd: w.path("home/.config/agentbash")}, db[1].Exec, "a definition's own way to run it counts")
	require.EqualValues(t, 3, db[1].Timeout)
	require.Contains(t, string(db[1].Parameters), "9007199254740993")
	require.Equal(t, "http://127.0.0.1:1/{function}", db[3].HTTP.URL)
}

func TestBadDefinitionFilesAreWarnings(t *testing.T) {
	w := newTestHome(t, map[string]string{
		userFile: `{"functions": {"g": [{"file": "gone.json"}, {"file": "broken.json"}, {"file": "text.json"}, {"file": 7}, {"file": ""},
			{"file": "pipe"}, {"file": "."}, {"file": "${NOT_SET}"}, {"file": "big.json"}, {"file": "unset.json"},
			{"name": "good", "exec": {"argv": ["x"]}}]}, "model": "m"}`,
		"home/.config/agentbash/broken.json": "[\n{]",
		"home/.config/agentbash/text.json":   `"x"`,
		"home/.config/agentbash/unset.json":  `[{"name": "u", "exec": {"argv": ["${NOT_SET}"]}}]`,
		"home/.config/agentbash/big.json":    "",
	})
	require.NoError(t, syscall.Mkfifo(w.path("home/.config/agentbash/pipe"), 0o600))
	require.NoError(t, os.Truncate(w.path("home/.config/agentbash/big.json"), maxDefinitions+1))
	r := w.load()
	require.Equal(t, "m", r.Model, "the rest of the file counts")
	require.Equal(t, []string{"good"}, names(r.Fields.Functions["g"]))
	for i, want := range []string{
		"functions.g[0].file: " + w.path("home/.config/agentbash/gone.json") + ": no such file or directory: correct the path",
		"broken.json: line 2, column 2: ",
		"text.json: it holds no function definitions",
		"functions.g[3].file: it is a number: write the path of a file",
		"functions.g[4].file: it is a string: write the path of a file",
		"not a regular file",
		"not a regular file",
		"the variable NOT_SET is not set",
		"larger than 8 MB",
		"the variable NOT_SET is not set",
	} {
		require.ErrorContains(t, r.Warnings[i], want)
		require.ErrorContains(t, r.Warnings[i], "; these functions are left out")
	}
	require.Len(t, r.Warnings, 10)
}

func TestAProjectsDefinitionsAreApprovedByTheirContent(t *testing.T) {
	w := newTestHome(t, map[string]string{
		projectOwn:                   `{"functions": {"g": [{"file": "../tools.json", "exec": {"argv": ["run"], "cwd": "sub"}}]}}`,
		"repo/tools.json":            `[{"name": "one"}]`,
		"repo/.agentbash/other.json": `[{"name": "two"}]`,
		"secret.json":                `[{"name": "outside"}]`,
	})
	r := w.load()
	require.Empty(t, r.Fields.Functions)
	require.Len(t, r.Pending, 1)
	require.Equal(t, []string{
		`functions.g: [{"file":"../tools.json","exec":{"argv":["run"],"cwd":"sub"}}]`,
		`functions, from ` + w.path("repo/tools.json") + `: [{"name":"one"}]`,
	}, r.Pending[0].Adds)
	w.approve()
	r = w.load()
	require.Empty(t, r.Pending)
	require.Equal(t, []string{"one"}, names(r.Fields.Functions["g"]))
	require.Equal(t, w.path("repo/sub"), r.Fields.Functions["g"][0].Exec.Cwd)

	w.write("repo/tools.json", `[{"name": "one", "exec": {"argv": ["rm"]}}]`)
	r = w.load()
	require.Empty(t, r.Fields.Functions, "the definitions changed, the configuration did not")
	require.Len(t, r.Pending, 1)
	w.write("repo/tools.json", `[{"name": "one"}]`)
	require.Empty(t, w.load().Pending, "what was approved stays so")

	require.NoError(t, os.Remove(w.path("repo/tools.json")))
	require.NoError(t, os.Symlink(w.path("secret.json"), w.path("repo/tools.json")))
	w.approve()
	r = w.load()
	require.Empty(t, r.Fields.Functions["g"])
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "lies outside of the project")
	require.NotContains(t, string(r.Warnings[0].Error()), "outside\"", "its content is not shown")

	require.NoError(t, os.Remove(w.path("repo/tools.json")))
	require.NoError(t, os.Symlink(filepath.Join(".agentbash", "other.json"), w.path("repo/tools.json")))
	w.approve()
	require.Equal(t, []string{"two"}, names(w.load().Fields.Functions["g"]))
}

func TestAProjectDoesNotLendTheModel(t *testing.T) {
	const file = `{"mcpServers": {"s": {"command": "x", "sampling": true, "oauth": {"clientId": "c"}}}}`
	w := newTestHome(t, map[string]string{projectOwn: file})
	w.approve()
	r := w.load()
	require.False(t, r.Fields.MCPServers["s"].Sampling)
	require.Equal(t, "c", r.Fields.MCPServers["s"].OAuth.ClientID)
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "cannot lend your model")
	w = newTestHome(t, map[string]string{userFile: file})
	require.True(t, w.load().Fields.MCPServers["s"].Sampling)
	w = newTestHome(t, map[string]string{userFile: `{"mcpServers": {"s": {"command": "x", "oauth": {"clientID": "c"}}}}`})
	require.ErrorContains(t, w.load().Warnings[0], "did you mean clientId?")
}

func TestYAMLDefinitions(t *testing.T) {
	got, err := yamlToJSON([]byte("b: &x [1, 1.5, .inf, yes, true, 2020-01-01, 9007199254740993]\n200: *x\na: {c: ~}\n"))
	require.NoError(t, err)
	require.Equal(t, `{"b":[1,1.5,".inf","yes",true,"2020-01-01",9007199254740993],"200":[1,1.5,".inf","yes",true,"2020-01-01",9007199254740993],"a":{"c":null}}`, string(got))
	for _, text := range []string{"a: [", "a: &a [*a]", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"} {
		_, err := yamlToJSON([]byte(text))
		require.Error(t, err, text)
	}
}

// A project's function keeps the sandbox that its file gives it.
func TestSandboxOfAProjectsFunction(t *testing.T) {
	w := newTestHome(t, map[string]string{projectOwn: `{"functions": {"g": [{"name": "f", "exec": {"argv": ["run"], "sandbox": "read"}}]}}`})
	w.approve()
	require.Equal(t, &fieldbash.Sandbox{Profile: "read"}, w.load().Fields.Functions["g"][0].Exec.Sandbox)
}
