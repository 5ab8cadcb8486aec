package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// refusal is what chat completions answer for a model that is only on responses.
const refusal = "This model takes no function tools in /v1/chat/completions: use /v1/responses"

// responsesRequest is the part of a request to /v1/responses that is checked.
type responsesRequest struct {
	Model        string            `json:"model"`
	Instructions string            `json:"instructions"`
	Input        []json.RawMessage `json:"input"`
	Stream       bool              `json:"stream"`
	Store        *bool             `json:"store"`
	Include      []string          `json:"include"`
	Tools        json.RawMessage   `json:"tools"`
}

// responses checks one request and plays the next reply.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, checkResponses, func(w http.ResponseWriter, r *http.Request, reply *Reply, n int) {
		p := &responsePlayer{player: player{w: w, flush: http.NewResponseController(w), reply: reply, n: n}}
		p.stream(r)
	})
}

// checkResponses parses a request, and returns it as the messages that its items
// stand for, or what is wrong.
func checkResponses(body []byte) (*request, []message, error) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	switch {
	case r.Model == "":
		return nil, nil, fmt.Errorf("model is empty")
	case !r.Stream:
		return nil, nil, fmt.Errorf("stream is not true")
	case r.Store == nil || *r.Store:
		return nil, nil, fmt.Errorf("store is not false: the server would keep the conversation")
	}
	if err := checkResponseTools(r.Tools); err != nil {
		return nil, nil, err
	}
	out := &request{Model: r.Model, Stream: true, Tools: r.Tools}
	var ms []message
	if r.Instructions != "" {
		raw := json.RawMessage(encodeJSON(r.Instructions))
		text := content(r.Instructions)
		out.Messages = append(out.Messages, raw)
		ms = append(ms, message{Role: "system", Content: &text})
	}
	ms, err := itemMessages(ms, r.Input)
	if err != nil {
		return nil, nil, err
	}
	out.Messages = append(out.Messages, r.Input...)
	return out, ms, checkMessages(ms)
}

// checkResponseTools wants the one tool in this API's form, which is flat and
// says that it is not strict.
func checkResponseTools(raw json.RawMessage) error {
	var tools []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	nested := []map[string]any{}
	for _, t := range tools {
		if string(t["strict"]) != "false" {
			return fmt.Errorf("the tool's strict is %s: its absence means true, and then no parameter is optional", t["strict"])
		}
		nested = append(nested, map[string]any{"type": t["type"], "function": map[string]any{
			"name": t["name"], "description": t["description"], "parameters": t["parameters"]}})
	}
	return checkTools(encodeJSON(nested))
}

// item is one item of a request's input.
type item struct {
	Type      string   `json:"type"`
	Role      string   `json:"role"`
	Content   *content `json:"content"`
	CallID    string   `json:"call_id"`
	Name      string   `json:"name"`
	Arguments string   `json:"arguments"`
	Output    string   `json:"output"`
	Encrypted string   `json:"encrypted_content"`
}

// itemMessages gathers items to messages: what the model said, thought and
// called between two other items is one assistant's message.
func itemMessages(ms []message, items []json.RawMessage) ([]message, error) {
	for i, raw := range items {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return nil, fmt.Errorf("input item %d: %w", i, err)
		}
		last := func() *message {
			if n := len(ms); n > 0 && ms[n-1].Role == "assistant" {
				return &ms[n-1]
			}
			ms = append(ms, message{Role: "assistant"})
			return &ms[len(ms)-1]
		}
		switch {
		case it.Type == "reasoning":
			last().encrypted = append(last().encrypted, it.Encrypted)
		case it.Type == "function_call":
			var c callBack
			c.ID, c.Type, c.Function.Name, c.Function.Arguments = it.CallID, "function", it.Name, it.Arguments
			last().ToolCalls = append(last().ToolCalls, c)
		case it.Type == "function_call_output":
			text := content(it.Output)
			ms = append(ms, message{Role: "tool", Content: &text, ToolCallID: it.CallID})
		case it.Type == "message" && it.Role == "assistant":
			m := last()
			if m.Content != nil {
				return nil, fmt.Errorf("input item %d: a second message of the same reply", i)
			}
			m.Content = it.Content
		case it.Type == "message" && it.Role == "user":
			ms = append(ms, message{Role: "user", Content: it.Content})
		default:
			return nil, fmt.Errorf("input item %d: unknown type %q of %q", i, it.Type, it.Role)
		}
	}
	return ms, nil
}

// responsePlayer writes one reply as the events of a response.
type responsePlayer struct {
	player
	sequence int
	index    int   // of the item that is written
	output   []any // the items so far
}

func (p *responsePlayer) emit(kind string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = kind, p.sequence
	p.sequence++
	p.send("event: " + kind + "\ndata: " + string(encodeJSON(fields)) + "\n\n")
}

