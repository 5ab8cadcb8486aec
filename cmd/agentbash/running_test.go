package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// TestOutputEvents reads what stream-json tells while a command runs, which goes on when it was told.
func TestOutputEvents(t *testing.T) {
	t.Parallel()
	const waits = "; until [ -e %s ]; do sleep 0.01; done; "
	command := "echo one; echo two >&2; echo the key is sk-proj-s3cr3ts3cr3ts3cr3ts3cr3t" + strings.ReplaceAll(waits, "%s", "1") +
		"seq 3000" + strings.ReplaceAll(waits, "%s", "2") + "printf 'Name? '" + strings.ReplaceAll(waits, "%s", "3") + "echo end"
	h := &killed{t: t, home: t.TempDir(), dir: t.TempDir()}
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: []modelserver.ToolCall{{Command: command}}}, {Text: "Done."}}}, nil)
	require.NoError(t, err)
	defer s.Close()
	cmd := h.command(s, "-p", "go", "--mode", "full", "--output-format", "stream-json")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	type event struct {
		Type, ID, Text, Output string
		Omitted                int
	}
	var call string
	told, omitted, going := "", 0, 0
	phases := [][]string{{"one\n", "two\n", "the key is "}, {"\n2999\n3000\n"}, {"Name? "}} // what each ends with, in any order
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var e event
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e), "%s", lines.Bytes())
		switch e.Type {
		case "tool_call":
			call = e.ID
		case "output":
			require.Equal(t, call, e.ID)
			require.LessOrEqual(t, len(e.Text), 4<<10)
			require.Contains(t, lines.Text(), `"omitted":`)
			told += e.Text
			omitted += e.Omitted
			if going < len(phases) && !slices.ContainsFunc(phases[going], func(part string) bool { return !strings.Contains(told, part) }) {
				if going == 1 {
					require.Positive(t, omitted)
					require.Equal(t, 9*2+90*3+900*4+2001*5, omitted+len(told), "what is not told is counted")
				}
				told, omitted, going = "", 0, going+1
				require.NoError(t, os.WriteFile(filepath.Join(h.dir, strconv.Itoa(going)), nil, 0o600))
			}
		case "tool_result":
			require.Contains(t, e.Output, "Name? end\n")
		}
		if e.Type != "tool_call" {
			require.NotContains(t, lines.Text(), "s3cr3ts")
		}
	}
	require.NoError(t, cmd.Wait())
	require.Equal(t, len(phases), going)
}

// TestAKilledProgramLeavesNothingRunning kills agentbash when shells of every kind run, and looks for what
// has an entry of the session's environment.
func TestAKilledProgramLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"full", "auto"} {
		t.Run(mode, func(t *testing.T) {
			canary := "CANARY=" + filepath.Base(t.TempDir()) + strconv.Itoa(os.Getpid()) + mode
			cmd := program(t, nil, "exec", "--jsonl", "--mode", mode)
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			answers := bufio.NewScanner(out)
			for _, request := range []string{
				`{"command": "export ` + canary + `"}`,
				`{"command": "bash_start --tty 'python3 -q'"}`,
				`{"command": "bash_start --tty 'bash --norc -i'; bash_input 2 --wait started 'trap : HUP TERM; setsid sleep 1001 & echo start''ed; sleep 1001'"}`,
				`{"command": "bash_start --stdin 'sleep 1001 & cat'"}`,
				`{"command": "sleep 1001 & setsid sleep 1001 & trap : TERM; sleep 1001", "timeout": 0.2}`,
				`{"command": "sleep 1001 & (setsid sleep 1001 &)"}`,
			} {
				_, err := in.Write([]byte(request + "\n"))
				require.NoError(t, err)
				require.True(t, answers.Scan())
				require.NotContains(t, answers.Text(), `"error":"exit status`, request)
			}
			require.Greater(t, len(withCanary(t, canary)), 10)
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			require.Eventually(t, func() bool { return len(withCanary(t, canary)) == 0 }, 5*time.Minute, 20*time.Millisecond)
		})
	}
}

// withCanary are the processes that have an entry in their environment.
func withCanary(t *testing.T, entry string) (list []string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte(entry+"\x00")) {
			list = append(list, filepath.Dir(f))
		}
	}
	return list
}
