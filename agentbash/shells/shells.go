package shells

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/internal/watchdog"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	// StateDir takes the logs; it is made with mode 0700 when it is first needed.
	// "" makes a private one that Close removes.
	StateDir string

	// Env is the environment of a shell whose caller's is not known; nil is the
	// program's.
	Env []string

	// Prepare makes what bash is given of a command's text. nil gives it as it is.
	Prepare func(command string) string

	// State is what a shell has besides its environment, as text that bash reads: functions, variables,
	// options. nil, or an empty text: nothing.
	State func(ctx context.Context) []byte

	// Start starts a shell in a session of its own (setsid(2)), confined, say; wait
	// tells how it ended. nil is StartDirectly.
	Start func(ctx context.Context, cmd *exec.Cmd) (pid int, wait func() syscall.WaitStatus, err error)

	// Terminal opens a terminal of a size for a shell that Start will start (pty(7)).
	// nil is OpenTerminal.
	Terminal func(ctx context.Context, columns, rows int) (control, terminal *os.File, err error)
	// Limit is how long a command may go on that was adopted, besides what it took before; 0 is an hour.
	Limit time.Duration

	// Keeps is nil when a shell of this context can outlast the program, else why not. nil: each can.
	Keeps func(ctx context.Context) error

	// Alone says that the program ends with this very command, and all that it
	// would start with it: bash_start then refuses.
	Alone bool
}

// Shells are the background shells of one program. Its methods and tools are
// safe for concurrent use. Close it.
type Shells struct {
	opts  Options
	name  string            // in those of the logs, whose directory other programs have too
	mark  string            // the environment of all that a shell starts has this and its ID
	watch watchdog.Watchdog // knows what bears the mark

	mu     sync.Mutex
	dir    string // of the logs; "" before it is needed
	last   int    // ID
	jobs   []*job // in the order they were started
	closed bool
}

// Job is a background shell as it was at one moment.
type Job struct {
	ID      string
	Command string
	Dir     string // where it was started
	PID     int
	Status  Status
	Exit    int // 128 plus the signal's number when one ended it; meaningless while it runs
	Started time.Time
	Ended   time.Time // zero while it runs
	Log     string    // path of the file with all its output
	Unread  int64     // bytes that bash_output has not shown yet
	Kept    bool      // it outlasts the program
}

// Status is how a background shell is doing.
type Status string

// The statuses.
const (
	Running    Status = "running"
	Completed  Status = "completed"  // exit status 0
	Failed     Status = "failed"     // another exit status
	Terminated Status = "terminated" // ended by a signal or by bash_kill
	Error      Status = "error"      // its output or its end got lost
)

// New returns a manager that has started nothing.
func New(opts *Options) *Shells {
	s := &Shells{name: randomID(4)}
	if opts != nil {
		s.opts = *opts
	}
	s.mark = markVar + "=" + randomID(16)
	s.watch.Env, s.watch.Kill = s.mark, true
	return s
}

// markVar is in the environment of all that background shells start.
const markVar = "AGENTBASH_BACKGROUND"

func randomID(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Jobs returns all shells that were started and not forgotten, oldest first.
func (s *Shells) Jobs() []Job {
	var out []Job
	for _, j := range s.all() {
		out = append(out, j.state())
	}
	return out
}

// Running is how many of them run.
func (s *Shells) Running() (n int) {
	for _, j := range s.all() {
		if j.state().Status == Running {
			n++
		}
	}
	return n
}

// End ends a shell as bash_kill does, and says how it ended.
func (s *Shells) End(id string) (string, error) {
	j, err := s.findJob(id)
	if err != nil {
		return "", err
	}
	met, left := j.killTree(closeGrace)
	if left > 0 {
		return "", j.stillThere(left, met)
	}
	return j.state().Line(), nil
}

// Show returns how a shell is doing and the end of what it wrote, which stays new for
// bash_output.
func (s *Shells) Show(id string) (string, error) {
	j, err := s.findJob(id)
	if err != nil {
		return "", err
	}
	const most = 8 << 10
	text := j.state().Line() + "\n"
	if j.term != nil && j.term.FullScreen() {
		screen, _, _ := j.term.Screen()
		return text + screen, nil
	}
	b := make([]byte, most)
	from := max(0, j.log.end()-most)
	n, err := j.log.readAt(b, from)
	if err != nil && err != io.EOF {
		return "", err
	}
	if from > 0 {
		text += fmt.Sprintf("... %d bytes before, in %s\n", from, j.log.path)
	}
	text += string(b[:n])
	if j.term != nil {
		text += j.term.News()
	}
	return text, nil
}

func (s *Shells) all() []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs)
}

