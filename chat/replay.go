package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/chat/transcript"
)

// NewReplay is a model that says what a recorded one said, reply after reply,
// whatever it is asked. It sends nothing anywhere. Replies that broke off are
// left out: they were asked for again, or the person went on. The transport is
// safe for concurrent use.
func NewReplay(records []transcript.Record) http.RoundTripper {
	r := &replay{}
	for _, rec := range records {
		switch {
		case rec.Type == transcript.TypeAssistant && !rec.Partial:
			r.replies = append(r.replies, rec)
		case rec.Type == transcript.TypeUsage && rec.Usage != nil && !rec.Usage.Estimated:
			u := *rec.Usage
			r.usages = append(r.usages, &u)
		}
	}
	if len(r.usages) != len(r.replies) {
		r.usages = make([]*transcript.Usage, len(r.replies))
	}
	return r
}

type replay struct {
	replies []transcript.Record
	usages  []*transcript.Usage // of the reply at the same place; nil: not known

	mu   sync.Mutex
	next int
}

// RoundTrip answers with the next reply as a stream.
func (r *replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	r.mu.Lock()
	n := r.next
	r.next++
	r.mu.Unlock()
	if n >= len(r.replies) {
		return nil, &responseError{fmt.Sprintf("the recording has only %d replies", len(r.replies))}
	}
	return &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(replayStream(r.replies[n], r.usages[n])))}, nil
}

// replayStream is a reply as a server would send it.
func replayStream(rec transcript.Record, u *transcript.Usage) []byte {
	var b bytes.Buffer
	event := func(v any) {
		b.WriteString("data: ")
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic("chat: " + err.Error()) // records come from JSON
		}
		b.WriteByte('\n')
	}
	delta := func(d map[string]any, finish any) {
		event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	if rec.Reasoning != "" {
		delta(map[string]any{"reasoning_content": rec.Reasoning}, nil)
	}
	for _, word := range strings.SplitAfter(rec.Text, " ") {
		if word != "" {
			delta(map[string]any{"content": word}, nil)
		}
	}
	finish := "stop"
	for i, c := range rec.Calls {
		finish = "tool_calls"
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": c.Arguments}}}}, nil)
	}
	delta(map[string]any{}, finish)
	if u != nil {
		event(map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": u.Prompt, "completion_tokens": u.Completion,
			"total_tokens": u.Prompt + u.Completion, "prompt_tokens_details": map[string]any{"cached_tokens": u.Cached}}})
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}
