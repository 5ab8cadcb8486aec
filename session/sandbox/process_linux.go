//go:build !portable

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/agentbash/agentbash/internal/pseudotty"
)

// start starts a program inside. What it is for the host is found by its pidfd.
func (w *world) start(cmd *exec.Cmd, apart bool, p Profile) (*Process, error) {
	status, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	files := []*os.File{null, null, null, theirs}
	for i, v := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		if f, ok := v.(*os.File); ok && f != nil {
			files[i] = f
		}
	}
	_, fds, err := w.ask(request{Do: "start", Path: cmd.Path, Argv: cmd.Args, Env: cmd.Environ(), Dir: cmd.Dir, Apart: apart, Profile: p, Terminal: hasTerminal(cmd)}, files...)
	if err == nil && len(fds) != 1 {
		err = errors.New("init sent no process")
	}
	if err != nil {
		status.Close()
		return nil, err
	}
	pid, err := pidOf(fds[0])
	if err != nil {
		return nil, err
	}
	return &Process{Pid: pid, PidFD: fds[0], Init: w.init.Process.Pid, status: status}, nil
}

// hasTerminal reports whether the stdin of a command is to be its controlling terminal.
func hasTerminal(cmd *exec.Cmd) bool { return cmd.SysProcAttr != nil && cmd.SysProcAttr.Setctty }

// openTerminal opens a terminal that programs inside know by its name.
func (w *world) openTerminal(columns, rows int) (control, terminal *os.File, err error) {
	_, fds, err := w.ask(request{Do: "terminal", Columns: columns, Rows: rows})
	for _, fd := range fds {
		defer syscall.Close(fd)
	}
	if err != nil || len(fds) != 2 {
		return nil, nil, cmp.Or(err, errors.New("init sent no terminal"))
	}
	theirs, err := syscall.Dup(fds[1])
	if err != nil {
		return nil, nil, err
	}
	syscall.CloseOnExec(theirs)
	if control, err = pseudotty.Control(fds[0]); err != nil {
		syscall.Close(theirs)
		return nil, nil, err
	}
	return control, os.NewFile(uintptr(theirs), "terminal"), nil
}

// pidOf is the number that a process has for us.
func pidOf(pidfd int) (int, error) {
	text, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte("Pid:\t"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	if err != nil {
		return 0, fmt.Errorf("pid: %w", err)
	}
	return max(0, pid), nil // -1 is one that has been reaped
}

// Process is a program that was started.
type Process struct {
	Pid   int // for the host; 0: it had ended before anybody could look
	PidFD int // readable when it has ended; the caller closes it
	Init  int // the process that inherits orphans inside, for the host; 0: they are nobody's special

	status *os.File  // inside a world: where the exit status comes from
	cmd    *exec.Cmd // without one
}

// Wait waits for the end and returns how it came.
func (p *Process) Wait() syscall.WaitStatus {
	if p.cmd != nil {
		p.cmd.Wait()
		return p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	}
	defer p.status.Close()
	var b [4]byte
	if _, err := io.ReadFull(p.status, b[:]); err != nil {
		return syscall.WaitStatus(syscall.SIGKILL) // it ended with its world
	}
	return syscall.WaitStatus(binary.NativeEndian.Uint32(b[:]))
}

// startAlone starts a program that the launcher alone confines.
func (s *Sandbox) startAlone(cmd *exec.Cmd) (*Process, error) {
	argv, err := s.launcherArgv()
	if err != nil {
		return nil, err
	}
	c := *cmd
	c.Args = append(append(argv, cmd.Path), cmd.Args[min(1, len(cmd.Args)):]...)
	c.Path = argv[0]
	p := &Process{cmd: &c}
	c.Dir = nearestDir(c.Dir)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: hasTerminal(cmd), PidFD: &p.PidFD}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p.Pid = c.Process.Pid
	return p, nil
}

// launcherArgv are the words that come before a program's own where there is no
// world.
func (s *Sandbox) launcherArgv() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("sandbox: find this program: %w", err)
	}
	o := order{Sockets: s.spec.Keep, Secret: s.spec.Secret, Connect: s.spec.Connect, Still: s.profile == Read, Landlock: s.kernel.Landlock,
		Write: []string{filepath.Join(s.Dir, "tmp")}, Pipes: filepath.Join(s.Dir, "pipes")}
	if s.profile == Workspace {
		o.Write = append(o.Write, s.spec.Write...)
	}
	if s.spec.Instead != "" {
		o.Write = append(o.Write, s.spec.Instead)
	}
	return o.argv(self)
}
