package chat

import (
	"context"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Runner runs one command string as the model sent it. Run returns when the
// command has ended, with what the model is to see; when ctx is cancelled it
// ends the command first. A command that fails has an exit code, not an error.
type Runner interface {
	Run(ctx context.Context, command string, timeout time.Duration) (output string, exitCode int)
}

// Options say what a conversation talks to.
type Options struct {
	Model   string
	BaseURL string // up to and without /chat/completions; "" is OpenAI's own
	APIKey  string // "": none is sent
	System  string // the system prompt; "" sends none

	// Runner runs the commands; required.
	Runner Runner

	// Events is called from Turn's goroutine for whatever a person wants to see.
	// It may be nil; see also OnEvent.
	Events func(Event)

	// HTTPClient sends the requests; nil means one that waits as long as the
	// model does, and follows no redirects. Retries and the checks of the
	// response are put around its Transport.
	HTTPClient *http.Client

	// Attempts bounds how often one request is sent, 0 is 4. Backoff is the wait
	// before the second, which doubles, 0 is 500 ms; Retry-After overrides it.
	Attempts int
	Backoff  time.Duration
}

// Conversation is an exchange with one model. It is used from one goroutine.
type Conversation struct {
	opts     Options
	client   *openai.Client
	server   string // host of the base URL, for messages
	tools    []openai.Tool
	messages []openai.ChatCompletionMessage
	turns    int
}

// New makes a conversation. It sends nothing yet.
func New(opts *Options) *Conversation {
	c := &Conversation{opts: *opts, tools: tools()}
	if c.opts.Events == nil {
		c.opts.Events = func(Event) {}
	}
	// A key that was read from a file often has a newline, which HTTP refuses.
	c.opts.APIKey = strings.TrimSpace(c.opts.APIKey)
	cfg := openai.DefaultConfig(c.opts.APIKey)
	if c.opts.BaseURL != "" {
		cfg.BaseURL = strings.TrimSuffix(strings.TrimRight(c.opts.BaseURL, "/"), "/chat/completions")
	}
	// Comment lines are filtered out before go-openai sees them, but blank lines
	// count too, and 300 in a row would end the stream.
	cfg.EmptyMessagesLimit = 1 << 30
	cfg.HTTPClient = c.httpClient()
	c.opts.BaseURL = cfg.BaseURL
	c.server = hostOf(cfg.BaseURL)
	c.client = openai.NewClientWithConfig(cfg)
	if strings.TrimSpace(c.opts.System) != "" {
		c.append(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: c.opts.System})
	}
	return c
}

// OnEvent puts f in the place of Options.Events. It is not called during a Turn.
func (c *Conversation) OnEvent(f func(Event)) { c.opts.Events = f }

// Turn sends a prompt and goes on until the model stops calling the tool. It
// returns the text of the last reply.
//
// An error is an [*Error]; the text that came before it is returned too. The
// conversation can be continued with another Turn after any error.
func (c *Conversation) Turn(ctx context.Context, prompt string) (final string, err error) {
	if strings.TrimSpace(prompt) == "" {
		return "", &Error{Exit: ExitUsage, Text: "the prompt is empty: type what is to be done"}
	}
	c.turns++
	c.settle()
	c.append(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: prompt})
	for {
		r, err := c.stream(ctx)
		c.keep(r, err)
		if err != nil {
			return r.text.String(), err
		}
		if len(r.calls) == 0 {
			return r.text.String(), c.checkFinish(r)
		}
		for _, call := range r.calls {
			c.answer(ctx, r, call)
		}
		if ctx.Err() != nil {
			return r.text.String(), c.interrupted(ctx)
		}
	}
}

// settle closes a turn that ended before the model had its say, since many chat
// templates refuse two user messages in a row.
func (c *Conversation) settle() {
	if n := len(c.messages); n > 0 {
		switch c.messages[n-1].Role {
		case openai.ChatMessageRoleUser, openai.ChatMessageRoleTool:
			c.append(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: "[no reply: the turn was interrupted]"})
		}
	}
}

// keep appends a reply. Of one that broke off, the text stays, with a note;
// calls that may be incomplete do not.
func (c *Conversation) keep(r *reply, err error) {
	m := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: r.text.String()}
	if strings.TrimSpace(m.Content) == "" {
		m.Content = ""
	}
	if err != nil {
		if m.Content == "" {
			return
		}
		m.Content += "\n[the reply was cut off here]"
		c.append(m)
		return
	}
	for i := range r.calls {
		m.ToolCalls = append(m.ToolCalls, r.calls[i].echo())
	}
	if m.Content == "" && len(m.ToolCalls) == 0 {
		m.Content = "(no answer)"
	}
	c.append(m)
}

// answer runs one call and appends its tool message.
func (c *Conversation) answer(ctx context.Context, r *reply, call *toolCall) {
	result := ToolResult{ID: call.id}
	command, timeout, err := parseCall(call.name, call.arguments)
	switch {
	case ctx.Err() != nil:
		result.Output, result.ExitCode, result.Interrupted = "[interrupted by the user before it ran]", 130, true
	case err != nil:
		result.Output, result.ExitCode, result.Refused = "bash: "+err.Error(), 2, true
		if r.finish == openai.FinishReasonLength {
			result.Output += "; the reply reached the model's output limit: send less at once, a long file in parts"
		}
	default:
		c.opts.Events(ToolCall{ID: call.id, Command: command, Timeout: timeout})
		start := time.Now()
		result.Output, result.ExitCode = c.opts.Runner.Run(ctx, command, timeout)
		result.Duration = time.Since(start)
		if ctx.Err() != nil {
			result.Interrupted = true
			result.Output = strings.TrimLeft(result.Output+"\n[interrupted by the user]", "\n")
		}
	}
	if strings.TrimSpace(result.Output) == "" {
		// go-openai leaves empty content out, and servers refuse a tool message without.
		result.Output = "(no output)"
	}
	c.append(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: call.id, Content: result.Output})
	c.opts.Events(result)
}

func (c *Conversation) append(m openai.ChatCompletionMessage) { c.messages = append(c.messages, m) }
