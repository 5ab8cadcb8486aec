package chat

import (
	"encoding/json"
	"fmt"

	openai "github.com/sashabaranov/go-openai"
)

// messageEvent is an event of a streamed message, of those that matter here.
type messageEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Error   json.RawMessage `json:"error"`
	Block   json.RawMessage `json:"content_block"`
	Message struct {
		Usage messageUsage `json:"usage"`
	} `json:"message"`
	Delta struct {
		Text       string `json:"text"`
		JSON       string `json:"partial_json"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage messageUsage `json:"usage"`
}

// messageUsage counts the whole reply in each event that has it; what an event does not say stays.
type messageUsage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// thinkingBlock is reasoning that is read, which goes back as it came: the server checks the
// signature.
type thinkingBlock struct {
	Type      string // "": none is
	Thinking  []byte
	Signature string
}

// writtenFactor is what input costs that the server puts into its cache.
const writtenFactor = 1.25

// takeMessage adds one event to the reply. Events that it does not know are nothing to it.
func (c *Conversation) takeMessage(r *reply, raw []byte) error {
	var e messageEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("an event that cannot be read: %s", quoteHead(string(raw)))
	}
	if e.Type == "error" || e.Type == "" && len(e.Error) > 0 {
		return newServerError(raw)
	}
	switch e.Type {
	case "message_start":
		c.countMessage(r, &e.Message.Usage)
	case "content_block_start":
		c.beginBlock(r, e.Index, e.Block)
	case "content_block_delta":
		d := &e.Delta
		c.addText(r, e.Index, d.Text)
		c.addReasoning(r, e.Index, 0, d.Thinking)
		r.block.Thinking = append(r.block.Thinking, d.Thinking...)
		r.block.Signature += d.Signature
		if n := len(r.calls); d.JSON != "" && n > 0 {
			r.calls[n-1].parts.WriteString(d.JSON)
		}
	case "content_block_stop":
		if r.block.Type != "" {
			raw, err := json.Marshal(map[string]string{"type": r.block.Type, "thinking": string(r.block.Thinking), "signature": r.block.Signature})
			if err == nil {
				r.order = append(r.order, raw)
			}
			r.block = thinkingBlock{}
		}
	case "message_delta":
		c.countMessage(r, &e.Usage)
		if e.Delta.StopReason != "" {
			r.finish = finishOfMessage(e.Delta.StopReason)
		}
	}
	return nil
}

// beginBlock notes where a block stands among the others.
func (c *Conversation) beginBlock(r *reply, index int, raw json.RawMessage) {
	var b struct {
		block
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return
	}
	switch b.Type {
	case "text":
		c.addText(r, index, b.Text)
	case "thinking":
		r.block = thinkingBlock{b.Type, []byte(b.Thinking), b.Signature}
		c.addReasoning(r, index, 0, b.Thinking)
	case "redacted_thinking":
		r.order = append(r.order, raw)
	case "tool_use":
		call := &toolCall{index: index, id: b.ID, name: b.Name}
		if len(objectFields(b.Input)) > 0 { // some servers send it whole
			call.parts.Write(b.Input)
		}
		r.calls = append(r.calls, call)
		r.noteItem(json.RawMessage(orderCall))
	}
}

// countMessage takes the usage.
func (c *Conversation) countMessage(r *reply, u *messageUsage) {
	if *u == (messageUsage{}) {
		return
	}
	r.usage = true
	n := &r.counted
	if in := u.Input + u.Written + u.Cached; in > 0 {
		n.Prompt, n.Cached = in, u.Cached
		r.written = u.Written
	}
	n.Completion = max(n.Completion, u.Output)
	if p := c.opts.Prices; p != (Prices{}) {
		r.cost = p.of(*n) + float64(r.written)*p.Input*(writtenFactor-1)/1e6
	}
}

// finishOfMessage is why a message ended, in the words of Chat Completions.
func finishOfMessage(reason string) openai.FinishReason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return openai.FinishReasonLength
	case "refusal":
		return openai.FinishReasonContentFilter
	case "tool_use":
		return openai.FinishReasonToolCalls
	}
	return openai.FinishReasonStop
}
