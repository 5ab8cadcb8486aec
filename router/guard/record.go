package guard

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Recorder keeps a record of what runs. It is called concurrently.
type Recorder interface {
	// Intent is called before an action runs, or with Denied set when it does not.
	// With an error nothing runs. outcome, if not nil, is called when it has ended.
	Intent(e *Entry) (outcome func(router.Outcome), err error)
}

// record has the Recorder know of an entry, if there is one; outcome is never nil.
func (g *Guard) record(e *Entry) (outcome func(router.Outcome), err error) {
	if g.opts.Recorder != nil {
		outcome, err = g.opts.Recorder.Intent(e)
	}
	if outcome == nil {
		outcome = func(router.Outcome) {}
	}
	return outcome, err
}

// Yes says who said yes to what would have been asked.
type Yes string

// The ways to a yes; "" is for what nobody had to be asked about.
const (
	ByPerson Yes = "person" // who was asked
	BySender Yes = "sender" // who sent the command has said it by that
	ByLine   Yes = "line"   // a person approved the command line that contained this call
)

// Entry is one action and what was decided about it, or one connection to
// another machine that an action makes while it runs. It is not changed after the
// Recorder got it.
type Entry struct {
	Host     string       // "host:port" to be connected to; "" for the action itself
	Plan     *router.Plan // what was sent, and what it means
	Dir      string       // where it runs, absolute
	Said     bool         // who sent it is who would be asked
	Verdict  policy.Verdict
	Decision policy.Decision // with an Approval's Outside its Profile is the free one
	Approved Yes
	Denied   *Denial // nil: it runs

	Target  string // the other machine where it runs, as the user calls it; "" is this one
	Preview string // the change that it would make, where it was told with the entry
}

// previewTime is how long the making of a preview may take.
const previewTime = 2 * time.Second

// PreviewChange is the change that a call would make, as a diff: "" where that cannot be told
// beforehand. The tool is asked, which changes nothing when it shall not.
func (e *Entry) PreviewChange(ctx context.Context) string {
	t := e.Plan.Tool()
	if t == nil || t.Kind != registry.Write || t.Params.Find("dry_run") == nil {
		return e.Preview
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	var paths []string
	for _, part := range e.Verdict.Parts {
		for _, path := range part.Paths {
			paths = append(paths, path.Path)
		}
	}
	kwargs := maps.Clone(e.Plan.Kwargs)
	kwargs["dry_run"] = true
	var out strings.Builder
	res := t.Invoke(registry.Allow(ctx, paths...), &registry.Call{Kwargs: kwargs, Dir: e.Dir, Stdout: &out})
	if !res.Success {
		return ""
	}
	return out.String()
}
