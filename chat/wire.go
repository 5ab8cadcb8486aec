package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
)

// protocol is how a request is written and its reply read.
type protocol struct {
	path  string
	body  func(*Conversation) ([]byte, error)
	take  func(*Conversation, *reply, []byte) error // adds one event to the reply
	order string                                    // where a record keeps the order of a reply's parts; "": it has none
}

// The protocols that a model may speak.
const (
	APIChat      = "chat"      // POST /chat/completions
	APIResponses = "responses" // POST /responses
	APIMessages  = "messages"  // POST /messages, Anthropic's
)

// APIs are the protocols.
func APIs() []string { return []string{APIChat, APIResponses, APIMessages} }

func protocolOf(api string) protocol {
	switch api {
	case APIResponses:
		return protocol{"/responses", (*Conversation).responsesBody, (*Conversation).takeResponse, "responses"}
	case APIMessages:
		return protocol{"/messages", (*Conversation).messagesBody, (*Conversation).takeMessage, "messages"}
	}
	return protocol{"/chat/completions", (*Conversation).chatBody, (*Conversation).addEvent, ""}
}

func (c *Conversation) protocol() protocol { return protocolOf(c.api) }

// openReply sends the conversation and returns the events of the reply.
func (c *Conversation) openReply(ctx context.Context, p protocol) (*eventReader, error) {
	body, err := p.body(c)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.opts.BaseURL+p.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Cache-Control", "no-cache")
	SetKey(req.Header, c.api, c.opts.APIKey)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		data, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		return nil, newStatusError(resp.StatusCode, data)
	}
	return newEventReader(resp.Body), nil
}

// SetKey sets the headers of a request of a protocol that say who asks; key "" is nobody.
func SetKey(h http.Header, api, key string) {
	switch {
	case api == APIMessages:
		h.Set("Anthropic-Version", messagesVersion)
		h.Set("X-Api-Key", key)
	case key != "":
		h.Set("Authorization", "Bearer "+key)
	}
}

// statusError is an answer with an error status.
type statusError struct {
	status int
	errorBody
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%d %s: %s", e.status, http.StatusText(e.status), e.text)
}

// errorBody is what an error says of itself, in any of the forms that servers have.
type errorBody struct {
	text, kind, code string
	window, sent     int // tokens, as llama.cpp says them; 0: not said
}

func newStatusError(status int, body []byte) *statusError {
	e := &statusError{status: status}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Gemini's
		body = list[0]
	}
	if json.Valid(body) {
		e.errorBody = readErrorBody(body)
	} else if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
		e.text = text // a page of HTML says nothing in one line
	}
	return e
}

func readErrorBody(raw json.RawMessage) errorBody {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		if text := textOf(raw); text != "" {
			return errorBody{text: text}
		}
		return errorBody{text: string(raw)}
	}
	var e errorBody
	if inner := o["error"]; len(inner) > 0 && string(inner) != "null" && (inner[0] == '{' || textOf(o["message"]) == "") {
		e = readErrorBody(inner)
	}
	e.kind, e.code = cmp.Or(e.kind, textOf(o["type"])), cmp.Or(e.code, textOf(o["code"]))
	json.Unmarshal(o["n_ctx"], &e.window)
	json.Unmarshal(o["n_prompt_tokens"], &e.sent)
	for _, key := range []string{"message", "detail", "msg", "error_message"} {
		if e.text == "" && len(o[key]) > 0 {
			e.text = readErrorBody(o[key]).text
		}
	}
	if e.text == "" {
		e.text = string(raw)
	}
	return e
}

// statusOf is the HTTP status of an error answer, and its text.
func statusOf(err error) (status int, text string) {
	var e *statusError
	if errors.As(err, &e) {
		return e.status, e.text
	}
	return 0, ""
}

type chatRequest struct {
	Model         string                `json:"model"`
	Messages      []json.RawMessage     `json:"messages"`
	Stream        bool                  `json:"stream"`
	Tools         []openai.Tool         `json:"tools"`
	StreamOptions *openai.StreamOptions `json:"stream_options,omitempty"`
	Effort        string                `json:"reasoning_effort,omitempty"`
}

// chatBody is a request of Chat Completions.
func (c *Conversation) chatBody() ([]byte, error) {
	r := chatRequest{Model: c.opts.Model, Stream: true, Tools: c.tools, Effort: c.effort()}
	if !c.quirks.usage {
		r.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	var ms []sent
	for i, m := range c.wireMessages() {
		ms = append(ms, sent{m, &c.messages[i]})
	}
	for _, m := range c.quirks.rewrite(ms) {
		raw, err := json.Marshal(m.ChatCompletionMessage)
		if err == nil && m.of != nil {
			raw, err = c.addProviderFields(raw, m.of)
		}
		if c.quirks.content && m.Content == "" && m.MultiContent == nil {
			raw = append([]byte(`{"content":"",`), raw[1:]...)
		}
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, raw)
	}
	return json.Marshal(r)
}

// addProviderFields adds to a message what its provider wants to have back with it.
func (c *Conversation) addProviderFields(raw json.RawMessage, of *message) (json.RawMessage, error) {
	if !c.isOwn(of) {
		return raw, nil
	}
	fields := map[string]json.RawMessage{}
	if !c.plain {
		fields = objectFields(of.rec.Extra)
	}
	delete(fields, "reasoning_content") // stands for the reasoning's text
	for _, api := range APIs() {
		delete(fields, protocolOf(api).order)
	}
	extra := slices.ContainsFunc(of.rec.Calls, func(call transcript.Call) bool { return len(call.Extra) > 0 })
	if len(fields) == 0 && !extra {
		return raw, nil
	}
	m := objectFields(raw)
	maps.Copy(m, fields)
	var calls []map[string]json.RawMessage
	if json.Unmarshal(m["tool_calls"], &calls) == nil && extra {
		for i := range calls {
			if i < len(of.rec.Calls) && len(of.rec.Calls[i].Extra) > 0 {
				calls[i]["extra_content"] = of.rec.Calls[i].Extra
			}
		}
		var err error
		if m["tool_calls"], err = json.Marshal(calls); err != nil {
			return nil, err
		}
	}
	return json.Marshal(m)
}
