package modelserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Script is what the server says, one reply a request, in order.
type Script struct {
	Comment string  `json:"comment,omitempty"` // for the reader; not used
	Model   string  `json:"model,omitempty"`   // what /v1/models lists; "" is scripted-1
	API     string  `json:"api,omitempty"`     // "responses": chat completions refuse the tool; "messages": Anthropic's protocol alone; "": chat completions alone
	Key     string  `json:"key,omitempty"`     // another bearer token is answered with 401; "": any is good
	Replies []Reply `json:"replies"`

	// Loose takes requests whose messages are written otherwise than the protocol has them, as
	// servers with strict templates want them.
	Loose bool `json:"loose,omitempty"`

	Window *Window           `json:"window,omitempty"` // of the model; nil: it has none
	About  map[string]string `json:"about,omitempty"`  // what other paths answer, such as /props
}

// Reply is one answer. The zero Reply is not valid: it must say something or
// misbehave.
type Reply struct {
	Comment string       `json:"comment,omitempty"` // for the reader; not used
	Expect  Expectations `json:"expect,omitempty"`  // of the request; see Expectations

	Text      string     `json:"text,omitempty"`       // streamed before the tool calls
	TextTimes int        `json:"text_times,omitempty"` // the text is said this often; 0 is once
	Reasoning string     `json:"reasoning,omitempty"`  // streamed before the text, as reasoning_content
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	FinishReason string `json:"finish_reason,omitempty"` // "": stop or tool_calls, as fits; "none": never sent
	Usage        *Usage `json:"usage,omitempty"`         // nil: made up from the lengths
	NoUsage      bool   `json:"no_usage,omitempty"`      // no usage chunk
	Chunk        int    `json:"chunk,omitempty"`         // bytes of text or arguments in a delta; 0 is 16

	Times           int  `json:"times,omitempty"`            // played this often in a row; 0 is once
	NewConversation bool `json:"new_conversation,omitempty"` // the request need not go on from the one before

	DelayMS     int    `json:"delay_ms,omitempty"`     // milliseconds before the first byte
	KeepAlives  int    `json:"keep_alives,omitempty"`  // comment lines before the first delta
	Hold        bool   `json:"hold,omitempty"`         // after the deltas, wait until the client goes away
	Cut         Cut    `json:"cut,omitempty"`          // end the reply early
	Status      int    `json:"status,omitempty"`       // answer this HTTP status in place of a stream
	RetryAfter  string `json:"retry_after,omitempty"`  // header of a Status answer
	Error       string `json:"error,omitempty"`        // message of a Status answer; in a stream: an error event after the deltas
	ErrorCode   string `json:"error_code,omitempty"`   // code of a Status answer
	ContentType string `json:"content_type,omitempty"` // in place of text/event-stream
	Body        string `json:"body,omitempty"`         // sent as it is, in place of a stream
	Location    string `json:"location,omitempty"`     // header of a Status answer (a redirect)
}

// Cut is where and how a reply ends early.
type Cut string

// The ways of ending early.
const (
	CutDrop  Cut = "drop"  // the connection is closed before any byte of a response
	CutEmpty Cut = "empty" // the response has its header and no body
	CutReset Cut = "reset" // the connection is closed in the middle of the body
	CutEnd   Cut = "end"   // the body ends properly, without finish_reason and [DONE]
)

// ToolCall is one call in a reply. Command is short for Name bash and the
// Arguments {"command": Command, "timeout": Timeout}.
type ToolCall struct {
	Command   string   `json:"command,omitempty"`
	Timeout   *float64 `json:"timeout,omitempty"`
	ID        string   `json:"id,omitempty"`        // "": call_N_I
	NoID      bool     `json:"no_id,omitempty"`     // no id is sent at all
	Name      string   `json:"name,omitempty"`      // "": bash
	Arguments *string  `json:"arguments,omitempty"` // as sent, whatever it is; nil: made from Command
}

// Usage is what a reply says it cost, in tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	CachedTokens     int `json:"cached_tokens,omitempty"`
}

// Expectations are on the last messages of a request, as many as there are
// expectations. In JSON a single one may stand without its list.
type Expectations []Expect

