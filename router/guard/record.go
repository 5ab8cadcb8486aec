package guard

import (
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Recorder keeps a record of what runs. It is called concurrently.
type Recorder interface {
	// Intent is called before an action runs, or with Denied set when it does not.
	// With an error nothing runs. outcome, if not nil, is called when it has ended.
	Intent(e *Entry) (outcome func(router.Outcome), err error)
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
}
