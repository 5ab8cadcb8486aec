package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// eventsVersion is the version of the events of stream-json; docs/headless.md
// is their reference.
const eventsVersion = 1

// report writes what a headless run did, in the format that was asked for.
type report struct {
	a       *app
	format  string
	opts    *chat.Options
	dir     string
	mode    policy.Mode
	missing []string // what this machine cannot hold in the mode
	run     *batchRun
	schema  *answerSchema // of the answers
	file    *os.File      // that the answer goes to; nil: there is none

	result
}

// result is what came of a prompt.
type result struct {
	started    time.Time
	before     error // what was denied before this prompt
	answer     string
	structured json.RawMessage
	counts
}

// counts are what a run has used.
type counts struct {
	requests, calls, denials int
	usage                    chat.Usage
}

func (c *counts) addUsage(u chat.Usage) {
	c.requests++
	c.usage = c.usage.Plus(u)
}

// writeEvent writes one event, as it happens.
func (r *report) writeEvent(e chat.Event) {
	out := map[string]any{}
	switch e := e.(type) {
	case chat.Text:
		out = map[string]any{"type": "text", "text": e.Delta}
	case chat.Reasoning:
		out = map[string]any{"type": "reasoning", "text": e.Delta}
	case chat.ToolCall:
		r.calls++
		out = map[string]any{"type": "tool_call", "id": e.ID, "command": e.Command, "timeout": e.Timeout.Seconds()}
		if e.Kill {
			out["kill"] = true
		}
	case chat.Output:
		out = map[string]any{"type": "output", "id": e.ID, "text": e.Text, "omitted": e.Omitted}
	case chat.ToolResult:
		if e.Denied {
			r.denials++
		}
		out = map[string]any{"type": "tool_result", "id": e.ID, "output": e.Output, "exit_code": e.ExitCode,
			"duration_ms": e.Duration.Milliseconds(), "refused": e.Refused, "interrupted": e.Interrupted, "denied": denialOf(e)}
		if e.Running > 0 {
			out["running"] = e.Running
		}
	case chat.Usage:
		r.addUsage(e)
		out = usageFields(e)
		out["type"], out["cost"] = "usage", e.Cost
	case chat.Retry:
		if r.format != "stream-json" {
			fmt.Fprintf(r.a.err, "agentbash: %s; trying again in %s\n", e.Reason, e.Wait.Round(time.Millisecond))
			return
		}
		out = map[string]any{"type": "retry", "reason": e.Reason, "attempt": e.Attempt, "wait_ms": e.Wait.Milliseconds(), "void": e.Void}
	case chat.Notice:
		if r.format != "stream-json" {
			fmt.Fprintf(r.a.err, "agentbash: %s\n", e.Text)
			return
		}
		out = map[string]any{"type": "notice", "text": e.Text}
	case chat.Compacted:
		out = map[string]any{"type": "compact", "before": e.Before, "after": e.After}
	}
	if r.format == "stream-json" {
		writeLine(r.a.out, out)
	} else if r.opts.HTTPClient != nil && r.format == "text" {
		r.showEvent(e) // a recording is played for somebody to see
	}
}

// denialOf is the denial of a result for other programs; nil: it was allowed. A
// hook's has only its reason.
func denialOf(e chat.ToolResult) *guard.Denial {
	var d *guard.Denial
	switch {
	case !e.Denied || errors.As(e.Why, &d):
		return d
	}
	d = &guard.Denial{Cause: guard.Denied, Effects: []string{}, Reasons: []string{}}
	if e.Why != nil {
		d.Reasons = append(d.Reasons, e.Why.Error())
	}
	return d
}

func usageFields(u chat.Usage) map[string]any {
	return map[string]any{"prompt": u.Prompt, "completion": u.Completion, "cached": u.Cached, "reasoning": u.Reasoning, "estimated": u.Estimated}
}

// begin forgets what came before a prompt of several, but not the starts before this one.
func (r *report) begin(conv *chat.Conversation) {
	r.result = result{before: conv.Denied(), started: time.Now().Add(-r.run.past.took), counts: r.run.past.counts}
}

func (r *report) init(session string) {
	if r.format != "stream-json" {
		return
	}
	out := map[string]any{"type": "init", "v": eventsVersion, "session": session, "model": r.opts.Model, "mode": r.mode,
		"server": r.opts.BaseURL, "cwd": r.dir, "version": moduleVersion(), "tools": []string{"bash"}}
	if len(r.missing) > 0 {
		out["missing"] = r.missing
	}
	writeLine(r.a.out, out)
}

// writePrompt shows a recorded prompt.
func (r *report) writePrompt(text string) {
	if r.format == "text" {
		fmt.Fprintf(r.a.out, "> %s\n", text)
	}
}

// showEvent is what somebody sees of a recording that is played.
func (r *report) showEvent(e chat.Event) {
	switch e := e.(type) {
	case chat.Text:
		io.WriteString(r.a.out, e.Delta)
	case chat.ToolCall:
		fmt.Fprintf(r.a.out, "\n$ %s\n", e.Command)
	case chat.ToolResult:
		fmt.Fprintln(r.a.out, strings.TrimSuffix(e.Output, "\n"))
	}
}

// writeResult writes the result and returns the exit status. A run in which a command was
// denied, and none like it ran later, has not done what it was started for, whatever the model says of it.
func (r *report) writeResult(ctx context.Context, session string, conv *chat.Conversation, err error) int {
	if denied := conv.Denied(); err == nil && denied != nil && denied != r.before {
		text, d := "a command was not allowed ("+denied.Error()+")", (*guard.Denial)(nil)
		if !errors.As(denied, &d) || d.Cause != guard.OverBudget && d.Cause != guard.Unrecorded {
			text += ": allow it with --mode or a rule"
		}
		err = &chat.Error{Exit: chat.ExitDenied, Err: denied, Text: text}
	}
	if r.format == "text" {
		switch {
		case r.opts.HTTPClient != nil:
			fmt.Fprintln(r.a.out)
		case r.answer != "":
			io.WriteString(r.a.out, strings.TrimSuffix(r.answer, "\n")+"\n")
		}
	}
	cost, known := conv.Cost()
	out := map[string]any{"type": "result", "v": eventsVersion, "session": session, "success": err == nil, "answer": r.answer,
		"requests": r.requests, "tool_calls": r.calls, "denials": r.denials, "usage": usageFields(r.usage), "cost": nil,
		"duration_ms": time.Since(r.started).Milliseconds(), "exit_status": exitOK, "error": nil}
	if known && (cost > 0 || !r.run.past.goesOn) {
		out["cost"] = cost
	}
	if r.structured != nil {
		out["structured"] = r.structured
	}
	status := exitOK
	if err != nil {
		status = r.a.reportError(err)
		out["error"], out["exit_status"] = err.Error(), status
	}
	if err := r.run.finish(ctx, out, status == exitOK); err != nil {
		status = max(status, r.a.reportError(err))
	}
	if r.format != "text" {
		writeLine(r.a.out, out)
	}
	return status
}
