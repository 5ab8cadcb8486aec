package term

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/chat"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// TestMain lets the test binary be a session of its own process, which is what
// a terminal's Ctrl-C needs: with a model at TERM_BASE_URL, or with the person in
// its place.
func TestMain(m *testing.M) {
	if os.Getenv("TERM_CHILD") == "" {
		os.Exit(m.Run())
	}
	interrupt := make(chan os.Signal, 8)
	signal.Notify(interrupt, os.Interrupt)
	o := &Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Runner: bashRunner{}, Interrupt: interrupt, Plain: os.Getenv("TERM") == "dumb"}
	if base := os.Getenv("TERM_BASE_URL"); base != "" {
		o.Conversation = chat.New(&chat.Options{Model: "m", BaseURL: base, Runner: bashRunner{}})
		o.Info = Info{Version: "1.2", Model: "m", Server: "here", Dir: "/tmp"}
	}
	if err := Chat(context.Background(), o); err != nil {
		os.Stderr.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
}

// bashRunner runs each command in a bash of its own, in a process group that
// the terminal's Ctrl-C does not reach: only the context ends it.
type bashRunner struct{}

func (bashRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	if command == "panic" {
		panic("a mistake in a runner")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond
	out, _ := cmd.CombinedOutput()
	if len(out) == 0 {
		out = []byte("(no output)")
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func serve(t *testing.T, replies ...modelserver.Reply) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(&modelserver.Script{Replies: replies}, nil)
	require.NoError(t, err)
	return s
}

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

// waitLimit is how long a test waits for what must come.
const waitLimit = 20 * time.Second

// console is a session in a process of its own, on a pseudo-terminal.
type console struct {
	t   *testing.T
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	seen []byte
	more chan struct{} // gets something after each read; closed at the end
}

func startConsole(t *testing.T, env ...string) *console {
	t.Helper()
	c := &console{t: t, cmd: exec.Command(os.Args[0]), more: make(chan struct{}, 1)}
	c.cmd.Env = append(os.Environ(), append([]string{"TERM_CHILD=1", "TERM=xterm"}, env...)...)
	tty, err := pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	require.NoError(t, err)
	c.tty = tty
	go func() {
		defer close(c.more)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			c.mu.Lock()
			c.seen = append(c.seen, buf[:n]...)
			c.mu.Unlock()
			if err != nil {
				return // EIO: the child has closed its side
			}
			select {
			case c.more <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		tty.Close()
		for range c.more {
		}
	})
	return c
}

// want waits until the terminal has shown a text, and forgets what came up to it.
func (c *console) want(s string) {
	c.t.Helper()
	limit := time.After(waitLimit)
	for {
		c.mu.Lock()
		if i := bytes.Index(c.seen, []byte(s)); i >= 0 {
			c.seen = c.seen[i+len(s):]
			c.mu.Unlock()
			return
		}
		seen := string(c.seen)
		c.mu.Unlock()
		select {
		case _, open := <-c.more:
			if !open {
				require.FailNow(c.t, "the session ended", "before %q; shown: %q", s, seen)
			}
		case <-limit:
			require.FailNow(c.t, "not shown", "%q; shown: %q", s, seen)
		}
	}
}

func (c *console) press(keys string) {
	c.t.Helper()
	_, err := io.WriteString(c.tty, keys)
	require.NoError(c.t, err)
}

// ended waits for the end and returns the exit status.
func (c *console) ended() int {
	c.t.Helper()
	limit := time.AfterFunc(waitLimit, func() { c.cmd.Process.Kill() })
	defer limit.Stop()
	for range c.more {
	}
	c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}

// ready is what the editor shows when it waits.
const ready = "\x1b[?2004h"

func TestTerminalInTheModelsPlace(t *testing.T) {
	c := startConsole(t)
	c.want("no model: you are at the keyboard in its place")
	c.want(ready)
	c.press("echo $((6*7)\x7f)) \u4f60\u597d\x7f\r")
	c.want("42 \u4f60\r\n")
	c.want(ready)
	c.press("\x1b[A\x01: \r") // the history
	c.want("(no output)\r\n")
	c.want(ready)
	c.press("echo half; echo be''gun > /dev/tty; exec sleep 60\r")
	c.want("begun\r\n")
	c.press("\x03")
	c.want("half\r\n")
	c.want(ready)
	c.press("\x04")
	require.Equal(t, 0, c.ended())
}

func TestTerminalCtrlCStopsTheTurnAndKeepsTheConversation(t *testing.T) {
	s := serve(t,
		modelserver.Reply{Text: "Thinking", Hold: true, Chunk: 100},
		modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Command: "echo begun > /dev/tty; exec sleep 60"}}},
		modelserver.Reply{
			Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"[interrupted by the user]"}}, {Role: "assistant"}, {Role: "user", Equals: text("three")}},
			Text:   "Still here."})
	c := startConsole(t, "TERM_BASE_URL="+s.BaseURL)
	c.want("agentbash 1.2 - m at here - /tmp")
	c.want(ready)
	c.press("one\r")
	c.want("Thinking")
	c.press("\x03")
	c.want("agentbash: interrupted: the conversation is kept")
	c.want(ready)
	c.press("two\r")
	c.want("  $ echo begun")
	c.want("begun\r\n")
	c.press("\x03")
	c.want("[interrupted, ")
	c.want(ready)
	c.press("three\r")
	c.want("Still here.\r\n")
	c.want("tokens in")
	c.want(ready)
	c.press("\x03")
	c.want("press Ctrl-C again to end")
	c.want(ready)
	c.press("\x03")
	require.Equal(t, 0, c.ended())
	require.NoError(t, s.Close())
}

