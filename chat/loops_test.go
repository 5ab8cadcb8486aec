package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestTheSameCallWithTheSameOutput(t *testing.T) {
	lacks := modelserver.Expectations{{Role: "tool", Lacks: []string{"system_hint"}}}
	has := func(n int) modelserver.Expectations {
		return modelserver.Expectations{{Role: "tool", Contains: []string{fmt.Sprintf("has brought the same %d times", n)}}}
	}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call("pwd")}, {Expect: lacks, ToolCalls: call("pwd")}, {Expect: lacks, ToolCalls: call("pwd")},
		{Expect: has(3), ToolCalls: call("pwd")}, {Expect: has(4), ToolCalls: call("pwd")}, {Expect: has(5), ToolCalls: call("pwd")},
	}}, nil)
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitLimit, "the same command with the same output 6 times", "pwd")
	k.played(t)
	for name, commands := range map[string][]string{
		"what waits":               {"sleep 0; pwd"},
		"what brings news":         {"date +%s%N"},
		"with progress in between": {"pwd", "pwd", "date +%s%N"},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []modelserver.Reply
			for i := range 12 {
				replies = append(replies, modelserver.Reply{ToolCalls: call(commands[i%len(commands)])})
			}
			k := startChat(t, &modelserver.Script{Replies: append(replies, modelserver.Reply{Expect: lacks, Text: "ok"})}, nil)
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			k.played(t)
		})
	}
}

func TestFailuresOfOneKind(t *testing.T) {
	var replies []modelserver.Reply
	for i := range 10 {
		r := modelserver.Reply{ToolCalls: call(fmt.Sprintf("cat nofile%d.txt", i))}
		if i >= 5 {
			r.Expect = modelserver.Expectations{{Role: "tool", Contains: []string{fmt.Sprintf("%d calls in a row have failed in this way", i)}}}
		}
		replies = append(replies, r)
	}
	k := startChat(t, &modelserver.Script{Replies: replies}, nil)
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitLimit, "commands that fail in the same way 10 times", "cat nofile9.txt")
	k.played(t)
	replies = nil
	for i := range 14 { // other kinds, and successes between
		replies = append(replies, modelserver.Reply{ToolCalls: call([]string{"cat nofile", "ls nodir", "false", "cat nofile; exit 3", "echo hi; echo >&2 no; exit 1"}[i%5] + strings.Repeat(" ", i))})
	}
	k = startChat(t, &modelserver.Script{Replies: append(replies, modelserver.Reply{Text: "ok"})}, nil)
	_, err = k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
}

// TestWorkThatIsNoLoop: what waits, what finds nothing, and what one reply holds, is not ended.
func TestWorkThatIsNoLoop(t *testing.T) {
	one := func(format string) (calls []modelserver.ToolCall) {
		for i := range 14 {
			calls = append(calls, modelserver.ToolCall{Command: fmt.Sprintf(format, i)})
		}
		return calls
	}
	for name, commands := range map[string][]string{
		"a poll that sleeps and fails":    {"sleep 0; echo no; false"},
		"a loop that waits, in vain":      {"for i in 1 2; do sleep 0; done; echo timed out; false"},
		"a sleep apart from a poll":       {"sleep 0", "echo building"},
		"a sleep apart from a failure":    {"sleep 0", "echo no; false"},
		"the same test after silent work": {"sed -i s/%d/x/ /dev/null || true", "echo FAIL; false"},
		"searches that find nothing":      {"grep -n word%d /dev/null"},
	} {
		var replies []modelserver.Reply
		for i := range 14 * len(commands) {
			replies = append(replies, modelserver.Reply{ToolCalls: call(strings.ReplaceAll(commands[i%len(commands)], "%d", fmt.Sprint(i)))})
		}
		k := startChat(t, &modelserver.Script{Replies: append(replies, modelserver.Reply{Text: "ok"})}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err, name)
		k.played(t)
	}
	for _, format := range []string{"cat nofile%d", "cat nofile # %.0d"} {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: one(format)}, {Text: "ok"}}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err, "in one reply: "+format)
		require.Len(t, k.runner.ran(), 14)
		k.played(t)
	}
	var replies []modelserver.Reply
	for range stopAt * patience {
		replies = append(replies, modelserver.Reply{ToolCalls: call("sleep 0; echo refused; false")})
	}
	k := startChat(t, &modelserver.Script{Replies: replies}, nil)
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitLimit, "the same failing command 30 times")
	k.played(t)
}

