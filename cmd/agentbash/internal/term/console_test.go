package term

import (
	"bytes"
	"context"
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

	"github.com/agentbash/agentbash/chat"
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
	plain := os.Getenv("TERM") == "dumb"
	asker := NewAsker(os.Stdin, os.Stderr, &AskerOptions{Plain: plain})
	if os.Getenv("TERM_CHILD") == "ask" {
		os.Stdout.WriteString(askNamed(context.Background(), asker, "approve") + "\n")
		return
	}
	runner := bashRunner{asker}
	o := &Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Runner: runner, Interrupt: interrupt, Plain: plain, Asker: asker}
	if base := os.Getenv("TERM_BASE_URL"); base != "" {
		o.Conversation = chat.New(&chat.Options{Model: "m", BaseURL: base, Runner: runner})
		o.Info = Info{Version: "1.2", Model: "m", Server: "here", Dir: "/tmp"}
	}
	if err := Chat(context.Background(), o); err != nil {
		os.Stderr.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
}

// bashRunner runs each command in a bash of its own, in a process group that
// the terminal's Ctrl-C does not reach: only the context ends it. "ask NAME" puts
// a question of the tests, "later NAME" puts it when the command has ended.
type bashRunner struct{ asker *Prompter }

func (b bashRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	if command == "panic" {
		panic("a mistake in a runner")
	}
	if name, ok := strings.CutPrefix(command, "ask "); ok {
		return askNamed(ctx, b.asker, name), 0
	}
	if text, ok := strings.CutPrefix(command, "tell "); ok {
		b.asker.Tell(text)
		return "(no output)", 0
	}
	if command == "later tell" {
		go b.asker.Tell("told\x1blater")
		return "ok", 0
	}
	if name, ok := strings.CutPrefix(command, "later "); ok {
		go func() {
			os.Stdout.WriteString("LATER " + askNamed(context.Background(), b.asker, name) + "\n")
		}()
		return "ok", 0
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
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

// waitLimit is how long a test waits for what must come.
const waitLimit = 5 * time.Minute

// console is a session in a process of its own, on a pseudo-terminal.
type console struct {
	t   *testing.T
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	seen []byte
	more chan struct{} // gets something after each read; closed at the end
}

// startConsole starts one; tests that have one run side by side, since they wait
// most of the time.
func startConsole(t *testing.T, env ...string) *console {
	t.Helper()
	return startConsoleAfter(t, "", env...)
}

// startConsoleAfter starts one where keys were pressed before.
func startConsoleAfter(t *testing.T, keys string, env ...string) *console {
	t.Helper()
	t.Parallel()
	c := &console{t: t, cmd: exec.Command(os.Args[0]), more: make(chan struct{}, 1)}
	c.cmd.Env = append(os.Environ(), append([]string{"TERM_CHILD=1", "TERM=xterm"}, env...)...)
	tty, side, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
	c.tty = tty
	c.press(keys)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = side, side, side
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, c.cmd.Start())
	side.Close()
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

// want waits until the terminal has shown some texts, in any order, and forgets
// what came up to the last of them.
func (c *console) want(texts ...string) {
	c.t.Helper()
	limit := time.After(waitLimit)
	for {
		c.mu.Lock()
		end := 0
		for _, s := range texts {
			i := bytes.Index(c.seen, []byte(s))
			if i < 0 {
				end = -1
				break
			}
			end = max(end, i+len(s))
		}
		if end >= 0 {
			c.seen = c.seen[end:]
			c.mu.Unlock()
			return
		}
		seen := string(c.seen[max(0, len(c.seen)-2000):])
		c.mu.Unlock()
		select {
		case _, open := <-c.more:
			if !open {
				require.FailNow(c.t, "the session ended", "before %q; shown: %q", texts, seen)
			}
		case <-limit:
			require.FailNow(c.t, "not shown", "%q; shown: %q", texts, seen)
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

// ready is what the editor shows when it waits, and nothing was typed ahead.
const ready = "\r\x1b[2C"
