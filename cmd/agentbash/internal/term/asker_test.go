package term

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// question is one of the questions that the tests put.
func question(name string) *Question {
	switch name {
	case "approve":
		text := "cd /tmp && rm -rf build"
		return &Question{Title: "Run this command?", Text: text, Mark: []Span{{11, len(text)}}, Choices: []Choice{
			{Key: "y", Label: "yes"}, {Key: "a", Label: "always"}, {Key: "n", Label: "no, because", Text: true}}}
	case "text":
		return &Question{Title: "Which colour?", Default: "blue"}
	case "list":
		return &Question{Title: "Which one?", Items: []Item{{Key: "k1", Text: "first\x1b[2J thing", About: "today"}, {Key: "k2", Text: "second thing", About: "yesterday"}, {Key: "k3", Text: "other", About: "yesterday"}}}
	case "evil":
		return &Question{Title: "Fine?\x1b[2J\n", Text: "safe\u202egpj.sh\x1b]0;x\x07", Choices: []Choice{{Key: "y", Label: "yes"}}, Default: "y"}
	}
	panic(name)
}

// askNamed returns the answer in words.
func askNamed(ctx context.Context, a Asker, name string) string {
	r, err := a.Ask(ctx, question(name))
	if err != nil {
		return "error: " + err.Error()
	}
	return "key=" + r.Key + " text=" + r.Text
}

func TestNobodyIsAskedWithoutATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.Equal(t, "error: "+ErrNobody.Error(), askNamed(context.Background(), NewAsker(r, w, nil), "approve"))
	require.Equal(t, "error: "+ErrNobody.Error(), askNamed(context.Background(), NewAsker(nil, w, nil), "approve"))
	var none *Prompter
	require.Equal(t, "error: "+ErrNobody.Error(), askNamed(context.Background(), none, "approve"))
}

func TestAQuestionInLines(t *testing.T) {
	c := startConsoleAfter(t, "y\nhal", "TERM_CHILD=ask", "TERM=dumb")
	c.want("? Run this command?\r\n    cd /tmp && rm -rf build\r\n               ^^^^^^^^^^^^\r\n  [y] yes  [a] always  [n] no, because ...\r\n")
	c.want(`(typed before the question, and not taken for its answer: y\nhal)`)
	c.want("answer y, a, n: ")
	c.press("maybe\n")
	c.want("type one of y, a, n\r\nanswer y, a, n: ")
	c.press("N\n")
	c.want("no, because: ")
	c.press("it is wrong\n")
	c.want("key=n text=it is wrong\r\n")
	require.Equal(t, 0, c.ended())
}

func TestAQuestionInLinesWithoutAnAnswer(t *testing.T) {
	c := startConsole(t, "TERM_CHILD=ask", "TERM=dumb")
	c.want("answer y, a, n: ")
	c.press("\x04")
	c.want("error: " + ErrNoAnswer.Error())
	require.Equal(t, 0, c.ended())
}

func TestAQuestionDuringATurn(t *testing.T) {
	c := startConsole(t)
	c.want(ready)
	c.press("ask approve\r")
	c.want("? Run this command?")
	c.want("answer y, a, n: ")
	c.press("y")
	c.want("-> yes")
	c.want("key=y text=\r\n")
	c.want(ready)
	c.press("ask approve\r")
	c.want("answer y, a, n: ")
	c.press("x\r")
	c.want("type one of y, a, n")
	c.press("\x1b[200~y\x1b[201~n")
	c.want("no, because: ")
	c.press("two words\r")
	c.want("key=n text=two words\r\n")
	c.want(ready)
	c.press("ask text\r")
	c.want("answer (Enter: blue): ")
	c.press("\r")
	c.want("key= text=blue\r\n")
	c.want(ready)
	c.press("ask evil\r")
	c.want(`? Fine?\x1b[2J\n`)
	c.want(`\u202e`)
	c.want(`gpj.sh`)
	c.want("\\x1b\x1b[0m]0;x\x1b[0;1;4m\\x07")
	c.want("answer y (Enter: y): ")
	c.press("\r")
	c.want("key=y text=\r\n")
}

func TestWhatIsTypedAheadAnswersNothing(t *testing.T) {
	c := startConsole(t)
	c.want(ready)
	c.press("ask approve\ry\ry\r") // typed before the question could be seen
	c.want("? Run this command?")
	c.want("next: y")
	c.want("answer y, a, n: ")
	c.press("a")
	c.want("key=a text=\r\n")
	c.want("$ y\x1b") // they are commands
	c.want("y: command not found")
	c.want("y: command not found")
}

