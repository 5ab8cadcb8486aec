package agentbash_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func Example() {
	commands, err := agentbash.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer commands.Close()
	reg := registry.New()
	if err := reg.Register(commands.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range reg.All() {
		fmt.Println(t.Category, t.Name)
	}
	// Unordered output:
	// files read
	// files write
	// files edit
	// files apply_patch
	// files grep
	// files glob
	// files undo
	// memory note
	// memory recall
	// skills skill
	// person clarify
	// person todo
	// background bash_start
	// background bash_output
	// background bash_input
	// background bash_kill
	// web web_fetch
	// web web_search
}

// TestDefaults: without options each tool works, or says what it lacks.
func TestDefaults(t *testing.T) {
	commands, err := agentbash.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, commands.Close()) })
	reg := registry.New()
	require.NoError(t, reg.Register(commands.Tools()...))
	dir := t.TempDir()
	skill := filepath.Join(dir, ".agentbash", "skills", "pdf")
	require.NoError(t, os.MkdirAll(skill, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: pdf\ndescription: reads PDFs\n---\nDo it.\n"), 0o644))
	for name, want := range map[string]string{"skill": "pdf: reads PDFs\n", "bash_start": "", "recall": ""} {
		res := reg.Execute(t.Context(), name, nil, registry.InDir(dir))
		require.True(t, res.Success, "%s: %s", name, res.Error)
		require.Equal(t, want, res.Output, name)
	}
	res := reg.Execute(t.Context(), "clarify", registry.Kwargs{"question": "Which?"}, registry.InDir(dir))
	require.False(t, res.Success)
	require.Contains(t, res.Error, "nobody")
}
