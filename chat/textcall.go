package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/registry"
)

// textCall finds a call that is written as text, at the end of a reply: the forms of
// Hermes and Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, gpt-oss and Claude, as they come from a server that
// does not read its model's template.
var textCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)(^|\n)\s*(` + strings.Join([]string{
		`<tool_call>.*</tool_call>`,
		`<tool_call>\s*\{.*\}`,
		`<function=\w+>.*(</function>|\}|</parameter>)`,
		`<(antml:)?(invoke|function_calls)\b.*</(antml:)?(invoke|function_calls)>`,
		`(\[TOOL_CALLS\]|<\|python_tag\|>|<[|｜]tool[_▁]calls?[▁_]|<\|channel\|>commentary to=).*\{.*`,
		"(```(json|tool_call)?\\s*)?" + `[\[{]\s*\{?\s*("type"\s*:\s*"function"\s*,\s*)?("(arguments|parameters|args|input)"\s*:\s*\{[^{}]*\}\s*,\s*)?` +
			`"(name|function|tool)"\s*:\s*(\{\s*"name"\s*:\s*)?"(functions\.)?[Bb]ash"\s*(,.*)?[\]}]+` + "(\\s*```)?",
	}, "|") + `)\s*$`)
})

// What the parts of such a call are.
var (
	callEnds = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</tool_call>|</function>|</(antml:)?invoke>|<\|call\|>|<｜tool▁call▁end｜>|<\|tool_call_end\|>`)
	})
	callName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:function=|name="|to=functions\.|to=|functions\.|\[TOOL_CALLS\]|sep｜>|<tool_call>)\s*([A-Za-z_]\w*)`)
	})
	callParameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<(?:antml:)?parameter(?:=| name=")([\w-]+)"?>\n?(.*?)\n?</(?:antml:)?parameter>|<arg_key>\s*([\w-]+)\s*</arg_key>\s*<arg_value>\n?(.*?)\n?</arg_value>`)
	})
)

// readTextCalls makes calls of those that stand as text at the end of a reply without a call. What the
// model was given in the same words is quoted.
func (c *Conversation) readTextCalls(r *reply) {
	said := r.text.String()
	at := textCall().FindStringSubmatchIndex(said)
	if len(r.calls) > 0 || at == nil || r.finish == "length" || c.hasText(said[at[4]:at[5]]) {
		return
	}
	for _, part := range callEnds().Split(said[at[4]:at[5]], -1) {
		r.calls = append(r.calls, callsIn(part)...)
	}
	if len(r.calls) > 0 {
		r.text.Reset()
		r.text.WriteString(strings.TrimRight(said[:at[4]], " \n"))
	}
}

// callsIn reads the calls in a text: none, one, or a list of them in JSON.
func callsIn(part string) (calls []*toolCall) {
	add := func(name string, arguments []byte) {
		call := &toolCall{index: len(calls), name: name}
		call.parts.Write(arguments)
		calls = append(calls, call)
	}
	name := ""
	if m := callName().FindStringSubmatch(part); m != nil {
		name = m[1]
	}
	if pairs := callParameter().FindAllStringSubmatch(part, -1); pairs != nil && name != "" {
		args := map[string]string{}
		for _, m := range pairs {
			args[m[1]+m[3]] = m[2] + m[4]
		}
		data, err := json.Marshal(args)
		if err == nil {
			add(name, data)
		}
		return calls
	}
	for _, value := range firstValues([]byte(part[jsonStart(part):])) {
		if own, args := namedCall(value); args != nil {
			add(own, args)
		} else if name != "" {
			add(name, value)
		}
	}
	return calls
}

// jsonStart is where JSON begins in a text, behind marks such as [ARGS]; its length: nowhere.
func jsonStart(part string) int {
	for i := range len(part) {
		if part[i] == '{' || part[i] == '[' && strings.HasPrefix(strings.TrimLeft(part[i+1:], " \n"), "{") {
			return i
		}
	}
	return len(part)
}

// namedCall is a call that is an object with its name and its arguments; nil: it is not.
func namedCall(value []byte) (name string, arguments []byte) {
	var c struct {
		Name, Tool, Function               json.RawMessage
		Arguments, Parameters, Args, Input json.RawMessage
	}
	json.Unmarshal(value, &c)
	if len(c.Function) > 0 && c.Function[0] == '{' {
		json.Unmarshal(c.Function, &c)
	}
	name = cmp.Or(textOf(c.Name), textOf(c.Tool), textOf(c.Function))
	for _, args := range [][]byte{c.Arguments, c.Parameters, c.Args, c.Input} {
		if name != "" && len(args) > 0 {
			return name, []byte(cmp.Or(textOf(args), string(args))) // a text: it is encoded twice
		}
	}
	return name, nil
}

// firstValues are the JSON values at the beginning of a text.
func firstValues(text []byte) (values [][]byte) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return values
		}
		values = append(values, splitValues(v)...)
	}
}

// readFinalAnswer makes text of an answer that stands in a call, as models send it that know a tool for that.
func (c *Conversation) readFinalAnswer(r *reply) {
	if len(r.calls) != 1 || !slices.Contains([]string{"finalanswer", "attemptcompletion", "finish", "submit"}, registry.FoldForeign(r.calls[0].name)) {
		return
	}
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(r.calls[0].parts.String()), &args) != nil {
		return
	}
	for _, key := range []string{"answer", "result", "text", "message", "content"} {
		if answer := textOf(args[key]); answer != "" {
			r.calls, r.finish = nil, openai.FinishReasonStop
			c.say(r, strings.Repeat("\n\n", min(r.text.Len(), 1))+answer)
			c.endText(r)
			return
		}
	}
}

// maxUnusable is how often in a row a reply with a call as text is asked for again; an empty one is
// once.
const maxUnusable = 2

// What a reply says that leaves to the reader what the model could do itself.
var (
	intends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^((ok|okay|sure|alright|certainly|great)\b[,.!]* )?(i('ll| will| am going to|'m going to| need to| should)|let me|let's|(first|now|next),? (i|let))\b[^?]*$`)
	})
	invites = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)let me know|tell me what|share (the|its|your) |paste |(run|execute|try) (this|these|the following)|once you|after you|what you see`)
	})
	shellFence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^```(bash|sh|shell|zsh|console|terminal)\\s*$") })
)