func TestTerminalShowsErrorsAndGoesOn(t *testing.T) {
	s := serve(t, modelserver.Reply{Status: 401, Error: "bad key"}, modelserver.Reply{Text: "Hello."})
	c := startConsole(t, "TERM_BASE_URL="+s.BaseURL)
	c.want(ready)
	c.press("one\r")
	c.want("agentbash: model server 127.0.0.1")
	c.want("OPENAI_API_KEY")
	c.want(ready)
	c.press("two\r")
	c.want("Hello.")
	c.want(ready) // the line discipline would swallow a Ctrl-D before
	c.press("\x04")
	require.Equal(t, 0, c.ended())
	require.NoError(t, s.Close())
}

func TestTerminalWithoutAnEditor(t *testing.T) {
	c := startConsole(t, "TERM=dumb")
	c.want("$ ")
	c.press("echo $((6*7))\n")
	c.want("42\r\n")
	c.want("$ ")
	c.press("\x03")
	c.want("press Ctrl-C again to end")
	c.want("$ ")
	c.press("echo $((7*7))\n")
	c.want("49\r\n")
	c.want("$ ")
	c.press("\x03")
	c.want("press Ctrl-C again to end")
	c.press("\x03")
	require.Equal(t, 0, c.ended())
	require.NotContains(t, string(c.seen), "\x1b")
}

func TestAPanicLeavesTheTerminalUsable(t *testing.T) {
	c := startConsole(t)
	c.want(ready)
	n, err := unix.IoctlGetInt(int(c.tty.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	// A terminal that nobody has open forgets its state.
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer slave.Close()
	during, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	const lineMode = unix.ICANON | unix.ECHO | unix.ISIG
	require.Zero(t, during.Lflag&lineMode, "keys come one by one")
	c.press("panic\r")
	c.want("panic: a mistake in a runner")
	c.want("goroutine ")
	require.Error(t, c.cmd.Wait())
	after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	require.EqualValues(t, lineMode, after.Lflag&lineMode)
}

// BenchmarkReply shows a reply of 100,000 tokens, an event a token, on a
// terminal that something is drawn on below it.
func BenchmarkReply(b *testing.B) {
	const tokens = 100_000
	unit := "# Heading\n\nSome **bold text** with `code`, a [link](http://example.com) and plain words.\n\n- an item of *a list*\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
	text := strings.Repeat(unit, 4*tokens/len(unit)+1)[:4*tokens]
	master, slave, err := pty.Open()
	require.NoError(b, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.Discard, master)
	}()
	tty := &terminal{fd: int(slave.Fd())}
	s := newScreen(&Options{Out: slave, Err: slave, Color: true}, &input{terminal: true, tty: tty, edit: &editor{}})
	cpu := func() time.Duration {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := cpu()
	for b.Loop() {
		s.begin()
		s.startLive("working")
		for at := 0; at < len(text); at += 4 {
			s.event(chat.Text{Delta: text[at : at+4]})
		}
		s.end()
		s.stopLive()
	}
	b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N)/(tokens/1000), "cpu-ms/1000tokens")
	require.NoError(b, slave.Close())
	require.NoError(b, master.Close())
	<-done
}

func TestTheEndOfTheContextEndsTheWaitAndRestoresTheTerminal(t *testing.T) {
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Chat(ctx, &Options{In: slave, Out: slave, Err: slave, Runner: bashRunner{}})
	}()
	buf, shown := make([]byte, 4096), ""
	for !strings.Contains(shown, ready) {
		n, err := master.Read(buf)
		require.NoError(t, err)
		shown += string(buf[:n])
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	// Echo is back, and a newline is shown as CR LF.
	_, err = master.WriteString("x\n")
	require.NoError(t, err)
	for !strings.Contains(shown, "x\r\n") {
		n, err := master.Read(buf)
		require.NoError(t, err)
		shown += string(buf[:n])
	}
	require.NoError(t, slave.Close())
}
