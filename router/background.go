package router

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/session"
)

// Background takes over commands that go on after their time limit. Its methods are safe for
// concurrent use.
type Background interface {
	// Room is nil when one more command can go on, else why not.
	Room() error

	// Adopt takes a command over and returns the number that agent commands know it by. What it has
	// written so far was shown. After an error the command is still the caller's.
	Adopt(command, dir string, started time.Time, written io.Reader, goesOn *session.Running) (id int, err error)

	// News are lines about commands that have ended since the last call.
	News() []string
}

type killKey struct{}

// KillAtLimit returns a context whose commands are ended at their time limit.
func KillAtLimit(ctx context.Context) context.Context { return context.WithValue(ctx, killKey{}, true) }

// KillsAtLimit reports whether a context is one of KillAtLimit.
func KillsAtLimit(ctx context.Context) bool { return ctx.Value(killKey{}) != nil }

// goOn tells whether a command may go on at its limit, which it is asked then; why gets the reason against it.
func (r *Router) goOn(ctx context.Context, why *error) func() bool {
	if r.opts.Background == nil || r.opts.KillAtLimit || KillsAtLimit(ctx) {
		return nil
	}
	return func() bool {
		*why = r.opts.Background.Room()
		return *why == nil
	}
}

// handOver gives a command that goes on to whoever takes those over.
func (r *Router) handOver(p *Plan, s *streams, started time.Time, got *session.Result, res *Result) {
	s.both.switchStream()
	written, err := s.both.text.written()
	if err == nil {
		defer written.Close()
		res.Running, err = r.opts.Background.Adopt(p.Raw, got.Dir, started, written, got.Running)
	}
	if err != nil {
		got.Running.Kill()
		got.Running.Stdout.Close()
		got.Running.Stderr.Close()
		fmt.Fprintf(s.err, "it was ended at its time limit: %v\n", err)
	}
}

// written is all that the stream has had so far.
func (c *capture) written() (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return io.NopCloser(bytes.NewReader(c.head)), c.err
	}
	return os.Open(c.path)
}

// lostParts are what the next shell does not have.
func lostParts(got *session.Result) []string {
	if got.Running == nil && !got.ShellExited && !got.Restarted {
		return nil
	}
	lost := []string{"jobs", "$!", "open descriptors", "resource limits", "traps on EXIT, DEBUG, ERR and RETURN",
		"set -e", "positional parameters", "the directory stack"}
	switch {
	case got.Running != nil:
		lost = append(lost, "what the running command sets")
		fallthrough
	case got.Restarted || !got.ShellExited:
		if got.StateLost {
			lost = append(lost, lostBefore)
		}
	case got.StateLost:
		lost = append(lost, lostWith)
	}
	return lost
}

// What is not lost each time.
const (
	lostBefore = "what was last set before it"
	lostWith   = "what the command set"
)

// goesOnLine says where a command is that goes on, and how to reach it.
func (r *Router) goesOnLine(res *Result) string {
	var ways []string
	for _, w := range [][2]string{{"bash_output", " --wait exit --timeout 60"}, {"bash_kill", ""}} {
		if _, ok := r.reg.Lookup(w[0]); ok {
			ways = append(ways, fmt.Sprintf("%s %d%s", w[0], res.Running, w[1]))
		}
	}
	line := fmt.Sprintf("[still running as shell %d after %s: %s]", res.Running, formatLimit(res.limit), strings.Join(ways, ", "))
	if without := r.tellLost(res); without != "" {
		line += "\n[the next command runs in a new shell" + without + "]"
	}
	return line
}

// tellLost says what the next shell has not of this one: whole once, then what is not the same each time.
func (r *Router) tellLost(res *Result) string {
	with := ", but"
	if !r.keptTold.Swap(true) {
		with = " with the same directory, variables, functions, aliases and options, but"
	}
	var without []string
	for _, part := range res.Lost {
		if _, told := r.lostTold.LoadOrStore(part, true); !told || part == lostBefore || part == lostWith {
			without = append(without, part)
		}
	}
	if without == nil {
		return ""
	}
	return with + " without: " + strings.Join(without, "; ")
}

// formatLimit is a time limit in words.
func formatLimit(d time.Duration) string { return strings.TrimSuffix(formatSeconds(d), "s") + " s" }

// newsLines are what happened to commands that went on.
func (r *Router) newsLines() (lines []string) {
	if r.opts.Background == nil {
		return nil
	}
	for _, line := range r.opts.Background.News() {
		lines = append(lines, "["+r.hider.Hide(Safe(line))+"]")
	}
	return slices.Clip(lines)
}
