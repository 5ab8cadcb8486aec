//go:build linux

package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTargetsOfLinks: where a path leads is asked anew by every run.
func TestTargetsOfLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home, other := filepath.Join(root, "home"), filepath.Join(root, "other")
	leadsTo := func(path string) string {
		all := withTargets([]string{path})
		return all[len(all)-1]
	}
	relink := func(to, path string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.Symlink(to, path))
	}
	key := filepath.Join(home, "sub", "key")
	require.Equal(t, key, leadsTo(key), "nothing is there")
	require.NoError(t, os.MkdirAll(filepath.Dir(key), 0o700))
	require.Equal(t, key, leadsTo(key))
	relink("../../other", key)
	require.Equal(t, other, leadsTo(key), "a name became a link")
	require.NoError(t, os.Symlink("/etc", other))
	require.Equal(t, "/etc", leadsTo(key), "what a link leads to changes")
	relink(other, home)
	require.Equal(t, "/etc/sub/key", leadsTo(key), "a directory became a link")
	relink("/", home)
	require.Equal(t, "/sub/key", leadsTo(key), "and the root")
	require.Equal(t, []string{"relative", "/"}, withTargets([]string{"relative", "/"}))
}
