package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/router"
)

// runRoute is agentbash route.
func runRoute(_ context.Context, a *app, words []string) int {
	f := newFlags("route")
	asJSON, asLines, file := f.Bool("json", false, ""), f.Bool("jsonl", false, ""), f.String("config", "", "")
	mode := f.String("mode", a.mode, "")
	err := f.Parse(words)
	switch {
	case err != nil:
	case *asLines && f.NArg() > 0:
		err = errors.New("--jsonl takes its commands from stdin, not from the command line")
	case checkMode(*mode) != nil:
		err = checkMode(*mode)
	case !*asLines && f.NArg() != 1:
		err = errors.New("give one command string, in quotes")
	}
	if err != nil {
		return a.usageError("route", err)
	}
	b, err := a.openBash(bashOptions{flags: config.Flags{File: *file, Mode: *mode}})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if *asLines {
		return a.eachLine("route", func(line []byte, n int) int {
			if !writeLine(a.out, b.explainLine(line, n, *mode != "")) {
				return exitFailed
			}
			return exitOK
		})
	}
	e := b.explainPlan(b.Router().Plan(f.Arg(0)))
	if *asJSON {
		writeLine(a.out, explainVerdict(e, *mode != ""))
	} else {
		fmt.Fprint(a.out, safetext.Visible(routeText(e.Explanation)+decisionText(e)))
	}
	return exitOK
}

func (b *configuredBash) explainLine(line []byte, n int, decide bool) any {
	args, err := router.ParseArguments(line, b.Router().Dir())
	if err != nil {
		p := &router.Plan{Layer: router.Native, Err: fmt.Errorf("line %d: %w", n, err)}
		return explainVerdict(b.explainPlan(p), false)
	}
	return explainVerdict(b.explainPlan(b.Router().Plan(args.Command)), decide)
}

// routeText is an explanation for a person.
func routeText(e router.Explanation) string {
	var b strings.Builder
	switch {
	case e.Error != "":
		fmt.Fprintf(&b, "nothing would run: %s\n", e.Error)
		return b.String()
	case e.InProcess && e.Help != "":
		fmt.Fprintf(&b, "%s command %s: %s help\n", e.Layer, e.Name, e.Help)
	case e.InProcess:
		fmt.Fprintf(&b, "%s command %s, run in process with:\n", e.Layer, e.Name)
		for _, k := range slices.Sorted(maps.Keys(e.Kwargs)) {
			v, _ := json.Marshal(e.Kwargs[k])
			fmt.Fprintf(&b, "  %s = %s\n", k, v)
		}
	case len(e.Calls) == 0:
		b.WriteString("native: bash runs it as it is\n")
	default:
		b.WriteString("native: bash runs it, and calls back for:\n")
		for _, c := range e.Calls {
			fmt.Fprintf(&b, "  %s command %s, at byte %d\n", c.Layer, c.Name, c.Offset)
		}
		fmt.Fprintf(&b, "the text that bash runs:\n  %s\n", strings.ReplaceAll(e.Script, "\n", "\n  "))
	}
	return b.String()
}
