package policy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestForeseesCommands runs lines in bash, with stand-ins for the commands that
// do harm: they note how they are called. Every call must have been foreseen.
func TestForeseesCommands(t *testing.T) {
	b, err := os.ReadFile("testdata/attacks.txt")
	require.NoError(t, err)
	ran := 0
	for _, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		line = strings.ReplaceAll(line, "␤", "\n")
		t.Run(line, func(t *testing.T) { ran += len(foresees(t, line)) })
	}
	require.Greater(t, ran, 100)
}

// foresees returns the calls that bash made.
func foresees(t *testing.T, line string) [][]string {
	calls := runHarmless(t, line)
	j := newJudge(&World{Dir: "/src/dir"}, line)
	j.text(j.src)
	for _, argv := range calls {
		covered := false
		var seen []string
		for _, p := range j.parts {
			if p.Kind == CommandPart && len(p.words) > 0 {
				covered = covered || covers(p.words, argv)
				seen = append(seen, p.String())
			}
			covered = covered || p.set&unknown != 0 // and that is said
		}
		require.True(t, covered, "%q runs in\n%s\nforeseen are\n%s", argv, line, strings.Join(seen, "\n"))
	}
	return calls
}

// standIn notes its name and arguments in the file whose name stands in it. With -p it
// takes nothing from BASH_ENV, which would start it again and again.
const standIn = "#!/bin/bash -p\n{ printf '%s' \"${0##*/}\"; [ $# = 0 ] || printf '\\001%s' \"$@\"; printf '\\002'; } >> "

// runHarmless runs a line in an empty directory. Its PATH has stand-ins for
// harmful commands, and of real ones only those that run others or read.
func runHarmless(t *testing.T, line string) (calls [][]string) {
	dir := t.TempDir()
	bin, log := filepath.Join(dir, "bin"), filepath.Join(dir, "log")
	require.NoError(t, os.Mkdir(bin, 0o700))
	for _, name := range []string{"rm", "curl", "dd", "shutdown", "mkfs", "chmod", "git", "mv"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(standIn+"'"+log+"'\n"), 0o700))
	}
	for _, name := range []string{"env", "xargs", "find", "timeout", "nice", "nohup", "setsid", "stdbuf", "bash", "sh", "sed", "awk", "sort", "cat", "tee", "tr", "rev", "cut", "head", "base64", "split", "true", "flock", "mkdir", "touch", "printenv", "sleep", "seq", "basename", "dirname", "grep", "uniq", "paste"} {
		if path, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, name)))
		}
	}
	work := filepath.Join(dir, "work")
	require.NoError(t, os.Mkdir(work, 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "--norc", "--noprofile", "-c", line)
	cmd.Dir, cmd.Env = work, []string{"PATH=" + bin, "LC_ALL=C", "HOME=" + work}
	_ = cmd.Run() // lines that fail are as good
	b, _ := os.ReadFile(log)
	for _, call := range strings.Split(string(b), "\x02") {
		if call != "" {
			calls = append(calls, strings.Split(call, "\x01"))
		}
	}
	return calls
}
