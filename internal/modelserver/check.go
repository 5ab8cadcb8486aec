package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// request is the part of a Chat Completions request that is checked.
type request struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

// message is one message of a request. Content is nil where it is absent or null.
type message struct {
	Role       string     `json:"role"`
	Content    *content   `json:"content"`
	Reasoning  string     `json:"reasoning_content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []callBack `json:"tool_calls"`

	encrypted []string // of the reasoning items of a response, or the signatures of a message's thinking
}

// callBack is a tool call that comes back in an assistant message.
type callBack struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (m *message) content() string {
	if m.Content == nil {
		return ""
	}
	return string(*m.Content)
}

// content is a text, or parts of which the texts and the URLs of pictures are
// joined by newlines.
type content string

// UnmarshalJSON takes both forms.
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Type     string   `json:"type"`
		Text     string   `json:"text"`
		ImageURL imageURL `json:"image_url"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		switch p.Type {
		case "text", "image_url", "input_text", "output_text", "input_image":
		default:
			return fmt.Errorf("a part of type %q", p.Type)
		}
		*c += content(p.Text + string(p.ImageURL) + "\n")
	}
	return nil
}

// imageURL is an object with a URL, or in a response's items the URL alone.
type imageURL string

// UnmarshalJSON takes both forms.
func (u *imageURL) UnmarshalJSON(b []byte) error {
	var flat string
	if json.Unmarshal(b, &flat) == nil {
		*u = imageURL(flat)
		return nil
	}
	var object struct {
		URL string `json:"url"`
	}
	err := json.Unmarshal(b, &object)
	*u = imageURL(object.URL)
	return err
}

// checkRequest parses a request and returns its messages, or what is wrong.
func checkRequest(body []byte) (*request, []message, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	switch {
	case r.Model == "":
		return nil, nil, fmt.Errorf("model is empty")
	case !r.Stream:
		return nil, nil, fmt.Errorf("stream is not true")
	case !r.StreamOptions.IncludeUsage:
		return &r, nil, fmt.Errorf("stream_options.include_usage is not true")
	}
	if err := checkTools(r.Tools); err != nil {
		return nil, nil, err
	}
	var ms []message
	for i, raw := range r.Messages {
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i, err)
		}
		ms = append(ms, m)
	}
	return &r, ms, checkMessages(ms)
}

