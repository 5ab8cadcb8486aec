package shells

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/agentbash/internal/terminal"
	"golang.org/x/sys/unix"
)

// job is one background shell.
type job struct {
	id, command, dir string
	mark             string // an entry of the environment of all that it starts; "": that of an adopted shell is its session's
	since            int64  // of an adopted shell: what is older in it is other commands', in ticks
	pid              int    // also its session's
	started          time.Time
	log              *log
	keep             bool               // it outlasts the program, and writes to the log itself
	out              *os.File           // our end of the pipe or terminal that it writes to; nil with keep
	in               *os.File           // and of that it reads from; nil: it reads nothing, or the terminal
	term             *terminal.Terminal // nil: it has none
	ended            chan struct{}      // closed when the shell has ended
	drained          chan struct{}      // closed when nobody holds the pipe any more

	looking sync.Mutex // held while a look takes what is new

	mu     sync.Mutex
	seen   int64 // bytes that were shown or passed over
	told   bool  // a look came after the end
	status Status
	exit   int
	end    time.Time
	killed bool  // bash_kill, Close or a limit ended it
	late   bool  // it was the limit
	noted  bool  // its end was told to whoever sends commands
	lost   error // why its output is not complete
}

// StartDirectly is what is done without Options.Start. A terminal that cmd has for its
// stdin is that of the session if its SysProcAttr says so (Setctty).
func StartDirectly(_ context.Context, cmd *exec.Cmd) (pid int, wait func() syscall.WaitStatus, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: cmd.SysProcAttr != nil && cmd.SysProcAttr.Setctty}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() syscall.WaitStatus {
		cmd.Wait()
		return cmd.ProcessState.Sys().(syscall.WaitStatus)
	}, nil
}

// copyOutput copies what the shell and its children write, until all of them have
// ended or Close hangs up.
func (j *job) copyOutput() {
	defer close(j.drained)
	defer j.closePorts()
	defer j.log.close()
	buf := make([]byte, 64<<10)
	for {
		n, err := j.out.Read(buf)
		if n > 0 {
			j.record(buf[:n])
		}
		if err != nil {
			j.takeScreen()
			return
		}
	}
}

// record puts output into the log; of a terminal's what has left the screen.
func (j *job) record(p []byte) {
	if j.term != nil {
		p = []byte(j.term.Write(p))
	}
	if err := j.log.write(p); err != nil {
		j.mu.Lock()
		j.lost = err
		j.mu.Unlock()
	}
}

// takeScreen puts what is new on the screen into the log.
func (j *job) takeScreen() {
	if j.term == nil {
		return
	}
	if text := j.term.Take(); text != "" {
		j.log.write([]byte(text))
	}
}

// hangUp ends drain where a process that nobody could kill holds the pipe.
func (j *job) hangUp() { j.out.SetReadDeadline(time.Unix(1, 0)) }

// lastWords is how long the end of a shell is not told while somebody else
// still holds its output.
const lastWords = 100 * time.Millisecond

// outputOpen reports whether some process still has the output open.
func (j *job) outputOpen() bool {
	held := false
	if j.keep {
		return false
	}
	conn, err := j.out.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) { // not called when drain has closed it
			p := []unix.PollFd{{Fd: int32(fd)}}
			_, err := unix.Poll(p, 0)
			held = err == nil && p[0].Revents&unix.POLLHUP == 0
		})
	}
	return held
}

func (j *job) wait(ended func() syscall.WaitStatus) {
	ws := ended()
	select {
	case <-j.drained:
	case <-time.After(lastWords): // a child of it writes on, or drain is late
		if !j.outputOpen() {
			<-j.drained
		}
	}
	j.mu.Lock()
	j.end, j.exit = time.Now(), ws.ExitStatus()
	switch {
	case ws.Signaled():
		j.status, j.exit = Terminated, 128+int(ws.Signal())
	case j.killed:
		j.status = Terminated
	case j.lost != nil:
		j.status = Error
	case j.exit == 0:
		j.status = Completed
	default:
		j.status = Failed
	}
	j.mu.Unlock()
	close(j.ended)
	j.log.wakeWaiters()
}

func (j *job) state() Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Job{ID: j.id, Command: j.command, Dir: j.dir, PID: j.pid, Status: j.status, Exit: j.exit,
		Started: j.started, Ended: j.end, Log: j.log.path, Unread: j.log.end() - j.seen, Kept: j.keep}
}

// isSeen reports whether nothing of it is left to be looked at.
func (j *job) isSeen() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.told && j.log.end() == j.seen
}

// says is the state in a line.
func (j Job) says() string {
	switch {
	case j.Status == Running:
		return fmt.Sprintf("running for %s, pid %d", formatAge(j.Started, time.Now()), j.PID)
	case j.Exit > 128 && j.Status == Terminated:
		return fmt.Sprintf("terminated by %s after %s, exit code %d", signalName(j.Exit-128), formatAge(j.Started, j.Ended), j.Exit)
	}
	return fmt.Sprintf("%s after %s, exit code %d", j.Status, formatAge(j.Started, j.Ended), j.Exit)
}

func formatAge(from, to time.Time) string {
	d := to.Sub(from)
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// unkillable is how long kill waits for what does not even die of SIGKILL.
const unkillable = 5 * time.Second

// killTree sends SIGTERM to the shell's whole tree, SIGKILL to what is left of it
// after the grace, and waits until it has ended. It reports how many processes
// it met, and how many are still there.
func (j *job) killTree(grace time.Duration) (met, left int) {
	j.mu.Lock()
	if j.status == Running {
		j.killed = true
	}
	j.mu.Unlock()
	tree := j.tree(nil)
	met = len(tree)
	if j.term != nil {
		signalTree(tree, syscall.SIGHUP) // as when a terminal is closed: an interactive shell ignores SIGTERM
	}
	signalTree(tree, syscall.SIGTERM)
	soft, hard := time.NewTimer(grace), time.NewTimer(grace+unkillable)
	defer soft.Stop()
	defer hard.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for over := false; ; {
		if tree = j.tree(tree); len(tree) == 0 {
			break
		}
		if over {
			signalTree(tree, syscall.SIGKILL)
		}
		select {
		case <-look.C:
		case <-soft.C:
			over = true
		case <-hard.C:
			return met, len(tree)
		}
	}
	<-j.ended
	return met, 0
}
