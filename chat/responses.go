package chat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// responsesRequest is a request of OpenAI's Responses API (API reference,
// "Create a model response"). The server keeps nothing: the whole conversation
// goes with each request, the reasoning in its encrypted form.
type responsesRequest struct {
	Model        string             `json:"model"`
	Instructions string             `json:"instructions,omitempty"`
	Input        []any              `json:"input"`
	Tools        []responsesTool    `json:"tools"`
	Stream       bool               `json:"stream"`
	Store        bool               `json:"store"`
	Include      []string           `json:"include,omitempty"`
	Reasoning    *responsesThinking `json:"reasoning,omitempty"`
}

type responsesThinking struct {
	Summary string `json:"summary,omitempty"`
	Effort  string `json:"effort,omitempty"`
}

// responsesTool has Strict always, since its absence means true there, and a
// strict schema has no optional parameters.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type inputMessage struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type inputCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type inputOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

func (c *Conversation) responsesBody() ([]byte, error) {
	r := responsesRequest{Model: c.opts.Model, Stream: true, Input: []any{}, Tools: []responsesTool{{
		Type: "function", Name: toolName, Description: c.tools[0].Function.Description, Parameters: json.RawMessage(toolParameters)}}}
	if !c.quirks.include {
		r.Include = []string{"reasoning.encrypted_content"}
	}
	t := responsesThinking{Effort: c.effort()}
	if !c.quirks.summary {
		t.Summary = "auto"
	}
	if t != (responsesThinking{}) {
		r.Reasoning = &t
	}
	wire := c.wireMessages()
	if c.countSystem() == 1 {
		r.Instructions, wire = wire[0].Content, wire[1:]
	}
	for i := range wire {
		r.Input = append(r.Input, c.inputItems(&wire[i], &c.messages[c.countSystem()+i])...)
	}
	return encodeBody(r)
}

// encodeBody is a request as it is sent.
func encodeBody(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// inputItems is one message as the items that it is here. m is the message as it
// goes over the wire, of the origin.
func (c *Conversation) inputItems(m *openai.ChatCompletionMessage, of *message) []any {
	switch m.Role {
	case openai.ChatMessageRoleTool:
		return []any{inputOutput{"function_call_output", m.ToolCallID, m.Content}}
	case openai.ChatMessageRoleAssistant:
		return c.inOrder(m, of, func(text string) any { return inputMessage{"message", m.Role, text} }, callItem)
	}
	if len(m.MultiContent) == 0 {
		return []any{inputMessage{"message", m.Role, m.Content}}
	}
	var parts []inputPart
	for _, p := range m.MultiContent {
		if p.ImageURL != nil {
			parts = append(parts, inputPart{Type: "input_image", ImageURL: p.ImageURL.URL})
		} else {
			parts = append(parts, inputPart{Type: "input_text", Text: p.Text})
		}
	}
	return []any{inputMessage{"message", m.Role, parts}}
}

// Stand-ins for the text and the calls in the order of a reply's items.
const (
	orderText = `"text"`
	orderCall = `"call"`
)

// inOrder are the parts of a reply in the order in which they came: reasoning must stand
// before the call that it led to.
func (c *Conversation) inOrder(m *openai.ChatCompletionMessage, of *message, text func(string) any, call func(openai.ToolCall) any) (out []any) {
	var order []json.RawMessage
	if c.isOwn(of) {
		json.Unmarshal(objectFields(of.rec.Extra)[c.protocol().order], &order)
	}
	calls := m.ToolCalls
	said := m.Content == ""
	say := func() {
		if !said {
			out = append(out, text(m.Content))
			said = true
		}
	}
	for _, part := range order {
		switch string(part) {
		case orderText:
			say()
		case orderCall:
			if len(calls) > 0 {
				out = append(out, call(calls[0]))
				calls = calls[1:]
			}
		default:
			if !c.plain {
				out = append(out, part)
			}
		}
	}
	say()
	for _, one := range calls {
		out = append(out, call(one))
	}
	return out
}

func callItem(call openai.ToolCall) any {
	return inputCall{"function_call", call.ID, call.Function.Name, call.Function.Arguments}
}

var namesResponses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)v1/responses|responses (api|endpoint)|not supported in the v1/chat/completions`)
})

// otherAPI switches to the other protocol where the server's answer says that it
// would take it: once, and only where nobody said which one to use.
func (c *Conversation) otherAPI(err error) bool {
	status, text := statusOf(err)
	switch {
	case c.opts.API != "" || c.tried || c.api == APIMessages:
		return false
	case c.api == APIResponses:
		// What was learnt of this server holds no longer.
		if status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			return false
		}
		c.api = APIChat
	case (status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed) && namesResponses().MatchString(text):
		c.api = APIResponses
	default:
		return false
	}
	c.tried, c.refused = true, err
	return true
}

// keepProtocol keeps what a switch of protocols brought: the one that works, or, where
// it was refused too, the one before. It returns the error that tells more.
func (c *Conversation) keepProtocol(err error) error {
	if !c.tried {
		return err
	}
	c.tried = false
	if err != nil {
		c.api = c.opts.KnownAPI
		if status, _ := statusOf(err); status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			return c.refused // the server does not have the other at all
		}
		return err
	}
	if c.opts.KnownAPI != c.api {
		c.opts.KnownAPI = c.api
		if c.opts.OnAPI != nil {
			c.opts.OnAPI(c.Model())
		}
	}
	return nil
}

// leaveOut leaves out, or writes otherwise, what the server's refusal names, each thing once.
func (c *Conversation) leaveOut(text string) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(text), w) })
	}
	if c.leaveOutEffort(text) {
		return true
	}
	switch l := c.quirks; {
	case c.api == APIMessages:
		return c.lowerMost(text)
	case c.api != APIResponses:
		return c.noteQuirk(text)
	case has("summar") && !l.summary:
		l.summary = true
	case has("not be verified", "not be decrypted", "item with id", "required following", "rs_"):
		return false // of the reasoning that is sent back
	case has("encrypted", "include") && !l.include:
		l.include = true
	case has("reasoning") && !l.summary:
		l.summary = true
	default:
		return false
	}
	return true
}
