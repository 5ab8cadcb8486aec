package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/router"
	"github.com/stretchr/testify/require"
)

// stateless are commands whose outcome depends on nothing but the directory;
// %d is a number that makes each one different.
var stateless = []string{
	"echo %d", "printf '%%s|' a b %d", "echo out %d; echo err %d >&2", "exit_is() { return $1; }; exit_is $((%d %% 7))",
	"seq 1 %d | tail -n 1", "(exit $((%d %% 256)))", "false || echo %d", "test %d -gt 500", "cat a.txt | head -n $((%d %% 4))",
	"for i in 1 2 3; do echo $((i * %d)); done", "x=%d; echo ${#x} ${x/1/one}", "cat <<END\nline %d\nEND", "printf 'no newline %d'",
	"grep -n o a.txt; echo %d", "awk 'NR==%d%%3+1' a.txt", "sed -n '%d p' a.txt", "echo $((%d / 3)) $((%d %% 3))", "[[ %d == *7 ]] && echo seven",
	"case %d in *0) echo tens;; *) echo other;; esac", "ls nosuch%d", "nosuchcommand%d; echo $?", "echo a{1,2}b%d", "arr=(a b %d); echo ${#arr[@]} ${arr[2]}",
	"read -r x < a.txt; echo \"$x %d\"", "while read -r l; do echo \"$l\"; done < a.txt | wc -l; : %d", "printf '%%b' 'a\\tb\\n' %d", "echo \"é ü %d\"",
	"echo 'single $x `y` %d'", "{ echo a; echo b >&2; } 2>&1 | sort; : %d", "diff <(echo a) <(echo %d) >/dev/null; echo $?", "set -- a b %d; echo $# $3",
	"printf '\\xff\\x00%d' | od -An -tx1", "(kill -TERM $BASHPID) & wait $!; echo $? %d", "(set -e; false; echo no %d)", "let x=%d-1; echo $x", "TIMEFORMAT=took; time true; unset TIMEFORMAT; echo %d",
	"echo ${nosuch:-%d}", "trap 'echo bye %d' EXIT; trap - EXIT", "set -o pipefail; false | true; echo $? %d; set +o pipefail", "tr a-z A-Z < a.txt | cut -c1-$((%d %% 5 + 1))",
}

// TestThousandCommandsInOneSession runs 1,000 commands through exec --jsonl and
// each through a bash -c of its own, and compares what came of them.
func TestThousandCommandsInOneSession(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nfour\n"), 0o644))
	var commands []string
	for n := 0; len(commands) < 1000; n++ {
		c := stateless[n%len(stateless)]
		args := make([]any, strings.Count(strings.ReplaceAll(c, "%%", ""), "%d"))
		for i := range args {
			args[i] = n
		}
		commands = append(commands, fmt.Sprintf(c, args...))
	}
	state3 := []string{"cd /tmp && export EXPORTED=yes && kept() { echo kept $1; }", "pwd; bash -c 'echo $EXPORTED'; kept 5"}
	results := execJSONL(t, dir, state, append(append([]string{}, commands...), state3...))
	for i, c := range commands {
		cmd := exec.Command("bash", "-c", c)
		var out, notes bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &notes
		err := cmd.Run()
		require.True(t, err == nil || cmd.ProcessState != nil)
		require.Equal(t, out.String(), results[i].Stdout, "%s\nstderr: %s", c, results[i].Stderr)
		require.Equal(t, message(notes.String()), message(results[i].Stderr), "%s", c)
		require.Equal(t, cmd.ProcessState.ExitCode(), results[i].ExitCode, "%s", c)
		require.Equal(t, router.Native, results[i].Layer, "%s", c)
	}
	last := results[len(results)-1]
	require.Equal(t, "/tmp\nyes\nkept 5\n", last.Stdout)
	require.Equal(t, "/tmp", last.Dir)
}

// message drops the line number, which bash -c prints and an interactive bash does not.
func message(s string) string { return strings.ReplaceAll(s, "bash: line 1: ", "bash: ") }

// execJSONL runs commands in one agentbash exec --jsonl.
func execJSONL(t *testing.T, dir, state string, commands []string) []router.Result {
	t.Helper()
	var in bytes.Buffer
	for _, c := range commands {
		require.NoError(t, json.NewEncoder(&in).Encode(map[string]string{"command": c}))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "exec", "--jsonl")
	cmd.Dir, cmd.Stdin = dir, &in
	cmd.Env = append(os.Environ(), asProgram+"=1", "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state)
	var notes bytes.Buffer
	cmd.Stderr = &notes
	out, err := cmd.Output()
	require.NoError(t, err, notes.String())
	require.Empty(t, notes.String())
	var results []router.Result
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var r router.Result
		require.NoError(t, d.Decode(&r))
		results = append(results, r)
	}
	require.Len(t, results, len(commands))
	return results
}
