package agentbash

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

// A background shell has a terminal in each mode, also where it is confined, and is
// ended with its program.
func TestTerminalsAreConfinedToo(t *testing.T) {
	for _, mode := range []policy.Mode{policy.AutoMode, policy.FullMode} {
		t.Run(string(mode), func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			b, err := New(&Options{Dir: dir, Mode: mode})
			require.NoError(t, err)
			defer b.Close()
			run := func(command string) string {
				t.Helper()
				res := b.Run(t.Context(), command, nil)
				require.Equal(t, 0, res.ExitCode, res.Output)
				return res.Stdout
			}
			id := strings.TrimSpace(run(`bash_start --tty 'tty; stty size; read -rsp "Password: " p </dev/tty; echo; echo "${#p}"; python3 -c "open(\"` + filepath.Join(outside, "f") + `\", \"w\")" 2>/dev/null || echo held; sleep 1000'`))
			require.Regexp(t, `^/dev/pts/\d+\n24 80\nPassword: $`, run("bash_output "+id+" --wait Password"))
			require.Contains(t, run("bash_input "+id+" secret --wait '^6'"), "6\n")
			if mode == policy.AutoMode {
				run("bash_output " + id + " --wait held")
			} else {
				require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(outside, "f")); return err == nil }, 5*time.Minute, 10*time.Millisecond)
			}
			id2 := strings.TrimSpace(run("bash_start --tty 'python3 -q'"))
			run("bash_output " + id2 + " --wait '>>> '")
			require.Contains(t, run("bash_input "+id2+" 'import os; os.getpgrp() == os.tcgetpgrp(0)' --wait True --timeout 100"), "True")
			pid, err := strconv.Atoi(regexpPid.FindStringSubmatch(run("bash_start"))[1])
			require.NoError(t, err)
			require.NoError(t, b.Close())
			require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 5*time.Minute, 10*time.Millisecond)
		})
	}
}

var regexpPid = regexp.MustCompile(`pid (\d+)`)

// What wants a terminal in the session is answered with what to type instead, soon.
func TestWithoutATerminal(t *testing.T) {
	for _, mode := range []policy.Mode{policy.AutoMode, policy.FullMode} {
		t.Run(string(mode), func(t *testing.T) {
			b, err := New(&Options{Dir: t.TempDir(), Mode: mode})
			require.NoError(t, err)
			defer b.Close()
			for command, says := range map[string]string{
				"env vim -u NONE f":            "it waited for a terminal, and there is none here: it was ended; bash_start --tty 'env vim -u NONE f' gives it one, bash_input ID TEXT types there",
				"vim f":                        "nothing ran: change files with edit or write, and see them with read; bash_start --tty 'vim f' gives it one, bash_input ID TEXT types there",
				"read x </dev/tty":             "hint: commands here have no terminal and an empty stdin: bash_start --tty 'read x </dev/tty' gives it one",
				`python3 -c 'input("name? ")'`: "bash_start --tty",
				"top":                          "bash_start --tty top gives it one",
				"stty size":                    "bash_start --tty 'stty size'",
				"seq 1000; watch ls -l /":      "it waited for a terminal, and there is none here: it was ended; bash_start --tty 'seq 1000; watch ls -l /' gives it one",
			} {
				res := b.Run(t.Context(), command, nil)
				require.NotEqual(t, 0, res.ExitCode, res.Output)
				require.Contains(t, res.Output, says)
				require.False(t, res.TimedOut)
			}
			res := b.Run(t.Context(), "cat no-such-file", nil)
			require.NotContains(t, res.Output, "bash_start")
		})
	}
}
