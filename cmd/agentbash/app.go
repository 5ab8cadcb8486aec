package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agentbash/agentbash/registry"
	"github.com/spf13/pflag"
)

// Exit statuses of the program; a command's own are passed on.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnknown     = 127
	exitInterrupted = 130
)

// app is all that the program sees of its process: nothing else of the process is looked at.
type app struct {
	args     []string
	in       *os.File
	out, err io.Writer
	environ  []string
	lookup   func(string) (string, bool)
	hide     func(isSecret func(name, value string) bool, texts ...string) error // keeps them from /proc
	mode     string                                                              // --mode before a command; "" is none
	on       targetName                                                          // --on before a command; "" is none
	reported error                                                               // the last that was
}

// subcommand is one subcommand.
type subcommand struct {
	name string
	run  func(context.Context, *app, []string) int
	help string
}

// allCommands are the subcommands, in the order of the help.
func allCommands() []subcommand {
	return []subcommand{
		{"chat", runChat, helpChat},
		{"exec", runExec, helpExec},
		{"route", runRoute, helpRoute},
		{"tools", runTools, helpTools},
		{"field", runField, helpField},
		{"mcp", runMCP, helpMCP},
		{"acp", runACP, helpACP},
		{"sessions", runSessions, helpSessions},
		{"audit", runAudit, helpAudit},
		{"batch", runBatch, helpBatch},
		{"eval", runEval, helpEval},
		{"config", runConfig, helpConfig},
		{"doctor", runDoctor, helpDoctor},
		{"completion", runCompletion, helpCompletion},
		{"version", runVersion, helpVersion},
	}
}

// runProgram is the program; it returns the exit status.
func runProgram(ctx context.Context, a *app) int {
	if err := errors.Join(a.takeTarget(), a.takeMode()); err != nil {
		fmt.Fprintf(a.err, "agentbash: %v\n", err)
		return exitUsage
	}
	if len(a.args) == 0 || strings.HasPrefix(a.args[0], "-") {
		return runRoot(ctx, a)
	}
	name, rest := a.args[0], a.args[1:]
	switch name {
	case "help":
		return runHelp(a, rest)
	case "complete-field":
		return runComplete(ctx, a, rest)
	case keeperWord:
		return a.runKeeper(ctx, rest)
	case "serve":
		return runServe(a, rest)
	}
	for _, c := range allCommands() {
		if c.name != name {
			continue
		}
		own := rest
		if name == "field" {
			own, _ = cutCall(rest)
		}
		for _, w := range own {
			if w == "--" {
				break
			}
			if w == "-h" || w == "--help" {
				fmt.Fprint(a.out, c.help)
				return exitOK
			}
		}
		return c.run(ctx, a, rest)
	}
	if a.isPrompt(name) {
		return runChat(ctx, a, a.args)
	}
	return runTool(ctx, a, name, rest)
}

// isPrompt reports whether the first word is no command but what a chat begins with: it
// holds a space, or somebody typed a word that resembles no command and no program.
func (a *app) isPrompt(word string) bool {
	if strings.ContainsAny(word, " \n") {
		return true
	}
	_, err := a.agentTool(strings.TrimPrefix(word, "agent:"))
	var unknown *unknownCommand
	if !errors.As(err, &unknown) || len(unknown.near) > 0 || len(a.args) > 1 || !isTerminal(a.in) || strings.ContainsAny(word, ":/") {
		return false
	}
	_, missing := exec.LookPath(word)
	return missing != nil
}

// takeMode takes the --mode that stands before a command or a tool. That of a
// chat without a word of its own is chat's.
func (a *app) takeMode() error {
	if len(a.args) == 0 {
		return nil
	}
	mode, joined := strings.CutPrefix(a.args[0], "--mode=")
	rest := a.args[1:]
	if !joined {
		if a.args[0] != "--mode" || len(rest) == 0 {
			return nil
		}
		mode, rest = rest[0], rest[1:]
	}
	if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	a.mode, a.args = mode, rest
	return errors.Join(a.takeTarget(), checkMode(mode))
}

// runRoot is agentbash without a subcommand: a chat, or one prompt with -p.
func runRoot(ctx context.Context, a *app) int {
	if len(a.args) == 1 {
		switch a.args[0] {
		case "-h", "--help":
			fmt.Fprint(a.out, helpRoot)
			return exitOK
		case "--version":
			return runVersion(ctx, a, nil)
		}
	}
	return runChat(ctx, a, a.args)
}

func runHelp(a *app, words []string) int {
	if len(words) == 0 {
		fmt.Fprint(a.out, helpRoot)
		return exitOK
	}
	for _, c := range allCommands() {
		if c.name == words[0] {
			fmt.Fprint(a.out, c.help)
			return exitOK
		}
	}
	return runTool(context.Background(), a, words[0], []string{"--help"})
}

// newFlags returns an empty flag set that says nothing by itself.
func newFlags(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.SortFlags = false
	return f
}

// usageError reports wrong words and where the right ones stand.
func (a *app) usageError(cmd string, err error) int {
	a.reported = err
	text := err.Error()
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		text = fmt.Sprintf("--%s %q is no number", wrong.GetFlag().Name, wrong.GetValue())
		if t := wrong.GetFlag().Value.Type(); strings.HasPrefix(t, "int") {
			text = fmt.Sprintf("--%s %q is no whole number", wrong.GetFlag().Name, wrong.GetValue())
		} else if t == "target" {
			text = "--on: " + wrong.Unwrap().Error()
		} else if t == "bool" {
			text = fmt.Sprintf("--%s %q: it is true or false", wrong.GetFlag().Name, wrong.GetValue())
		}
	}
	fmt.Fprintf(a.err, "agentbash %s: %s: see agentbash %s --help\n", cmd, text, cmd)
	return exitUsage
}

// reportError reports an error and returns its exit status.
func (a *app) reportError(err error) int {
	a.reported = err
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			fmt.Fprintln(a.err, "agentbash:", e)
		}
		return registry.ExitStatus(many.Unwrap()[0])
	}
	fmt.Fprintln(a.err, "agentbash:", err)
	return registry.ExitStatus(err)
}

// interruptContext returns a context that the first Ctrl-C or SIGTERM ends; the
// second ends the program as it would any other.
func interruptContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
