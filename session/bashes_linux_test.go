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
		version, name := bashVersion(t, path)
		t.Logf("bash %s", name)
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", filepath.Dir(path)+":"+os.Getenv("PATH"))
			for _, row := range slices.Concat(agrees, says) {
				t.Run(row.name, func(t *testing.T) { agreeNewly(t, row, version) })
			}
			t.Run("restart", TestRestart)
			t.Run("protocol", TestNothingIsLostOrShownOfTheProtocol)
			t.Run("complaints", TestWritersGetOneComplaint)
		})
	}
}

// bashVersion is the version of a bash, 502 for 5.2, and its name.
func bashVersion(t *testing.T, path string) (version int, name string) {
	t.Helper()
	said, err := exec.Command(path, "-c", "echo $((BASH_VERSINFO[0]*100 + BASH_VERSINFO[1])) $BASH_VERSION").Output()
	require.NoError(t, err)
	number, name, _ := strings.Cut(strings.TrimSpace(string(said)), " ")
	version, err = strconv.Atoi(number)
	require.NoError(t, err)
	return version, name
}

// fromLine1 is a text whose lines bash -c counts from 1: up to 5.0 it begins with 0.
func fromLine1(command string, version int) string {
	if version < 501 {
		return "\n" + command
	}
	return command
}

// agreeNewly runs a row in a session of its own, and with bash -c of the same version.
func agreeNewly(t *testing.T, row row, version int) {
	asked := fromLine1(row.command, version)
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
