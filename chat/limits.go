package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/agentbash/agentbash/router"
)

// Budget is what conversations have cost that count together, in dollars. The zero value is
// ready. It is safe for concurrent use.
type Budget struct {
	mu       sync.Mutex
	spent    float64
	unpriced bool // the cost of a request is not known
}

// Spent is what was spent; ok is false when that is not known of every request.
func (b *Budget) Spent() (dollars float64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent, !b.unpriced
}

// Add counts what was spent elsewhere.
func (b *Budget) Add(dollars float64) { b.add(dollars, true) }

func (b *Budget) add(dollars float64, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += dollars
	b.unpriced = b.unpriced || !known
}

// checkLimits is asked before each request.
func (c *Conversation) checkLimits(t *turn) error {
	set := c.opts.Settings
	spent, known := c.opts.Budget.Spent()
	switch o := &c.opts; {
	case o.MaxTurns > 0 && t.requests >= o.MaxTurns:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped after %d requests to the model, which is the limit: raise %s, or go on with another prompt", t.requests, set.MaxTurns)}
	case o.MaxCost > 0 && !known:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped: a limit on the cost is set, and what %s costs is not known: set %s, or leave %s out", o.Model, set.Prices, set.MaxCost)}
	case o.MaxCost > 0 && spent >= o.MaxCost:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped at $%.4f, and the limit is $%s: raise %s, or go on with another prompt", spent, strconv.FormatFloat(o.MaxCost, 'f', -1, 64), set.MaxCost)}
	}
	return nil
}

// OutOfTime is the cause of a context that a limit on the time ends; setting
// names what raises it, as in [Settings].
func OutOfTime(limit time.Duration, setting string) error {
	return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped after %g seconds, which is the limit: raise %s, or go on with another prompt", limit.Seconds(), setting)}
}

// Cost is what was spent of the conversation's budget, in dollars; see [Budget.Spent].
func (c *Conversation) Cost() (dollars float64, ok bool) { return c.opts.Budget.Spent() }

// bookUsage books what a request cost. cost is the server's own number, if any.
func (c *Conversation) bookUsage(u Usage, cost float64) {
	u.Cost = cost
	if cost == 0 {
		u.Cost = c.opts.Prices.of(u)
	}
	c.opts.Budget.add(u.Cost, u.Cost > 0 || c.opts.Prices != Prices{})
	c.size.noteUsage(u, len(c.messages))
	c.emitEvent(u)
}

// stopReason says who ended a turn, for the model.
func stopReason(ctx context.Context) string {
	var limit *Error
	if errors.As(context.Cause(ctx), &limit) {
		return "stopped by a limit"
	}
	return "interrupted by the user"
}

// denials are what was not allowed and has not run since.
type denials []denied

// denied is a command of a text that was not allowed.
type denied struct {
	name string // see router.Commands
	why  error
}

// note notes the commands of a text that ran, or was not allowed.
func (d *denials) note(text string, why error) {
	names := router.Commands(text)
	*d = slices.DeleteFunc(*d, func(e denied) bool { return slices.Contains(names, e.name) })
	if why == nil {
		return
	}
	for _, name := range names {
		*d = append(*d, denied{name, why})
	}
}

// When a call that fails again and again, or brings nothing new, is pointed out, and when it ends the turn.
const (
	warnAt     = 3
	stopAt     = 6
	denyAt     = 3 // denials of the same call, whatever else succeeds: it will not be allowed by asking again
	warnKindAt = 5 // failures of one kind in a row
	stopKindAt = 10
	patience   = 5 // times as often may fail what waits for something
)

// A loopDetector finds a model that repeats itself: the same call, failing again
// and again or with the same output, and different calls that fail in one way. A call that succeeds with
// a new output is progress and resets it. What waits may come to the same. The calls of one reply count
// once, since the model had no answer in between.
type loopDetector struct {
	failed map[string]int
	stale  map[string]int // successes with an output that was seen, one a reply
	reply  int            // its number
	last   map[string]int // the reply that it was in
	denied map[string]int
	seen   map[string]bool // succeeded since, with this output
	kind   string          // of the last failure
	alike  int             // failures of that kind in a row
	over   error

	permission string // as in Settings
}

func newLoopDetector(permission string) *loopDetector {
	return &loopDetector{failed: map[string]int{}, stale: map[string]int{}, last: map[string]int{}, denied: map[string]int{}, seen: map[string]bool{}, permission: permission}
}

