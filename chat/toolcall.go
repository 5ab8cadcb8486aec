package chat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/chat/transcript"
)

// toolCall is a call put together from its deltas.
type toolCall struct {
	index     int
	id        string
	item      string // the id of its item in a response
	name      string
	arguments string

	parts strings.Builder // arguments as far as they came
	extra json.RawMessage // what the provider wants to have back (Gemini's thought signature)
}

// toolCallDelta is a piece of a call. Arguments is a string by the standard, and
// a whole object from some servers.
type toolCallDelta struct {
	RawIndex json.RawMessage `json:"index"`
	RawID    json.RawMessage `json:"id"`
	Function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

// index is nil where there is none that makes sense.
func (d *toolCallDelta) index() *int {
	n, err := strconv.Atoi(textOf(d.RawIndex))
	if err != nil {
		return nil
	}
	return &n
}

// addCall adds a piece to the call it belongs to. Servers differ: some leave
// the index out, some give every call index 0 and its own id, some repeat id and
// name in each piece.
func (r *reply) addCall(d toolCallDelta) {
	c := r.callFor(d)
	if c.id == "" {
		c.id = textOf(d.RawID)
	}
	if len(d.Extra) > 0 {
		c.extra = d.Extra
	}
	if name := textOf(d.Function.Name); name != c.name {
		c.name += name
	}
	var text string
	switch {
	case len(d.Function.Arguments) == 0 || string(d.Function.Arguments) == "null":
	case json.Unmarshal(d.Function.Arguments, &text) == nil:
		c.parts.WriteString(text)
	default:
		c.parts.Write(d.Function.Arguments)
	}
}

func (r *reply) callFor(d toolCallDelta) *toolCall {
	id, index := textOf(d.RawID), d.index()
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := r.calls[i]
		otherID := id != "" && c.id != "" && c.id != id
		switch {
		case otherID:
		case id != "" && c.id == id, index != nil && c.index == *index:
			return c
		case index == nil && id == "" && i == len(r.calls)-1:
			return c
		}
	}
	c := &toolCall{index: len(r.calls)}
	if index != nil {
		c.index = *index
	}
	r.calls = append(r.calls, c)
	return c
}

// nameCalls ends the calls: their arguments are whole, and each has an id that
// no other call of the reply has.
func (r *reply) nameCalls(turn, position int) {
	seen := map[string]bool{}
	for i, c := range r.calls {
		c.arguments = c.parts.String()
		if c.id == "" || seen[c.id] {
			c.id = fmt.Sprintf("call_%d_%d_%d", turn, position, i)
		}
		seen[c.id] = true
	}
}

// echo is the call as it is sent back. Servers refuse arguments that are no
// JSON object, and names outside their alphabet; the tool message tells the
// model what it had sent.
func (c *toolCall) echo() transcript.Call {
	return transcript.Call{ID: c.id, Name: sendableName(c.name), Arguments: sendableArguments(c.arguments), Extra: c.extra}
}

func sendableArguments(arguments string) string {
	if text := strings.TrimLeft(arguments, " \t\r\n"); !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return "{}"
	}
	return arguments
}

func sendableName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}