// longestIntent is how many characters a reply has, at most, that says what comes next and no more.
const longestIntent = 400

// leavesUndone reports whether a text says what is to be done, in place of doing it.
func leavesUndone(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= longestIntent && intends().MatchString(text) || shellFence().MatchString(text) && (invites().MatchString(text) || intends().MatchString(text))
}

// askAgain tells the model what is wrong with a reply that has no call: it is empty, holds a call
// as text, or announces one. Where that did not help, the error says what the person can do.
func (c *Conversation) askAgain(t *turn, r *reply) (again bool, err error) {
	reason, hint, most := "", "", maxUnusable
	text := r.text.String()
	as := textCall().FindStringSubmatch(text)
	switch {
	case strings.TrimSpace(text) == "":
		reason, most = "the reply was empty", 1
		hint = "your reply was empty: call bash to go on, or say in words what you did and what you saw"
	case as != nil && !c.hasText(as[2]):
		reason = "the reply had a call as text"
		hint = "your reply holds a call as text, so nothing ran: call the tool bash itself, with arguments such as {\"command\": \"ls -l\"}; if it was meant to be read, say it in other words"
	case !t.nudged && (r.finish == openai.FinishReasonToolCalls || c.opts.Unattended && !t.called && leavesUndone(text)):
		t.nudged = true
		c.emitEvent(Retry{Attempt: 1, Reason: "the reply announced a call and made none"})
		c.addNudge("nothing ran, and nobody else runs commands here: call the tool bash yourself; if this was your answer, say it once more")
		return true, nil
	default:
		return false, nil
	}
	if t.unusable++; t.unusable > most {
		return false, &Error{Exit: ExitModel, Text: fmt.Sprintf("%s, %d times in a row: send the prompt again, or take another %s; a server of your own may need to be told to read the calls of its model (llama-server --jinja, vllm --enable-auto-tool-choice)", reason, t.unusable, c.opts.Settings.Model)}
	}
	c.emitEvent(Retry{Attempt: t.unusable, Reason: reason})
	c.addNudge(hint)
	return true, nil
}

func (c *Conversation) addNudge(hint string) {
	c.addRecord(transcript.Record{Type: transcript.TypeUser, Text: "<system_hint type=\"no_call\">" + hint + "</system_hint>"})
}
