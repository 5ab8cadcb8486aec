package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOtherBashes runs the tables with each bash of testdata/bashes, where make bashes puts them.
func TestOtherBashes(t *testing.T) {
	found, err := filepath.Glob("../testdata/bashes/*/bash")
	require.NoError(t, err)
	if len(found) == 0 && os.Getenv("CI") == "" {
		t.Skip("SKIPPED: there is no other bash in testdata/bashes: make bashes")
	}
	require.NotEmpty(t, found, "make bashes")
	t.Setenv("SHELL", "/bin/sh") // where it is not set, a static bash asks this machine's libc for it, and may crash
	for _, path := range found {
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		version, err := exec.Command(path, "-c", "echo $((BASH_VERSINFO[0]*100 + BASH_VERSINFO[1])) $BASH_VERSION").Output()
		require.NoError(t, err)
		number, name, _ := strings.Cut(strings.TrimSpace(string(version)), " ")
		t.Logf("bash %s", name)
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", filepath.Dir(path)+":"+os.Getenv("PATH"))
			old, err := strconv.Atoi(number)
			require.NoError(t, err)
			for _, row := range slices.Concat(agrees, says) {
				t.Run(row.name, func(t *testing.T) { agreeNewly(t, row, old) })
			}
			t.Run("restart", TestRestart)
		})
	}
}

// agreeNewly runs a row in a session of its own, and with bash -c of the same version.
func agreeNewly(t *testing.T, row row, version int) {
	asked := row.command
	if version < 501 { // lines are counted from 0
		asked = "\n" + asked
	}
	if strings.HasPrefix(row.name, "exec of nothing") { // 5.1 loses its status where there is an EXIT trap
		asked = "trap : EXIT; " + asked
	}
	dir := t.TempDir()
	want := bashC(t, dir, asked)
	s := open(t, &Options{Dir: dir})
	got := answerOf(run(t, s, row.command))
	if version == 500 && strings.Contains(want.stderr, "bash: -c: ") { // it has 1 or 2 for what does not parse
		want.code = got.code
	}
	require.Equal(t, want, got, row.command)
	run(t, s, resetShell)
	require.Equal(t, answer{"still here", "", 5}, answerOf(run(t, s, "printf 'still %s' here; (exit 5)")), "after %s", row.command)
}
