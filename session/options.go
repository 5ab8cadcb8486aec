package session

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits and defaults of Options and RunOptions.
const (
	DefaultTimeout = 120 * time.Second // of a command
	MaxTimeout     = 600 * time.Second // longer ones are cut to it
	DefaultHead    = 64 << 10          // bytes kept from the beginning of a stream
	DefaultTail    = 128 << 10         // bytes kept from the end of a stream
)

// Options configures New. Nil means the defaults; New copies what it keeps.
type Options struct {
	// Shell is the path of bash; "" looks up bash on PATH.
	Shell string

	// Dir is where the shell starts; "" is the host's working directory.
	Dir string

	// Launcher starts the shell, the first and every later one; nil starts bash
	// directly. Session.Restart changes it.
	Launcher *Launcher

	// Env is the child's environment in the form of os.Environ; nil is the
	// host's. Pagers, terminal type and colour are set for a reader that is no
	// terminal (TERM=dumb, PAGER=cat, GIT_PAGER=cat, NO_COLOR=1 and their
	// like) whatever Env says; Init may set them otherwise.
	Env []string

	// Unset names variables that are never passed to the child, such as the
	// host's own API keys.
	Unset []string

	// Init is bash text that is run quietly in every new shell, the one after a
	// restart too, before the old shell's state is restored: functions, PATH.
	// Its output is dropped and its errors do not matter, but what ends a bash -c
	// in it (exit, ${x?} without an x) is an error of New or Run.
	Init string

	// StateDir is the directory that takes the late output of background jobs.
	// "" makes a private one when it is first needed, which Close removes.
	StateDir string

	// Exit, when set, gets what the EXIT trap writes when Close ends the shell: up
	// to 1 MiB of each stream, and what it has written within 300 ms.
	Exit func(stdout, stderr []byte)

	// PromptCommand has each shell run the commands in the variable PROMPT_COMMAND after each command, when that
	// was reported, as an interactive one does before its prompt: direnv, mise and their like set what the next command
	// sees. Their output is dropped, and $? is kept. What they take is the next command's time.
	PromptCommand bool

	// Head and Tail are how many bytes of the beginning and of the end of each
	// output stream a Result keeps; 0 means DefaultHead and DefaultTail. Memory
	// grows with the output up to that.
	Head, Tail int

	// OutputLimit, when above 0, is how many bytes a command may write to its
	// stdout and stderr together before it is interrupted. What had been
	// written by then may be a little more.
	OutputLimit int64

	// Timeout is the limit of a command whose RunOptions name none; 0 is
	// DefaultTimeout, and more than MaxTimeout is cut to that.
	Timeout time.Duration
}

// RunOptions configures one Run. Nil means the session's defaults.
type RunOptions struct {
	// Timeout is the command's time limit; 0 is the session's default, and more
	// than MaxTimeout is cut to that.
	Timeout time.Duration

	// Stdout and Stderr, when set, get every byte of the command's streams as it
	// arrives, also those that a Result drops. All writes of one Run come from
	// one goroutine: Run's own for a short command, at its end, or one that has
	// ended when Run returns. A writer that returns an
	// error gets nothing more; one that blocks makes the command wait, but not
	// the time limit.
	Stdout, Stderr io.Writer

	// GoOn, when set, is asked when the time limit has come: if it says yes, the command
	// is not ended. It keeps its shell, Result.Running has it, and the next command
	// runs in a new shell.
	GoOn func() bool
}

// config is Options with every default filled in.
type config struct {
	Options
	env   []string // complete, but for what each shell adds
	named bool     // use FIFOs from the start
}

func resolveOptions(opts *Options) (config, error) {
	var c config
	if opts != nil {
		c.Options = *opts
	}
	if c.Shell == "" {
		c.Shell = "bash"
	}
	var err error
	if c.Shell, err = exec.LookPath(c.Shell); err != nil {
		return c, fmt.Errorf("find the shell: %w: install bash, or name its path in Options.Shell", err)
	}
	if c.Dir == "" {
		if c.Dir, err = os.Getwd(); err != nil {
			return c, fmt.Errorf("find the working directory: %w: name one in Options.Dir", err)
		}
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return c, fmt.Errorf("resolve the directory %s: %w", c.Dir, err)
	}
	if st, err := os.Stat(c.Dir); err != nil {
		return c, fmt.Errorf("start in %s: %w", c.Dir, err)
	} else if !st.IsDir() {
		return c, fmt.Errorf("start in %s: not a directory", c.Dir)
	}
	if strings.IndexByte(c.Init, 0) >= 0 {
		return c, fmt.Errorf("options: Init: %w", ErrNUL)
	}
	if c.Head <= 0 {
		c.Head = DefaultHead
	}
	if c.Tail <= 0 {
		c.Tail = DefaultTail
	}
	c.Timeout = limitDuration(c.Timeout, DefaultTimeout)
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	c.env = childEnv(env, c.Unset)
	return c, nil
}

// limitDuration returns d, or def when d is not set, cut to MaxTimeout.
func limitDuration(d, def time.Duration) time.Duration {
	if d <= 0 {
		d = def
	}
	return min(d, MaxTimeout)
}

// plainOutput is what a program needs to be told when its reader is no
// terminal, whatever the host's terminal is like.
var plainOutput = [...]string{
	"TERM=dumb", "NO_COLOR=1", "CLICOLOR=0",
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "GH_PAGER=cat", "BAT_PAGER=cat", "AWS_PAGER=",
	"GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive",
}

// neverInherited are variables that make bash itself behave in a way the
// protocol can do without (prompts, a history file, a time limit, options set
// before the first line), or that ask for colour.
var neverInherited = [...]string{
	"TMOUT", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PROMPT_DIRTRIM", "HISTFILE", "MAILCHECK", "MAIL", "MAILPATH",
	"SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "PWD", "OLDPWD", "BASH_XTRACEFD", "BASH_COMPAT",
	"COLORTERM", "CLICOLOR_FORCE", "FORCE_COLOR",
	// Exported functions that would shadow what the first lines are made of.
	"BASH_FUNC_builtin%%", "BASH_FUNC_exec%%",
}

// nameOf is the name of an environment entry.
func nameOf(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}

func childEnv(env, unset []string) []string {
	out := make([]string, 0, len(env)+len(plainOutput)+2)
	for _, e := range env {
		name := nameOf(e)
		if name == "" || len(name) == len(e) || strings.IndexByte(e, 0) >= 0 || slices.Contains(neverInherited[:], name) || slices.Contains(unset, name) ||
			slices.ContainsFunc(plainOutput[:], func(p string) bool { return strings.HasPrefix(p, name+"=") }) {
			continue
		}
		out = append(out, e)
	}
	return append(out, plainOutput[:]...)
}
