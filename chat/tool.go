package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
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

const rightForm = `the only tool is bash, with arguments such as {"command": "ls -l", "timeout": 60}`

// parseCall reads the command and the time limit out of a tool call. An error
// is meant for the model and names the right form.
func parseCall(name, arguments string) (command string, timeout time.Duration, err error) {
	if name != toolName {
		return "", 0, unknownTool(name, arguments)
	}
	var args struct {
		Command json.RawMessage `json:"command"`
		Timeout json.RawMessage `json:"timeout"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return "", 0, fmt.Errorf("the arguments are not a JSON object (%v): %s: %s", err, quoteHead(arguments), rightForm)
	}
	if args.Command == nil {
		return "", 0, fmt.Errorf("the arguments have no command: %s: %s", quoteHead(arguments), rightForm)
	}
	if err := json.Unmarshal(args.Command, &command); err != nil || bytes.Equal(args.Command, []byte("null")) {
		return "", 0, fmt.Errorf("command is not a string: %s: %s", quoteHead(string(args.Command)), rightForm)
	}
	timeout, err = parseTimeout(args.Timeout)
	return command, timeout, err
}

// unknownTool names what to send instead; a model that calls read as a tool of
// its own has usually just forgotten that it is a command.
func unknownTool(name, arguments string) error {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil || len(args) == 0 || name == "" {
		return fmt.Errorf("there is no tool %q: %s; other commands are typed into it: name --key value", name, rightForm)
	}
	return fmt.Errorf("there is no tool %q: %s; if %[1]s is a command, call bash with {\"command\": \"%[1]s --key value ...\"}", name, rightForm)
}

// parseTimeout takes seconds as a number, or as the text of one, which some
// models send.
func parseTimeout(raw json.RawMessage) (time.Duration, error) {
	text := strings.Trim(string(raw), `"`)
	if raw == nil || text == "null" || text == "" {
		return DefaultTimeout, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(seconds) || seconds <= 0:
		return 0, fmt.Errorf("timeout is %s: give a number of seconds above 0, at most %.0f, or leave it out", quoteHead(string(raw)), MaxTimeout.Seconds())
	case seconds > MaxTimeout.Seconds():
		return 0, fmt.Errorf("timeout is %s seconds: at most %.0f; start what takes longer in the background with &", text, MaxTimeout.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), nil
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
	command, timeout, err := parseCall(call.name, call.arguments)
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
		c.emitEvent(ToolCall{ID: call.id, Command: command, Timeout: timeout})
		start := time.Now()
		result.Output, result.ExitCode = c.opts.Runner.Run(ctx, command, timeout)
		result.Duration = time.Since(start)
		if r, ok := c.opts.Runner.(Refuser); ok && r.Refusal() != nil {
			result.Denied, c.denied = true, r.Refusal()
			result.Why = c.denied
		} else {
			c.denied = nil
		}
		if d, ok := c.opts.Runner.(Displayer); ok {
			result.Display = d.Display()
		}
		if ctx.Err() != nil {
			result.Interrupted = true
			result.Output = strings.TrimLeft(result.Output+"\n["+stopReason(ctx)+"]", "\n")
		} else {
			result.Output += t.loops.noteResult(command, result)
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
// A Runner may say more: see [Refuser] and [TurnBeginner]; and with a method
// Dir() string where its shell is, which prompts and records name.
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
	res := r.Router.Run(ctx, command, &router.RunOptions{Timeout: timeout})
	r.denied, r.display = res.Denied, res.Display
	return res.Output, res.ExitCode
}

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

// Dir is the shell's directory.
func (r *RouterRunner) Dir() string { return r.Router.Dir() }
