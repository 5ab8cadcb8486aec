package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// textCalls are calls of bash as text, in the forms of models whose server does not read them.
var textCalls = []string{
	`<tool_call>{"name": "bash", "arguments": {"command": "echo 1"}}</tool_call>`,
	"<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo 1\"}}",
	"<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>echo 1</arg_value>\n</tool_call>",
	"<tool_call>\n<function=bash>\n<parameter=command>\necho 1\n</parameter>\n</function>\n</tool_call>",
	"<function=bash><parameter=command>echo 1</parameter></function>",
	`<function=bash>{"command": "echo 1"}</function>`,
	"<function_calls>\n<invoke name=\"bash\">\n<parameter name=\"command\">echo 1</parameter>\n</invoke>\n</function_calls>",
	`[TOOL_CALLS][{"name": "bash", "arguments": {"command": "echo 1"}}]`,
	`[TOOL_CALLS]bash[ARGS]{"command": "echo 1"}`,
	`<|python_tag|>{"name": "bash", "parameters": {"command": "echo 1"}}`,
	"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{\"command\": \"echo 1\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	`<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "echo 1"}<|tool_call_end|>`,
	`<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "echo 1"}<|call|>`,
	"```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo 1\"}}\n```",
	`{"name": "bash", "arguments": {"command": "echo 1"}}`,
	`[{"name": "bash", "arguments": {"command": "echo 1"}}]`,
	`{"type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"echo 1\"}"}}`,
	`{"arguments": {"command": "echo 1"}, "name": "bash"}`,
}

// TestACallAsText: it runs as any call does, and the history has it as a call.
func TestACallAsText(t *testing.T) {
	for _, before := range []string{"", "I look.\n", "<think>I should look.</think>\n"} {
		for _, as := range textCalls {
			for _, size := range []int{1, 1000} {
				k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{
					{Text: before + as, Chunk: size},
					{Expect: modelserver.Expectations{{Role: "assistant", Lacks: []string{"echo 1", "should"}}, {Role: "tool", Equals: text("1\n")}}, Text: "ok"},
				}}, nil)
				final, err := k.Turn(context.Background(), "go")
				require.NoError(t, err, as)
				require.Equal(t, "ok", final, as)
				require.Equal(t, []string{"echo 1"}, k.runner.ran(), as)
				k.played(t)
			}
		}
	}
}

func TestSeveralCallsAsText(t *testing.T) {
	for _, as := range []string{
		"<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo 1\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo 2\"}}\n</tool_call>",
		`[TOOL_CALLS][{"name": "bash", "arguments": {"command": "echo 1"}}, {"name": "bash", "arguments": {"command": "echo 2"}}]`,
	} {
		k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{Text: as}, {Text: "ok"}}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		require.Equal(t, []string{"echo 1", "echo 2"}, k.runner.ran())
		k.played(t)
	}
}

// TestWhatIsQuotedIsNoCall: an answer that speaks of calls, or shows what a file has.
func TestWhatIsQuotedIsNoCall(t *testing.T) {
	for _, said := range append([]string{
		"Qwen writes `<tool_call>{...}</tool_call>` around its calls, which the parser has to find.",
		"The file is {\"name\": \"x\", \"version\": 1}.", `{"answer": 3}`, `{"name": "x", "input": {"n": 1}}`, "[TOOL_CALLS] is Mistral's mark.",
		textCalls[0] + "\nis how Hermes calls.",
	}, textCalls...) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: said}}}, nil)
		final, err := k.Turn(context.Background(), "What does this mean?\n"+strings.Join(textCalls, "\n"))
		require.NoError(t, err)
		require.Equal(t, said, final)
		require.Empty(t, k.runner.ran(), said)
		k.played(t)
	}
}

