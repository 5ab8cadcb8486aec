//go:build linux

package term

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"

	"github.com/agentbash/agentbash/internal/modelserver"
)

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
	c.want("key is set")
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
	during, err := unix.IoctlGetTermios(int(slave.Fd()), syscalls.GetTermios)
	require.NoError(t, err)
	const lineMode = unix.ICANON | unix.ECHO | unix.ISIG
	require.Zero(t, during.Lflag&lineMode, "keys come one by one")
	c.press("panic\r")
	c.want("panic: a mistake in a runner")
	c.want("goroutine ")
	require.Error(t, c.cmd.Wait())
	after, err := unix.IoctlGetTermios(int(slave.Fd()), syscalls.GetTermios)
	require.NoError(t, err)
	require.EqualValues(t, lineMode, after.Lflag&lineMode)
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
