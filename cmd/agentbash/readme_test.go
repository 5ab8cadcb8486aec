package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeTranscript replays the README's first transcript, line by line.
func TestReadmeTranscript(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```console\n(.*?)```").FindStringSubmatch(string(readme))
	require.NotNil(t, block)
	dir, home, bin := t.TempDir(), t.TempDir(), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "agentbash")))
	steps := strings.Split(block[1], "$ ")[1:]
	require.GreaterOrEqual(t, len(steps), 5)
	for _, step := range steps {
		command, want, _ := strings.Cut(step, "\n")
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, asProgram+"=1")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if denied := errors.As(err, &exit) && exit.ExitCode() == 126; !denied {
			require.NoError(t, err, "%s\n%s", command, out)
		}
		require.Equal(t, want, string(out), "%s", command)
	}
}