// findJob returns the job of that ID; an error names those there are.
func (s *Shells) findJob(id string) (*job, error) {
	all := s.all()
	var ids []string
	for _, j := range all {
		if j.id == id {
			return j, nil
		}
		ids = append(ids, j.id)
	}
	switch {
	case s.opts.Alone:
		return nil, fmt.Errorf("there is no background shell %q: they end with the agentbash that started them, and this one is alone", id)
	case len(ids) == 0:
		return nil, fmt.Errorf("there is no background shell %q: none was started since agentbash started: bash_start 'COMMAND' starts one", id)
	}
	return nil, fmt.Errorf("there is no background shell %q: those that are there: %s", id, strings.Join(ids, ", "))
}

// maxEnded is how many shells are remembered that have ended and were looked at since.
const maxEnded = 50

// forgetEnded drops the oldest shells of which all was seen, also their end, if they
// are too many; their logs stay.
func (s *Shells) forgetEnded() {
	over := -maxEnded
	for _, j := range s.jobs {
		if j.isSeen() {
			over++
		}
	}
	s.jobs = slices.DeleteFunc(s.jobs, func(j *job) bool {
		if over < 0 || !j.isSeen() {
			return false
		}
		over--
		return true
	})
}

func (s *Shells) makeDir() (err error) {
	switch {
	case s.dir != "":
		return nil
	case s.opts.StateDir == "":
		s.dir, err = os.MkdirTemp("", "agentbash-background-")
	default:
		s.dir = s.opts.StateDir
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err != nil {
		s.dir = ""
		return fmt.Errorf("directory for the output: %w", err)
	}
	s.pruneLogs()
	return nil
}

// keepLogs is how long logs are kept.
const keepLogs = 7 * 24 * time.Hour

// pruneLogs removes old logs, of earlier programs too.
func (s *Shells) pruneLogs() {
	paths, _ := filepath.Glob(filepath.Join(s.dir, "background-*"))
	for _, p := range paths {
		if st, err := os.Lstat(p); err == nil && time.Since(st.ModTime()) > keepLogs {
			os.Remove(p)
		}
	}
}

// childEnv is what a shell gets of its caller's environment. The session's own
// mark stays behind, or the end of the session's shell would be its end too.
func childEnv(env []string, dir, mark string) []string {
	out := make([]string, 0, len(env)+2)
	for _, e := range env {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "", "_", "PWD", "AGENTBASH_SESSION", markVar:
		default:
			out = append(out, e)
		}
	}
	return append(out, "PWD="+dir, mark)
}

// closeGrace is how long Close waits after SIGTERM.
const closeGrace = time.Second

// Close ends all background shells but those that are kept, SIGTERM first and SIGKILL after a second,
// and returns when they have ended.
func (s *Shells) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	jobs := slices.Clone(s.jobs)
	s.mu.Unlock()
	if closed {
		return nil
	}
	var ending sync.WaitGroup
	kept := false
	for _, j := range jobs {
		if j.keep {
			kept = true
			continue
		}
		ending.Go(func() {
			j.killTree(closeGrace)
			j.hangUp()
			<-j.drained
		})
	}
	ending.Wait()
	for _, j := range jobs {
		s.watch.Remove(j.pid)
	}
	s.watch.Close()
	if s.opts.StateDir == "" && s.dir != "" && !kept {
		return os.RemoveAll(s.dir)
	}
	return nil
}
