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
	usage     bool // the server said what it cost: counted, and dollars if it knows
	counted   Usage
	cost      float64

	order    []json.RawMessage // of a response: its reasoning items, and where the text and the calls stand
	ended    map[int]bool      // the items that are whole
	saying   int               // the item of the last text
	thinking [2]int            // the item and the part of the last reasoning
}

// chunk is one event of a stream. go-openai's own type has no place for the
// error and reasoning fields that some servers send, and takes arguments only
// as a string, so the raw event is decoded here. What has another type than the
// standard says is taken for what it can be (see flat and many), since one
// field that nobody needs must not cost a reply.
type chunk struct {
	Choices json.RawMessage `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  json.RawMessage `json:"object"`
	Message json.RawMessage `json:"message"`
}

type choice struct {
	Index        json.RawMessage `json:"index"`
	Delta        delta           `json:"delta"`
	FinishReason json.RawMessage `json:"finish_reason"`
}

type delta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
}

// textOf is a value as text: a string's text, a number or a truth value as it is
// written, nothing for null, objects and lists.
func textOf(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n':
		return ""
	case raw[0] == '"':
		json.Unmarshal(raw, &text)
		return text
	}
	return string(raw)
}

// listOf are the objects of a list, or one that stands without its list.
func listOf[T any](raw json.RawMessage) []T {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	var each []json.RawMessage
	if raw[0] == '{' {
		each = []json.RawMessage{raw}
	} else {
		json.Unmarshal(raw, &each)
	}
	var out []T
	for _, one := range each {
		var v T
		if json.Unmarshal(one, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// contentOf is the text of a content, and the reasoning in it: some servers
// (Mistral's) send a list of parts in the place of a string.
func contentOf(raw json.RawMessage) (text, reasoning string) {
	if len(raw) == 0 || raw[0] != '[' {
		return textOf(raw), ""
	}
	for _, part := range listOf[struct {
		Text     json.RawMessage `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}](raw) {
		text += textOf(part.Text)
		more, _ := contentOf(part.Thinking)
		reasoning += more
	}
	return text, reasoning
}

// wireUsage has what OpenRouter adds.
type wireUsage struct {
	openai.Usage
	Cost float64 `json:"cost"`
}

// streamReply sends the conversation once and reads the reply to its end. The reply
// is never nil; on an error it holds what came before. before is an error from
// before the reply began.
func (c *Conversation) streamReply(ctx context.Context) (r *reply, before, within error) {
	r = &reply{}
	ctx, done := context.WithCancelCause(ctx)
	defer done(nil)
	open, take := c.openChat, c.addEvent
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
	if len(r.calls) == 0 && strings.Contains(strings.ToLower(string(r.finish)), "malformed") {
		// Gemini: the model made a call that its own server could not read.
		return r, nil, &serverError{text: string(r.finish)}
	}
	r.nameCalls(c.turns, len(c.messages))
	if r.usage {
		c.bookUsage(r.counted, r.cost)
	} else {
		c.bookUsage(c.size.guessUsage(c.messages, r), 0)
	}
	return r, nil, nil
}

func (c *Conversation) openChat(ctx context.Context) (rawStream, error) {
	return c.client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model:         c.opts.Model,
		Messages:      c.wireMessages(),
		Tools:         c.tools,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
}

// addEvent adds one event to the reply.
func (c *Conversation) addEvent(r *reply, raw []byte) error {
	var e chunk
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("an event that is not JSON: %s", quoteHead(string(raw)))
	}
	if textOf(e.Object) == "error" && len(e.Error) == 0 {
		e.Error = raw
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return &serverError{text: errorText(e.Error), lasting: isLasting(e.Error)}
	}
	for _, u := range listOf[wireUsage](e.Usage) {
		r.usage = true
		r.cost, r.counted = u.Cost, usageOf(&u.Usage)
	}
	for _, choice := range listOf[choice](e.Choices) {
		if n := textOf(choice.Index); n == "" || n == "0" { // we ask for one
			c.takeChoice(r, &choice)
		}
	}
	return nil
}

func (c *Conversation) takeChoice(r *reply, choice *choice) {
	d := &choice.Delta
	text, thought := contentOf(d.Content)
	if textOf(d.ReasoningContent) != "" {
		r.field = "reasoning_content"
	}
	if thought += textOf(d.ReasoningContent) + textOf(d.Reasoning); thought != "" {
		r.reasoning.WriteString(thought)
		c.emitEvent(Reasoning{Delta: thought})
	}
	r.details = append(r.details, listOf[json.RawMessage](d.ReasoningDetails)...)
	if text += textOf(d.Refusal); text != "" {
		r.text.WriteString(text)
		c.emitEvent(Text{Delta: text})
	}
	for _, delta := range listOf[toolCallDelta](d.ToolCalls) {
		r.addCall(delta)
	}
	if f := textOf(choice.FinishReason); f != "" {
		r.finish = openai.FinishReason(f)
	}
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
