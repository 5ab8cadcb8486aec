package term

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// TestTheKeyboardVanishesDuringATurn closes the terminal while a question waits:
// nobody is waited for, and the session ends.
func TestTheKeyboardVanishesDuringATurn(t *testing.T) {
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer slave.Close()
	asker := NewAsker(slave, slave, nil)
	done := make(chan error, 1)
	answers := make(chan string, 1)
	runner := runnerFunc(func(ctx context.Context) string {
		answers <- askNamed(ctx, asker, "approve")
		return "(no output)"
	})
	go func() {
		done <- Chat(context.Background(), &Options{In: slave, Out: slave, Err: slave, Runner: runner, Asker: asker})
	}()
	shows := func(text string) {
		buf, shown := make([]byte, 4096), ""
		for !strings.Contains(shown, text) {
			n, err := master.Read(buf)
			require.NoError(t, err)
			shown += string(buf[:n])
		}
	}
	shows(ready)
	_, err = master.WriteString("go\r")
	require.NoError(t, err)
	shows("answer y, a, n: ")
	require.NoError(t, master.Close())
	require.Equal(t, "error: "+ErrNobody.Error(), <-answers)
	require.Error(t, <-done)
	require.Contains(t, []string{"error: " + ErrNobody.Error(), "error: " + ErrNoAnswer.Error()}, askNamed(context.Background(), asker, "approve"))
}

// runnerFunc answers every command.
type runnerFunc func(context.Context) string

func (f runnerFunc) Run(ctx context.Context, _ string, _ time.Duration) (string, int) {
	return f(ctx), 0
}

// TestCtrlCAtEveryMoment presses Ctrl-C where something else has begun.
func TestCtrlCAtEveryMoment(t *testing.T) {
	for name, keys := range map[string]string{
		"in a text":             "some text",
		"in a search":           "\x12ech",
		"after half a sequence": "\x1b[1;5",
		"after ESC O":           "\x1bO",
		"after ESC":             "\x1b",
		"after Ctrl-X":          "x\x18",
		"in a report":           "\x1b]11;rgb",
		"after half a letter":   "\xe4\xbd",
		"in a long text":        strings.Repeat("word\x1b\r", 40),
		"after a completion":    "/he\t",
		"after a paste":         "\x1b[200~two\nlines\x1b[201~",
	} {
		t.Run(name, func(t *testing.T) {
			c := startConsole(t)
			c.want(ready)
			c.press(keys)
			c.press("\x03")
			if name == "in a search" { // it ends the search
				c.want(ready)
				c.press("\x03")
			}
			c.want("press Ctrl-C again to end")
			c.press("echo a''b\r")
			c.want("ab\r\n")
			c.want(ready)
			c.press("\x03\x03")
			require.Equal(t, 0, c.ended())
		})
	}
}
