package router

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Hook is asked before a tool or a bash text runs, and shown what came of it.
// All hooks of a router are asked in their order, each with what those before
// it made of the input or of the output; a guard is asked after them, about
// what will really run. They are called concurrently.
//
// A hook is called once for each call of a tool, whether that is a whole command
// or comes from inside bash, and once for each command string that goes to bash,
// with the name "bash". It is not called for help, listings and words that cannot
// be parsed.
type Hook struct {
	Name    string        // whose message it is
	Match   []string      // names of tools, with * for any text ("write", "field:db:*", "bash"); none: every one
	Timeout time.Duration // of Before and of After; 0: a minute

	// Before may change call.Input. An error refuses the call: nothing runs, and
	// the caller gets exit status 126 with the error's text. So does a hook that
	// does not return in time, or panics. It may be nil.
	Before func(ctx context.Context, call *HookCall) error

	// After may change the outputs. What it returns, or that it does not return,
	// is reported to the caller; the outputs are then as they were. It may be nil.
	After func(ctx context.Context, call *HookCall, out *HookOutput) error
}

// HookCall is what is about to run, or ran.
type HookCall struct {
	Name   string          // of the tool, without "agent:"; "bash" for bash text
	Input  registry.Kwargs // its arguments, but those that it reads from files or stdin; of bash text, {"command": text}
	Dir    string          // where it runs, absolute
	Inside bool            // a call from inside bash
}

// HookOutput is what a call wrote. Of outputs over 16 MiB it is the beginning.
type HookOutput struct {
	Stdout, Stderr string
	ExitCode       int
	Duration       time.Duration
}

// HookError is why a hook refused a call, or failed. Exit status 126.
type HookError struct {
	Hook, Call string // their names
	Err        error
}

func (e *HookError) Error() string {
	return fmt.Sprintf("%s: refused by hook %s: %v", e.Call, e.Hook, e.Err)
}

// Unwrap returns the hook's own error.
func (e *HookError) Unwrap() error { return e.Err }

// ExitStatus is that of what was not allowed.
func (e *HookError) ExitStatus() int { return exitDenied }

// Refusal is its form for other programs.
func (e *HookError) Refusal() *Refusal { return &Refusal{By: "hook", Rule: e.Hook} }

// bashHook is the name under which hooks meet bash text.
const bashHook = "bash"

// hookTime is how long a hook may take that says nothing of it.
const hookTime = time.Minute

func (h *Hook) matches(name string) bool {
	for _, m := range h.Match {
		if ok, err := path.Match(m, name); ok && err == nil {
			return true
		}
	}
	return len(h.Match) == 0
}

// hooksFor reports whether some hook wants to see a call before it runs, and its output.
func (r *Router) hooksFor(name string) (before, after bool) {
	for i := range r.opts.Hooks {
		if h := &r.opts.Hooks[i]; h.matches(name) {
			before, after = before || h.Before != nil, after || h.After != nil
		}
	}
	return before, after
}

// hooksBefore asks the hooks about a call; changed: they gave it another input, which is in call.
func (r *Router) hooksBefore(ctx context.Context, call *HookCall) (changed bool, err error) {
	for i := range r.opts.Hooks {
		h := &r.opts.Hooks[i]
		if h.Before == nil || !h.matches(call.Name) {
			continue
		}
		mine := *call
		mine.Input = cloneJSON(call.Input).(registry.Kwargs)
		if err := h.limited(ctx, func(ctx context.Context) error { return h.Before(ctx, &mine) }); err != nil {
			return false, &HookError{Hook: h.Name, Call: call.Name, Err: err}
		}
		if !reflect.DeepEqual(mine.Input, call.Input) {
			call.Input, changed = mine.Input, true
		}
	}
	return changed, nil
}

// hooksAfter shows the hooks an output; changed: they made another of it, which is in out.
func (r *Router) hooksAfter(ctx context.Context, call *HookCall, out *HookOutput, report func(error)) (changed bool) {
	ctx = context.WithoutCancel(ctx) // what was interrupted is shown too
	for i := range r.opts.Hooks {
		h := &r.opts.Hooks[i]
		if h.After == nil || !h.matches(call.Name) {
			continue
		}
		mine, input := *out, *call
		input.Input = cloneJSON(call.Input).(registry.Kwargs)
		if err := h.limited(ctx, func(ctx context.Context) error { return h.After(ctx, &input, &mine) }); err != nil {
			report(fmt.Errorf("hook %s, after %s: %w: the output is as it was", h.Name, call.Name, err))
			continue
		}
		changed = changed || mine.Stdout != out.Stdout || mine.Stderr != out.Stderr
		out.Stdout, out.Stderr = mine.Stdout, mine.Stderr
	}
	return changed
}

// limited runs a hook under its time limit. One that does not return is left behind with copies.
func (h *Hook) limited(ctx context.Context, run func(context.Context) error) error {
	limit := h.Timeout
	if limit <= 0 {
		limit = hookTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", formatSeconds(limit)))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("it crashed: %v\n%s", p, debug.Stack())
			}
		}()
		done <- run(ctx)
	}()
	select {
	case err := <-done:
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cloneJSON copies a value of JSON with all that is in it.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case registry.Kwargs:
		return registry.Kwargs(cloneJSON(map[string]any(v)).(map[string]any))
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = cloneJSON(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = cloneJSON(e)
		}
		return list
	}
	return v
}
