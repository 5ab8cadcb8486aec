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
	join  pieces
	extra json.RawMessage // what the provider wants to have back (Gemini's thought signature)
}

// toolCallDelta is a piece of a call. Arguments is a string by the standard, and
// a whole object from some servers.
type toolCallDelta struct {
	RawIndex json.RawMessage `json:"index"`
	RawID    json.RawMessage `json:"id"`
	Function calledFunction  `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type calledFunction struct {
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// index is nil where there is none that makes sense.
func (d *toolCallDelta) index() *int {
	n, err := strconv.Atoi(textOf(d.RawIndex))
	if err != nil {
		return nil
	}
	return &n
}

// text is the piece of the arguments.
func (f *calledFunction) text(join *pieces) string {
	if raw := f.Arguments; len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return string(raw)
	}
	return join.add(f.Arguments)
}

// addCall adds a piece to the call it belongs to. Servers differ: some leave
// the index out, some give every call index 0 and its own id, or all of them the same
// id, some repeat id and name in each piece.
func (r *reply) addCall(d toolCallDelta) {
	c := r.callFor(&d)
	if c.id == "" {
		c.id = textOf(d.RawID)
	}
	if len(d.Extra) > 0 {
		c.extra = d.Extra
	}
	if name := textOf(d.Function.Name); name != c.name {
		c.name += name
	}
	c.parts.WriteString(d.Function.text(&c.join))
}

func (r *reply) callFor(d *toolCallDelta) *toolCall {
	id, index := textOf(d.RawID), d.index()
	begins := textOf(d.Function.Name) != "" || strings.HasPrefix(strings.TrimSpace(d.Function.text(&pieces{})), "{")
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := r.calls[i]
		switch {
		case id != "" && c.id != "" && c.id != id, index != nil && c.index != *index:
		case index == nil && id == "" && i != len(r.calls)-1:
		case begins && isObject(c.parts.String()): // what is whole has an end
		default:
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

// endCalls ends the calls: their arguments are whole, and each has an id that
// no other call of the reply has. What only repeats the one before it is dropped.
func (r *reply) endCalls(turn, position int) {
	seen := map[string]bool{}
	var out []*toolCall
	for i, c := range r.calls {
		c.arguments = c.parts.String() + c.join.rest()
		if len(out) > 0 {
			last := out[len(out)-1]
			if again := c.id == last.id && (c.name == last.name || c.name == ""); again && (c.arguments == "" || c.id != "" && c.index == last.index && c.arguments == last.arguments) {
				continue
			}
		}
		out = append(out, c)
		if c.id == "" || seen[c.id] {
			c.id = fmt.Sprintf("call_%d_%d_%d", turn, position, i)
		}
		seen[c.id] = true
	}
	r.calls = out
}

// echo is the call as it is sent back. Servers refuse arguments that are no
// JSON object, and names outside their alphabet.
func (c *toolCall) echo() transcript.Call {
	return transcript.Call{ID: c.id, Name: sendableName(c.name), Arguments: sendableArguments(c.arguments), Extra: c.extra}
}

func sendableArguments(arguments string) string {
	switch {
	case strings.TrimSpace(arguments) == "":
		return "{}"
	case !isObject(arguments): // what the model sent stays before its eyes
		data, _ := json.Marshal(map[string]string{malformedKey: strings.ToValidUTF8(arguments, "\ufffd")})
		return string(data)
	}
	return arguments
}

// malformedKey names, in what is sent back, arguments that were no JSON object.
const malformedKey = "not_a_json_object"

func isObject(text string) bool {
	text = strings.Trim(text, " \t\r\n")
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && json.Valid([]byte(text))
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
