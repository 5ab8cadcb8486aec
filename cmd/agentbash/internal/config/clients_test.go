package config

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// clientFiles writes the files of all clients, and returns what is to be found in them.
func clientFiles(t *testing.T) (w *testHome, want []string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/clients/files.txtar")
	require.NoError(t, err)
	w = newTestHome(t, nil)
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = strings.Split(strings.TrimSpace(strings.ReplaceAll(string(f.Data), "REPO", w.path("repo"))), "\n")
			continue
		}
		w.write(f.Name, string(f.Data))
	}
	w.env["TOK"] = "t"
	return w, want
}

func (w *testHome) lookup(name string) (string, bool) { v, ok := w.env[name]; return v, ok }

// foundText is a server as the wanted lines have it.
func foundText(t *testing.T, f FoundServer) string {
	text := f.Client + " " + f.Name
	if f.Project != "" && !strings.HasPrefix(f.File, f.Project) {
		text += " for " + f.Project
	}
	if f.Err != nil {
		return text + ": " + f.Err.Error()
	}
	raw, err := json.Marshal(f.Server)
	require.NoError(t, err)
	text += ": " + string(raw)
	if f.Unset != nil {
		slices.Sort(f.Unset)
		text += " needs " + strings.Join(f.Unset, " ")
	}
	if f.Ignored != nil {
		text += " without " + strings.Join(f.Ignored, " ")
	}
	return text
}

func TestServersOfOtherClientsAreFound(t *testing.T) {
	w, want := clientFiles(t)
	found, errs := FindServers(w.dir, w.lookup)
	var got []string
	for _, f := range found {
		got = append(got, foundText(t, f))
	}
	require.ElementsMatch(t, want, got)
	require.Len(t, errs, 1, "a broken file is no reason not to look into the others")
	require.ErrorContains(t, errs[0], w.path("repo/.gemini/settings.json"))

	// one file by its name: it is known whose it is, wherever it lies
	w.write("elsewhere/.codex/config.toml", "[mcp_servers.a]\ncommand = \"${x}\"\n")
	list, err := ReadServers(w.path("elsewhere/.codex/config.toml"), w.lookup)
	require.NoError(t, err)
	require.Equal(t, "$${x}", list[0].Server.Command)
	list, err = ReadServers(w.path("repo/.vscode/mcp.json"), w.lookup)
	require.NoError(t, err)
	require.Equal(t, w.path("repo"), list[0].Project)
	list, err = ReadServers(w.path("home/.cursor/mcp.json"), w.lookup)
	require.NoError(t, err)
	require.Empty(t, list[0].Project, "the home directory is no project")
	_, err = ReadServers(w.path("none.json"), w.lookup)
	require.ErrorContains(t, err, "no such file")
	w.write("empty.json", `{"servers": {}}`)
	_, err = ReadServers(w.path("empty.json"), w.lookup)
	require.ErrorContains(t, err, "it has no MCP servers")
}

// Whatever is taken loads, and starts what its client would have started.
func TestWhatIsImportedLoads(t *testing.T) {
	w, _ := clientFiles(t)
	found, _ := FindServers(w.dir, w.lookup)
	d, err := UserDirs(w.lookup)
	require.NoError(t, err)
	taken := 0
	for _, f := range found {
		if f.Err == nil {
			_, err := SetServer(d, f.Client+"-"+f.Name, f.Server, w.lookup)
			require.NoError(t, err)
			taken++
		}
	}
	for _, name := range []string{"TEAM_KEY", "API_KEY", "PASSED", "CX_TOKEN", "CX_KEY", "PORT_TOKEN"} {
		w.env[name] = "v-" + name
	}
	w.dir = filepath.Dir(w.root)
	r := w.load()
	require.Empty(t, r.Warnings)
	servers := r.Fields.MCPServers
	require.Len(t, servers, taken)
	require.Equal(t, []string{"cx.js", "${literal}"}, servers["codex-cx"].Args)
	require.Equal(t, "v-PASSED", servers["codex-cx"].Env["PASSED"])
	require.Equal(t, "Bearer t", servers["gemini-gem"].Headers["A"])
	require.Equal(t, []string{w.path("repo") + "/x.js", "eu"}, servers["vscode-vs"].Args)
	require.Equal(t, w.path("home")+"/bin/cur", servers["cursor-cur"].Command)
	require.False(t, servers["gemini-gem"].Trust, "nobody vouches for another client's server but its user")
}
