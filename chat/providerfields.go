package chat

import (
	"encoding/json"
	"slices"

	openai "github.com/sashabaranov/go-openai"
)

// providerFields is what the provider wants to have back with this reply: an object of
// fields. That of reasoning_content is true, and stands for the reasoning's text; order is
// where the order of the parts goes.
func (r *reply) providerFields(order string) json.RawMessage {
	out := map[string]any{}
	for _, item := range r.order {
		if item[0] == '{' { // otherwise the order says nothing new
			out[order] = r.order
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