// UnmarshalJSON takes one expectation or a list of them.
func (e *Expectations) UnmarshalJSON(b []byte) error {
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] == '{' {
		b = append(append([]byte{'['}, t...), ']')
	}
	var list []Expect
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return err
	}
	*e = list
	return nil
}

// Expect is what one message must be. Absent parts are not looked at.
type Expect struct {
	Role     string   `json:"role,omitempty"`
	Equals   *string  `json:"equals,omitempty"`
	Contains []string `json:"contains,omitempty"` // each of them
	Lacks    []string `json:"lacks,omitempty"`    // none of them
	Matches  string   `json:"matches,omitempty"`  // a Go regular expression, anywhere in the content
	Model    string   `json:"model,omitempty"`    // of the request itself

	Reasoning *string `json:"reasoning,omitempty"` // what is sent back as reasoning_content
}

// check returns what is wrong with a message, or "".
func (e *Expect) check(role, content string) string {
	if e.Role != "" && e.Role != role {
		return fmt.Sprintf("its role is %s, not %s", role, e.Role)
	}
	if e.Equals != nil && *e.Equals != content {
		return fmt.Sprintf("its content is not %q", *e.Equals)
	}
	for _, s := range e.Contains {
		if !strings.Contains(content, s) {
			return fmt.Sprintf("its content does not contain %q", s)
		}
	}
	for _, s := range e.Lacks {
		if strings.Contains(content, s) {
			return fmt.Sprintf("its content contains %q", s)
		}
	}
	if e.Matches != "" && !regexp.MustCompile(e.Matches).MatchString(content) {
		return fmt.Sprintf("its content does not match %q", e.Matches)
	}
	return ""
}

// Load reads a script from a JSON file. Unknown keys are errors.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("model script: %w", err)
	}
	var s Script
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("model script %s: %w", path, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("model script %s: %w", path, err)
	}
	return &s, nil
}

// check finds what a writer of a script gets wrong.
func (s *Script) check() error {
	if len(s.Replies) == 0 {
		return errors.New("no replies")
	}
	if s.API != "" && s.API != "responses" && s.API != "messages" {
		return fmt.Errorf("api is %q: it is responses, messages or nothing", s.API)
	}
	for i, r := range s.Replies {
		if r.Text == "" && r.Reasoning == "" && len(r.ToolCalls) == 0 && r.Status == 0 && r.Body == "" && r.Cut == "" && r.Error == "" && !r.Hold {
			return fmt.Errorf("reply %d says nothing: give it text, tool_calls, a status, a body or a cut", i+1)
		}
		switch r.Cut {
		case "", CutDrop, CutEmpty, CutReset, CutEnd:
		default:
			return fmt.Errorf("reply %d: cut is %q: use drop, empty, reset or end", i+1, r.Cut)
		}
		for _, e := range r.Expect {
			if _, err := regexp.Compile(e.Matches); err != nil {
				return fmt.Errorf("reply %d: matches: %w", i+1, err)
			}
		}
	}
	return nil
}

// unroll repeats the replies that have Times.
func (s *Script) unroll() []Reply {
	var out []Reply
	for _, r := range s.Replies {
		for range max(1, r.Times) {
			out = append(out, r)
		}
	}
	return out
}

// text is the whole text of a reply.
func (r *Reply) text() string { return strings.Repeat(r.Text, max(1, r.TextTimes)) }

// wireCall is a tool call as it goes over the wire.
type wireCall struct{ id, name, arguments string }

// calls are the reply's tool calls; n is the number of the request, from 1.
func (r *Reply) calls(n int) []wireCall {
	var out []wireCall
	for i, c := range r.ToolCalls {
		w := wireCall{id: c.ID, name: cmp.Or(c.Name, "bash")}
		if w.id == "" && !c.NoID {
			w.id = fmt.Sprintf("call_%d_%d", n, i+1)
		}
		if c.Arguments != nil {
			w.arguments = *c.Arguments
		} else {
			w.arguments = string(encodeJSON(struct {
				Command string   `json:"command"`
				Timeout *float64 `json:"timeout,omitempty"`
			}{c.Command, c.Timeout}))
		}
		out = append(out, w)
	}
	return out
}

// encodeJSON is JSON without HTML escapes, as model servers send it.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("modelserver: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
