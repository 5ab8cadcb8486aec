package remote

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"

	root "github.com/agentbash/agentbash"
)

// The kinds of requests: to the far side, and to the near one.
const (
	openRequest  = "open"  // config -> opened; the first
	runRequest   = "run"   // runArgs -> result
	toolRequest  = "tool"  // toolArgs -> toolResult: a tool of the far side, by its words
	modeRequest  = "mode"  // modeArgs -> what is missing
	closeRequest = "close" // ends the session

	callRequest    = "call"    // callArgs -> toolResult: a tool of the near side
	groupRequest   = "group"   // groupArgs -> toolResult: words after a group's name
	loadRequest    = "load"    // groupArgs -> []toolDef
	askRequest     = "ask"     // entry -> approval
	recordRequest  = "record"  // entry -> number of the record
	outcomeRequest = "outcome" // outcome
	hookRequest    = "hook"    // hookArgs -> hookArgs
	warnRequest    = "warn"    // text
	exitRequest    = "exit"    // exitArgs: what an EXIT trap wrote
)

// config is what a far session is made with: the near side's own, without what holds keys.
type config struct {
	Dir       string
	Mode      policy.Mode
	Said      bool
	Keep      time.Duration // how long it goes on without a connection
	Rules     []policy.RulesSource
	Turn      guard.Budget
	Session   guard.Budget
	Asks      bool // somebody can be asked
	Records   bool
	Settings  registry.Settings
	Snapshots root.SnapshotOptions

	Write, Secrets, Env, TrustedRepositories []string
	Network                                  network.Rules
	BackgroundLimit                          time.Duration
	PromptCommand, KillAtLimit               bool

	Agents  []string   // the agent commands that there are; the near side runs some of them
	Targets []string   // that the command on knows
	Groups  []groupDef // all of the field layer is the near side's
	Hooks   []hookDef
}

type groupDef struct {
	Name, Summary string
	Known         []toolDef
}

type hookDef struct {
	Name          string
	Match         []string
	Timeout       time.Duration
	Before, After bool
}

// toolDef is a tool that the near side runs, as the far side reads its words.
type toolDef struct {
	Name, Summary, Detail, Category string
	Kind                            registry.Kind
	Schema                          json.RawMessage
	Tags, Examples, Formats         []string
	Foreign                         bool
}

type opened struct {
	Dir, System string
	Texts       []Text
}

type runArgs struct {
	Command     string
	Timeout     time.Duration
	MaxChars    int
	Images      bool
	Said, Kills bool
	Stdin       bool
	Turn        int    // a higher one than before begins a turn
	Session     string // of the near side, for undo --turn
}

// result is a router.Result without its streams, which went before it.
type result struct {
	router.Result
	FullOutput, Background, Display string
	Canceled                        bool
	Failed                          string // Result.Err
	Images                          []registry.Image
	Denied                          *guard.Denial
	DeniedText                      string
	Shells                          []shells.Job
}

type toolArgs struct {
	Name  string
	Words []string
	Dir   string
	Stdin bool
}

type toolResult struct {
	registry.ToolResult
	Status  int
	Display string
	Listing bool
	Images  []registry.Image
}

type callArgs struct {
	Name         string
	Kwargs       json.RawMessage
	Format       string
	Stdin, Shows bool
}

type groupArgs struct {
	Name  string
	Words []string
	Stdin bool
}

type modeArgs struct {
	Mode  policy.Mode
	Trust bool
}

type exitArgs struct{ Stdout, Stderr []byte }

// Text is a file.
type Text struct{ Path, Text string }

// entry is a guard.Entry as far as it is of use elsewhere.
type entry struct {
	Host, Raw, Name, Dir string
	InProcess, Inside    bool
	Said                 bool
	Effects              []policy.Effect
	Danger               policy.Danger
	Reasons              []reason
	Decision             policy.Decision
	Outside              bool
	Suggest              []string
	Approved             guard.Yes
	Denied               *guard.Denial
	DeniedText, Preview  string
}

type reason policy.Reason // without its text form

func entryOf(e *guard.Entry) *entry {
	w := &entry{Host: e.Host, Raw: e.Plan.Raw, Name: e.Plan.Name, Dir: e.Dir, InProcess: e.Plan.InProcess, Inside: e.Plan.Inside, Said: e.Said,
		Effects: e.Verdict.Effects, Danger: e.Verdict.Danger, Decision: e.Decision, Outside: e.Decision.Outside, Suggest: e.Decision.Suggest,
		Approved: e.Approved, Denied: e.Denied}
	for _, r := range e.Verdict.Reasons {
		w.Reasons = append(w.Reasons, reason(r))
	}
	if e.Denied != nil {
		w.DeniedText = e.Denied.Error()
	}
	return w
}

func (w *entry) entry(target string) *guard.Entry {
	e := &guard.Entry{Host: w.Host, Dir: w.Dir, Said: w.Said, Decision: w.Decision, Approved: w.Approved, Target: target, Preview: w.Preview,
		Plan:    &router.Plan{ParsedCommand: router.ParsedCommand{Raw: w.Raw, Name: w.Name}, InProcess: w.InProcess, Inside: w.Inside},
		Verdict: policy.Verdict{Effects: w.Effects, Danger: w.Danger}}
	e.Decision.Outside, e.Decision.Suggest = w.Outside, w.Suggest
	for _, r := range w.Reasons {
		e.Verdict.Reasons = append(e.Verdict.Reasons, policy.Reason(r))
	}
	if w.Denied != nil {
		e.Denied = w.Denied.Told(w.DeniedText)
	}
	return e
}

type approval struct {
	Yes, Outside, Session bool
	Reason                string
	Rules                 []policy.RulesSource
}

type outcome struct {
	Of       uint64
	ExitCode int
	Canceled bool
	Duration time.Duration
	Hash     string
}

type hookArgs struct {
	Index int
	Call  router.HookCall
	Out   *router.HookOutput // nil: before the call
	Error string
}

// statusError is an error with its exit status.
type statusError struct {
	error
	status int
}

func (e *statusError) ExitStatus() int { return e.status }

func (e *statusError) Unwrap() error { return e.error }

// exitTransport is the exit status of what could not reach another machine.
const exitTransport = 3

func resultOf(res router.Result) result {
	w := result{Result: res, FullOutput: res.FullOutput, Background: res.Background, Display: res.Display, Canceled: res.Canceled, Images: res.Images}
	w.Stdout, w.Stderr = "", ""
	if res.Err != nil {
		w.Failed = res.Err.Error()
	}
	var d *guard.Denial
	if errors.As(res.Denied, &d) {
		w.Denied = d
	}
	if res.Denied != nil {
		w.DeniedText = res.Denied.Error()
	}
	return w
}

func (w *result) result() router.Result {
	res := w.Result
	res.FullOutput, res.Background, res.Display, res.Canceled, res.Images = w.FullOutput, w.Background, w.Display, w.Canceled, w.Images
	if w.Failed != "" {
		res.Err = &statusError{errors.New(w.Failed), exitTransport}
	}
	switch {
	case w.Denied != nil:
		res.Denied = w.Denied.Told(w.DeniedText)
	case w.DeniedText != "":
		res.Denied = &statusError{errors.New(w.DeniedText), 126}
	}
	return res
}
