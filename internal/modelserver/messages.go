package modelserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// messagesRequest is the part of a request to /v1/messages that is checked.
type messagesRequest struct {
	Model     string            `json:"model"`
	MaxTokens int               `json:"max_tokens"`
	System    []json.RawMessage `json:"system"`
	Messages  []json.RawMessage `json:"messages"`
	Stream    bool              `json:"stream"`
	Tools     json.RawMessage   `json:"tools"`
}

// block is a part of a message, of any type.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   string          `json:"content"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// anthropic checks one request and plays the next reply.
func (s *Server) anthropic(w http.ResponseWriter, r *http.Request) {
	check := func(body []byte) (*request, []message, error) {
		if r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Authorization") != "" {
			return nil, nil, fmt.Errorf("the headers are wrong: anthropic-version and x-api-key are right, Authorization is not")
		}
		return checkBlocks(body)
	}
	s.serve(w, r, check, func(p *player) voice { return &blockVoice{player: p} })
}

// mostMarks is how many parts of a request may be marked for the cache.
const mostMarks = 4

// checkBlocks parses a request, and returns it as the messages that its blocks stand for, or
// what is wrong. The marks for the cache move, and are left out of what must not change.
func checkBlocks(body []byte) (*request, []message, error) {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	var tools []map[string]json.RawMessage
	if err := json.Unmarshal(r.Tools, &tools); err != nil || len(tools) != 1 {
		return nil, nil, fmt.Errorf("tools: %s", clipText(r.Tools))
	}
	t := tools[0]
	err := checkTools(encodeJSON([]any{map[string]any{"type": "function", "function": map[string]any{"name": t["name"], "description": t["description"], "parameters": t["input_schema"]}}}))
	switch {
	case err != nil:
		return nil, nil, err
	case r.Model == "" || !r.Stream || r.MaxTokens <= 0:
		return nil, nil, fmt.Errorf("model, stream or max_tokens is missing")
	}
	out, ms, marks := &request{Model: r.Model, Stream: true, Tools: r.Tools}, []message(nil), 0
	for _, raw := range r.System {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil || b.Type != "text" {
			return nil, nil, fmt.Errorf("system: %s", clipText(raw))
		}
		text := content(b.Text)
		ms = append(ms, message{Role: "system", Content: &text})
		out.Messages = append(out.Messages, withoutMarks(raw, &marks))
	}
	for i, raw := range r.Messages {
		more, err := blockMessages(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i, err)
		}
		ms = append(ms, more...)
		out.Messages = append(out.Messages, withoutMarks(raw, &marks))
	}
	if marks < 1 || marks > mostMarks {
		return nil, nil, fmt.Errorf("%d parts are marked for the cache", marks)
	}
	return out, ms, checkMessages(ms)
}

// withoutMarks leaves the marks for the cache out of a value, and counts them.
func withoutMarks(raw json.RawMessage, marks *int) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			if v["cache_control"] != nil {
				*marks++
			}
			delete(v, "cache_control")
			walk(v["content"])
		}
	}
	walk(v)
	return encodeJSON(v)
}

// blockMessages are the messages that one of blocks stands for: each output is one, and what
// follows the outputs.
func blockMessages(raw json.RawMessage) (ms []message, err error) {
	var in struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	m, said := message{Role: in.Role}, content("")
	for _, b := range in.Content {
		switch {
		case b.Type == "text" && b.Text != "":
			said += content(b.Text)
		case b.Type == "image" && b.Source.Type == "base64" && in.Role == "user":
			said += content("\ndata:" + b.Source.MediaType + ";base64," + b.Source.Data)
		case b.Type == "thinking" && in.Role == "assistant" && m.ToolCalls == nil:
			m.encrypted = append(m.encrypted, b.Signature)
		case b.Type == "tool_use" && in.Role == "assistant":
			var c callBack
			c.ID, c.Type, c.Function.Name, c.Function.Arguments = b.ID, "function", b.Name, string(b.Input)
			m.ToolCalls = append(m.ToolCalls, c)
		case b.Type == "tool_result" && in.Role == "user" && said == "":
			text := content(b.Content)
			ms = append(ms, message{Role: "tool", ToolCallID: b.ToolUseID, Content: &text})
		default:
			return nil, fmt.Errorf("a block of type %q is wrong there", b.Type)
		}
	}
	if said != "" {
		m.Content = &said
	}
	if said != "" || in.Role == "assistant" {
		ms = append(ms, m)
	}
	if len(ms) == 0 {
		return nil, fmt.Errorf("it has no content")
	}
	return ms, nil
}

// blockVoice says a reply as the events of a message.
type blockVoice struct {
	*player
	index int
}

func (v *blockVoice) ping() { v.emit("ping", map[string]any{}) }

func (v *blockVoice) begin() {
	u := v.usageNumbers()
	usage := map[string]any{"input_tokens": u.PromptTokens - u.CachedTokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": u.CachedTokens, "output_tokens": 1}
	if v.reply.NoUsage {
		usage = map[string]any{}
	}
	v.emit("message_start", map[string]any{"message": map[string]any{"id": fmt.Sprintf("msg_%d", v.n), "type": "message", "role": "assistant", "content": []any{}, "usage": usage}})
}

func (v *blockVoice) reasoning(pieces []string) {
	v.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, "thinking", pieces, true)
}

func (v *blockVoice) text(pieces []string) {
	v.block(map[string]any{"type": "text", "text": ""}, "text", pieces, true)
}

func (v *blockVoice) call(_ int, c wireCall, pieces []string, whole bool) {
	v.block(map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": map[string]any{}}, "input_json", pieces, whole)
}

func (v *blockVoice) fail() {
	v.emit("error", map[string]any{"error": map[string]any{"type": cmp.Or(v.reply.ErrorCode, "overloaded_error"), "message": v.reply.Error}})
}

func (v *blockVoice) end(finish string) {
	if finish == "none" {
		return
	}
	end := map[string]any{"delta": map[string]any{"stop_reason": stopReason(finish)}}
	if !v.reply.NoUsage {
		end["usage"] = map[string]any{"output_tokens": v.usageNumbers().CompletionTokens}
	}
	v.emit("message_delta", end)
	v.emit("message_stop", map[string]any{})
}

// stopReason is a finish reason in this protocol's words.
func stopReason(finish string) string {
	words := []string{"stop", "end_turn", "tool_calls", "tool_use", "length", "max_tokens", "content_filter", "refusal"}
	if i := slices.Index(words, finish); i >= 0 {
		return words[i+1]
	}
	return finish
}

// block sends one block in pieces; that of thinking is signed.
func (v *blockVoice) block(begin map[string]any, kind string, parts []string, whole bool) {
	v.emit("content_block_start", map[string]any{"index": v.index, "content_block": begin})
	field := map[string]string{"thinking": "thinking", "text": "text", "input_json": "partial_json"}[kind]
	for _, s := range parts {
		v.emit("content_block_delta", map[string]any{"index": v.index, "delta": map[string]any{"type": kind + "_delta", field: s}})
	}
	if kind == "thinking" {
		v.emit("content_block_delta", map[string]any{"index": v.index, "delta": map[string]any{"type": "signature_delta", "signature": encryptedReasoning(v.n)}})
	}
	if whole {
		v.emit("content_block_stop", map[string]any{"index": v.index})
	}
	v.index++
}