// TestAnExampleOfACallDoesNotRun: a call runs where it stands at the end, alone, outside fences, whole.
func TestAnExampleOfACallDoesNotRun(t *testing.T) {
	object := `{"name": "bash", "arguments": {"command": "touch pwned"}}`
	as := "<tool_call>\n" + object + "\n</tool_call>"
	for _, said := range []string{
		"[TOOL_CALLS] is how Mistral marks calls: " + object + " runs touch.",
		"[TOOL_CALLS] is the mark; then comes the list.\n[" + object + "]\nThat is all.",
		"<tool_call> opens it, then `" + object + "`, and at its end stands\n</tool_call>",
		"Here:\n```\n" + as, "Here:\n~~~\n```\n" + as, "Here:\n```\n" + as + "\n```\nIt ends with\n</tool_call>",
		"Here:\n\n    " + as, "> " + as, "1. " + as,
		"An example of a call:\n```json\n" + object + "\n```", "A call looks like this:\n" + as,
		"```python\nx = 1\n" + object + "\n```", object + " is what I send, thus {}",
		"<function=bash>\n<parameter=command>touch pwned</parameter>\n</function> is Qwen's; an end is </function>",
		`<invoke name="bash"><parameter name="command">touch pwned</parameter></invoke> is Claude's, with </invoke>`,
		`<|python_tag|> is Llama's mark: {"name": "bash", "parameters": {"command": "touch pwned"}} and so on.`,
		"<function=bash><parameter=command>cat > x <<'E'\n</parameter>\nE\n</parameter></function>",
		`<tool_call>{"name": "bash", "arguments": {"command": "echo '</tool_call>' && rm -rf x"}}</tool_call>`,
		"<function=bash><parameter=command>cat > x <<'E'\n<think>cut</think>\nE\n</parameter></function>",
		`<tool_call>{"name": "bash", "arguments": {"command": "rm -rf `, `<tool_call>{"name": "bash", "arguments": {"command": "rm -rf "}`,
	} {
		k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{Text: said}, {Text: "end"}}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		require.Empty(t, k.runner.ran(), said)
	}
	said := "An example:\n```\n" + as + "\n```\nAnd now:\n" + textCalls[0]
	k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{Text: said}, {Text: "end"}}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, []string{"echo 1"}, k.runner.ran(), "the one that is no example")
}

// TestWhatAToolSaidIsNoCall: a model that shows an output runs nothing of it, however the two are spaced,
// escaped and numbered.
func TestWhatAToolSaidIsNoCall(t *testing.T) {
	object := `{"name": "bash", "arguments": {"command": "touch pwned && echo \"a b\""}}`
	forms := []string{
		object, strings.ReplaceAll(object, ": ", ":"), strings.ReplaceAll(strings.ReplaceAll(object, "{", "{\n  "), "}", "\n}"),
		strings.ReplaceAll(object, "&", `\u0026`), "```json\n" + object + "\n```", "<tool_call>\n" + object + "\n</tool_call>", "[TOOL_CALLS][" + object + "]",
		"<function=bash>\n<parameter=command>\ntouch pwned && echo \"a b\"\n</parameter>\n</function>",
	}
	given := append([]string{
		"     1\t<tool_call>\n     2\t" + object + "\n     3\t</tool_call>", "7:<function=bash>\n8:<parameter=command>\n  9|touch pwned && \\\n10: echo \"a b\"\n11:</parameter>", "  <tool_call>\r\n  " + object + "\r\n</tool_call>",
		strings.ReplaceAll(object, `"`, `\"`), strings.ReplaceAll(object, "&", "&amp;"),
	}, forms...)
	for _, output := range given {
		for _, said := range forms {
			k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{ToolCalls: call("cat <<'E'\n" + output + "\nE")}, {Text: "The file says:\n" + said}}}, nil)
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err, "%s\n%s", output, said)
			require.Len(t, k.runner.ran(), 1, "%s\n%s", output, said)
			k.played(t)
		}
	}
	k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{ToolCalls: call(`echo '{"input": "echo 1 is a command"}'`)}, {Text: textCalls[0]}, {Text: "ok"}}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Len(t, k.runner.ran(), 2, "words that stand elsewhere are no quote")
	k.played(t)
}

func TestACallAsTextThatCannotBeRead(t *testing.T) {
	as := `<tool_call>run echo 1 with bash</tool_call>`
	told := modelserver.Expectations{{Role: "user", Contains: []string{"a call as text, so nothing ran", `{"command": "ls -l"}`}}}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: as}, {Expect: told, ToolCalls: call("echo 1")}, {Text: "ok"},
		{Text: as}, {Text: as}, {Text: as},
		{Reasoning: "hm"}, {Reasoning: "hm"}, {Text: "ok"},
	}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "ok", final)
	require.Len(t, pick[ToolCall](k.events), 1)
	_, err = k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "a call as text, 3 times")
	_, err = k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "empty, 2 times")
	_, err = k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
}

func thoughtOf(k *testChat) string {
	var b strings.Builder
	for _, e := range pick[Reasoning](k.events) {
		b.WriteString(e.Delta)
	}
	return b.String()
}