func TestAQuestionIsLeft(t *testing.T) {
	for name, key := range map[string]string{"Esc": "\x1b", "Ctrl-C": "\x03"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Command: "ask approve"}}})
			c := startConsole(t, "TERM_BASE_URL="+s.BaseURL)
			c.want(ready)
			c.press("go\r")
			c.want("answer y, a, n: ")
			c.press(key)
			c.want("[interrupted, ")
			c.want(ready)
			c.press("\x04")
			require.Equal(t, 0, c.ended())
			require.NoError(t, s.Close())
		})
	}
}

func TestAQuestionAtThePrompt(t *testing.T) {
	c := startConsole(t)
	c.want(ready)
	c.press("later approve\rhalf of")
	c.want("? Run this command?")
	c.want("> half of")
	c.want("answer y, a, n: ")
	c.press("y")
	c.want("-> yes")
	c.want("$ half of") // it is there again
	c.press("\x15later approve\r")
	c.want("answer y, a, n: ")
	c.press("\x1b")
	c.want("LATER error: "+ErrNoAnswer.Error(), ready) // Ctrl-D ends nothing before
	c.press("\x04")
	require.Equal(t, 0, c.ended())
}

func TestAQuestionOnADumbTerminal(t *testing.T) {
	c := startConsole(t, "TERM=dumb")
	c.want("$ ")
	c.press("ask approve\necho ahead\n")
	c.want("answer y, a, n: ")
	c.press("y\n")
	c.want("key=y text=\r\n")
	c.want("$ echo ahead\r\n")
	c.want("ahead\r\n")
	c.want("$ ")
	c.press("ask approve\n")
	c.want("answer y, a, n: ")
	c.press("\x03")
	c.want("error: ")
	c.want("$ ")
	c.press("later text\n")
	c.want("ok\r\n") // a question that came before it is shown again
	c.want("answer (Enter: blue): ")
	c.press("red\n")
	c.want("LATER key= text=red\r\n") // before or after the prompt
	c.press("\x04")
	require.Equal(t, 0, c.ended())
	require.NotContains(t, string(c.seen), "\x1b")
}

func TestAQuestionEndsWithWhoAsks(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := NewAsker(nil, os.Stderr, nil)
	p.lines = &lineAsker{}
	require.Equal(t, "error: context canceled", askNamed(ctx, p, "approve"))

	// While a session has the terminal and does not look, the wait ends too.
	release := p.bindSession(context.Background())
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.Equal(t, "error: context deadline exceeded", askNamed(ctx, p, "approve"))
	go func() { (<-p.requests).endWait(Reply{Key: "y"}, nil) }()
	require.Equal(t, "key=y text=", askNamed(context.Background(), p, "approve"))
	release()
}

func TestWhatIsToldComesBetweenTheRest(t *testing.T) {
	for term, prompt := range map[string]string{"xterm": ready, "dumb": "$ "} {
		t.Run(term, func(t *testing.T) {
			c := startConsole(t, "TERM="+term)
			c.want("$ ")
			c.press("tell it\r")
			c.want("it\r\n", "(no output)")
			c.want("$ ")
			c.press("later tell\r")
			c.want(`told\x1blater`)
			c.want(prompt)
			c.press("\x04")
			require.Equal(t, 0, c.ended())
		})
	}
	var b strings.Builder
	p := NewAsker(nil, &b, nil)
	p.Tell("at\ronce")
	require.Equal(t, "at\\x0donce\n", b.String())
	require.False(t, p.Present())
}

func TestAListIsSearched(t *testing.T) {
	c := startConsole(t)
	c.want(ready)
	c.press("ask list\r")
	c.want("? Which one?")
	c.want("  > today      first thing")
	c.want("3 of 3; type to search")
	c.press("yesterday")
	c.want("  > yesterday  second thing")
	c.want("2 of 3")
	c.press("\x1b[B")
	c.want("  > yesterday  other")
	c.press("\x1b[B\r") // there is nothing below
	c.want("-> other")
	c.want("key=k3 text=other")
	c.want(ready)
	c.press("ask list\r")
	c.want("3 of 3; type to search")
	c.press("none of these\r") // Enter takes nothing
	c.want("0 of 3")
	c.press("\x1b")
	c.want("error: ")
}

func TestAListInLines(t *testing.T) {
	c := startConsole(t, "TERM=dumb")
	c.want("$ ")
	c.press("ask list\n")
	c.want("? Which one?\r\n    1  today  first")
	c.want("3  yesterday  other\r\nanswer 1, 2, 3: ")
	c.press("4\n")
	c.want("type one of 1, 2, 3")
	c.press("2\n")
	c.want("key=k2 text=second thing")
}
