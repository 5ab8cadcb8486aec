package chat

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// messagesVersion is the protocol's, a header of each request.
const messagesVersion = "2023-06-01"

// defaultMost is how many tokens a reply may have, which this protocol wants to be said; a
// model that allows less refuses it with its own number.
const defaultMost = 32_000

// messagesRequest is a request of Anthropic's Messages API (API reference, "Create a Message").
type messagesRequest struct {
	Model     string         `json:"model"`
	MaxTokens int            `json:"max_tokens"`
	System    []block        `json:"system,omitempty"`
	Messages  []blockMessage `json:"messages"`
	Tools     []blockTool    `json:"tools"`
	Stream    bool           `json:"stream"`
	Thinking  *thinking      `json:"thinking,omitempty"`
	Output    *outputConfig  `json:"output_config,omitempty"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type blockTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// blockMessage is a message of blocks: *block, or a json.RawMessage of the server's own.
type blockMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

// block is a part of a message, of any type.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Source    *imageSource    `json:"source,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Cache     *cacheMark      `json:"cache_control,omitempty"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// cacheMark has the server keep what stands before it, for the next request.
type cacheMark struct {
	Type string `json:"type"`
}

// cachedMessages is how many of the last messages of the user are marked: the last for the
// next request, the one before for this.
const cachedMessages = 2

func (c *Conversation) messagesBody() ([]byte, error) {
	mark := &cacheMark{"ephemeral"}
	r := messagesRequest{Model: c.opts.Model, MaxTokens: c.mostTokens(), Stream: true, Tools: []blockTool{{
		Name: toolName, Description: c.tools[0].Function.Description, InputSchema: json.RawMessage(toolParameters)}}}
	c.askToThink(&r)
	wire := c.wireMessages()
	if c.countSystem() == 1 {
		r.System = []block{{Type: "text", Text: wire[0].Content, Cache: mark}}
		wire = wire[1:]
	}
	for i := range wire {
		m := &wire[i]
		role, blocks := m.Role, c.blocks(m, &c.messages[c.countSystem()+i])
		if role == openai.ChatMessageRoleTool {
			role = openai.ChatMessageRoleUser
		}
		// The outputs of a reply's calls, and what follows them, are one message.
		if n := len(r.Messages) - 1; n >= 0 && r.Messages[n].Role == role {
			r.Messages[n].Content = append(r.Messages[n].Content, blocks...)
			continue
		}
		r.Messages = append(r.Messages, blockMessage{role, blocks})
	}
	for i, marked := len(r.Messages)-1, 0; i >= 0 && marked < cachedMessages; i-- {
		if m := r.Messages[i]; m.Role == openai.ChatMessageRoleUser && len(m.Content) > 0 {
			m.Content[len(m.Content)-1].(*block).Cache = mark
			marked++
		}
	}
	return encodeBody(r)
}

// mostTokens is how long a reply may be: what is kept free of the window (see fullAt) has
// room for it.
func (c *Conversation) mostTokens() int {
	most := defaultMost
	if window := c.size.window; window > 0 {
		most = min(most, int(float64(window)*(1-fullAt)))
	}
	if c.quirks.most > 0 {
		most = min(most, c.quirks.most)
	}
	return most
}

// leastBudget is the smallest that the protocol takes for thinking.
const leastBudget = 1024

// askToThink asks for as much thinking as is wanted. Without the thinking of earlier replies
// (see plain) the server takes no more of it.
func (c *Conversation) askToThink(r *messagesRequest) {
	effort := c.effort()
	switch {
	case effort == "" || effort == "none" || c.plain:
	case c.quirks.budget:
		tokens := map[string]int{"low": 4000, "medium": 10_000, "high": 24_000, "xhigh": 31_000, "max": 31_000}[effort]
		r.Thinking = &thinking{Type: "enabled", Budget: max(leastBudget, min(tokens, r.MaxTokens*3/4))}
	default:
		r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		r.Output = &outputConfig{strings.Replace(effort, "minimal", "low", 1)}
	}
}

// blocks are one message as the blocks that it is here. m is the message as it goes over the
// wire, of the origin.
func (c *Conversation) blocks(m *openai.ChatCompletionMessage, of *message) (out []any) {
	text := func(s string) any { return &block{Type: "text", Text: s} }
	switch {
	case m.Role == openai.ChatMessageRoleTool:
		return []any{&block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Content}}
	case m.Role == openai.ChatMessageRoleAssistant:
		return c.inOrder(m, of, text, func(call openai.ToolCall) any {
			return &block{Type: "tool_use", ID: call.ID, Name: call.Function.Name, Input: json.RawMessage(call.Function.Arguments)}
		})
	case len(m.MultiContent) == 0:
		return []any{text(m.Content)}
	}
	for _, p := range m.MultiContent {
		if p.ImageURL == nil {
			out = append(out, text(p.Text))
			continue
		}
		kind, data, _ := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
		out = append(out, &block{Type: "image", Source: &imageSource{"base64", kind, data}})
	}
	return out
}

var mostTokensWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)max_tokens\D*\d+ > (\d+)|max_tokens is \[\d+, ?(\d+)\]`)
})

// lowerMost learns from a refusal how long a reply may be.
func (c *Conversation) lowerMost(text string) bool {
	m := mostTokensWords().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	n, _ := strconv.Atoi(m[1] + m[2])
	less := n > 0 && n < c.mostTokens()
	if less {
		c.quirks.most = n
	}
	return less
}
