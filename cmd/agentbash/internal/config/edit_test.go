package config

import (
	"os"
	"testing"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/stretchr/testify/require"
)

func TestServersAreAddedAndRemovedInPlace(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	const before = "{\n  \"model\": \"x\",   \"zeta\": 1,\n  \"mcpServers\": {\"a.b\": {\"command\": \"one\"}}\n}\n"
	require.NoError(t, os.WriteFile(d.UserFile(), []byte(before), 0o600))
	require.NoError(t, SetServer(d, "memory", fieldbash.Server{Command: "npx", Args: []string{"-y", "<x> & y"}}))
	after, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Contains(t, string(after), "\"model\": \"x\",   \"zeta\": 1,")
	servers, err := ReadServers(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, []string{"-y", "<x> & y"}, servers["memory"].Args)
	require.Equal(t, "one", servers["a.b"].Command)

	found, err := RemoveServer(d, "a.b")
	require.NoError(t, err)
	require.True(t, found)
	found, err = RemoveServer(d, "a.b")
	require.NoError(t, err)
	require.False(t, found)
	servers, err = ReadServers(d.UserFile())
	require.NoError(t, err)
	require.Len(t, servers, 1)
	st, err := os.Stat(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
}

func TestServersAreAddedToNoFileAndNotToABrokenOne(t *testing.T) {
	d := Dirs{Config: t.TempDir() + "/new"}
	require.NoError(t, SetServer(d, "m", fieldbash.Server{URL: "https://example.com/mcp"}))
	servers, err := ReadServers(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, "https://example.com/mcp", servers["m"].URL)
	require.NoError(t, os.WriteFile(d.UserFile(), []byte("{broken"), 0o600))
	require.ErrorContains(t, SetServer(d, "n", fieldbash.Server{Command: "x"}), "left as it is")
	b, err := os.ReadFile(d.UserFile())
	require.NoError(t, err)
	require.Equal(t, "{broken", string(b))
	_, err = ReadServers(d.UserFile())
	require.Error(t, err)
}