// stream sends the items, as far as the reply goes, and its end.
func (p *responsePlayer) stream(r *http.Request) {
	p.w.Header().Set("Content-Type", orElse(p.reply.ContentType, "text/event-stream"))
	for range p.reply.KeepAlives {
		p.send(": keep-alive\n\n")
	}
	p.emit("response.created", map[string]any{"response": map[string]any{"id": p.id("resp"), "status": "in_progress", "error": nil, "usage": nil, "output": []any{}}})
	p.reasoning()
	p.message()
	p.functionCalls()
	switch {
	case p.reply.Hold:
		<-r.Context().Done()
		return
	case p.reply.Error != "":
		p.emit("error", map[string]any{"code": orElse(p.reply.ErrorCode, "server_error"), "message": p.reply.Error, "param": nil})
		return
	case p.reply.Cut == CutEnd:
		return
	case p.reply.Cut == CutReset:
		hangUp(p.w)
		return
	}
	p.end()
}

func (p *responsePlayer) id(kind string) string { return fmt.Sprintf("%s_%d_%d", kind, p.n, p.index) }

// item sends an item's beginning, its pieces and its end.
func (p *responsePlayer) item(begin map[string]any, pieces func(id string), end map[string]any) {
	id, _ := begin["id"].(string)
	p.emit("response.output_item.added", map[string]any{"output_index": p.index, "item": begin})
	pieces(id)
	for k, v := range begin {
		if _, said := end[k]; !said {
			end[k] = v
		}
	}
	p.emit("response.output_item.done", map[string]any{"output_index": p.index, "item": end})
	p.output = append(p.output, end)
	p.index++
}

// encryptedReasoning is what stands for the reasoning of reply n.
func encryptedReasoning(n int) string { return fmt.Sprintf("encrypted-%d", n) }

func (p *responsePlayer) reasoning() {
	if p.reply.Reasoning == "" {
		return
	}
	begin := map[string]any{"id": p.id("rs"), "type": "reasoning", "summary": []any{}, "status": nil}
	p.item(begin, func(id string) {
		for _, s := range cutPieces(p.reply.Reasoning, p.size()) {
			p.emit("response.reasoning_summary_text.delta", map[string]any{"item_id": id, "output_index": p.index, "summary_index": 0, "delta": s})
		}
	}, map[string]any{"encrypted_content": encryptedReasoning(p.n), "summary": []any{map[string]any{"type": "summary_text", "text": p.reply.Reasoning}}})
}

func (p *responsePlayer) message() {
	text := p.reply.text()
	if text == "" {
		return
	}
	p.item(map[string]any{"id": p.id("msg"), "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}, func(id string) {
		for _, s := range cutPieces(text, p.size()) {
			p.emit("response.output_text.delta", map[string]any{"item_id": id, "output_index": p.index, "content_index": 0, "delta": s})
		}
	}, map[string]any{"status": "completed", "content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}})
}

// functionCalls sends the calls; a reply that is cut has only half of the last
// one's arguments, and not its end.
func (p *responsePlayer) functionCalls() {
	calls := p.reply.calls(p.n)
	for i, c := range calls {
		begin := map[string]any{"id": p.id("fc"), "type": "function_call", "status": "in_progress", "call_id": c.id, "name": c.name, "arguments": ""}
		parts := cutPieces(c.arguments, p.size())
		cut := p.reply.Cut != "" && i == len(calls)-1
		if cut {
			p.emit("response.output_item.added", map[string]any{"output_index": p.index, "item": begin})
			parts = parts[:len(parts)/2]
		}
		send := func(id string) {
			for _, s := range parts {
				p.emit("response.function_call_arguments.delta", map[string]any{"item_id": id, "output_index": p.index, "delta": s})
			}
		}
		if cut {
			send(p.id("fc"))
			return
		}
		p.item(begin, send, map[string]any{"status": "completed", "arguments": c.arguments})
	}
}

func (p *responsePlayer) end() {
	response := map[string]any{"id": p.id("resp"), "status": "completed", "error": nil, "output": p.output}
	kind := "response.completed"
	switch p.reply.FinishReason {
	case "none":
		return
	case "length", "content_filter":
		kind = "response.incomplete"
		reason := strings.Replace(p.reply.FinishReason, "length", "max_output_tokens", 1)
		response["status"], response["incomplete_details"] = "incomplete", map[string]any{"reason": reason}
	}
	if !p.reply.NoUsage {
		u := p.usageNumbers()
		response["usage"] = map[string]any{"input_tokens": u.PromptTokens, "output_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens + u.CompletionTokens,
			"input_tokens_details": map[string]any{"cached_tokens": u.CachedTokens}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}
	}
	p.emit(kind, map[string]any{"response": response})
}