// checkTools wants exactly one tool, bash {command: string, timeout?: number}.
func checkTools(raw json.RawMessage) error {
	var tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Parameters  struct {
				Type       string                           `json:"type"`
				Properties map[string]struct{ Type string } `json:"properties"`
				Required   []string                         `json:"required"`
			} `json:"parameters"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &tools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if len(tools) != 1 {
		return fmt.Errorf("%d tools are offered: exactly one is right", len(tools))
	}
	f := tools[0].Function
	p := f.Parameters
	switch {
	case tools[0].Type != "function" || f.Name != "bash":
		return fmt.Errorf("the tool is a %s named %s: a function named bash is right", tools[0].Type, f.Name)
	case f.Description == "":
		return fmt.Errorf("the tool has no description")
	case p.Type != "object" || len(p.Properties) != 2 || p.Properties["command"].Type != "string" || p.Properties["timeout"].Type != "number":
		return fmt.Errorf("the tool's parameters are not {command: string, timeout: number}: %s", raw)
	case len(p.Required) != 1 || p.Required[0] != "command":
		return fmt.Errorf("the tool's required parameters are %q: command alone is right", p.Required)
	}
	return nil
}

// toolName is what OpenAI's API reference allows as a function's name.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

// checkMessages wants roles in an order that every server accepts, no empty
// content, and each tool call answered once before anything else follows.
func checkMessages(ms []message) error {
	if len(ms) == 0 {
		return fmt.Errorf("no messages")
	}
	open := map[string]bool{} // ids of calls that wait for their tool message
	for i, m := range ms {
		where := fmt.Sprintf("message %d (%s)", i, m.Role)
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("%s: %d tool calls before it have no tool message", where, len(open))
		}
		if m.Content != nil && strings.TrimSpace(m.content()) == "" {
			return fmt.Errorf("%s: its content is empty", where)
		}
		switch m.Role {
		case "system":
			if i != 0 {
				return fmt.Errorf("%s: only the first message may be the system's", where)
			}
		case "user":
			if i > 0 && ms[i-1].Role == "user" {
				return fmt.Errorf("%s: it follows another user message, which many chat templates refuse", where)
			}
		case "assistant":
			if err := checkAssistant(&m, open); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("%s: tool_call_id %q answers no open call", where, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("%s: unknown role", where)
		}
		if m.Content == nil && m.Role != "assistant" {
			return fmt.Errorf("%s: no content", where)
		}
	}
	if last := ms[len(ms)-1].Role; len(open) > 0 || last != "user" && last != "tool" {
		return fmt.Errorf("the last message is the %s's, %d tool calls are unanswered: a request ends with a user or tool message", last, len(open))
	}
	return nil
}

func checkAssistant(m *message, open map[string]bool) error {
	if m.Content == nil && len(m.ToolCalls) == 0 {
		return fmt.Errorf("neither content nor tool_calls")
	}
	for _, c := range m.ToolCalls {
		var args map[string]json.RawMessage
		switch err := json.Unmarshal([]byte(c.Function.Arguments), &args); {
		case c.ID == "" || open[c.ID]:
			return fmt.Errorf("tool call id %q is empty or not unique", c.ID)
		case c.Type != "function":
			return fmt.Errorf("tool call %s has type %q", c.ID, c.Type)
		case !toolName().MatchString(c.Function.Name):
			return fmt.Errorf("tool call %s has the name %q, which servers refuse", c.ID, c.Function.Name)
		case err != nil || args == nil:
			return fmt.Errorf("tool call %s has arguments that are no JSON object: %q", c.ID, c.Function.Arguments)
		}
		open[c.ID] = true
	}
	return nil
}

// checkAppended wants the earlier messages unchanged at the head of the later ones.
func checkAppended(before, after []json.RawMessage) error {
	if len(after) < len(before) {
		return fmt.Errorf("%d messages after %d: the conversation only grows", len(after), len(before))
	}
	for i := range before {
		if !bytes.Equal(before[i], after[i]) {
			return fmt.Errorf("message %d changed: it was %s and is %s", i, clipText(before[i]), clipText(after[i]))
		}
	}
	return nil
}

// checkEcho wants the message after a reply to be that reply.
func checkEcho(sent *Reply, n int, m *message) error {
	if m.Role != "assistant" {
		return fmt.Errorf("the message after reply %d is the %s's, not the assistant's", n, m.Role)
	}
	if !sent.Hold && !strings.HasPrefix(m.content(), strings.TrimRight(sent.text(), " \n")) {
		return fmt.Errorf("the assistant's message is not the text of reply %d: %s", n, clipText([]byte(m.content())))
	}
	if m.encrypted != nil && (sent.Reasoning == "" || len(m.encrypted) != 1 || m.encrypted[0] != encryptedReasoning(n)) {
		return fmt.Errorf("the reasoning items that come back are %q, reply %d had %q", m.encrypted, n, encryptedReasoning(n))
	}
	calls := sent.calls(n)
	if sent.complete() && len(calls) != len(m.ToolCalls) {
		return fmt.Errorf("the assistant's message has %d tool calls, reply %d had %d", len(m.ToolCalls), n, len(calls))
	}
	if !sent.complete() && len(m.ToolCalls) > 0 {
		return fmt.Errorf("tool calls of reply %d were taken, though it did not end", n)
	}
	for i, c := range m.ToolCalls {
		if calls[i].id != "" && calls[i].id != c.ID {
			return fmt.Errorf("tool call %d of reply %d has the id %s, not %s", i, n, c.ID, calls[i].id)
		}
		if toolName().MatchString(calls[i].name) && calls[i].name != c.Function.Name {
			return fmt.Errorf("tool call %s has the name %s, not %s", c.ID, c.Function.Name, calls[i].name)
		}
		// Arguments that are no JSON object cannot be sent back as they came.
		if isObject(calls[i].arguments) && calls[i].arguments != c.Function.Arguments {
			return fmt.Errorf("tool call %s has the arguments %s, not %s", c.ID, c.Function.Arguments, calls[i].arguments)
		}
	}
	return nil
}

// complete reports whether the reply says that it ended.
func (r *Reply) complete() bool {
	return r.Cut == "" && r.FinishReason != "none" && !r.Hold && r.Status == 0 && r.Body == "" && r.Error == ""
}

func isObject(s string) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal([]byte(s), &m) == nil && m != nil
}

func clipText(b []byte) string {
	if len(b) > 200 {
		return string(b[:200]) + "..."
	}
	return string(b)
}
