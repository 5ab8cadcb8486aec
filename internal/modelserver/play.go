package modelserver

import (
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// playReply answers one request with one reply, whose stream is the protocol's.
func playReply(w http.ResponseWriter, r *http.Request, reply *Reply, n int, stream streamer) {
	if reply.DelayMS > 0 {
		select {
		case <-time.After(time.Duration(reply.DelayMS) * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case reply.Cut == CutDrop:
		hangUp(w)
	case reply.Cut == CutEmpty:
		w.Header().Set("Content-Type", "text/event-stream")
	case reply.Status != 0:
		playStatus(w, reply)
	case reply.Body != "":
		w.Header().Set("Content-Type", orElse(reply.ContentType, "text/event-stream"))
		io.WriteString(w, reply.Body)
	default:
		stream(w, r, reply, n)
	}
}

func playStatus(w http.ResponseWriter, reply *Reply) {
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	if reply.Location != "" {
		w.Header().Set("Location", reply.Location)
	}
	if reply.Body != "" {
		w.Header().Set("Content-Type", orElse(reply.ContentType, "text/html"))
		w.WriteHeader(reply.Status)
		io.WriteString(w, reply.Body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	w.Write(errorEvent(reply, http.StatusText(reply.Status)))
}

func errorEvent(reply *Reply, text string) []byte {
	e := map[string]any{"message": orElse(reply.Error, text), "type": "server_error", "code": nil}
	if reply.ErrorCode != "" {
		e["code"] = reply.ErrorCode
	}
	return encodeJSON(map[string]any{"error": e})
}

// hangUp closes the connection, so that the client reads an unexpected end.
func hangUp(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		c.Close()
	}
}

// player writes one reply as server-sent events.
type player struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	reply *Reply
	n     int
}

// stream sends the deltas, the finish reason, the usage and [DONE], as far as
// the reply goes.
func (p *player) stream(r *http.Request) {
	p.w.Header().Set("Content-Type", orElse(p.reply.ContentType, "text/event-stream"))
	p.w.Header().Set("Cache-Control", "no-cache")
	for range p.reply.KeepAlives {
		p.send(": keep-alive\n\n")
	}
	p.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	p.text()
	p.calls()
	switch {
	case p.reply.Hold:
		<-r.Context().Done()
		return
	case p.reply.Error != "":
		p.event(errorEvent(p.reply, ""))
		return
	case p.reply.Cut == CutEnd:
		return
	case p.reply.Cut == CutReset:
		hangUp(p.w)
		return
	}
	if f := p.finish(); f != "none" {
		p.delta(map[string]any{}, f)
	}
	if !p.reply.NoUsage {
		p.usage()
	}
	p.event([]byte("[DONE]"))
}

func (p *player) text() {
	for _, s := range cutPieces(p.reply.Reasoning, p.size()) {
		p.delta(map[string]any{"reasoning_content": s}, nil)
	}
	for _, s := range cutPieces(p.reply.text(), p.size()) {
		p.delta(map[string]any{"content": s}, nil)
	}
}

// calls sends each call's id and name first, then its arguments in pieces; a
// reply that is cut has only half of the last call's arguments.
func (p *player) calls() {
	calls := p.reply.calls(p.n)
	for i, c := range calls {
		head := map[string]any{"index": i, "type": "function", "function": map[string]any{"name": c.name, "arguments": ""}}
		if c.id != "" {
			head["id"] = c.id
		}
		p.delta(map[string]any{"tool_calls": []any{head}}, nil)
		parts := cutPieces(c.arguments, p.size())
		if p.reply.Cut != "" && i == len(calls)-1 {
			parts = parts[:len(parts)/2]
		}
		for _, s := range parts {
			p.delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": s}}}}, nil)
		}
	}
}

func (p *player) finish() string {
	switch {
	case p.reply.FinishReason != "":
		return p.reply.FinishReason
	case len(p.reply.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (p *player) usageNumbers() *Usage {
	if p.reply.Usage != nil {
		return p.reply.Usage
	}
	return &Usage{PromptTokens: 100 * p.n, CompletionTokens: 1 + len(p.reply.text())/4}
}

func (p *player) usage() {
	u := p.usageNumbers()
	p.chunk([]any{}, map[string]any{
		"prompt_tokens": u.PromptTokens, "completion_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens + u.CompletionTokens,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.CachedTokens},
	})
}

// delta sends a chunk with one choice; finish is its reason or nil.
func (p *player) delta(delta map[string]any, finish any) {
	p.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (p *player) chunk(choices []any, usage any) {
	p.event(encodeJSON(map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", p.n), "object": "chat.completion.chunk", "created": 1700000000 + p.n, "model": "scripted-1",
		"choices": choices, "usage": usage,
	}))
}

func (p *player) event(data []byte) { p.send("data: " + string(data) + "\n\n") }

// send writes and flushes. An error means that the client went away, which the
// next write finds too, so there is nothing to do about it.
func (p *player) send(s string) {
	io.WriteString(p.w, s)
	p.flush.Flush()
}

func (p *player) size() int {
	if p.reply.Chunk > 0 {
		return p.reply.Chunk
	}
	return 16
}

// cutPieces cuts s into parts of about n bytes, never inside a character.
func cutPieces(s string, n int) []string {
	var out []string
	for len(s) > 0 {
		end := min(n, len(s))
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
