package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/stretchr/testify/require"
)

// unset is an environment without variables.
func unset(string) (string, bool) { return "", false }

// userServers are the servers of the user's file.
func userServers(t *testing.T, d Dirs) map[string]fieldbash.Server {
	t.Helper()
	list, err := ReadServers(d.UserFile(), unset)
	require.NoError(t, err)
	servers := map[string]fieldbash.Server{}
	for _, f := range list {
		servers[f.Name] = f.Server
	}
	return servers
}

func TestServersAreAddedAndRemovedInPlace(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	const before = "{\n  \"model\": \"x\",   \"zeta\": 1,\n  \"mcpServers\": {\"a.b\": {\"command\": \"one\"}}\n}\n"
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(before), 0o600))
	needs, err := SetServer(d, "memory", fieldbash.Server{Command: "npx", Args: []string{"-y", "<x> & y"}, Env: map[string]string{"A": "${TOKEN}", "B": "${B:-}"}}, unset)
	require.NoError(t, err)
	require.Equal(t, []string{"TOKEN"}, needs)
	after, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Contains(t, string(after), "\"model\": \"x\",   \"zeta\": 1,")
	servers := userServers(t, d)
	require.Equal(t, []string{"-y", "<x> & y"}, servers["memory"].Args)
	require.Equal(t, "one", servers["a.b"].Command)

	found, err := RemoveServer(d, "a.b")
	require.NoError(t, err)
	require.True(t, found)
	found, err = RemoveServer(d, "a.b")
	require.NoError(t, err)
	require.False(t, found)
	require.Len(t, userServers(t, d), 1)
	st, err := os.Stat(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
}

func TestServersAreAddedToNoFileAndNotToABrokenOne(t *testing.T) {
	d := Dirs{Config: t.TempDir() + "/new"}
	for _, wrong := range []fieldbash.Server{{}, {Command: "x", URL: "y"}, {Command: "x", Env: map[string]string{"A": "${input:x}"}}, {URL: "u", Type: "carrier pigeon"}} {
		_, err := SetServer(d, "m", wrong, unset)
		require.ErrorContains(t, err, "m is not added: ")
		require.NoFileExists(t, d.UserFile(), "what would not load is not written")
	}
	_, err := SetServer(d, "m", fieldbash.Server{URL: "https://example.com/mcp"}, unset)
	require.NoError(t, err)
	require.Equal(t, "https://example.com/mcp", userServers(t, d)["m"].URL)
	require.NoError(t, os.WriteFile(d.UserFile(), []byte("{broken"), 0o600))
	_, err = SetServer(d, "n", fieldbash.Server{Command: "x"}, unset)
	require.ErrorContains(t, err, "left as it is")
	b, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, "{broken", string(b))
	_, err = ReadServers(d.UserFile(), unset)
	require.Error(t, err)
}

func TestAddRules(t *testing.T) {
	for _, row := range []struct{ name, before, after string }{
		{"no file", "", `{"rules":["allow a ...","allow b"]}`},
		{"no rules", `{"model": "m"}`, `{"model":"m","rules":["allow a ...","allow b"]}`},
		{"rules, one of them there", `{"rules": [{"rule": "deny x"}, "allow b"], "model": "m"}`, `{"rules":[{"rule":"deny x"},"allow b","allow a ..."],"model":"m"}`},
	} {
		d := Dirs{Config: filepath.Join(t.TempDir(), "c")}
		if row.before != "" {
			require.NoError(t, os.Mkdir(d.Config, 0o700))
			require.NoError(t, os.WriteFile(d.UserFile(), []byte(row.before), 0o600))
		}
		require.NoError(t, AddRules(d, rawStrings("allow a ...", "allow b")), row.name)
		data, err := os.ReadFile(d.UserFile())
		require.NoError(t, err)
		require.JSONEq(t, row.after, string(data), row.name)
	}
	d := Dirs{Config: t.TempDir()}
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(`{"rules": "none"`), 0o600))
	require.ErrorContains(t, AddRules(d, rawStrings("allow b")), "not valid JSON")
	data, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, `{"rules": "none"`, string(data), "what is wrong is left as it is")
}

func rawStrings(texts ...string) (raw []json.RawMessage) {
	for _, text := range texts {
		raw = append(raw, json.RawMessage(`"`+text+`"`))
	}
	return raw
}

func TestAddOutsideRule(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(`{"rules": ["allow a", {"outside": true, "rule": "allow b"}]}`), 0o600))
	for _, rule := range []string{"a", "b"} {
		require.NoError(t, AddRules(d, []json.RawMessage{json.RawMessage(`{"rule": "allow ` + rule + `", "outside": true}`)}))
	}
	data, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.JSONEq(t, `{"rules": ["allow a", {"outside": true, "rule": "allow b"}, {"rule": "allow a", "outside": true}]}`, string(data))
}

func TestAddHost(t *testing.T) {
	for before, after := range map[string]string{
		`{"model": "m"}`:                                  `{"model": "m", "network": {"allow": ["x.example"]}}`,
		`{"network": {"deny": ["y"]}}`:                    `{"network": {"deny": ["y"], "allow": ["x.example"]}}`,
		`{"network": {"allow": ["x.example", "y:8443"]}}`: `{"network": {"allow": ["x.example", "y:8443"]}}`,
		`{"network": true}`:                               "",
	} {
		d := Dirs{Config: t.TempDir()}
		require.NoError(t, os.WriteFile(d.UserFile(), []byte(before), 0o600))
		err := AddHost(d, "x.example")
		if after == "" {
			require.ErrorContains(t, err, "network.allow cannot be added to")
			after = before
		} else {
			require.NoError(t, err)
		}
		data, err := os.ReadFile(d.UserFile())
		require.NoError(t, err)
		require.JSONEq(t, after, string(data))
	}
}
