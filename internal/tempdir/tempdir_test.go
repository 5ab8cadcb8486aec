package tempdir

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownerEnv makes the test binary an owner: it makes a directory in the one that is
// named, tells it, and waits to be killed.
const ownerEnv = "AGENTBASH_TEMPDIR_TEST_OWNER"

func TestMain(m *testing.M) {
	parent := os.Getenv(ownerEnv)
	if parent == "" {
		os.Exit(m.Run())
	}
	d, err := Make(parent, "own-")
	if err != nil {
		panic(err)
	}
	os.MkdirAll(filepath.Join(d.Path, "sub", "deep"), 0o700)
	fmt.Println(d.Path)
	select {}
}

// startOwner starts a process that owns a directory; kill ends it.
func startOwner(t *testing.T, parent string) (path string, kill func()) {
	owner := exec.Command("/proc/self/exe")
	owner.Env = append(os.Environ(), ownerEnv+"="+parent)
	out, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	kill = func() {
		owner.Process.Kill()
		owner.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), kill
}

func TestDirectoriesOfTheKilledAreRemoved(t *testing.T) {
	parent := t.TempDir()
	living, _ := startOwner(t, parent)
	killed, kill := startOwner(t, parent)
	kill()
	require.DirExists(t, killed)

	d, err := Make(parent, "own-")
	require.NoError(t, err)
	require.NoDirExists(t, killed)
	require.DirExists(t, living)
	st, err := os.Stat(d.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), st.Mode().Perm())
	require.NoError(t, d.Remove())
	require.NoDirExists(t, d.Path)
}

// TestOthersAreLeftAlone: only what Make has made, with this prefix, is removed.
func TestOthersAreLeftAlone(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	locked := func(path string) {
		require.NoError(t, os.MkdirAll(path, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, lockName), nil, 0o600))
	}
	locked(filepath.Join(elsewhere, "own-5"))
	for _, name := range []string{"own-other-1", "own-", "own-1x", "other-1"} {
		locked(filepath.Join(parent, name))
	}
	require.NoError(t, os.Mkdir(filepath.Join(parent, "own-2"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "own-3"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "own-5"), filepath.Join(parent, "own-4")))
	locked(filepath.Join(parent, "own-6")) // this one is as an owner leaves it

	d, err := Make(parent, "own-")
	require.NoError(t, err)
	require.NoError(t, d.Remove())
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Len(t, left, 7, "%v", left)
	require.NoDirExists(t, filepath.Join(parent, "own-6"))
	require.DirExists(t, filepath.Join(elsewhere, "own-5"))
}

// TestMakersDoNotRemoveEachOthers: many make directories at the same time, and each keeps its own.
func TestMakersDoNotRemoveEachOthers(t *testing.T) {
	parent := t.TempDir()
	var makers sync.WaitGroup
	for range 8 {
		makers.Go(func() {
			for range 50 {
				d, err := Make(parent, "own-")
				if err == nil {
					err = os.WriteFile(filepath.Join(d.Path, "file"), nil, 0o600)
				}
				if err == nil {
					err = d.Remove()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	makers.Wait()
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, left)
}