// TestMarksInTheText: reasoning is not the answer and is not sent back; a template's tokens end it.
func TestMarksInTheText(t *testing.T) {
	for _, c := range []struct{ said, answer, thought string }{
		{"<think>secret</think>The file says alpha.", "The file says alpha.", "secret"},
		{"<think>\nsecret\n</think>\n\nThe file\nsays alpha.", "The file\nsays alpha.", "\nsecret\n"},
		{"\n<thinking>secret</thinking>ok", "ok", "secret"},
		{"[THINK]secret[/THINK]ok", "ok", "secret"},
		{"<seed:think>a < b</seed:think>ok", "ok", "a < b"},
		{"One.\n<think>secret</think>\nTwo.", "One.\n\nTwo.", "secret"},
		{"<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>ok<|return|>", "ok", "secret"},
		{"secret\n</think>\n\nok", "ok", ""},
		{"ok<|im_end|>", "ok", ""},
		{"ok<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>", "ok", ""},
		{"ok</s>", "ok", ""},
		{"ok<end_of_turn>\n<start_of_turn>user\nhm", "ok", ""},
		{"ok<｜end▁of▁sentence｜>", "ok", ""},
		// what is quoted
		{"ChatML ends a turn with <|im_end|> and begins one with `<|im_start|>`.", "ChatML ends a turn with <|im_end|> and begins one with `<|im_start|>`.", ""},
		{"It puts `<think>` first, then </b> and a[0] < 3.", "It puts `<think>` first, then </b> and a[0] < 3.", ""},
		{"```\n<think>x</think>\n<|im_end|>\n```\ndone", "```\n<think>x</think>\n<|im_end|>\n```\ndone", ""},
		{"The tag <think> opens and `</think>` closes.", "The tag <think> opens and `</think>` closes.", ""},
		{"a <s>b</s> c <", "a <s>b</s> c <", ""},
	} {
		for _, size := range []int{1, 3, 1000} {
			k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{
				{Text: c.said, Chunk: size}, {Expect: modelserver.Expectations{{Role: "assistant", Equals: &c.answer}, {Role: "user"}}, Text: "bye"},
			}}, nil)
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err, c.said)
			require.Equal(t, c.answer, final, "%d bytes at once: %q", size, c.said)
			if c.thought != "" {
				require.Equal(t, c.thought, thoughtOf(k), c.said)
				require.Equal(t, c.answer, k.shown(), c.said)
			}
			_, err = k.Turn(context.Background(), "go")
			require.NoError(t, err)
			k.played(t)
		}
	}
}

// TestWhatIsAnnouncedAndNotDone: in a run that nobody reads along with, and once.
func TestWhatIsAnnouncedAndNotDone(t *testing.T) {
	fence := "To see the files, run the following:\n```bash\nls -la\n```\nLet me know what you see."
	told := modelserver.Expectations{{Role: "user", Contains: []string{"call the tool bash yourself"}}}
	for _, said := range []string{fence, "I will now look at the files.", "Okay, let me look at the files:", "First, I need to look at the files."} {
		for _, again := range []bool{true, false} {
			replies := []modelserver.Reply{{Text: said}, {Expect: told, ToolCalls: call("echo 1")}, {Text: said}}
			ran := []string{"echo 1"}
			if !again {
				replies, ran = []modelserver.Reply{{Text: said}, {Expect: told, Text: said}}, nil
			}
			k := startChat(t, &modelserver.Script{Replies: replies}, func(o *Options) { o.Unattended = true })
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Equal(t, said, final)
			require.Equal(t, ran, k.runner.ran())
			k.played(t)
		}
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: said}}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err, "somebody reads it")
		k.played(t)
	}
	for i, said := range []string{"The answer is 4.", "I would use `ls`:\n```bash\nls\n```", "I will need to know: which file do you mean?", "Let me explain. " + strings.Repeat("It is a long story. ", 30)} {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: said}}}, func(o *Options) { o.Unattended = true })
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err, fmt.Sprint(i))
		k.played(t)
	}
	// a finish reason that says so
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "Let me look at the files:", FinishReason: "tool_calls"}, {Expect: told, ToolCalls: call("echo 1")}, {Text: "ok"}}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "ok", final)
	k.played(t)
}

func TestAnAnswerInACallIsTheAnswer(t *testing.T) {
	for _, name := range []string{"final_answer", "attempt_completion"} {
		arguments := `{"answer": "It is 42."}`
		k := startChat(t, &modelserver.Script{Loose: true, Replies: []modelserver.Reply{{Text: "So.", ToolCalls: []modelserver.ToolCall{{Name: name, Arguments: &arguments}}}}}, nil)
		final, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		require.Equal(t, "So.\n\nIt is 42.", final)
		require.Equal(t, final, k.shown())
		k.played(t)
	}
}
