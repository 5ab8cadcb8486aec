package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// reply is what one streamed response added up to.
type reply struct {
	text      strings.Builder
	reasoning strings.Builder
	said      pieces // of the text
	marks     splitter
	thought   pieces            // of the reasoning
	details   []json.RawMessage // OpenRouter's and MiniMax's reasoning_details
	field     string            // where the reasoning came
	calls     []*toolCall
	finish    openai.FinishReason
	usage     bool // the server said what it cost: counted, and dollars if it knows
	counted   Usage
	cost      float64
	written   int  // of the prompt, tokens that went into the server's cache
	checked   int  // bytes of text and reasoning in which no loop was found
	cut       bool // the server left out the beginning of what it was sent

	order    []json.RawMessage // of a response or message: its reasoning, and where the text and the calls stand
	ended    map[int]bool      // the items that are whole
	block    thinkingBlock     // of a message: the reasoning that is read
	saying   int               // the item of the last text
	thinking [2]int            // the item and the part of the last reasoning
}

// chunk is one event of a stream. What has another type than the standard says is
// taken for what it can be (see textOf and listOf), since one field that nobody
// needs must not cost a reply. go-openai's own type refuses it.
type chunk struct {
	Choices json.RawMessage `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  json.RawMessage `json:"object"`
}

type choice struct {
	Index        json.RawMessage `json:"index"`
	Delta        delta           `json:"delta"`
	Message      json.RawMessage `json:"message"` // a whole reply, in place of the delta
	FinishReason json.RawMessage `json:"finish_reason"`
}

type delta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"` // what calls were before there could be several
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
func contentOf(raw json.RawMessage, joined *pieces) (text, reasoning string) {
	if len(raw) == 0 || raw[0] != '[' {
		return joined.add(raw), ""
	}
	for _, part := range listOf[struct {
		Text     json.RawMessage `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}](raw) {
		text += textOf(part.Text)
		more, _ := contentOf(part.Thinking, &pieces{})
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
	p := c.protocol()
	events, err := c.openReply(c.withState(ctx, done), p)
	if err != nil {
		return r, idleCause(ctx, err), nil
	}
	defer events.Close()
	asking := c.askWindow(ctx)
	err = c.readEvents(r, events, p)
	c.endText(r)
	if err == nil {
		err = c.endReply(r, events)
	}
	if err != nil {
		return r, nil, idleCause(ctx, err)
	}
	if asking != nil {
		c.noteWindow(<-asking)
	}
	if !r.usage {
		c.bookUsage(c.size.guessUsage(c.messages, r), 0)
		return r, nil, nil
	}
	c.bookUsage(r.counted, r.cost)
	r.cut = c.noteCount(r.counted)
	return r, nil, nil
}

// readEvents reads a reply to its last event.
func (c *Conversation) readEvents(r *reply, events *eventReader, p protocol) error {
	for {
		raw, err := events.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.take(c, r, raw)
		}
		if err != nil {
			var said *serverError
			if errors.As(err, &said) {
				said.lasting = said.lasting || events.whole
			}
			return err
		}
		if said := r.text.Len() + r.reasoning.Len(); said >= r.checked+loopBytes {
			r.checked = said
			if err := r.checkEndless(); err != nil {
				return err
			}
		}
		if r.finish != "" && p.order != "" {
			return nil // its last event, after which some servers leave the connection open
		}
	}
}

// checkEndless ends a reply that repeats itself: its text is kept once.
func (r *reply) checkEndless() error {
	for _, said := range []*strings.Builder{&r.text, &r.reasoning} {
		text := said.String()
		if from := endlessTail(text); from >= 0 {
			said.Reset()
			said.WriteString(text[:from+(len(text)-from)/loopTimes])
			return errEndless
		}
	}
	return nil
}

var errEndless = errors.New("the model repeated itself without end")

func (r *reply) isEmpty() bool { return r.text.Len()+r.reasoning.Len()+len(r.calls) == 0 }

// endReply is called after the last event. The end of a connection is not the end of
// a reply: a finish reason is, or the server's word that nothing follows.
func (c *Conversation) endReply(r *reply, events *eventReader) error {
	c.readTextCalls(r)
	c.readFinalAnswer(r)
	r.endCalls(c.turns, len(c.messages))
	whole := !slices.ContainsFunc(r.calls, func(c *toolCall) bool { return !isObject(c.arguments) })
	switch {
	case r.finish != "":
	case events.whole && r.isEmpty():
		return noReplyError("application/json", string(events.stray), c.opts.Settings.BaseURL)
	case (events.done || events.whole) && whole:
		r.finish = openai.FinishReasonStop
	default:
		return io.ErrUnexpectedEOF
	}
	if len(r.calls) == 0 && strings.Contains(strings.ToLower(string(r.finish)), "malformed") {
		// Gemini: the model made a call that its own server could not read.
		return &serverError{errorBody: errorBody{text: string(r.finish)}}
	}
	return nil
}

// addEvent adds one event to the reply.
func (c *Conversation) addEvent(r *reply, raw []byte) error {
	var e chunk
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("an event that is not JSON: %s", quoteHead(string(raw)))
	}
	if textOf(e.Object) == "error" || len(e.Error) > 0 && string(e.Error) != "null" {
		return newServerError(raw)
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
	if len(choice.Message) > 0 && len(r.calls) == 0 { // else it repeats the deltas
		said := r.text.Len() > 0
		if json.Unmarshal(choice.Message, d); said {
			*d = delta{ToolCalls: d.ToolCalls, FunctionCall: d.FunctionCall}
		}
	}
	text, thought := contentOf(d.Content, &r.said)
	if textOf(d.ReasoningContent) != "" {
		r.field = "reasoning_content"
	}
	c.think(r, thought+r.thought.add(d.ReasoningContent)+r.thought.add(d.Reasoning))
	r.details = append(r.details, listOf[json.RawMessage](d.ReasoningDetails)...)
	c.say(r, text+textOf(d.Refusal))
	for _, delta := range listOf[toolCallDelta](d.ToolCalls) {
		r.addCall(delta)
	}
	for _, call := range listOf[calledFunction](d.FunctionCall) {
		r.addCall(toolCallDelta{Function: call})
	}
	if f := textOf(choice.FinishReason); f != "" {
		r.finish = openai.FinishReason(f)
	}
}

// say adds to the text of a reply, and shows it.
func (c *Conversation) say(r *reply, text string) { c.addSplit(r, text, false) }

func (c *Conversation) addSplit(r *reply, piece string, last bool) {
	text, thought := r.marks.split(piece, last)
	c.think(r, thought)
	if text != "" {
		r.text.WriteString(text)
		c.emitEvent(Text{Delta: text})
	}
}

// endText takes what was held back of the text.
func (c *Conversation) endText(r *reply) {
	c.addSplit(r, r.said.rest(), true)
	if thought, answer := cutThought(r.text.String()); thought != "" {
		r.reasoning.WriteString(thought)
		r.text.Reset()
		r.text.WriteString(answer)
	}
}

// think adds to the reasoning of a reply, and shows it.
func (c *Conversation) think(r *reply, text string) {
	if text != "" {
		r.reasoning.WriteString(text)
		c.emitEvent(Reasoning{Delta: text})
	}
}

// checkFinish turns the ends that are no end into errors.
func (c *Conversation) checkFinish(r *reply) error {
	switch r.finish {
	case openai.FinishReasonLength:
		next := "type `go on` to continue it"
		if c.opts.Unattended {
			next = "ask for less at once, or raise the limit of the server"
		}
		return &Error{Exit: ExitModel, Text: "the reply reached the model's output limit and is cut off: " + next}
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
