package mcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/fieldbash/kept"
	"github.com/agentbash/agentbash/internal/watchdog"
)

// How long a server is given to end by itself, after end-of-file on its stdin
// and then after SIGTERM, before it is killed.
const (
	graceStdin = 500 * time.Millisecond
	graceTerm  = 500 * time.Millisecond
	graceDrain = 200 * time.Millisecond // for output that was written before the end
)

// Command says how to start a server that speaks on stdin and stdout.
type Command struct {
	Name string   // a path, or a name to be found on the PATH in Env
	Args []string // without the name
	Env  []string // the server's whole environment
	Dir  string   // its working directory; absolute

	Prepare func(*exec.Cmd) error // called before each start; an error prevents it; nil: nothing to do

	stderr func(line string) // gets what the server writes there as it comes; nil: nobody
}

// Watchdog ends servers whose host was killed before it could end them, and the
// programs of functions: with SIGTERM, and SIGKILL a second later. One small
// process does that for all clients that share it. The zero value is ready;
// Close it after the clients. It is safe for concurrent use, and a nil *Watchdog
// watches nothing.
type Watchdog = watchdog.Watchdog

// process is a running server: the leader of a session (and so of a process
// group) of its own, which has no terminal. Or it is kept elsewhere.
type process struct {
	cmd      *exec.Cmd
	kept     *kept.Conn // nil: it is ours
	stdin    pipeEnd
	stdout   pipeEnd
	stderr   *tail
	watchdog *Watchdog

	exited  chan struct{} // closed after the leader was reaped; status is set then
	status  string        // "exit status 1", "signal: killed"
	drained sync.WaitGroup
	stopped sync.Once
}

// pipeEnd is an end of a pipe or of a socket.
type pipeEnd interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Path finds the command's file as execvp would with the command's own PATH.
func (c Command) Path() (string, error) {
	if strings.Contains(c.Name, "/") {
		path := c.Name
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		return path, checkExecutable(path)
	}
	var path string
	for _, kv := range c.Env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a PATH entry that depends on the directory runs what lies there
		}
		if full := filepath.Join(dir, c.Name); checkExecutable(full) == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("%s: not found on PATH", c.Name)
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: is a directory", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s: is not executable", path)
	}
	return nil
}

// startProcess starts the server; the caller stops it.
func startProcess(c Command, watch *Watchdog) (*process, error) {
	path, err := c.Path()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(c.Dir); c.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("its directory %s does not exist", c.Dir)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		closeAll(inR, inW)
		return nil, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		closeAll(inR, inW, outR, outW)
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path, Args: append([]string{c.Name}, c.Args...), Env: c.Env, Dir: c.Dir,
		Stdin: inR, Stdout: outW, Stderr: errW,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean ours
	}
	if c.Prepare != nil {
		err = c.Prepare(cmd)
	}
	if err != nil {
		err = &refusedError{err}
	} else {
		err = cmd.Start()
	}
	closeAll(inR, outW, errW)
	if err != nil {
		closeAll(inW, outR, errR)
		return nil, err
	}
	p := &process{cmd: cmd, stdin: inW, stdout: outR, stderr: &tail{also: c.stderr}, watchdog: watch, exited: make(chan struct{})}
	watch.Add(cmd.Process.Pid) // without it, the end-of-file on their stdin must do
	p.drained.Go(func() {
		io.Copy(p.stderr, errR) // ends when the last holder of the pipe is gone, or stop closes it
		errR.Close()
		p.stderr.endLine()
	})
	go p.reap(errR)
	return p, nil
}

// reap waits for the leader, then ends what it left in its group: without the
// leader nobody reads the connection, and the group would outlive us.
func (p *process) reap(errR *os.File) {
	p.cmd.Wait()
	p.status = p.cmd.ProcessState.String()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.watchdog.Remove(p.cmd.Process.Pid)
	// Whoever left the group can hold the pipes for ever; what the server itself
	// wrote is in them already.
	deadline := time.Now().Add(graceDrain)
	errR.SetReadDeadline(deadline)
	p.stdout.SetReadDeadline(deadline)
	p.drained.Wait()
	close(p.exited)
}

// stop ends the server and returns when it is gone: end-of-file on its stdin,
// then SIGTERM, then SIGKILL, each to the whole group. It may be called twice.
func (p *process) stop() {
	p.stopped.Do(func() {
		if p.kept != nil { // it stays, for others
			p.kept.Close()
			return
		}
		p.stdin.Close()
		if p.wait(graceStdin) {
			return
		}
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
		if p.wait(graceTerm) {
			return
		}
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	})
	<-p.exited
}

func (p *process) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// gone reports whether the leader has ended.
func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}
