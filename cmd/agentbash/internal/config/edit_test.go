package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/jsonpos"
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
		_, err := AddRules(d, rawStrings("allow a ...", "allow b"))
		require.NoError(t, err, row.name)
		data, err := os.ReadFile(d.UserFile())
		require.NoError(t, err)
		require.JSONEq(t, row.after, string(data), row.name)
	}
	d := Dirs{Config: t.TempDir()}
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(`{"rules": "none"`), 0o600))
	_, err := AddRules(d, rawStrings("allow b"))
	require.ErrorContains(t, err, "not valid JSON")
	data, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, `{"rules": "none"`, string(data), "what is wrong is left as it is")
}

// Another program may write the file between a rule and the look at where it stands.
func TestRulesThatAnotherProgramRemoves(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	done := make(chan struct{})
	var other sync.WaitGroup
	defer other.Wait()
	defer close(done)
	other.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := atomicfile.Write(d.UserFile(), []byte("{}\n")); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 300 {
		added, err := AddRules(d, rawStrings("allow a"))
		require.NoError(t, err)
		require.JSONEq(t, `["allow a"]`, string(added.Raw))
	}
}

func rawStrings(texts ...string) (raw []json.RawMessage) {
	for _, text := range texts {
		raw = append(raw, json.RawMessage(`"`+text+`"`))
	}
	return raw
}

// A file keeps its layout, whichever of the usual ones it has.
func TestALayoutIsKept(t *testing.T) {
	for _, row := range []struct{ name, before, after string }{
		{"none yet", "", "{\n  \"rules\": [\n    \"allow a <b>\"\n  ],\n  \"model\": \"m\"\n}\n"},
		{"a line each", "{\n\t\"rules\": [\n\t\t\"deny b\"\n\t]\n}\n", "{\n\t\"rules\": [\n\t\t\"deny b\",\n\t\t\"allow a <b>\"\n\t],\n\t\"model\": \"m\"\n}\n"},
		{"lists in a line", "{\n    \"mode\": \"ask\",\n    \"rules\": [\"deny b\"]\n}", "{\n    \"mode\": \"ask\",\n    \"rules\": [\"deny b\", \"allow a <b>\"],\n    \"model\": \"m\"\n}\n"},
		{"one line", `{"rules":["deny b"]}`, `{"rules":["deny b","allow a <b>"],"model":"m"}` + "\n"},
	} {
		d := Dirs{Config: t.TempDir()}
		if row.before != "" {
			require.NoError(t, os.WriteFile(d.UserFile(), []byte(row.before), 0o600))
		}
		_, err := AddRules(d, rawStrings("allow a <b>"))
		require.NoError(t, err)
		require.NoError(t, SetValues(d, map[string]string{"model": "m"}))
		after, err := os.ReadFile(d.UserFile())
		require.NoError(t, err)
		require.Equal(t, row.after, string(after), row.name)
	}
}

// requireInPlace wants texts in the line and column of some JSON where they stand in a file.
func requireInPlace(t *testing.T, file string, raw []byte, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.Contains(t, string(raw), text)
		line, column := jsonpos.LineColumn([]byte(file), strings.LastIndex(file, text))
		gotLine, gotColumn := jsonpos.LineColumn(raw, strings.LastIndex(string(raw), text))
		require.Equal(t, [2]int{line, column}, [2]int{gotLine, gotColumn}, "%s in\n%s\nof\n%s", text, raw, file)
	}
}

func TestAddOutsideRule(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(`{"rules": ["allow a", {"outside": true, "rule": "allow b"}]}`), 0o600))
	for _, rule := range []string{"a", "b"} {
		_, err := AddRules(d, []json.RawMessage{json.RawMessage(`{"rule": "allow ` + rule + `", "outside": true}`)})
		require.NoError(t, err)
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

func TestTextsAndRulesOfTheUsersFile(t *testing.T) {
	d := Dirs{Config: filepath.Join(t.TempDir(), "made")}
	text := func() string {
		data, err := os.ReadFile(d.UserFile())
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, SetValues(d, map[string]string{"model": "m \"1\"", "provider": "ollama", "baseURL": ""}))
	require.Equal(t, "{\n  \"model\": \"m \\\"1\\\"\",\n  \"provider\": \"ollama\"\n}\n", text(), "what is made is indented")
	require.NoError(t, SetValues(d, map[string]string{"provider": "", "model": "n"}))
	require.JSONEq(t, `{"model": "n"}`, text())

	added, err := AddRules(d, []json.RawMessage{[]byte(`"deny a"`), []byte(`{"rule": "allow b ...", "outside": true}`), []byte(`"ask c"`)})
	require.NoError(t, err)
	requireInPlace(t, text(), added.Raw, `"deny a"`, `"allow b ..."`, `"ask c"`)
	for _, rule := range []string{"allow b ...", "deny a"} {
		found, err := RemoveRule(d, rule)
		require.NoError(t, err)
		require.True(t, found, rule)
	}
	require.JSONEq(t, `{"model": "n", "rules": ["ask c"]}`, text())
	found, err := RemoveRule(d, "deny a")
	require.NoError(t, err)
	require.False(t, found)
}
