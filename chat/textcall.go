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

// textCall is a call that is written as text and nothing else: the forms of
// Hermes and Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, gpt-oss and Claude, as they come from a server that
// does not read its model's template.
var textCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(` + strings.Join([]string{
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
	// what stands around the name and the arguments
	callMarks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("</?tool_calls?>|</?(antml:)?(function_calls|invoke)\\b[^<>]*>|</?function(=\\w+)?>|\\[(TOOL_CALLS|ARGS)\\]|\\[CALL_ID\\]\\w+|<[|｜][^<>\\s]*[|｜]>|```(json|tool_call)?")
	})
	callRest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(function\s+)?(commentary to=)?(functions\.)?(\w+(:\d+)?)?\s*(json)?\s*[\]}]*\s*$`)
	})
	callName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:function=|name="|to=functions\.|to=|functions\.|\[TOOL_CALLS\]|sep｜>|<tool_call>)\s*([A-Za-z_]\w*)`)
	})
	callParameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<(?:antml:)?parameter(?:=| name=")([\w-]+)"?>\n?(.*?)\n?</(?:antml:)?parameter>|<arg_key>\s*([\w-]+)\s*</arg_key>\s*<arg_value>\n?(.*?)\n?</arg_value>`)
	})
)

// findTextCalls reads the calls that a text ends with, outside fences, and returns where the first
// begins; -1: there is none. calls is nil where they cannot be read, or have something besides.
func findTextCalls(said string) (at int, calls []*toolCall) {
	at, fence, start := -1, "", 0
	for line := range strings.Lines(said) {
		bare := strings.TrimLeft(line, " \t\r\n")
		begins := start + len(line) - len(bare)
		start += len(line)
		if begins-start+len(line) > maxIndent {
			continue
		}
		if fence == "" && bare != "" && strings.IndexByte("<[{`", bare[0]) >= 0 && textCall().MatchString(said[begins:]) {
			if calls = allCalls(said[begins:]); calls != nil {
				return begins, calls
			}
			if at < 0 {
				at = begins
			}
		}
		for _, mark := range []string{fenceMark, "~~~"} {
			if strings.HasPrefix(bare, mark) && (fence == "" || fence == mark) {
				fence = map[bool]string{true: mark}[fence == ""]
				break
			}
		}
	}
	return at, nil
}

// maxIndent is how far a line is indented, at most, that Markdown does not take for code.
const maxIndent = 3

// allCalls are the calls that a text consists of; nil: it has something else, too.
func allCalls(text string) (calls []*toolCall) {
	for _, part := range callEnds().Split(text, -1) {
		more, rest := callsIn(part)
		if rest = callMarks().ReplaceAllString(rest, " "); !callRest().MatchString(rest) {
			return nil
		}
		calls = append(calls, more...)
	}
	return calls
}

// readTextCalls makes calls of those that stand as text at the end of a reply without a call.
func (c *Conversation) readTextCalls(r *reply) {
	if len(r.calls) > 0 || r.finish == "length" {
		return
	}
	said := r.text.String()
	at, calls := findTextCalls(said)
	if calls == nil || r.marks.cutAt > at || c.isQuoted(said[at:], calls) || explains().MatchString(strings.TrimSpace(said[:at])) {
		return
	}
	r.calls = calls
	r.text.Reset()
	r.text.WriteString(strings.TrimRight(said[:at], " \n"))
}

// explains is what stands before a call that is an example.
var explains = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(examples?|e\.g|for instance|would|could|looks? like|formats?|syntax)\b[^\n]*$`)
})

// isQuoted reports whether calls that stand as text were in what the model was given, however
// it was spaced, escaped or numbered there: a file that the model shows must not make it run anything.
func (c *Conversation) isQuoted(text string, calls []*toolCall) bool {
	said := []string{wordsOf(text)}
	for _, call := range calls {
		var args any
		json.Unmarshal([]byte(call.parts.String()), &args)
		if m, ok := args.(map[string]any); ok {
			args = cmp.Or(m["command"], m["cmd"], m["code"], m["script"])
		}
		if command, ok := args.(string); ok {
			words := wordsOf(command)
			if strings.Count(words, " ") <= fewWords { // which may stand anywhere
				words = " command" + words
			}
			said = append(said, words)
		}
	}
	const nothing = "  "
	return slices.ContainsFunc(c.messages, func(m message) bool {
		given := m.rec.Text + "\n" + m.rec.Output
		if m.Role == openai.ChatMessageRoleAssistant || !speaksOfCalls().MatchString(given) {
			return false
		}
		given = wordsOf(given)
		return slices.ContainsFunc(said, func(words string) bool { return words != nothing && strings.Contains(given, words) })
	})
}

const fewWords = 3

var (
	speaksOfCalls = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)tool[_▁]?calls?|function=|\binvoke\b|python_tag|to=functions|(arguments|parameters|args|input)\\?["']\s*:`)
	})
	noWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*\d+[\s:|→]|\\+(u[0-9a-fA-F]{4}|[nrt])|&\w+;|[^\pL\pN&\\\n]+|[&\\\n]`)
	})
)

// wordsOf is a text as words with a blank between, before and after.
func wordsOf(text string) string {
	return " " + strings.Join(strings.Fields(noWord().ReplaceAllString(text, " ")), " ") + " "
}

// callsIn reads the calls in a text: none, one, or a list of them in JSON. rest is what is no part of them.
func callsIn(part string) (calls []*toolCall, rest string) {
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
		return calls, callParameter().ReplaceAllString(part, "")
	}
	begin := jsonStart(part)
	values, n := firstValues([]byte(part[begin:]))
	for _, value := range values {
		if own, args := namedCall(value); args != nil {
			add(own, args)
		} else if name != "" {
			add(name, value)
		}
	}
	return calls, part[:begin] + part[begin+n:]
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

// firstValues are the JSON values at the beginning of a text, and how long they are.
func firstValues(text []byte) (values [][]byte, n int) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; n = int(d.InputOffset()) {
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return values, n
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
	at, calls := findTextCalls(text)
	switch {
	case strings.TrimSpace(text) == "":
		reason, most = "the reply was empty", 1
		hint = "your reply was empty: call bash to go on, or say in words what you did and what you saw"
	case at >= 0 && !c.isQuoted(text[at:], calls):
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
