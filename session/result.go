package session

import (
	"os"
	"syscall"
	"time"
)

// Result is what one command did.
type Result struct {
	// Stdout and Stderr are what the command and what it waited for wrote. When
	// a stream was longer than Options.Head and Options.Tail together, only its
	// head and tail are kept, cut at UTF-8 boundaries.
	Stdout, Stderr []byte

	// StdoutHead and StderrHead are the length of the head part when bytes were
	// dropped between head and tail of that stream, else 0.
	StdoutHead, StderrHead int

	// StdoutTotal and StderrTotal are how many bytes the streams had.
	StdoutTotal, StderrTotal int64

	// ExitCode is the exit status, 128+n when signal n ended the command or the
	// shell; 124 when it timed out, 130 when it was cancelled, exceeded the
	// output limit or waited for a terminal, -1 when StatusLost.
	ExitCode int

	TimedOut      bool // the time limit ended the command
	Canceled      bool // the end of Run's context ended the command
	Truncated     bool // bytes of Stdout or Stderr were dropped
	OutputLimited bool // Options.OutputLimit ended the command
	WantsTerminal bool // a program waited for a terminal, and was ended: there is none
	StatusLost    bool // the command made the shell unable to report its exit status

	// Running, when not nil, is the command, which goes on after its time limit
	// (RunOptions.GoOn). The next command runs in a new shell with what the session had before
	// this one, but for jobs, $!, open descriptors, resource limits, and traps on EXIT, DEBUG, ERR
	// and RETURN; StateLost then says that what the last commands had set is missing too.
	Running *Running

	ShellExited bool // the shell ended with this command; the next Run starts a new one
	Restarted   bool // this command ran in a new shell, because the one before had ended
	StateLost   bool // and that one, or with ShellExited this one, could not leave what had last been set in it: by SIGKILL or exec, or its EXIT trap was another
	Resumed     bool // the shell had stopped (suspend -f, SIGSTOP) and was made to go on

	// Background is "" or, when processes that the command started still hold
	// its stdout or stderr, the path of the file that takes what they write from
	// now on, both streams together, up to LateLimit bytes. It is os.DevNull
	// when no such file could be made.
	Background string

	Dir        string        // working directory of the shell after the command
	DirDeleted bool          // that directory no longer exists
	Duration   time.Duration // from handing the command over to its end
}

// Running is a command that goes on, with the shell that runs it. Who has it reads Stdout and Stderr
// to their ends, and closes them then: they have what Run has not passed on. Close of the session kills it.
type Running struct {
	Pid            int   // of the shell, which leads a session of its own
	Since          int64 // of what that shell started, what is older is other commands'; clock ticks as in proc_pid_stat(5)
	Stdout, Stderr *os.File

	ended chan struct{}
	ws    syscall.WaitStatus
	kill  func()
}

// Wait waits for the command's end, and returns its exit status or that of its shell. It may be
// called more than once, and concurrently.
func (r *Running) Wait() syscall.WaitStatus {
	<-r.ended
	return r.ws
}

// Kill kills the command with all that it started, and waits for the end of its shell.
func (r *Running) Kill() {
	r.kill()
	<-r.ended
}

// LateLimit is how many bytes of late output of a command's background jobs
// are kept in the file that Result.Background names; more is dropped.
const LateLimit = 64 << 20
