package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// editExternally edits the text in the person's editor, which gets the terminal.
func (s *chatUI) editExternally(ctx context.Context) error {
	f, err := os.CreateTemp("", "agentbash-*.md") // mode 0600
	if err != nil {
		return fmt.Errorf("a file for the editor: %w", err)
	}
	defer os.Remove(f.Name())
	_, texts := s.takeAttached(s.in.edit.text.text)
	_, err = f.WriteString(texts.Replace(s.in.edit.text.text))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("a file for the editor: %w", err)
	}
	editor := s.Editor
	if strings.TrimSpace(editor) == "" {
		editor = "vi"
	}
	// The shell splits it, since $EDITOR is a command line: code --wait.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, os.Stdout, s.Err
	if out, ok := s.Err.(*os.File); ok {
		cmd.Stdout = out
	}
	err = s.in.leaveTerminal(cmd.Run)
	if err != nil {
		return fmt.Errorf("%s: %w: set VISUAL or EDITOR to an editor", safeLine(editor), err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		return fmt.Errorf("the editor's file: %w", err)
	}
	b := &s.in.edit.text
	b.start()
	b.insert(strings.ToValidUTF8(strings.TrimRight(string(text), "\n"), "\ufffd"))
	s.in.edit.kept = true
	return nil
}

// stopTime is how long it may take until the stop is felt.
const stopTime = 300 * time.Millisecond

// suspendProgram is Ctrl-Z: the shell that started us goes on, until fg. The signal may
// be felt only after kill has returned, and where there is nobody to continue us
// (an orphaned process group) never, so it is waited for, but not for ever.
func (s *chatUI) suspendProgram() error {
	return s.in.leaveTerminal(func() error {
		again := make(chan os.Signal, 1)
		signal.Notify(again, unix.SIGCONT)
		defer signal.Stop(again)
		if err := unix.Kill(0, unix.SIGTSTP); err != nil {
			return err
		}
		select {
		case <-again:
		case <-time.After(stopTime):
		}
		return nil
	})
}

// leaveTerminal leaves the terminal to somebody else while f runs.
func (in *input) leaveTerminal(f func() error) error {
	in.keys.pause()
	in.restore()
	err := f()
	in.keys.start()
	if rerr := in.tty.raw(); err == nil {
		err = rerr
	}
	return err
}
