package chat

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/chat/transcript"
)

// textCall finds a call that is written as text, at the end of a reply: the forms of
// Hermes and Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, gpt-oss and Claude, as they come from a server that
// does not read its model's template.
var textCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)(^|\n)\s*(` + strings.Join([]string{
		`<tool_call>.*</tool_call>`,
		`<tool_call>\s*\{.*\}`,
		`<function=\w+>.*</function>`,
		`<(antml:)?(invoke|function_calls)\b.*</(antml:)?(invoke|function_calls)>`,
		`(\[TOOL_CALLS\]|<\|python_tag\|>|<[|｜]tool[_▁]calls?[▁_]|<\|channel\|>commentary to=).*\{.*`,
		"(```(json|tool_call)?\\s*)?" + `\{\s*"(name|function|tool)"\s*:\s*"(functions\.)?[Bb]ash"\s*,\s*"(arguments|parameters|args|input)"\s*:.*\}` + "(\\s*```)?",
	}, "|") + `)\s*$`)
})

// maxUnusable is how often in a row a reply with a call as text is asked for again; an empty one is
// once.
const maxUnusable = 2

// askAgain tells the model what is wrong with a reply that has no call: it is empty, or holds a call
// as text. Where that did not help, the error says what the person can do.
func (c *Conversation) askAgain(t *turn, text string) (again bool, err error) {
	reason, hint, most := "", "", maxUnusable
	switch {
	case strings.TrimSpace(text) == "":
		reason, most = "the reply was empty", 1
		hint = "your reply was empty: call bash to go on, or say in words what you did and what you saw"
	case textCall().MatchString(text):
		reason = "the reply had a call as text"
		hint = "your reply holds a call as text, so nothing ran: call the tool bash itself, with arguments such as {\"command\": \"ls -l\"}; if it was meant to be read, say it in other words"
	default:
		return false, nil
	}
	if t.unusable++; t.unusable > most {
		return false, &Error{Exit: ExitModel, Text: fmt.Sprintf("%s, %d times in a row: send the prompt again, or take another %s; a server of your own may need to be told to read the calls of its model (llama-server --jinja, vllm --enable-auto-tool-choice)", reason, t.unusable, c.opts.Settings.Model)}
	}
	c.emitEvent(Retry{Attempt: t.unusable, Reason: reason})
	c.addRecord(transcript.Record{Type: transcript.TypeUser, Text: "<system_hint type=\"no_call\">" + hint + "</system_hint>"})
	return true, nil
}
