package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// killRuns are the runs of TestAKillLosesNothing, and killSeed what makes them
// the same each time, as far as the scheduler lets them.
const (
	killRuns = 50
	killSeed = 7
)

// headlessEvent is what the test reads of stream-json.
type headlessEvent struct {
	Type, Text, Command, Output string
}

// TestAKillLosesNothing kills a run after a random event and a random moment,
// and goes on with its session: what was shown is in the next request, every
// call is answered once, and no command ran twice.
func TestAKillLosesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(killSeed, killSeed))
	const rounds = 4
	var replies []modelserver.Reply
	for n := range rounds {
		replies = append(replies, modelserver.Reply{Reasoning: "Hm, what next?", Text: fmt.Sprintf("Round %d: I will note it, and have a look at the notes.", n), Chunk: 5,
			ToolCalls: []modelserver.ToolCall{{Command: fmt.Sprintf("echo note-%d >> notes; tail -n 1 notes", n)}, {Command: "wc -l < notes"}}})
	}
	replies = append(replies, modelserver.Reply{Text: "That is all there is to say.", Chunk: 5})
	const events = 100 // about as many as a whole run has
	interrupted := 0
	for run := range killRuns {
		after, wait := random.IntN(events), time.Duration(random.IntN(3000))*time.Microsecond
		t.Run(fmt.Sprintf("%d: event %d and %v", run, after, wait), func(t *testing.T) {
			h := &killed{t: t, home: t.TempDir(), dir: t.TempDir()}
			if h.start(replies, after, wait) {
				interrupted++
			}
			h.resume()
		})
	}
	require.Greater(t, interrupted, killRuns/2, "most runs should have been killed before they ended")
}

type killed struct {
	t         *testing.T
	home, dir string
	shown     []headlessEvent
}

func (h *killed) command(s *modelserver.Server, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+h.home, "XDG_CONFIG_HOME="+h.home, "XDG_STATE_HOME="+h.home,
		"OPENAI_BASE_URL="+s.BaseURL, "OPENAI_API_KEY=k", "AGENTBASH_MODEL=scripted-1")
	return cmd
}

// start runs the whole script and kills it on the way. It reports whether the
// run was killed before its end.
func (h *killed) start(replies []modelserver.Reply, after int, wait time.Duration) bool {
	s, err := modelserver.Start(&modelserver.Script{Replies: replies}, nil)
	require.NoError(h.t, err)
	defer s.Close() // the rest of the script is not asked for
	cmd := h.command(s, "-p", "take notes", "--output-format", "stream-json")
	out, err := cmd.StdoutPipe()
	require.NoError(h.t, err)
	require.NoError(h.t, cmd.Start())
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == after {
			time.Sleep(wait) // the random moment; nothing is waited for
			cmd.Process.Kill()
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			require.ErrorIs(h.t, err, io.EOF)
			break // what was written of a last line was not shown as a line
		}
		var e headlessEvent
		require.NoError(h.t, json.Unmarshal(line, &e), "%s", line)
		h.shown = append(h.shown, e)
	}
	return cmd.Wait() != nil
}

// resume goes on with the session, and compares.
func (h *killed) resume() {
	t := h.t
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "Going on."}}}, nil)
	require.NoError(t, err)
	out, err := h.command(s, "-p", "what now?", "--continue").CombinedOutput()
	if len(h.shown) == 0 {
		s.Close() // nothing was shown: there may be no session yet
		return
	}
	require.NoError(t, err, "%s", out)
	require.Equal(t, "Going on.\n", string(out))
	require.NoError(t, s.Close(), "the request is well-formed: every call is answered once")
	var request struct {
		Messages []struct{ Content string }
	}
	require.NoError(t, json.Unmarshal(s.Requests()[0].Body, &request))
	var all strings.Builder
	for _, m := range request.Messages {
		all.WriteString(m.Content + "\n")
	}
	said := ""
	for _, e := range h.shown {
		switch e.Type {
		case "text":
			said += e.Text
			require.Contains(t, all.String(), said)
		case "tool_call":
			said = ""
		case "tool_result":
			require.Contains(t, all.String(), e.Output)
		}
	}
	notes, _ := os.ReadFile(filepath.Join(h.dir, "notes"))
	for _, note := range strings.Fields(string(notes)) {
		require.Equal(t, 1, strings.Count(string(notes), note), "it ran twice")
	}
}
