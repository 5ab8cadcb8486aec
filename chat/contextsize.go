package chat

import (
	"strings"

	"github.com/agentbash/agentbash/chat/transcript"
)

// fullAt is the part of the window at which room is made.
const fullAt = 0.8

// sizer knows how much of the window is used.
type sizer struct {
	window int // tokens; 0: not known
	used   int // tokens of the last request and its reply, as the server counted
	at     int // how many messages that were

	asked bool // the server was asked for its window
	count int  // prompt tokens of the last request, as the server counted
	ours  int  // the same by our estimate
	told  bool // that the server cuts its prompts
}

func newSizer(window int) sizer { return sizer{window: window} }

// noteUsage notes what the server counted for n messages and the reply to them.
func (s *sizer) noteUsage(u Usage, n int) { s.used, s.at = u.Prompt+u.Completion, n+1 }

func (s *sizer) forget() { s.used, s.at = 0, 0 }

// estimate is what the messages come to: the server's count as far as it goes.
func (s *sizer) estimate(ms []message) int {
	if s.used > 0 && s.at <= len(ms) {
		return s.used + estimateTokens(ms[s.at:])
	}
	return toolTokens + estimateTokens(ms)
}

func (s *sizer) isFull(ms []message) bool {
	return s.window > 0 && float64(s.estimate(ms)) > fullAt*float64(s.window)
}

// guessUsage is the usage of a request whose server told none.
func (s *sizer) guessUsage(ms []message, r *reply) Usage {
	n := r.text.Len() + r.reasoning.Len()
	for _, c := range r.calls {
		n += len(c.arguments)
	}
	return Usage{Prompt: toolTokens + estimateTokens(ms), Completion: n/bytesPerToken + 1, Estimated: true}
}

const (
	bytesPerToken = 4
	toolTokens    = 300  // the tool's description and the request's frame
	imageTokens   = 1200 // of a picture of a screen
)

// estimateTokens estimates tokens.
func estimateTokens(ms []message) (tokens int) {
	for i := range ms {
		m := &ms[i]
		n := len(m.Content) + len(m.ReasoningContent)
		for _, p := range m.MultiContent {
			if n += len(p.Text); p.ImageURL != nil {
				tokens += imageTokens
			}
		}
		for _, c := range m.ToolCalls {
			n += len(c.Function.Arguments) + 40
		}
		tokens += n/bytesPerToken + 4
	}
	return tokens
}

// Context is how much of the model's window the conversation takes, in tokens.
// window is 0 while it is not known.
func (c *Conversation) Context() (used, window int) {
	return c.size.estimate(c.messages), c.size.window
}

// A window below smallWindow is small: there the prompts take a promptPart of it.
const (
	smallWindow = 16 << 10
	promptPart  = 10
)

// fitPrompt takes the brief prompts for a small window, and the usual ones for another; it reports which.
func (c *Conversation) fitPrompt() (brief bool) {
	window := c.size.window
	small := c.opts.Brief != nil && window > 0 && window < smallWindow
	if small == c.brief {
		return small
	}
	c.brief = small
	system, description := c.opts.System, c.opts.Description
	if small {
		system, description = c.opts.Brief(window*bytesPerToken/promptPart - len(toolParameters))
	}
	c.tools = toolDefinitions(description)
	if strings.TrimSpace(system) != "" {
		c.addRecord(transcript.Record{Type: transcript.TypeSystem, Text: system})
	}
	c.size.forget()
	return small
}
