package session

import "time"

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

	ShellExited bool // the shell ended with this command; the next Run starts a new one
	Restarted   bool // this command ran in a new shell, because the one before had ended
	StateLost   bool // and that one could not leave what had last been set in it: by SIGKILL or exec, or its EXIT trap was another

	// Background is "" or, when processes that the command started still hold
	// its stdout or stderr, the path of the file that takes what they write from
	// now on, both streams together, up to LateLimit bytes. It is os.DevNull
	// when no such file could be made.
	Background string

	Dir        string        // working directory of the shell after the command
	DirDeleted bool          // that directory no longer exists
	Duration   time.Duration // from handing the command over to its end
}

// LateLimit is how many bytes of late output of a command's background jobs
// are kept in the file that Result.Background names; more is dropped.
const LateLimit = 64 << 20
