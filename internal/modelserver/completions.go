package modelserver

import "fmt"

// completionVoice says a reply as the chunks of Chat Completions.
type completionVoice struct{ *player }

func (v completionVoice) ping() { v.send(": keep-alive\n\n") }

func (v completionVoice) begin() { v.delta(map[string]any{"role": "assistant", "content": ""}, nil) }

func (v completionVoice) reasoning(pieces []string) {
	for _, s := range pieces {
		v.delta(map[string]any{"reasoning_content": s}, nil)
	}
}

func (v completionVoice) text(pieces []string) {
	for _, s := range pieces {
		v.delta(map[string]any{"content": s}, nil)
	}
}

// call sends the id and the name first, then the arguments.
func (v completionVoice) call(i int, c wireCall, pieces []string, _ bool) {
	head := map[string]any{"index": i, "type": "function", "function": map[string]any{"name": c.name, "arguments": ""}}
	if c.id != "" {
		head["id"] = c.id
	}
	v.delta(map[string]any{"tool_calls": []any{head}}, nil)
	for _, s := range pieces {
		v.delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": s}}}}, nil)
	}
}

func (v completionVoice) fail() { v.event(errorEvent(v.reply, "")) }

func (v completionVoice) end(finish string) {
	if finish != "none" {
		v.delta(map[string]any{}, finish)
	}
	if !v.reply.NoUsage {
		u := v.usageNumbers()
		v.chunk([]any{}, map[string]any{
			"prompt_tokens": u.PromptTokens, "completion_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens + u.CompletionTokens,
			"prompt_tokens_details": map[string]any{"cached_tokens": u.CachedTokens},
		})
	}
	v.event([]byte("[DONE]"))
}

// delta sends a chunk with one choice; finish is its reason or nil.
func (v completionVoice) delta(delta map[string]any, finish any) {
	v.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (v completionVoice) chunk(choices []any, usage any) {
	v.event(encodeJSON(map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", v.n), "object": "chat.completion.chunk", "created": 1700000000 + v.n, "model": "scripted-1",
		"choices": choices, "usage": usage,
	}))
}

func (v completionVoice) event(data []byte) { v.send("data: " + string(data) + "\n\n") }
