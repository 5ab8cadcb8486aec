package chat

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// fullAt is the part of the window at which room is made.
const fullAt = 0.8

// sizer knows how much of the window is used.
type sizer struct {
	window int // tokens; 0: not known
	used   int // tokens of the last request and its reply, as the server counted
	at     int // how many messages that were
}

func newSizer(window int, model string) sizer {
	if window == 0 {
		window = factsOf(model).window
	}
	return sizer{window: window}
}

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

var tooLongWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)context.?(length|window|size)|prompt is too long|too many (input )?tokens|maximum.{0,30}tokens|input is too long|token count.{0,40}exceeds`)
})

// isTooLong reports a refusal because of the window, in the words of several servers.
func isTooLong(status int, e *errorBody) bool {
	if status == http.StatusRequestEntityTooLarge || e.code == "context_length_exceeded" || e.kind == "exceed_context_size_error" {
		return true
	}
	return (status == http.StatusBadRequest || status == http.StatusInternalServerError) && tooLongWords().MatchString(e.text)
}

var windowNumbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:(?:maximum context length|context window|context length|context size|token limit|maximum number of tokens allowed)(?: of this model)?(?: is| of|:)? ?\(?(\d[\d,]{2,9})|> (\d[\d,]{2,9}) max|maximum of (\d[\d,]{2,9})|\((\d[\d,]{2,9}) tokens\))`)
})

// limit is the window that a refusal names; 0: it names none.
func (e *errorBody) limit() int {
	if e.window > 0 {
		return e.window
	}
	return windowIn(e.text)
}

// windowIn finds the window in a server's refusal; 0 when it does not say.
func windowIn(text string) int {
	m := windowNumbers().FindStringSubmatch(text)
	for _, s := range m[min(1, len(m)):] {
		if n, err := strconv.Atoi(strings.ReplaceAll(s, ",", "")); err == nil {
			return n
		}
	}
	return 0
}
