package chat

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// quirks are what a server does not take, found out from its refusals, each once.
type quirks struct {
	summary bool // reasoning.summary, of Responses
	include bool // reasoning.encrypted_content, of Responses
	usage   bool // stream_options
	single  bool // several calls in one message
	tools   bool // messages of tools: calls and outputs go as texts
	system  bool // a message of the system
	content bool // a message without content
	effort  bool // how much to think
	budget  bool // the same as a word, of Messages: it is a number of tokens there
	most    int  // the most tokens that a reply may be allowed, of Messages; 0: not known
}

// refusalWords are the words of refusals of Chat Completions, those of chat templates among them.
var refusalWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"usage":    regexp.MustCompile(`(?i)stream_options|include_usage`),
		"single":   regexp.MustCompile(`(?i)single tool.?calls?|(parallel|multiple) (tool|function).?calls?`),
		"roles":    regexp.MustCompile(`(?i)alternat|(only|unexpected|unsupported|invalid|unknown)\b.{0,20}\broles?\b|tool role|roles? .{0,5}tool|after (the )?optional system`),
		"system":   regexp.MustCompile(`(?i)system (role|message|prompt)s?\b.{0,30}\bnot\b|unsupported.{0,20}system|no system`),
		"content":  regexp.MustCompile(`(?i)content\b.{0,40}(required|missing|must (be|have)|cannot be|none is not|null)|missing.{0,20}content`),
		"template": regexp.MustCompile(`(?i)jinja|chat.?template|templateerror|raise_exception|arguments ?\| ?items|value is not callable|no user query`),
	}
})

// noteQuirk notes what the refusal of a request names; it reports whether that was not known.
func (c *Conversation) noteQuirk(text string) bool {
	q, words := c.quirks, refusalWords()
	calls, system := slices.ContainsFunc(c.messages, func(m message) bool { return len(m.ToolCalls) > 0 }), c.countSystem() == 1
	for _, row := range []struct {
		applies bool
		quirk   *bool
		words   string
	}{
		{true, &q.usage, "usage"},
		{calls, &q.single, "single"},
		{system, &q.system, "system"},
		{calls, &q.tools, "roles"},
		{system, &q.system, "roles"},
		{calls, &q.content, "content"},
	} {
		if row.applies && !*row.quirk && words[row.words].MatchString(text) {
			*row.quirk = true
			return true
		}
	}
	return false
}

// isTemplates reports an error of a chat template, which the same request meets again.
func isTemplates(text string) bool {
	for name, words := range refusalWords() {
		if name != "usage" && name != "content" && words.MatchString(text) {
			return true
		}
	}
	return false
}

// isFinal reports an error status that says the request was wrong, whatever its number says.
func isFinal(e *statusError) bool {
	return isTooLong(e.status, &e.errorBody) || e.status == http.StatusInternalServerError && (isTemplates(e.text) || inability(e.text) != "")
}

// inability is what to do about a server that cannot read the calls of its model; "": it is something else.
func inability(text string) string {
	for _, row := range []struct{ words, next string }{
		{"not support tools", "this model cannot call tools there: take one that can (of Ollama's those at https://ollama.com/search?c=tools, such as qwen3)"},
		{"auto-tool-choice", "start the server so that it reads calls: vllm serve MODEL --enable-auto-tool-choice --tool-call-parser NAME (hermes for Qwen)"},
		{"tool-call-parser", "start the server so that it reads calls: with --tool-call-parser NAME (qwen25 for Qwen on SGLang)"},
		{"jinja", "start the server so that it reads calls: llama-server --jinja"},
	} {
		if strings.Contains(strings.ToLower(text), row.words) && (row.words != "jinja" || strings.Contains(text, "--jinja")) {
			return row.next
		}
	}
	return ""
}

// sent is a message as it goes over the wire, and the one that it was made of; nil: of several.
type sent struct {
	openai.ChatCompletionMessage
	of *message
}

// rewrite makes of messages those that the server takes.
func (q *quirks) rewrite(ms []sent) []sent {
	if q.single {
		ms = splitCalls(ms)
	}
	if q.tools {
		ms = callsAsText(ms)
	}
	if q.system && len(ms) > 1 && ms[0].Role == openai.ChatMessageRoleSystem {
		ms[1].prepend(ms[0].Content)
		ms = ms[1:]
	}
	return ms
}

// prepend puts a text before what a message says.
func (m *sent) prepend(text string) {
	if m.MultiContent == nil {
		m.Content = text + "\n\n" + m.Content
		return
	}
	part := openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text}
	m.MultiContent = append([]openai.ChatMessagePart{part}, m.MultiContent...)
}

// splitCalls gives each call a message of its own, before its output.
func splitCalls(ms []sent) (out []sent) {
	var calls []openai.ToolCall // whose outputs follow
	for _, m := range ms {
		if m.Role == openai.ChatMessageRoleTool && len(calls) > 0 {
			if len(out) > 0 && out[len(out)-1].Role == openai.ChatMessageRoleTool {
				out = append(out, sent{openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, ToolCalls: calls[:1]}, nil})
			}
			calls = calls[1:]
		} else if calls = m.ToolCalls; len(calls) > 1 {
			m.ToolCalls, m.of = calls[:1], nil
		}
		out = append(out, m)
	}
	return out
}

// callsAsText writes calls and outputs as texts of assistant and user, in the form that most models
// were trained with, and joins what follows from one role.
func callsAsText(ms []sent) (out []sent) {
	for _, m := range ms {
		for _, call := range m.ToolCalls {
			m.Content = strings.TrimLeft(m.Content+"\n<tool_call>\n{\"name\": \""+call.Function.Name+"\", \"arguments\": "+call.Function.Arguments+"}\n</tool_call>", "\n")
		}
		m.ToolCalls = nil
		if m.Role == openai.ChatMessageRoleTool {
			m = sent{openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: "<tool_response>\n" + m.Content + "\n</tool_response>"}, nil}
		}
		if n := len(out) - 1; n >= 0 && out[n].Role == m.Role && m.MultiContent == nil && out[n].MultiContent == nil {
			out[n].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}
