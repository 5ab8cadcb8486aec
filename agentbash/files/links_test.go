package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestLinksForgetWhatChanged: that a name is no link holds until its directory
// changes.
func TestLinksForgetWhatChanged(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home, other := filepath.Join(root, "home"), filepath.Join(root, "other")
	l := links{settled: -1}
	leadsTo := func(path string) string {
		all := l.withTargets([]string{path})
		return all[len(all)-1]
	}
	// until changes a directory again and again, until its time is another one.
	until := func(dir string, change func()) {
		var before, after unix.Stat_t
		require.NoError(t, unix.Stat(dir, &before))
		for after = before; after.Ctim == before.Ctim; require.NoError(t, unix.Stat(dir, &after)) {
			change()
		}
	}
	relink := func(to, path string) func() {
		return func() {
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.Symlink(to, path))
		}
	}
	key := filepath.Join(home, "sub", "key")
	require.Equal(t, key, leadsTo(key), "nothing is there")
	require.True(t, l.dirs[root].plain["home"])
	until(root, func() {
		require.NoError(t, os.RemoveAll(home))
		require.NoError(t, os.MkdirAll(filepath.Dir(key), 0o700))
	})
	require.Equal(t, key, leadsTo(key))
	require.Contains(t, l.dirs[filepath.Dir(key)].plain, "key")
	require.Equal(t, key, leadsTo(key), "remembered")
	until(filepath.Dir(key), relink("../../other", key))
	require.Equal(t, other, leadsTo(key), "a name became a link")
	require.NoError(t, os.Symlink("/etc", other))
	require.Equal(t, "/etc", leadsTo(key), "what a link leads to is not remembered")
	until(root, relink(other, home))
	require.Equal(t, "/etc/sub/key", leadsTo(key), "a directory became a link")
	require.Equal(t, []string{"relative", "/"}, l.withTargets([]string{"relative", "/"}))
}
