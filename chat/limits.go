package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/agentbash/agentbash/router"
)

// checkLimits is asked before each request.
func (c *Conversation) checkLimits(t *turn) error {
	set := c.opts.Settings
	switch o := &c.opts; {
	case o.MaxTurns > 0 && t.requests >= o.MaxTurns:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped after %d requests to the model, which is the limit: raise %s, or go on with another prompt", t.requests, set.MaxTurns)}
	case o.MaxCost > 0 && c.unpriced:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped: a limit on the cost is set, and what %s costs is not known: set %s, or leave %s out", o.Model, set.Prices, set.MaxCost)}
	case o.MaxCost > 0 && c.cost >= o.MaxCost:
		return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped at $%.4f, and the limit is $%s: raise %s, or go on with another prompt", c.cost, strconv.FormatFloat(o.MaxCost, 'f', -1, 64), set.MaxCost)}
	}
	return nil
}

// OutOfTime is the cause of a context that a limit on the time ends; setting
// names what raises it, as in [Settings].
func OutOfTime(limit time.Duration, setting string) error {
	return &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped after %g seconds, which is the limit: raise %s, or go on with another prompt", limit.Seconds(), setting)}
}

// Cost is what the conversation has cost in this process, in dollars. ok is
// false when that is not known of every request.
func (c *Conversation) Cost() (dollars float64, ok bool) { return c.cost, !c.unpriced }

// bookUsage books what a request cost. cost is the server's own number, if any.
func (c *Conversation) bookUsage(u Usage, cost float64) {
	u.Cost = cost
	if cost == 0 {
		u.Cost = c.opts.Prices.of(u)
	}
	if u.Cost == 0 && c.opts.Prices == (Prices{}) {
		c.unpriced = true
	}
	c.cost += u.Cost
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

// When a call that fails again and again is pointed out, and when it ends the turn.
const (
	warnAt = 3
	stopAt = 6
	denyAt = 3 // denials of the same call, whatever else succeeds: it will not be allowed by asking again
)

// A loopDetector finds a model that repeats itself: the same call, failing again
// and again. A call that succeeds with a new output is progress and resets it; the
// same listing once more does not.
type loopDetector struct {
	failed map[string]int
	denied map[string]int
	seen   map[string]bool // succeeded since, with this output
	over   error

	permission string // as in Settings
}

func newLoopDetector(permission string) *loopDetector {
	return &loopDetector{failed: map[string]int{}, denied: map[string]int{}, seen: map[string]bool{}, permission: permission}
}

// noteResult notes a result, and returns what the model is told besides.
func (d *loopDetector) noteResult(call string, r ToolResult) string {
	if r.ExitCode == 0 {
		if key := call + "\x00" + r.Output; !d.seen[key] {
			clear(d.failed)
			d.seen[key] = true
		}
		return ""
	}
	if r.Denied {
		if d.denied[call]++; d.denied[call] >= denyAt {
			d.over = &Error{Exit: ExitDenied, Text: fmt.Sprintf("stopped: the model sent the same command that is not allowed %d times: %s: allow it with %s, or tell the model what to do in its place", denyAt, quoteHead(oneLine(call)), d.permission)}
			return ""
		}
	}
	d.failed[call]++
	n := d.failed[call]
	if n >= stopAt {
		d.over = &Error{Exit: ExitLimit, Text: fmt.Sprintf("stopped: the model sent the same failing command %d times: %s: tell it what to do in its place", n, quoteHead(oneLine(call)))}
	}
	if n >= warnAt {
		return fmt.Sprintf("\n<system_hint type=\"repeated_failure\">this very call has failed %d times with nothing new in between, and at %d the turn is stopped: find out why it fails, or do something else</system_hint>", n, stopAt)
	}
	return ""
}

// stopError is the error that ends the turn, or nil.
func (d *loopDetector) stopError() error { return d.over }
