package audit

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
	"golang.org/x/sys/unix"
)

// Recorder writes a guard's actions to a log. It implements [guard.Recorder].
type Recorder struct {
	Log     *Log
	Who     string            // sends the commands: person or model
	Session func() string     // the session's ID; not nil
	Secrets *secrettext.Hider // are left out

	// Lost is told when an action that runs, or its outcome, could not be written.
	Lost func(error)

	// Later has outcomes wait for the next record, Flush or Close: whoever sets it
	// gives the answer first, and then calls Flush.
	Later bool

	mu    sync.Mutex // guards what follows, and the order of records
	ended []*Record  // outcomes that wait
}

// maxCommand is how much of a command a record holds, in bytes.
const maxCommand = 64 << 10

// Intent writes that an action is about to run, or was denied. Where there is no
// room on the disk it runs without: what makes room has to. Lost is told, and the
// log notes the gap.
func (r *Recorder) Intent(e *guard.Entry) (func(router.Outcome), error) {
	rec := r.intent(e)
	changes := e.Denied == nil && slices.ContainsFunc(e.Verdict.Effects, func(x policy.Effect) bool { return x != policy.Read })
	err := r.append(changes, rec)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		r.Log.NoteLost()
		r.tellLost(err)
		return nil, nil
	}
	if err != nil || e.Denied != nil {
		return nil, err
	}
	return func(o router.Outcome) {
		out := &Record{Type: TypeOutcome, Session: rec.Session, PID: rec.PID, Of: rec.Seq, ExitCode: &o.ExitCode,
			Canceled: o.Canceled, DurationMS: o.Duration.Milliseconds(), Result: o.Hash}
		if o.Result != nil {
			out.Result = o.Result.Hash()
		}
		r.mu.Lock()
		r.ended = append(r.ended, out)
		r.mu.Unlock()
		if !r.Later {
			r.Flush()
		}
	}, nil
}

// append writes the outcomes that wait, and then records.
func (r *Recorder) append(sync bool, records ...*Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	records = append(r.ended, records...)
	if len(records) == 0 {
		return nil
	}
	err := r.Log.Append(sync, records...)
	if err == nil {
		r.ended = nil
	}
	return err
}

// Flush writes the outcomes that wait.
func (r *Recorder) Flush() {
	err := r.append(false)
	if err == nil {
		return
	}
	r.mu.Lock()
	r.ended = nil
	r.mu.Unlock()
	r.tellLost(err)
}

func (r *Recorder) tellLost(err error) {
	if r.Lost != nil {
		r.Lost(err)
	}
}

// Close writes what waits, and closes the log.
func (r *Recorder) Close() error {
	r.Flush()
	return r.Log.Close()
}

func (r *Recorder) intent(e *guard.Entry) *Record {
	rec := &Record{Type: TypeIntent, Session: r.Session(), PID: os.Getpid(), Who: r.Who, Dir: e.Dir, Target: e.Target, Tool: toolOf(e.Plan), Host: e.Host,
		Decision: "allow", Approved: string(e.Approved), Mode: string(e.Decision.Mode), Danger: string(e.Verdict.Danger), Rule: e.Decision.Rule}
	switch {
	case e.Plan.Inside:
		rec.Who = "call"
	case e.Said:
		rec.Who = "person"
	}
	rec.Command = r.Secrets.HideCommand(e.Plan.Raw)
	if len(rec.Command) > maxCommand {
		rec.Whole = hashHex([]byte(rec.Command))
		rec.Command = strings.ToValidUTF8(rec.Command[:maxCommand], "")
	}
	for _, x := range e.Verdict.Effects {
		rec.Effects = append(rec.Effects, string(x))
	}
	reasons := e.Decision.Because
	if e.Denied == nil {
		rec.Profile = string(e.Decision.Profile)
	} else {
		rec.Decision, reasons = string(e.Denied.Cause), e.Denied.Reasons
	}
	for _, why := range reasons[:min(len(reasons), maxReasons)] {
		rec.Reasons = append(rec.Reasons, r.Secrets.HideCommand(why))
	}
	return rec
}

// toolOf is the name of the tool that a plan calls; "" for bash text.
func toolOf(p *router.Plan) string {
	if !p.InProcess {
		return ""
	}
	return p.Name
}

// maxReasons bounds how many reasons a record repeats.
const maxReasons = 10
