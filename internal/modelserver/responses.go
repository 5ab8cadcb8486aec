package modelserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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
	s.serve(w, r, checkResponses, func(p *player) voice { return &responseVoice{player: p} })
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

// responseVoice says a reply as the events of a response.
type responseVoice struct {
	*player
	sequence int
	index    int   // of the item that is written
	output   []any // the items so far
}

func (v *responseVoice) emit(kind string, fields map[string]any) {
	fields["sequence_number"] = v.sequence
	v.sequence++
	v.player.emit(kind, fields)
}

func (v *responseVoice) ping() { v.send(": keep-alive\n\n") }

func (v *responseVoice) begin() {
	v.emit("response.created", map[string]any{"response": map[string]any{"id": v.id("resp"), "status": "in_progress", "error": nil, "usage": nil, "output": []any{}}})
}

func (v *responseVoice) id(kind string) string { return fmt.Sprintf("%s_%d_%d", kind, v.n, v.index) }

// item sends an item's beginning, its pieces and its end, which has what the beginning
// has and more; nil: it does not end.
func (v *responseVoice) item(begin map[string]any, kind, part string, pieces []string, end map[string]any) {
	v.emit("response.output_item.added", map[string]any{"output_index": v.index, "item": begin})
	for _, s := range pieces {
		delta := map[string]any{"item_id": begin["id"], "output_index": v.index, "delta": s}
		if part != "" {
			delta[part] = 0
		}
		v.emit("response."+kind+".delta", delta)
	}
	if end == nil {
		return
	}
	whole := maps.Clone(begin)
	maps.Copy(whole, end)
	v.emit("response.output_item.done", map[string]any{"output_index": v.index, "item": whole})
	v.output = append(v.output, whole)
	v.index++
}

// encryptedReasoning is what stands for the reasoning of reply n.
func encryptedReasoning(n int) string { return fmt.Sprintf("encrypted-%d", n) }

func (v *responseVoice) reasoning(pieces []string) {
	v.item(map[string]any{"id": v.id("rs"), "type": "reasoning", "summary": []any{}, "status": nil}, "reasoning_summary_text", "summary_index", pieces,
		map[string]any{"encrypted_content": encryptedReasoning(v.n), "summary": []any{map[string]any{"type": "summary_text", "text": v.reply.Reasoning}}})
}

func (v *responseVoice) text(pieces []string) {
	v.item(map[string]any{"id": v.id("msg"), "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}, "output_text", "content_index", pieces,
		map[string]any{"status": "completed", "content": []any{map[string]any{"type": "output_text", "text": v.reply.text(), "annotations": []any{}}}})
}

func (v *responseVoice) call(_ int, c wireCall, pieces []string, whole bool) {
	var end map[string]any
	if whole {
		end = map[string]any{"status": "completed", "arguments": c.arguments}
	}
	v.item(map[string]any{"id": v.id("fc"), "type": "function_call", "status": "in_progress", "call_id": c.id, "name": c.name, "arguments": ""},
		"function_call_arguments", "", pieces, end)
}

func (v *responseVoice) fail() {
	v.emit("error", map[string]any{"code": cmp.Or(v.reply.ErrorCode, "server_error"), "message": v.reply.Error, "param": nil})
}

func (v *responseVoice) end(finish string) {
	response := map[string]any{"id": v.id("resp"), "status": "completed", "error": nil, "output": v.output}
	kind := "response.completed"
	switch finish {
	case "none":
		return
	case "length", "content_filter":
		kind = "response.incomplete"
		reason := strings.Replace(finish, "length", "max_output_tokens", 1)
		response["status"], response["incomplete_details"] = "incomplete", map[string]any{"reason": reason}
	}
	if !v.reply.NoUsage {
		u := v.usageNumbers()
		response["usage"] = map[string]any{"input_tokens": u.PromptTokens, "output_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens + u.CompletionTokens,
			"input_tokens_details": map[string]any{"cached_tokens": u.CachedTokens}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}
	}
	v.emit(kind, map[string]any{"response": response})
}
