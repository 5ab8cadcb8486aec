package term

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/stretchr/testify/require"
)

// TestALongSessionIsShownFromItsEnd: what was said is there when it goes on, but not all of a session
// that lasted for days.
func TestALongSessionIsShownFromItsEnd(t *testing.T) {
	var out bytes.Buffer
	in := &input{terminal: true}
	s := &chatUI{Options: Options{Out: &out, Err: &out}, in: in}
	s.screen = newScreen(&s.Options, in)
	records := []transcript.Record{{Type: transcript.TypeSession, V: 1}}
	for i := range 60 {
		records = append(records, transcript.Record{Type: transcript.TypeUser, Text: fmt.Sprintf("<system_hint>x</system_hint>prompt %d", i), Typed: fmt.Sprintf("prompt %d", i)},
			transcript.Record{Type: transcript.TypeAssistant, Text: fmt.Sprintf("answer %d", i), Calls: []transcript.Call{{ID: "c", Name: "bash", Arguments: `{"command": "ls"}`}}},
			transcript.Record{Type: transcript.TypeToolResult, ID: "c", Output: "a\nb"})
	}
	s.showRecords(records)
	text := out.String()
	require.Contains(t, text, "earlier prompts are left out, and the last 50 shown: /export has all")
	require.NotContains(t, text, "prompt 9\n")
	require.NotContains(t, text, "answer 9\n")
	require.NotContains(t, text, "system_hint")
	require.Contains(t, text, "$ prompt 10\nanswer 10\n  $ ls  [ok, 2 lines, 0 ms]\n    a\n    b\n$ prompt 11\n")
	require.Contains(t, text, "$ prompt 59\nanswer 59\n")
}
