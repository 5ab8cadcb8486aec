package session

import (
	"os/exec"
	"slices"
	"syscall"
)

// A Launcher starts the shell in its own way: confined, say.
type Launcher struct {
	// Start starts a command in a session of its own (setsid(2)). Of cmd its Path,
	// Args, Env and Dir count, and the files Stdin, Stdout and Stderr; where Dir is
	// not there, another directory is taken.
	Start func(cmd *exec.Cmd) (Process, error)

	// Dir, when set, is an existing private directory for what the shell opens by
	// path, since a confined shell may not look into its host. The shell must be
	// allowed to open files of Dir/pipes, which exists too, for writing and those
	// of Dir for reading, and should not be allowed more.
	Dir string

	// Env are entries that go over those of Options.Env.
	Env []string
}

// Process is a process that a Launcher started.
type Process struct {
	Pid   int // for the host
	PidFD int // readable when it has ended; the session closes it; -1: the system has none, and it is a child
	Init  int // the process that orphans of it get as their parent; 0: what the system has for that
	Wait  func() syscall.WaitStatus
}

// RestartOptions say how the shell after a Restart differs from the one before.
type RestartOptions struct {
	Launcher *Launcher // nil: bash is started directly
	Env      []string  // as Options.Env; nil: as it was
	Trust    bool      // the next shell may do no more than the one before: it takes the whole state
}

// shellEnv is the environment of a shell, complete but for what each has of
// its own.
func (c *config) shellEnv() []string {
	if c.Launcher == nil {
		return c.env
	}
	own := namesOf(c.Launcher.Env)
	out := slices.DeleteFunc(slices.Clone(c.env), func(e string) bool { return slices.Contains(own, nameOf(e)) })
	return append(out, c.Launcher.Env...)
}

// leftOut are the variables that were in the environment of the last shell and
// are not in that of the next, or are the launchers' own: an older shell's value
// must not bring them back.
func leftOut(old, new *config) (names []string) {
	keep := namesOf(new.env)
	for _, name := range namesOf(old.env) {
		if !slices.Contains(keep, name) {
			names = append(names, name)
		}
	}
	for _, l := range []*Launcher{old.Launcher, new.Launcher} {
		if l != nil {
			names = append(names, namesOf(l.Env)...)
		}
	}
	return names
}

func namesOf(env []string) []string {
	names := make([]string, len(env))
	for i, e := range env {
		names[i] = nameOf(e)
	}
	return names
}
