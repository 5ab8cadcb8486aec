package router

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Result is what came of a command string. Its JSON form is an interface that
// other programs build on.
type Result struct {
	Command    string `json:"command"`
	Layer      Layer  `json:"layer"`
	Name       string `json:"name"`
	Success    bool   `json:"success"`     // exit code 0
	Output     string `json:"output"`      // what a model sees
	Error      string `json:"error"`       // why not Success; one message
	Stdout     string `json:"stdout"`      // what the command wrote; its head, when that is over 16 MiB
	Stderr     string `json:"stderr"`      //
	ExitCode   int    `json:"exit_code"`   // 2 usage, 3 transport, 4 authentication, 124 timed out, 126 denied, 127 unknown, 130 interrupted
	TimedOut   bool   `json:"timed_out"`   //
	Truncated  bool   `json:"truncated"`   // Output is not the whole
	Dir        string `json:"cwd"`         // after the command
	DurationMS int64  `json:"duration_ms"` // milliseconds

	// Profile held the command; "" where it did not run, and where nothing was to
	// be confined.
	Profile Profile  `json:"profile,omitempty"`
	Refusal *Refusal `json:"denied,omitempty"` // nil: nothing was refused

	// Running is the number of the background shell that the command went on as at its time limit; 0: none.
	Running   int      `json:"running,omitempty"`
	Restarted bool     `json:"restarted,omitempty"` // it ran in a new shell, because the one before had ended
	Lost      []string `json:"lost,omitempty"`      // what that shell, or with Running or the shell's end the next one, has not of the one before

	FullOutput string         `json:"-"` // the file that holds the whole output when Output does not; may be empty
	Background string         `json:"-"` // the file that takes what its background jobs write; may be empty
	Canceled   bool           `json:"-"` // by the caller's context
	Err        error          `json:"-"` // we failed, not the command: bash could not be started, the router is closed
	Display    string         `json:"-"` // of a tool that is the whole command: one line for a person; may be empty
	Metadata   map[string]any `json:"-"` // and what it has for embedders; may be nil

	Images []registry.Image `json:"-"` // that its calls showed, with RunOptions.Images

	Denied error `json:"-"` // why the guard refused it; nothing ran

	limit      time.Duration
	listing    bool                   // it lists what there is, of which the beginning is enough
	rest       func(lines int) string // of a tool: ToolResult.Rest
	shellEnded bool                   // with this command
	endTold    bool                   // the result before this one said that the shell ended
	stateLost  bool                   // what the shell before this one had was not all kept
	resumed    bool                   // the shell had stopped
	noRoom     error                  // why it could not go on at its limit
}

// Hash is that of what the command wrote, its stdout first: SHA-256, in hexadecimal.
func (r *Result) Hash() string {
	h := sha256.New()
	io.WriteString(h, r.Stdout)
	io.WriteString(h, r.Stderr)
	return hex.EncodeToString(h.Sum(nil))
}

// Refusal is what was not allowed: the command, which then did not run, or
// something that it did. Its JSON form is an interface that other programs
// build on.
type Refusal struct {
	By      string  `json:"by"`                // who or what refused: see docs/headless.md
	Rule    string  `json:"rule,omitempty"`    // that decided, as it was written
	Host    string  `json:"host,omitempty"`    // "host:port" that was to be connected to
	Profile Profile `json:"profile,omitempty"` // that the command ran in, or would have
}

// RefuseHost notes that the command was refused a connection to "host:port". The
// first refusal stays.
func (r *Result) RefuseHost(host string) {
	if r.Refusal == nil {
		r.Refusal = &Refusal{By: "network", Host: host, Profile: r.Profile}
	}
}

// Explanation is a plan as other programs read it.
type Explanation struct {
	Command   string         `json:"command"`
	Layer     Layer          `json:"layer"`
	Name      string         `json:"name"`
	Args      []string       `json:"args"`
	Kwargs    map[string]any `json:"kwargs"`
	Help      string         `json:"help"` // "", "brief" or "verbose"
	InProcess bool           `json:"in_process"`
	Calls     []CallSite     `json:"calls"`
	Script    string         `json:"script"`
	Error     string         `json:"error"`
}

// Explain puts a plan in its JSON form; lists and maps are never null.
func (p *Plan) Explain() Explanation {
	e := Explanation{Command: p.Raw, Layer: p.Layer, Name: p.Name, Args: append([]string{}, p.Args...), Kwargs: p.Kwargs,
		InProcess: p.InProcess, Calls: append([]CallSite{}, p.Calls...), Script: p.Script}
	if e.Kwargs == nil {
		e.Kwargs = map[string]any{}
	}
	switch {
	case p.Help && p.Verbose:
		e.Help = "verbose"
	case p.Help:
		e.Help = "brief"
	}
	if p.Err != nil {
		e.Error = p.Err.Error()
	}
	return e
}
