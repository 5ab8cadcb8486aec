package term

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// piped runs a session on lines, with the person in the model's place or not.
func piped(t *testing.T, s *modelserver.Server, input string) (out, errs string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	opts := &Options{In: strings.NewReader(input), Out: &o, Err: &e, Runner: bashRunner{}}
	if s != nil {
		opts.Conversation = chat.New(&chat.Options{Model: "m", BaseURL: s.BaseURL, Runner: bashRunner{}})
		opts.Info.Model = "m"
	}
	err = Chat(context.Background(), opts)
	return o.String(), e.String(), err
}

func TestLinesInTheModelsPlace(t *testing.T) {
	out, errs, err := piped(t, nil, "echo a\n\n  \nprintf '\\033[31mb'\necho c \\\n  d\ncat <<'E'\ntrue")
	require.NoError(t, err)
	require.Equal(t, "a\nb\nc d\n", strings.SplitAfter(out, "c d\n")[0])
	require.Contains(t, out, "(no output)\n", "the last line lacks its newline and runs too")
	require.Contains(t, errs, "no model: you are at the keyboard in its place")
	require.Contains(t, errs, "OPENAI_API_KEY")
	require.NotContains(t, errs, "$ echo", "no prompt where there is no terminal")
}

func TestLinesToAModel(t *testing.T) {
	s := serve(t,
		modelserver.Reply{Expect: modelserver.Expectations{{Equals: text("look\nhere")}}, Text: "Look\x1b]0;owned\x07ing", ToolCalls: []modelserver.ToolCall{
			{Command: "echo 1; echo 2"}, {Command: "echo " + strings.Repeat("long ", 40) + "; exit 3"}, {Name: "read", Arguments: text("{}")}}},
		modelserver.Reply{Status: 429, RetryAfter: "0"},
		modelserver.Reply{Text: "Done."},
		modelserver.Reply{Text: "Bye.", Chunk: 1})
	out, errs, err := piped(t, s, "look\\\nhere\nbye\n")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, "Looking\nDone.\nBye.\n", out)
	require.Contains(t, errs, "  $ echo 1; echo 2  [ok, 2 lines, ")
	require.Regexp(t, `  \$ echo long long [long .]*\.\.\.  \[exit 3, 1 line, `, errs)
	require.Contains(t, errs, `  [refused: bash: there is no tool "read"`)
	require.Contains(t, errs, "  [429 Too Many Requests; trying again in 0 ms]")
	require.Contains(t, errs, "agentbash - m\n")
}

func text(s string) *string { return &s }

func TestAnErrorEndsASessionWithoutATerminal(t *testing.T) {
	s := serve(t, modelserver.Reply{Text: "Part", FinishReason: "content_filter"})
	out, _, err := piped(t, s, "one\ntwo\n")
	require.NoError(t, s.Close())
	require.ErrorContains(t, err, "filtered the reply")
	require.Equal(t, "Part\n", out)
}
