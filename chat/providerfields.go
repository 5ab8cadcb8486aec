package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// requestState travels with a request's context to the transports.
type requestState struct {
	timer *time.Timer // ends the request when nothing comes
	idle  time.Duration
	extra []messageExtra
}

// messageExtra are fields that go-openai has no place for.
type messageExtra struct {
	index  int
	fields map[string]json.RawMessage
	calls  []json.RawMessage // extra_content by position
}

type stateKey struct{}

func stateOf(ctx context.Context) *requestState {
	s, _ := ctx.Value(stateKey{}).(*requestState)
	return s
}

// restartWait starts the wait for the next byte anew.
func (s *requestState) restartWait() {
	if s != nil {
		s.timer.Reset(s.idle)
	}
}

// stopWait stops the wait, until alive is called.
func (s *requestState) stopWait() {
	if s != nil {
		s.timer.Stop()
	}
}

// withExtras prepares a request. cancel ends it when it is silent for too long.
func (c *Conversation) withExtras(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	s := &requestState{idle: c.idleLimit()}
	s.timer = time.AfterFunc(s.idle, func() { cancel(errIdle) })
	context.AfterFunc(ctx, func() { s.timer.Stop() })
	for i := range c.messages {
		if c.api == APIResponses {
			break // what is sent there is made here
		}
		rec := &c.messages[i].rec
		e := messageExtra{index: i, fields: objectFields(rec.Extra)}
		delete(e.fields, "reasoning_content") // go-openai has a field for it
		delete(e.fields, responsesField)
		if !c.isOwn(&c.messages[i]) {
			continue
		}
		if c.plain {
			e.fields = nil
		}
		some := len(e.fields) > 0
		for _, call := range rec.Calls {
			e.calls = append(e.calls, call.Extra)
			some = some || len(call.Extra) > 0
		}
		if some {
			s.extra = append(s.extra, e)
		}
	}
	return context.WithValue(ctx, stateKey{}, s)
}

// providerFields is what the provider wants to have back with this reply: an object of
// fields. That of reasoning_content is true, and stands for the reasoning's text.
func (r *reply) providerFields() json.RawMessage {
	out := map[string]any{}
	for _, item := range r.order {
		if item[0] == '{' { // otherwise the order says nothing new
			out[responsesField] = r.order
		}
	}
	if len(r.details) > 0 {
		out["reasoning_details"] = r.details
	} else if r.field != "" && r.reasoning.Len() > 0 {
		out[r.field] = true
	}
	if len(out) == 0 {
		return nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil // details that were no JSON would not have been read
	}
	return data
}

func objectFields(extra json.RawMessage) map[string]json.RawMessage {
	if len(extra) == 0 {
		return nil
	}
	var out map[string]json.RawMessage
	json.Unmarshal(extra, &out)
	return out
}

// wireMessages are the messages as go-openai takes them.
func (c *Conversation) wireMessages() []openai.ChatCompletionMessage {
	out := make([]openai.ChatCompletionMessage, len(c.messages))
	foreign := false // the calls that are answered just now are another model's
	for i := range c.messages {
		m := &c.messages[i]
		out[i] = m.ChatCompletionMessage
		if m.unseen {
			out[i].Content, out[i].MultiContent = withoutImages(m.rec), nil
		}
		if c.plain || !c.isOwn(m) {
			out[i].ReasoningContent = ""
		}
		if len(m.ToolCalls) > 0 {
			if foreign = !c.isOwn(m); foreign {
				out[i].ToolCalls = slices.Clone(m.ToolCalls)
				for k := range out[i].ToolCalls {
					out[i].ToolCalls[k].ID = neutralID(out[i].ToolCalls[k].ID)
				}
			}
		}
		if m.Role == openai.ChatMessageRoleTool && foreign {
			out[i].ToolCallID = neutralID(m.ToolCallID)
		}
	}
	return out
}

// patcher adds the extras to a request's body.
type patcher struct{ next http.RoundTripper }

func (p *patcher) RoundTrip(req *http.Request) (*http.Response, error) {
	s := stateOf(req.Context())
	if s == nil || len(s.extra) == 0 || req.Body == nil {
		return p.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err == nil {
		body, err = patchMessages(body, s.extra)
	}
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
	return p.next.RoundTrip(req)
}

func patchMessages(body []byte, extra []messageExtra) ([]byte, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(request["messages"], &messages); err != nil {
		return nil, err
	}
	for _, e := range extra {
		m, err := patchMessage(messages[e.index], e)
		if err != nil {
			return nil, err
		}
		messages[e.index] = m
	}
	var err error
	if request["messages"], err = json.Marshal(messages); err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

func patchMessage(raw json.RawMessage, e messageExtra) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	for k, v := range e.fields {
		m[k] = v
	}
	var calls []map[string]json.RawMessage
	if len(m["tool_calls"]) > 0 {
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return nil, err
		}
		for i := range calls {
			if i < len(e.calls) && len(e.calls[i]) > 0 {
				calls[i]["extra_content"] = e.calls[i]
			}
		}
		var err error
		if m["tool_calls"], err = json.Marshal(calls); err != nil {
			return nil, err
		}
	}
	return json.Marshal(m)
}
