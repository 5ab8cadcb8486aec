package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/router"
)

// runExec is agentbash exec.
func runExec(ctx context.Context, a *app, words []string) int {
	f := newFlags("exec")
	asJSON, asLines := f.Bool("json", false, ""), f.Bool("jsonl", false, "")
	timeout, mode := f.Float64("timeout", 0, ""), f.String("mode", a.mode, "")
	dir, file, on := f.String("dir", "", ""), f.String("config", "", ""), a.on
	f.Var(&on, "on", "")
	killAtLimit := f.Bool("kill-at-limit", false, "")
	err := f.Parse(words)
	if err == nil {
		err = checkExec(f.Args(), *asLines, *timeout, *mode)
	}
	if err != nil {
		return a.usageError("exec", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	o := bashOptions{dir: *dir, on: on, flags: config.Flags{File: *file}, session: true, asker: a.askerIf(!*asLines), guard: typedBy(*mode),
		noSnapshots: !*asLines && *mode == ""} // what a person types is no turn
	if !*asJSON && !*asLines {
		o.exit = func(stdout, stderr []byte) { a.out.Write(stdout); a.err.Write(stderr) }
	}
	o.killAtLimit = *killAtLimit
	b, err := a.openBash(o)
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if *asLines {
		defer a.tellLeft(b)
		return a.execLines(ctx, b, secondsOf(*timeout))
	}
	opts := &router.RunOptions{Timeout: secondsOf(*timeout)}
	if !*asJSON {
		opts.Stdout, opts.Stderr = a.out, a.err
		if p := b.Router().Plan(f.Arg(0)); p.InProcess { // bash and its programs know what they do with a terminal
			defer showSafely(&opts.Stdout, &opts.Stderr)()
		}
	}
	res := b.Router().Run(router.KillAtLimit(ctx), f.Arg(0), opts) // what went on would end with this program, at once
	if *asJSON {
		writeLine(a.out, res)
	} else {
		a.execNotes(res)
	}
	return res.ExitCode
}

func checkExec(args []string, lines bool, timeout float64, mode string) error {
	switch {
	case timeout < 0 || timeout != timeout:
		return fmt.Errorf("--timeout %v: give seconds above 0", timeout)
	case checkMode(mode) != nil:
		return checkMode(mode)
	case lines && len(args) > 0:
		return errors.New("--jsonl takes its commands from stdin, not from the command line")
	case !lines && len(args) == 0:
		return errors.New("no command: give one string, as in agentbash exec 'ls | wc -l'")
	case !lines && len(args) > 1:
		return fmt.Errorf("%d words where one command string is wanted: put it in quotes", len(args))
	}
	return nil
}

func secondsOf(s float64) time.Duration {
	return time.Duration(min(s, router.MaxTimeout.Seconds()) * float64(time.Second))
}

// execNotes says on stderr what the streams do not show.
func (a *app) execNotes(res router.Result) {
	switch {
	case res.TimedOut:
		fmt.Fprintf(a.err, "agentbash: %s\n", res.Error)
	case res.Background != "":
		fmt.Fprintf(a.err, "agentbash: what was started in the background ends now; its output is in %s\n", res.Background)
	}
}

// execLines answers every line of stdin with one result, in one session.
func (a *app) execLines(ctx context.Context, b *configuredBash, timeout time.Duration) int {
	b.audit.Later = true // than the answer
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE) // ends the loop, and not the program before that is written
	defer signal.Stop(broken)
	return a.eachLine("exec", func(line []byte, n int) int {
		sent := writeLine(a.out, a.execLine(ctx, b, line, n, timeout))
		b.audit.Flush()
		switch {
		case !sent:
			return exitFailed
		case ctx.Err() != nil:
			return exitInterrupted
		}
		return exitOK
	})
}

func (a *app) execLine(ctx context.Context, b *configuredBash, line []byte, n int, timeout time.Duration) router.Result {
	args, err := router.ParseArguments(line, b.Router().Dir())
	if err != nil {
		message := fmt.Sprintf("line %d: %v", n, err)
		return router.Result{Layer: router.Native, Output: message, Error: message, Stderr: message + "\n", ExitCode: exitUsage, Dir: b.Router().Dir()}
	}
	b.BeginTurn()
	res := b.Router().Run(args.Context(ctx), args.Command, &router.RunOptions{Timeout: cmp.Or(args.Timeout, timeout)})
	res.Output = args.Noted(res.Output)
	return res
}

// eachLine has each line of stdin that is not blank answered, until one fails.
func (a *app) eachLine(command string, answer func(line []byte, n int) (status int)) int {
	in := bufio.NewReaderSize(a.in, 64<<10)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if status := answer(line, n); status != exitOK {
				return status
			}
		}
		if err == io.EOF {
			return exitOK
		} else if err != nil {
			fmt.Fprintf(a.err, "agentbash %s: read line %d: %v\n", command, n, err)
			return exitFailed
		}
	}
}

// writeLine writes one JSON value and a newline, & < > as they are.
func writeLine(w io.Writer, v any) bool {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v) == nil
}
