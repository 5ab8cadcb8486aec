package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// outputItem is one of the things that a response consists of.
type outputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Encrypted string          `json:"encrypted_content"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// responseEvent is an event of a streamed response, of those that matter here.
type responseEvent struct {
	Type         string          `json:"type"`
	OutputIndex  *int            `json:"output_index"`
	SummaryIndex int             `json:"summary_index"`
	ItemID       string          `json:"item_id"`
	Delta        string          `json:"delta"`
	Arguments    json.RawMessage `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     struct {
		Error      json.RawMessage   `json:"error"`
		Output     []json.RawMessage `json:"output"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *struct {
			Input        int `json:"input_tokens"`
			InputDetails struct {
				Cached int `json:"cached_tokens"`
			} `json:"input_tokens_details"`
			Output        int `json:"output_tokens"`
			OutputDetails struct {
				Reasoning int `json:"reasoning_tokens"`
			} `json:"output_tokens_details"`
			Cost float64 `json:"cost"`
		} `json:"usage"`
	} `json:"response"`
}

// takeResponse adds one event to the reply. Events that it does not know are
// nothing to it.
func (c *Conversation) takeResponse(r *reply, raw []byte) error {
	var kind struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return fmt.Errorf("an event that is not JSON: %s", quoteHead(string(raw)))
	}
	if kind.Type == "error" || kind.Type == "" && len(kind.Error) > 0 {
		return newServerError(raw)
	}
	if !strings.HasPrefix(kind.Type, "response.") {
		return nil
	}
	var e responseEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		switch kind.Type {
		case "response.output_text.delta", "response.function_call_arguments.delta", "response.output_item.done", "response.completed":
			return fmt.Errorf("an event of the wrong shape: %s", quoteHead(string(raw)))
		}
		return nil
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		c.addText(r, e.index(), e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		c.addReasoning(r, e.index(), e.SummaryIndex, e.Delta)
	case "response.output_item.added":
		r.beginItem(e.index(), e.Item)
	case "response.function_call_arguments.delta":
		if call := r.callOfItem(e.ItemID, e.index()); call != nil {
			call.parts.WriteString(e.Delta)
		}
	case "response.output_item.done":
		c.endItem(r, e.index(), e.Item)
	case "response.completed", "response.incomplete":
		c.endResponse(r, &e)
	case "response.failed", "response.cancelled":
		return newServerError(e.Response.Error)
	}
	return nil
}

func (e *responseEvent) index() int {
	if e.OutputIndex == nil {
		return -1
	}
	return *e.OutputIndex
}

// addText adds text. Messages that follow each other become paragraphs of one.
func (c *Conversation) addText(r *reply, index int, text string) {
	if text == "" {
		return
	}
	if r.text.Len() > 0 && index != r.saying && !strings.HasSuffix(r.text.String(), "\n\n") {
		text = "\n\n" + text
	}
	r.saying = index
	r.noteItem(json.RawMessage(orderText))
	c.say(r, text)
}

// addReasoning adds reasoning, each part of it a paragraph.
func (c *Conversation) addReasoning(r *reply, index, part int, text string) {
	if text == "" {
		return
	}
	if at := [2]int{index, part}; at != r.thinking {
		if r.reasoning.Len() > 0 {
			text = "\n\n" + text
		}
		r.thinking = at
	}
	c.think(r, text)
}

// noteItem adds to the order of the reply's items; the text stands there once.
func (r *reply) noteItem(item json.RawMessage) {
	if string(item) != orderText || !slices.ContainsFunc(r.order, func(o json.RawMessage) bool { return string(o) == orderText }) {
		r.order = append(r.order, item)
	}
}

// beginItem makes room for a call, so that calls are in the order in which they
// began.
func (r *reply) beginItem(index int, raw json.RawMessage) *toolCall {
	var item outputItem
	if json.Unmarshal(raw, &item) != nil || item.Type != "function_call" {
		return nil
	}
	call := &toolCall{index: index, item: item.ID, id: item.CallID, name: item.Name}
	r.calls = append(r.calls, call)
	r.noteItem(json.RawMessage(orderCall))
	return call
}

// callOfItem finds a call by its item's id, else by its place: some proxies give
// every event another id, some servers every item the place 0.
func (r *reply) callOfItem(id string, index int) *toolCall {
	var found *toolCall
	for _, call := range r.calls {
		if id != "" && call.item == id {
			return call
		}
		if call.index == index && index >= 0 {
			found = call
		}
	}
	return found
}

// endItem takes what an item says of itself at its end, where that is more than
// what its pieces said.
func (c *Conversation) endItem(r *reply, index int, raw json.RawMessage) {
	var item outputItem
	if json.Unmarshal(raw, &item) != nil || r.ended[index] {
		return
	}
	if index >= 0 {
		if r.ended == nil {
			r.ended = map[int]bool{}
		}
		r.ended[index] = true
	}
	switch item.Type {
	case "function_call":
		call := r.callOfItem(item.ID, index)
		if call == nil {
			if call = r.beginItem(index, raw); call == nil {
				return
			}
		}
		call.id, call.name = cmp.Or(item.CallID, call.id), cmp.Or(item.Name, call.name)
		text := textOf(item.Arguments)
		if isObject(string(item.Arguments)) { // from some servers
			text = string(item.Arguments)
		}
		if text != "" {
			call.parts.Reset()
			call.parts.WriteString(text)
		}
	case "message":
		if r.saying == index && r.text.Len() > 0 {
			return
		}
		for _, part := range item.Content {
			c.addText(r, index, part.Text+part.Refusal)
		}
	case "reasoning":
		if r.thinking[0] != index || r.reasoning.Len() == 0 {
			for i, part := range item.Summary {
				c.addReasoning(r, index, i, part.Text)
			}
		}
		if item.Encrypted != "" || len(item.Content) > 0 {
			r.noteItem(withoutNulls(raw))
		}
	}
}

// withoutNulls drops the fields that are null, which the server sends and does
// not take.
func withoutNulls(raw json.RawMessage) json.RawMessage {
	all := objectFields(raw)
	maps.DeleteFunc(all, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	out, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return out
}

// endResponse takes the end: what it holds that no event told, the usage, and
// why it ended.
func (c *Conversation) endResponse(r *reply, e *responseEvent) {
	if len(r.ended) == 0 {
		for i, item := range e.Response.Output {
			c.endItem(r, i, item)
		}
	}
	switch {
	case e.Type == "response.incomplete" && e.Response.Incomplete.Reason == "content_filter":
		r.finish = openai.FinishReasonContentFilter
	case e.Type == "response.incomplete":
		r.finish = openai.FinishReasonLength
	case len(r.calls) > 0:
		r.finish = openai.FinishReasonToolCalls
	default:
		r.finish = openai.FinishReasonStop
	}
	if u := e.Response.Usage; u != nil {
		r.usage, r.cost = true, u.Cost
		r.counted = Usage{Prompt: u.Input, Completion: u.Output, Cached: u.InputDetails.Cached, Reasoning: u.OutputDetails.Reasoning}
	}
}
