package shells

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/agentbash/internal/terminal"
	"github.com/agentbash/agentbash/internal/pseudotty"
)

// ports are what a shell reads from and writes to.
type ports struct {
	terminal      bool
	columns, rows int  // of the terminal
	stdin         bool // a pipe
	keep          bool // it outlasts the program, and writes to the log itself
}

// OpenTerminal is what is done without Options.Terminal.
func OpenTerminal(_ context.Context, columns, rows int) (control, terminal *os.File, err error) {
	return pseudotty.Open(columns, rows)
}

// parseSize reads columns and rows: 80x24.
func parseSize(s string) (columns, rows int, err error) {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	columns, err1 := strconv.Atoi(c)
	rows, err2 := strconv.Atoi(r)
	if !ok || err1 != nil || err2 != nil || columns < 10 || columns > 500 || rows < 2 || rows > 200 {
		return 0, 0, fmt.Errorf("--size %q: give columns and rows, such as 80x24 (10x2 to 500x200)", s)
	}
	return columns, rows, nil
}

// open connects the command. What it returns is closed when the command has it.
func (s *Shells) open(ctx context.Context, p ports, j *job, cmd *exec.Cmd) (theirs []*os.File, err error) {
	if p.terminal {
		open := s.opts.Terminal
		if open == nil {
			open = OpenTerminal
		}
		control, tty, err := open(ctx, p.columns, p.rows)
		if err != nil {
			return nil, fmt.Errorf("open a terminal: %w", err)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.Env = append(cmd.Env, "TERM=xterm-256color") // what the emulator is
		cmd.SysProcAttr = &syscall.SysProcAttr{Setctty: true}
		j.out, j.term = control, terminal.New(p.columns, p.rows, patient{control})
		return []*os.File{tty}, nil
	}
	if p.keep {
		cmd.Stdout, cmd.Stderr = j.log.file, j.log.file
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe for the output: %w", err)
	}
	cmd.Stdout, cmd.Stderr, j.out, theirs = w, w, r, []*os.File{w}
	if p.stdin {
		in, ours, err := os.Pipe()
		if err != nil {
			r.Close()
			return theirs, fmt.Errorf("pipe for the input: %w", err)
		}
		cmd.Stdin, j.in, theirs = in, ours, append(theirs, in)
	}
	return theirs, nil
}

// closePorts closes our ends; Close of a nil file is an error and no more.
func (j *job) closePorts() {
	j.out.Close()
	j.in.Close()
	if j.term != nil {
		j.term.Close()
	}
}

// inputWait is how long a program may take to read what was typed.
const inputWait = 5 * time.Second

// patient gives what it is written to time to take it.
type patient struct{ *os.File }

func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(inputWait))
	return p.File.Write(b)
}
