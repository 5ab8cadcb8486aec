package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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
	if err == nil && strings.ContainsRune(args.Command, utf8.RuneError) && !c.hasText(string(utf8.RuneError)) {
		err = errors.New("the command holds U+FFFD, which stands for a character that was lost on its way, and nothing ran: send it again, a name with such a character by a pattern (caf*.txt)")
	}
	return args, err
}

// hasText reports whether the model was given a text that holds s.
func (c *Conversation) hasText(s string) bool {
	return slices.ContainsFunc(c.messages, func(m message) bool {
		return m.Role != openai.ChatMessageRoleAssistant && (strings.Contains(m.rec.Text, s) || strings.Contains(m.rec.Output, s))
	})
}

// quoteHead shows the beginning of what the model sent.
func quoteHead(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

// runToolCall runs one call, if it may run, and appends its tool message.
func (c *Conversation) runToolCall(ctx context.Context, t *turn, r *reply, call *toolCall) {
	args, err := c.parseCall(call)
	if err == nil && r.finish == openai.FinishReasonLength && !isObject(call.arguments) { // what is repaired lacks its end
		err = errors.New("the arguments are cut off, and nothing ran")
	}
	if err != nil && r.finish == openai.FinishReasonLength {
		err = fmt.Errorf("%w; the reply reached the model's output limit: send less at once, a long file in parts", err)
	}
	result := ToolResult{ID: call.id, ExitCode: 1, Refused: true}
	switch {
	case ctx.Err() != nil:
		result = ToolResult{ID: call.id, Output: "[" + stopReason(ctx) + " before it ran]", ExitCode: 130, Interrupted: true}
	case err != nil:
		result.Output, result.ExitCode = "bash: "+err.Error(), 2
		result.Output += t.loops.noteResult(call.name+" "+call.arguments, result)
	case t.loops.stopError() != nil:
		result.Output = "[not run: the turn was stopped]"
	case t.skip != "":
		result.Output = "[not run: " + t.skip + "; send it again if it is still right]"
	default:
		result = c.runCommand(ctx, t, call.id, args)
	}
	if strings.TrimSpace(result.Output) == "" {
		// go-openai leaves empty content out, and servers refuse a tool message without.
		result.Output = "(no output)"
	}
	c.addRecord(result.record(c.shellDir()))
	c.opts.Events(result)
}

// runCommand runs the command of a call.
func (c *Conversation) runCommand(ctx context.Context, t *turn, id string, args router.Arguments) ToolResult {
	c.emitEvent(ToolCall{ID: id, Command: args.Command, Timeout: args.Timeout, Kill: args.Kill})
	start, waited, dir := time.Now(), c.opts.waited(), c.shellDir()
	if l, ok := c.opts.Runner.(OutputLimiter); ok && c.size.window > 0 {
		l.LimitOutput(max(c.size.window*bytesPerToken/outputPart, leastOutput))
	}
	result := ToolResult{ID: id}
	result.Output, result.ExitCode = c.runLive(args.Context(ctx), id, args)
	result.Duration = max(0, time.Since(start)-(c.opts.waited()-waited))
	result.Output = args.Noted(result.Output)
	if r, ok := c.opts.Runner.(Refuser); ok {
		result.Why = r.Refusal()
		result.Denied = result.Why != nil
	}
	c.denials.note(args.Command, result.Why)
	switch {
	case result.Denied:
		t.skip = "the call before it was denied"
	case failedCD().MatchString(result.Output) && strings.Contains(args.Command, "cd") && (result.ExitCode != 0 || dir == c.shellDir()):
		t.skip = "the cd of the call before it failed, so it would have run in another directory"
	}
	if d, ok := c.opts.Runner.(Displayer); ok {
		result.Display = d.Display()
	}
	if s, ok := c.opts.Runner.(Shower); ok {
		t.shown = append(t.shown, s.Images()...)
	}
	if r, ok := c.opts.Runner.(interface{ Running() int }); ok {
		result.Running = r.Running()
	}
	if ctx.Err() != nil {
		result.Interrupted = true
		result.Output = strings.TrimLeft(result.Output+"\n["+stopReason(ctx)+"]", "\n")
	} else {
		result.Output += t.loops.noteResult(args.Command, result)
	}
	return result
}

func (o *Options) waited() time.Duration {
	if o.Waited == nil {
		return 0
	}
	return o.Waited()
}

// failedCD is what bash says of a directory that it could not change to.
var failedCD = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\bcd: .+: (No such file or directory|Not a directory|Permission denied|Too many levels of symbolic links)$`)
})

// Runner runs one command string as the model sent it. Run returns when the
// command has ended, with what the model is to see; when ctx is cancelled it
// ends the command first. A command that fails has an exit code, not an error.
//
// A Runner may say more: see [Refuser] and [TurnBeginner]; with a method
// Dir() string where its shell is, which prompts and records name; and with
// Has(name string) bool which agent commands there are, so that a call of one as
// a tool is one of it; and with Running() int which background shell the last command went on as.
// The ctx of a command that is to end at its timeout is one of router.KillAtLimit.
type Runner interface {
	Run(ctx context.Context, command string, timeout time.Duration) (output string, exitCode int)
}

// Refuser is a [Runner] that does not run everything. Refusal is why the last
// command was not run at all; nil: it was.
type Refuser interface{ Refusal() error }

// OutputLimiter is a [Runner] that shortens outputs to a number of characters: a part of the
// model's window, as soon as that is known.
type OutputLimiter interface{ LimitOutput(chars int) }

// What part of the window one output may take, and how many characters it may always have.
const (
	outputPart  = 8
	leastOutput = 1000
)

// Displayer is a [Runner] that may say in a line what the last command did; "":
// there is only its output.
type Displayer interface{ Display() string }

// Shower is a [Runner] whose commands may show pictures: those of the last one.
type Shower interface{ Images() []Image }

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
	images  []Image
	most    int // characters of an output; 0: as the router has it
	running int
}

// Run runs one command string.
func (r *RouterRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	return r.RunLive(ctx, command, timeout, nil, nil)
}

// RunLive is Run, with what the command writes as it comes.
func (r *RouterRunner) RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (string, int) {
	res := r.Router.Run(ctx, command, &router.RunOptions{Timeout: timeout, MaxChars: r.most, Stdout: stdout, Stderr: stderr, Images: true})
	r.denied, r.display, r.images, r.running = res.Denied, res.Display, nil, res.Running
	for _, img := range res.Images {
		r.images = append(r.images, Image(img))
	}
	return res.Output, res.ExitCode
}

// Hide hides secrets in a text.
func (r *RouterRunner) Hide(text string) string { return r.Router.HideSecrets(text) }

// Refusal is why the last command was not run; nil: it was.
func (r *RouterRunner) Refusal() error { return r.denied }

// LimitOutput shortens what the model sees of the commands from here on.
func (r *RouterRunner) LimitOutput(chars int) { r.most = chars }

// Display is what the last command did, in a line; "": nobody said.
func (r *RouterRunner) Display() string { return r.display }

// Images are the pictures that the last command showed.
func (r *RouterRunner) Images() []Image { return r.images }

// Running is the background shell that the last command went on as; 0: it has ended.
func (r *RouterRunner) Running() int { return r.running }

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
