package session

import (
	"context"
	"errors"
)

// ErrNUL is returned by Run for a command that contains a NUL byte, which no
// bash word can hold. The command is not run and the session is unharmed.
var ErrNUL = errors.New("command contains a NUL byte: write it as $'\\x00' in printf, or in a file")

// ErrClosed is returned by Run once Close was called.
var ErrClosed = errors.New("session is closed: open a new one")

// A Session is one bash that outlives its commands. Its methods are safe for
// concurrent use; commands run one at a time, in the order in which Run got
// hold of the shell. The zero value is not usable: call New, and Close at the
// end.
type Session struct {
	e *engine
}

// New starts a bash as opts asks and returns when it is ready for a command.
// Nil options mean the defaults. The caller owns the session and closes it.
// On macOS it is experimental: what has cleared its environment and left the session outlives Close, and the
// directory is what the shell says of it.
func New(opts *Options) (*Session, error) {
	o, err := resolveOptions(opts)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(o)
	if err != nil {
		return nil, err
	}
	return &Session{e: e}, nil
}

// Run hands command to the shell and waits for its end. What the command did
// is in the Result, also when it failed, timed out or was cancelled; the error
// tells only that the session itself could not do its part: ErrNUL, ErrClosed,
// or that no shell could be started.
//
// When ctx ends, the command is interrupted as by a timeout and the Result
// says Canceled; a ctx that has ended before the command began keeps it from
// running at all. Nil opts mean the session's defaults. A command that leaves
// background jobs behind returns as soon as its foreground part has ended.
func (s *Session) Run(ctx context.Context, command string, opts *RunOptions) (Result, error) {
	var o RunOptions
	if opts != nil {
		o = *opts
	}
	return s.e.Run(ctx, command, o)
}

// Restart ends the shell and starts another as opts says, with the directory,
// variables, functions, aliases and options of the old one, as after an exit,
// but without its EXIT trap being run. It waits for a running command. What
// still runs in the background goes on, as free or as confined as it was.
// Variables that were in the old shell's environment and are not in the new
// one's are left out.
//
// A shell with a Launcher is taken to be confined by it, and what it leaves to
// be forged. Of its state the next shell gets, unless opts.Trust is set, the
// directory, options and variables of literal text, but none that choose the
// programs that run, as PATH does, and no function, alias or trap. A later shell
// that has a launcher again gets those back.
//
// No Result says Restarted because of it. After an error the next command tries again to start a shell as opts says.
func (s *Session) Restart(ctx context.Context, opts *RestartOptions) error {
	var o RestartOptions
	if opts != nil {
		o = *opts
	}
	return s.e.Restart(ctx, o)
}

// Dir returns the present working directory of the shell: as the shell names
// it ($PWD) after a command that left it there, or as the kernel names it. It
// does not wait for a running command and then tells where that has got to.
func (s *Session) Dir() string { return s.e.Dir() }

// State returns the functions, the variables that are not exported, the aliases, the options and the umask of the shell, as text that
// bash reads, for another shell with the same environment; nil when there is nothing yet. While a command
// runs it is what a recent command left.
func (s *Session) State() []byte { return s.e.State() }

// SetStatus sets what $? is when the next command begins; 0 to 255. It is for
// a host that ran a command itself, outside the shell, and waits for a running
// command.
func (s *Session) SetStatus(code int) { s.e.SetStatus(code) }

// Pid returns the process id of the present shell, which changes when a shell
// has ended and the next command starts another; 0 when no shell is alive.
func (s *Session) Pid() int { return s.e.Pid() }

// Close ends the shell, after its EXIT trap, and kills everything that it or
// its commands started and that still runs, background jobs and daemons too. A
// command that is running is killed and its Run returns ErrClosed. Close
// returns after every goroutine of the session has ended, and removes the
// private state directory. It may be called more than once.
func (s *Session) Close() error { return s.e.Close() }