// noteResult notes a result, and returns what the model is told besides.
func (d *loopDetector) noteResult(call string, r ToolResult) string {
	if r.ExitCode == 0 {
		return d.noteSuccess(call, r.Output)
	}
	if r.Denied {
		if d.denied[call]++; d.denied[call] >= denyAt {
			d.over = &Error{Exit: ExitDenied, Text: fmt.Sprintf("stopped: the model sent the same command that is not allowed %d times: %s: allow it with %s, or tell the model what to do in its place", denyAt, quoteHead(oneLine(call)), d.permission)}
			return ""
		}
	}
	d.noteFailure(call, failureKind(call, r))
	n, warn, stop := d.failed[call], warnAt, stopAt
	if sleeps(call) {
		warn, stop = warn*patience, stop*patience
	}
	switch {
	case n >= stop:
		d.stop("the same failing command", n, call)
	case d.alike >= stopKindAt:
		d.stop("commands that fail in the same way", d.alike, call)
	}
	switch {
	case n >= warn:
		return fmt.Sprintf("\n<system_hint type=\"repeated_failure\">this very call has failed %d times with nothing new in between, and at %d the turn is stopped: find out why it fails, or do something else</system_hint>", n, stop)
	case d.alike >= warnKindAt:
		return fmt.Sprintf("\n<system_hint type=\"repeated_failure\">%d calls in a row have failed in this way, and at %d the turn is stopped: find out why (ls, pwd, glob), or do something else</system_hint>", d.alike, stopKindAt)
	}
	return ""
}

// noteFailure counts a failure, and the failures of its kind; "": it has none.
func (d *loopDetector) noteFailure(call, kind string) {
	if d.last[call] != d.reply {
		d.last[call] = d.reply
		d.failed[call]++
	}
	switch {
	case kind == "" || sleeps(call):
		d.kind, d.alike = "", 0
	case kind != d.kind:
		d.kind, d.alike, d.last[kind] = kind, 1, d.reply
	case d.last[kind] != d.reply:
		d.last[kind] = d.reply
		d.alike++
	}
}

func (d *loopDetector) noteSuccess(call, output string) string {
	key := call + "\x00" + output
	if d.kind, d.alike = "", 0; !d.seen[key] || sleeps(call) { // time that passes may change what comes next
		clear(d.failed)
		clear(d.stale)
		d.seen[key] = true
		d.stale[key], d.last[key] = 1, d.reply
		return ""
	}
	if waits(call) || d.last[key] == d.reply {
		return ""
	}
	d.last[key] = d.reply
	d.stale[key]++
	n := d.stale[key]
	if n >= stopAt {
		d.stop("the same command with the same output", n, call)
	}
	if n < warnAt {
		return ""
	}
	return fmt.Sprintf("\n<system_hint type=\"repeated_call\">this very call has brought the same %d times, and at %d the turn is stopped: go on with what it says, or say what you found</system_hint>", n, stopAt)
}

func (d *loopDetector) stop(what string, n int, call string) {
	d.over = &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped: the model sent %s %d times: %s: tell it what to do in its place", what, n, quoteHead(oneLine(call)))}
}

// waits reports whether a text waits for something: the same output is none of its fault.
func waits(text string) bool {
	return slices.ContainsFunc(router.Commands(text), func(name string) bool {
		name, _, _ = strings.Cut(name, " ")
		return slices.Contains([]string{"sleep", "wait", "bash_output", "bash_input", "inotifywait", "timeout"}, name)
	})
}

func sleeps(text string) bool {
	return slices.ContainsFunc(router.Commands(text), func(name string) bool { return strings.HasPrefix(name+" ", "sleep ") })
}

// failureKind is how a call failed: its command, its status, and the last line of what it said without
// the words of the call itself. "": it said nothing, as a search that finds nothing.
func failureKind(call string, r ToolResult) string {
	command, _, _ := strings.Cut(router.Commands(call)[0], " ")
	lines := strings.Split(strings.TrimSpace(r.Output), "\n")
	for i, line := range slices.Backward(lines) {
		if !strings.HasPrefix(line, "[") || i == 0 { // [exit code: 1]
			lines = lines[i : i+1]
			break
		}
	}
	if lines[0] == "" || lines[0] == "(no output)" || strings.HasPrefix(lines[0], "[") {
		return ""
	}
	words := slices.DeleteFunc(strings.Fields(lines[0]), func(word string) bool {
		return strings.Contains(call, strings.Trim(word, `:;,.'"‘’()`))
	})
	return fmt.Sprint(command, r.ExitCode, words)
}

// stopError is the error that ends the turn, or nil.
func (d *loopDetector) stopError() error { return d.over }

// When a text repeats itself without end: so many bytes of it are a period that came so often.
const (
	loopTimes  = 10
	loopBytes  = 500
	longestTie = 4000 // bytes of a period
	fenceTimes = 100  // in a fence, where rows of a table or of data may be alike
)

// endlessTail is the beginning of the part of a text that is one sentence, or more, again and again; -1: it is not.
// What has no words (lines, numbers) is left alone.
func endlessTail(text string) int {
	const probe = 50
	if len(text) < loopBytes {
		return -1
	}
	tail := text[len(text)-probe:]
	before := text[max(0, len(text)-longestTie-probe) : len(text)-1]
	at := strings.LastIndex(before, tail)
	if at < 0 {
		return -1
	}
	period := len(before) + 1 - at - probe
	from := len(text) - period
	for from > 0 && text[from-1] == text[from-1+period] {
		from--
	}
	repeated := text[len(text)-period:]
	times := loopTimes
	if strings.Count(text[:from], "\n```")%2 == 1 {
		times = fenceTimes
	}
	if n := len(text) - from; n < max(loopBytes, times*period) || len(strings.Fields(repeated)) < 3 || !strings.ContainsFunc(repeated, unicode.IsLetter) {
		return -1
	}
	return from
}
