// Package hooks makes hooks of programs that a configuration names: a call
// goes to the program's stdin as one JSON object, and what the program has to
// say of it comes back on its stdout as another.
//
// Nothing on stdout means that all is well. A program that fails, hangs, is
// missing or does not answer in JSON refuses the call it was asked about, and
// is reported by whoever runs the hook (see router.Hook); its stderr is part of
// the report.
package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// Options are what the programs get.
type Options struct {
	Dir string   // where they start, unless their configuration says otherwise; absolute
	Env []string // their environment, in the form of os.Environ

	// Check is asked before a program starts: its argv, with the path that is run,
	// and its directory. An error keeps it from that. nil permits all.
	Check func(argv []string, dir string) error
}

// New makes the hooks of a configuration: those before calls, then those after.
func New(cfg config.Hooks, opts *Options) []router.Hook {
	var list []router.Hook
	for _, h := range cfg.Before {
		p := program{Hook: h, opts: opts}
		list = append(list, router.Hook{Name: h.Name, Match: h.Match, Timeout: p.limit(), Before: p.before})
	}
	for _, h := range cfg.After {
		p := program{Hook: h, opts: opts}
		list = append(list, router.Hook{Name: h.Name, Match: h.Match, Timeout: p.limit(), After: p.after})
	}
	return list
}

// event is what a program reads.
type event struct {
	Event      string          `json:"event"` // before or after
	Name       string          `json:"name"`  // of the tool; bash for bash text
	Input      registry.Kwargs `json:"input"`
	Cwd        string          `json:"cwd"`
	Inside     bool            `json:"inside"` // a call from inside bash
	Stdout     *string         `json:"stdout,omitempty"`
	Stderr     *string         `json:"stderr,omitempty"`
	ExitCode   *int            `json:"exit_code,omitempty"`
	DurationMS *int64          `json:"duration_ms,omitempty"`
}

// The answers of the two kinds of hooks. Whatever is left out stays as it is.
type (
	beforeAnswer struct {
		Decision string          `json:"decision"` // allow or deny; "" is allow
		Reason   string          `json:"reason"`   // why it is denied
		Input    registry.Kwargs `json:"input"`    // in the place of the input
	}
	afterAnswer struct {
		Stdout *string `json:"stdout"`
		Stderr *string `json:"stderr"`
	}
)

// program is one hook that is a program.
type program struct {
	config.Hook
	opts *Options
}

// limit leaves the program the time that it is granted, and us some to end it.
func (p program) limit() time.Duration { return p.timeout() + 2*grace }

func (p program) timeout() time.Duration {
	if p.Timeout == 0 {
		return time.Minute
	}
	return time.Duration(p.Timeout * float64(time.Second))
}

func (p program) before(ctx context.Context, call *router.HookCall) error {
	var a beforeAnswer
	if err := p.runProgram(ctx, &event{Event: "before", Name: call.Name, Input: call.Input, Cwd: call.Dir, Inside: call.Inside}, &a); err != nil {
		return err
	}
	switch a.Decision {
	case "", "allow":
	case "deny":
		if a.Reason == "" {
			return errors.New("it gave no reason")
		}
		return errors.New(a.Reason)
	default:
		return fmt.Errorf("its answer is no answer: the decision is %q: it can be allow or deny", a.Decision)
	}
	if a.Input != nil {
		call.Input = a.Input
	}
	return nil
}

func (p program) after(ctx context.Context, call *router.HookCall, out *router.HookOutput) error {
	ms := out.Duration.Milliseconds()
	e := &event{Event: "after", Name: call.Name, Input: call.Input, Cwd: call.Dir, Inside: call.Inside,
		Stdout: &out.Stdout, Stderr: &out.Stderr, ExitCode: &out.ExitCode, DurationMS: &ms}
	var a afterAnswer
	if err := p.runProgram(ctx, e, &a); err != nil {
		return err
	}
	if a.Stdout != nil {
		out.Stdout = *a.Stdout
	}
	if a.Stderr != nil {
		out.Stderr = *a.Stderr
	}
	return nil
}

// runProgram runs the program and reads its answer.
func (p program) runProgram(ctx context.Context, e *event, answer any) error {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return err
	}
	out, err := p.run(ctx, in.Bytes())
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(answer); err != nil {
		return fmt.Errorf("its answer is no answer: %v: %q", err, textHead(string(out)))
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("its answer is no answer: there is more after the JSON object: %q", textHead(string(out)))
	}
	return nil
}

// textHead is the beginning of a text, for a message.
func textHead(s string) string {
	const most = 200
	if s = strings.TrimSpace(s); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