func TestATextWithoutEnd(t *testing.T) {
	sentence := "I will now look at the files of the project and see. "
	for _, c := range []modelserver.Reply{
		{Text: sentence, TextTimes: 3000, FinishReason: "length"},
		{Text: sentence, TextTimes: 3000, Hold: true},
		{Text: strings.Repeat("A paragraph that is long. ", 4) + "It has a second sentence, which speaks of something else.\n\n", TextTimes: 200},
		{Reasoning: strings.Repeat(sentence, 100), Text: "never"},
	} {
		c.NewConversation = true
		j := &tape{}
		k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{c, {Text: "back"}}}, func(o *Options) { o.Journal = j })
		final, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "repeated itself without end")
		require.Less(t, len(final), 2000)
		require.LessOrEqual(t, strings.Count(final, sentence), 2+len(final)/len(sentence)/2)
		_, err = k.Turn(context.Background(), "well?")
		require.NoError(t, err)
		require.Less(t, len(k.server.Requests()[1].Body), 6000, "it is sent back once")
		k.server.Close()
	}
	for name, text := range map[string]string{
		"a line":         strings.Repeat("=", 5000),
		"numbers":        strings.Repeat("0, ", 3000),
		"rows of a list": rows(200, "- internal/modelserver/testdata/script/something/else/file%d.txt holds a case\n"),
		"in a fence":     "Data:\n```\n" + strings.Repeat("| yes | no | maybe |\n", 60) + "```\n",
		"said thrice":    strings.Repeat("Row, row, row your boat, gently down the stream.\n", 3),
	} {
		for n := 0; n < len(text); n += 97 {
			require.Negative(t, endlessTail(text[:n]), name)
		}
	}
}

func rows(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestTheRestOfAReplyDoesNotRun: after a call that was denied, and after a cd that failed.
func TestTheRestOfAReplyDoesNotRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []string
		ran   int
		why   string
	}{
		{"after a denial", []string{"touch a", "echo 1", "echo 2"}, 0, "the call before it was denied"},
		{"after a failed cd", []string{"cd nodir", "echo x > here.txt"}, 1, "the cd of the call before it failed"},
		{"after a failed cd in a list", []string{"cd nodir; ls", "echo x > here.txt"}, 1, "the cd of the call before it failed"},
		{"after a failure", []string{"false", "echo 1"}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls []modelserver.ToolCall
			for _, command := range c.calls {
				calls = append(calls, modelserver.ToolCall{Command: command})
			}
			k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: calls}, {Text: "ok"}}}, func(o *Options) {
				o.Runner = &refusing{bashRunner: bashRunner{dir: t.TempDir()}}
			})
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Len(t, k.opts.Runner.(*refusing).ran(), c.ran)
			results := pick[ToolResult](k.events)
			require.Len(t, results, len(calls))
			last := results[len(results)-1]
			require.Contains(t, last.Output, c.why)
			require.Equal(t, c.why != "", last.Refused)
			k.played(t)
		})
	}
}

// TestACDThatWasMadeGood is none that failed.
func TestACDThatWasMadeGood(t *testing.T) {
	k := routerChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "cd build || { mkdir build && cd build; }"}, {Command: "basename $PWD"}}},
		{Expect: modelserver.Expectations{{Role: "tool"}, {Role: "tool", Equals: text("build\n")}}, ToolCalls: []modelserver.ToolCall{{Command: "cd ..; cd nodir"}, {Command: "pwd"}}},
		{Expect: modelserver.Expectations{{Role: "tool"}, {Role: "tool", Contains: []string{"not run: the cd"}}}, Text: "ok"},
	}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
}

// TestARefusedCallStaysInTheHistory: the model sees what it sent, and where the fault is.
func TestARefusedCallStaysInTheHistory(t *testing.T) {
	file := strings.Repeat("a line of the file\\n", 150)
	sent := `{"command": "cat > a.txt <<'EOF'\n` + file + `EOF" and more}`
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Arguments: &sent}}},
		{Expect: modelserver.Expectations{{Role: "assistant"}, {Role: "tool", Contains: []string{"at character " + fmt.Sprint(strings.Index(sent, "and more")), "and more"}}}, Text: "ok"},
	}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Empty(t, k.runner.ran())
	body := string(k.server.Requests()[1].Body)
	require.Contains(t, body, "not_a_json_object")
	require.LessOrEqual(t, 150, strings.Count(body, "a line of the file"))
	k.played(t)
}
