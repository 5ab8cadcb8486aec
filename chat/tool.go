package chat

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/router"
	openai "github.com/sashabaranov/go-openai"
)

// DefaultTimeout is how long a command may run when the model names no time.
const DefaultTimeout = 2 * time.Minute

// MaxTimeout is the longest time that the model may name.
const MaxTimeout = 10 * time.Minute

const (
	toolName       = router.ToolName
	toolParameters = router.ToolParameters
)

// toolDefinitions is the one tool of every request.
func toolDefinitions(description string) []openai.Tool {
	return []openai.Tool{{
		Type: openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{
			Name:        toolName,
			Description: description,
			Parameters:  json.RawMessage(toolParameters),
		},
	}}
}

// parseCall reads a call. An error is meant for the model and names the right form.
func (c *Conversation) parseCall(call *toolCall) (router.Arguments, error) {
	var has func(string) bool
	if r, ok := c.opts.Runner.(interface{ Has(name string) bool }); ok {
		has = r.Has
	}
	args, err := router.ParseCall(call.name, []byte(call.arguments), c.shellDir(), has)
	if args.Timeout == 0 {
		args.Timeout = DefaultTimeout
	}
	return args, err
}

// quoteHead shows the beginning of what the model sent.
func quoteHead(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

// runToolCall runs one call and appends its tool message.
func (c *Conversation) runToolCall(ctx context.Context, t *turn, r *reply, call *toolCall) {
	result := ToolResult{ID: call.id}
	args, err := c.parseCall(call)
	switch {
	case ctx.Err() != nil:
		result.Output, result.ExitCode, result.Interrupted = "["+stopReason(ctx)+" before it ran]", 130, true
	case err != nil:
		result.Output, result.ExitCode, result.Refused = "bash: "+err.Error(), 2, true
		if r.finish == openai.FinishReasonLength {
			result.Output += "; the reply reached the model's output limit: send less at once, a long file in parts"
		}
		result.Output += t.loops.noteResult(call.name+" "+call.arguments, result)
	case t.loops.stopError() != nil:
		result.Output, result.ExitCode, result.Refused = "[not run: the turn was stopped]", 1, true
	default:
		c.emitEvent(ToolCall{ID: call.id, Command: args.Command, Timeout: args.Timeout})
		start := time.Now()
		result.Output, result.ExitCode = c.runLive(ctx, call.id, args)
		result.Duration = time.Since(start)
		result.Output = args.Noted(result.Output)
		if r, ok := c.opts.Runner.(Refuser); ok {
			result.Why = r.Refusal()
			result.Denied = result.Why != nil
		}
		c.denials.note(args.Command, result.Why)
		if d, ok := c.opts.Runner.(Displayer); ok {
			result.Display = d.Display()
		}
		if ctx.Err() != nil {
			result.Interrupted = true
			result.Output = strings.TrimLeft(result.Output+"\n["+stopReason(ctx)+"]", "\n")
		} else {
			result.Output += t.loops.noteResult(args.Command, result)
		}
	}
	if strings.TrimSpace(result.Output) == "" {
		// go-openai leaves empty content out, and servers refuse a tool message without.
		result.Output = "(no output)"
	}
	c.addRecord(result.record(c.shellDir()))
	c.opts.Events(result)
}

// Runner runs one command string as the model sent it. Run returns when the
// command has ended, with what the model is to see; when ctx is cancelled it
// ends the command first. A command that fails has an exit code, not an error.
//
// A Runner may say more: see [Refuser] and [TurnBeginner]; with a method
// Dir() string where its shell is, which prompts and records name; and with
// Has(name string) bool which agent commands there are, so that a call of one as
// a tool is one of it.
type Runner interface {
	Run(ctx context.Context, command string, timeout time.Duration) (output string, exitCode int)
}

// Refuser is a [Runner] that does not run everything. Refusal is why the last
// command was not run at all; nil: it was.
type Refuser interface{ Refusal() error }

// Displayer is a [Runner] that may say in a line what the last command did; "":
// there is only its output.
type Displayer interface{ Display() string }

// TurnBeginner is a [Runner] that wants to know when a turn begins.
type TurnBeginner interface{ BeginTurn() }

func (c *Conversation) beginTurn() {
	if b, ok := c.opts.Runner.(TurnBeginner); ok {
		b.BeginTurn()
	}
}

// RouterRunner is a [Runner] that gives the commands to a router: the model sees
// a result's Output. It is used from one goroutine.
type RouterRunner struct {
	Router *router.Router // required

	// Turns is told when a turn begins: the router's guard, whose budget for a
	// turn starts then. It may be nil.
	Turns TurnBeginner

	denied  error
	display string
}

// Run runs one command string.
func (r *RouterRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	return r.RunLive(ctx, command, timeout, nil, nil)
}

// RunLive is Run, with what the command writes as it comes.
func (r *RouterRunner) RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (string, int) {
	res := r.Router.Run(ctx, command, &router.RunOptions{Timeout: timeout, Stdout: stdout, Stderr: stderr})
	r.denied, r.display = res.Denied, res.Display
	return res.Output, res.ExitCode
}

// Hide hides secrets in a text.
func (r *RouterRunner) Hide(text string) string { return r.Router.HideSecrets(text) }

// Refusal is why the last command was not run; nil: it was.
func (r *RouterRunner) Refusal() error { return r.denied }

// Display is what the last command did, in a line; "": nobody said.
func (r *RouterRunner) Display() string { return r.display }

// BeginTurn tells Turns.
func (r *RouterRunner) BeginTurn() {
	if r.Turns != nil {
		r.Turns.BeginTurn()
	}
}

// Has reports whether there is an agent command of that name.
func (r *RouterRunner) Has(name string) bool {
	_, ok := r.Router.Registry().Lookup(name)
	return ok
}

// Dir is the shell's directory.
func (r *RouterRunner) Dir() string { return r.Router.Dir() }
