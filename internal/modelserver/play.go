package modelserver

import (
	"cmp"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// playReply answers one request with one reply, in the words of a protocol.
func playReply(w http.ResponseWriter, r *http.Request, reply *Reply, n int, speak speaker) {
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
		w.Header().Set("Content-Type", cmp.Or(reply.ContentType, "text/event-stream"))
		io.WriteString(w, reply.Body)
	default:
		p := &player{w: w, flush: http.NewResponseController(w), reply: reply, n: n}
		p.play(r, speak(p))
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
		w.Header().Set("Content-Type", cmp.Or(reply.ContentType, "text/html"))
		w.WriteHeader(reply.Status)
		io.WriteString(w, reply.Body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	w.Write(errorEvent(reply, http.StatusText(reply.Status)))
}

func errorEvent(reply *Reply, text string) []byte {
	e := map[string]any{"message": cmp.Or(reply.Error, text), "type": "server_error", "code": nil}
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

// voice is how a protocol says the parts of a reply.
type voice interface {
	ping()
	begin()
	reasoning(pieces []string)
	text(pieces []string)
	call(i int, c wireCall, pieces []string, whole bool) // whole: to its end
	fail()
	end(finish string)
}

// play says the parts, as far as the reply goes; one that is cut has only half of the
// last call's arguments.
func (p *player) play(r *http.Request, v voice) {
	p.w.Header().Set("Content-Type", cmp.Or(p.reply.ContentType, "text/event-stream"))
	p.w.Header().Set("Cache-Control", "no-cache")
	for range p.reply.KeepAlives {
		v.ping()
	}
	v.begin()
	size := cmp.Or(max(p.reply.Chunk, 0), 16)
	if p.reply.Reasoning != "" {
		v.reasoning(cutPieces(p.reply.Reasoning, size))
	}
	if text := p.reply.text(); text != "" {
		v.text(cutPieces(text, size))
	}
	calls := p.reply.calls(p.n)
	for i, c := range calls {
		pieces, cut := cutPieces(c.arguments, size), p.reply.Cut != "" && i == len(calls)-1
		if cut {
			pieces = pieces[:len(pieces)/2]
		}
		v.call(i, c, pieces, !cut)
	}
	switch {
	case p.reply.Hold:
		<-r.Context().Done()
	case p.reply.Error != "":
		v.fail()
	case p.reply.Cut == CutReset:
		hangUp(p.w)
	case p.reply.Cut != CutEnd:
		v.end(p.finish())
	}
}

// send writes and flushes. An error means that the client went away, which the
// next write finds too, so there is nothing to do about it.
func (p *player) send(s string) {
	io.WriteString(p.w, s)
	p.flush.Flush()
}

// emit sends an event with a name, which its data have as their type.
func (p *player) emit(kind string, fields map[string]any) {
	fields["type"] = kind
	p.send("event: " + kind + "\ndata: " + string(encodeJSON(fields)) + "\n\n")
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
