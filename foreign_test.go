package agentbash_test

import (
	"strings"
	"testing"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// TestForeignToolsAreCommands: what a call of another agent's tool becomes is there.
func TestForeignToolsAreCommands(t *testing.T) {
	b, err := agentbash.New(&agentbash.Options{Dir: t.TempDir(), ToolsOnly: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for _, name := range []string{"read_file", "Write", "str_replace", "undo_edit", "file_search", "grep_search", "BashOutput", "KillShell", "fetch_url",
		"google_web_search", "save_memory", "recall", "AskUserQuestion"} {
		words, err := registry.Foreign(name, registry.Kwargs{})
		require.NoError(t, err)
		_, ok := b.Registry().Lookup(strings.TrimPrefix(words[0], "agent:"))
		require.True(t, ok, "%s is %s", name, words[0])
	}
}
