package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// reply is what one streamed response added up to.
type reply struct {
	text      strings.Builder
	reasoning strings.Builder
	details   []json.RawMessage // OpenRouter's and MiniMax's reasoning_details
	field     string            // where the reasoning came
	calls     []*toolCall
	finish    openai.FinishReason
	usage     bool // the server said what it cost

	order    []json.RawMessage // of a response: its reasoning items, and where the text and the calls stand
	ended    map[int]bool      // the items that are whole
	saying   int               // the item of the last text
	thinking [2]int            // the item and the part of the last reasoning
}

// chunk is one event of a stream. go-openai's own type has no place for the
// error and reasoning fields that some servers send, and takes arguments only
// as a string, so the raw event is decoded here.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content          string            `json:"content"`
			Refusal          string            `json:"refusal"`
			ReasoningContent string            `json:"reasoning_content"`
			Reasoning        string            `json:"reasoning"`
			ReasoningDetails []json.RawMessage `json:"reasoning_details"`
			ToolCalls        []toolCallDelta   `json:"tool_calls"`
		} `json:"delta"`
		FinishReason openai.FinishReason `json:"finish_reason"`
	} `json:"choices"`
	Usage *wireUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// wireUsage has what OpenRouter adds.
type wireUsage struct {
	openai.Usage
	Cost float64 `json:"cost"`
}

// stream sends the conversation once and reads the reply to its end. The reply
// is never nil; on an error it holds what came before. before is an error from
// before the reply began.
func (c *Conversation) stream(ctx context.Context) (r *reply, before, within error) {
	r = &reply{}
	ctx, done := context.WithCancelCause(ctx)
	defer done(nil)
	open, take := c.openChat, c.take
	if c.api == APIResponses {
		open, take = c.openResponses, c.takeResponse
	}
	s, err := open(c.withExtras(ctx, done))
	if err != nil {
		return r, idleCause(ctx, err), nil
	}
	defer s.Close()
	for {
		raw, err := s.RecvRaw()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, nil, idleCause(ctx, err)
		}
		if err := take(r, raw); err != nil {
			return r, nil, err
		}
		if r.finish != "" && c.api == APIResponses {
			break // its last event, after which some servers leave the connection open
		}
	}
	if r.finish == "" {
		// go-openai reads the end of a connection as the end of the reply; only
		// the finish reason tells them apart.
		return r, nil, io.ErrUnexpectedEOF
	}
	r.nameCalls(c.turns, len(c.messages))
	if !r.usage {
		c.spent(c.size.guess(c.messages, r), 0)
	}
	return r, nil, nil
}

func (c *Conversation) openChat(ctx context.Context) (rawStream, error) {
	return c.client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model:         c.opts.Model,
		Messages:      c.wire(),
		Tools:         c.tools,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
}

// take adds one event to the reply.
func (c *Conversation) take(r *reply, raw []byte) error {
	var e chunk
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("an event that is not JSON: %s", quoteHead(string(raw)))
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return &serverError{text: errorText(e.Error), lasting: isLasting(e.Error)}
	}
	if u := e.Usage; u != nil {
		r.usage = true
		c.spent(usageOf(&u.Usage), u.Cost)
	}
	for _, choice := range e.Choices {
		d := choice.Delta
		if text := d.ReasoningContent + d.Reasoning; text != "" {
			r.reasoning.WriteString(text)
			c.emit(Reasoning{Delta: text})
		}
		r.details = append(r.details, d.ReasoningDetails...)
		if d.ReasoningContent != "" {
			r.field = "reasoning_content"
		}
		if text := d.Content + d.Refusal; text != "" {
			r.text.WriteString(text)
			c.emit(Text{Delta: text})
		}
		for _, delta := range d.ToolCalls {
			r.addCall(delta)
		}
		if choice.FinishReason != "" && choice.FinishReason != openai.FinishReasonNull {
			r.finish = choice.FinishReason
		}
	}
	return nil
}

// checkFinish turns the ends that are no end into errors.
func (c *Conversation) checkFinish(r *reply) error {
	switch r.finish {
	case openai.FinishReasonLength:
		return &Error{Exit: ExitModel, Text: "the reply reached the model's output limit and is cut off: type `go on` to continue it"}
	case openai.FinishReasonContentFilter:
		return &Error{Exit: ExitModel, Text: "model server " + c.server + " filtered the reply: put the request in other words"}
	case "error":
		return &Error{Exit: ExitModel, Text: "model server " + c.server + " ended the reply with an error: send the prompt again"}
	}
	return nil
}

func usageOf(u *openai.Usage) Usage {
	out := Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.Cached = d.CachedTokens
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = d.ReasoningTokens
	}
	return out
}
