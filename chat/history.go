package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
)

// message is a message of the conversation, and the record that it came from.
type message struct {
	openai.ChatCompletionMessage
	rec     transcript.Record
	by      string // the model that made it, where one did
	unseen  bool   // the server refused its pictures
	started string // the id of its last call that began to run; only while a history is read
}

// loadHistory takes in the history, answers what it left open, and records what
// holds from here on.
func (c *Conversation) loadHistory() {
	old := ""
	c.messages = make([]message, 0, len(c.opts.History)+16)
	for _, r := range c.opts.History {
		if r.Type == transcript.TypeSystem {
			old = r.Text
		}
		if r.Type == transcript.TypeUser {
			c.turns++
		}
		c.absorbRecord(r)
	}
	if len(c.opts.History) > 0 {
		c.closeOpen(c.addRecord)
		c.addRecord(transcript.Record{Type: transcript.TypeResume, Text: c.opts.Resumed, Dir: c.shellDir(), Program: c.opts.Program})
	}
	c.opts.History = nil
	c.addRecord(transcript.Record{Type: transcript.TypeModel, Model: c.opts.Model, Server: c.opts.BaseURL})
	if system := c.opts.System; system != old && strings.TrimSpace(system) != "" {
		c.addRecord(transcript.Record{Type: transcript.TypeSystem, Text: system})
	}
}

// absorbRecord takes a record into the conversation. It is the only way in, so that a
// resumed conversation is the one that was, byte for byte.
func (c *Conversation) absorbRecord(r transcript.Record) {
	switch r.Type {
	case transcript.TypeModel:
		c.by = r.Model
	case transcript.TypeSystem:
		c.setSystem(r)
	case transcript.TypeUser:
		c.answerOpen()
		if c.waiting() {
			c.appendMessage(noReply())
		}
		r.Text = c.resumed + r.Text
		c.resumed = ""
		c.appendMessage(r)
	case transcript.TypeText:
		c.pieces.Text += r.Text
	case transcript.TypeReasoning:
		c.pieces.Reasoning += r.Text
	case transcript.TypeRetry:
		c.pieces = transcript.Record{}
	case transcript.TypeAssistant:
		c.pieces = transcript.Record{}
		c.answerOpen()
		c.appendMessage(r)
	case transcript.TypeToolCall:
		if m := c.callOf(r.ID); m != nil {
			m.started = r.ID
		}
	case transcript.TypeToolResult:
		if c.isOpenCall(r.ID) {
			c.appendMessage(r)
		}
	case transcript.TypeShown:
		c.answerOpen()
		c.appendMessage(r)
	case transcript.TypeResume:
		about := cmp.Or(r.Text, "the session was resumed: bash is a new one, so variables, functions and background jobs are gone")
		c.resumed = fmt.Sprintf("<system_hint type=\"session_resumed\">%s; its directory is %s</system_hint>\n\n", about, r.Dir)
	case transcript.TypeCompact:
		c.messages = c.messages[:c.countSystem()]
		resumed := c.resumed
		c.resumed, c.pieces = "", transcript.Record{}
		for _, m := range r.Messages {
			c.absorbRecord(m)
		}
		c.resumed = resumed
	case transcript.TypeClear:
		c.messages, c.pieces, c.resumed = c.messages[:c.countSystem()], transcript.Record{}, ""
	}
}

// makeSendable makes a record one that servers take, whoever wrote it; ours are so
// already. It reports false for one that says nothing.
func makeSendable(r *transcript.Record) bool {
	switch r.Type {
	case transcript.TypeUser, transcript.TypeShown:
		return strings.TrimSpace(r.Text) != "" || len(r.Images) > 0
	case transcript.TypeToolResult:
		if strings.TrimSpace(r.Output) == "" {
			r.Output = "(no output)"
		}
	case transcript.TypeAssistant:
		seen := map[string]bool{}
		r.Calls = slices.Clone(r.Calls)
		r.Calls = slices.DeleteFunc(r.Calls, func(call transcript.Call) bool {
			gone := call.ID == "" || seen[call.ID]
			seen[call.ID] = true
			return gone
		})
		for i := range r.Calls {
			call := &r.Calls[i]
			call.Name = sendableName(call.Name)
			call.Arguments = sendableArguments(call.Arguments)
		}
		return strings.TrimSpace(r.Text) != "" || len(r.Calls) > 0
	}
	return true
}

// appendMessage appends a message.
func (c *Conversation) appendMessage(r transcript.Record) {
	if !makeSendable(&r) {
		return
	}
	m := openai.ChatCompletionMessage{}
	by := r.Model // of a message that a compaction kept
	if by == "" && r.Type == transcript.TypeAssistant {
		by = c.by
	}
	switch r.Type {
	case transcript.TypeUser, transcript.TypeShown:
		m.Role, m.Content = openai.ChatMessageRoleUser, r.Text
		if len(r.Images) > 0 {
			m.Content, m.MultiContent = "", promptParts(r)
		}
	case transcript.TypeAssistant:
		m.Role, m.Content = openai.ChatMessageRoleAssistant, r.Text
		if r.Partial {
			m.Content += "\n[the reply was cut off here]"
		}
		if objectFields(r.Extra)["reasoning_content"] != nil {
			m.ReasoningContent = r.Reasoning
		}
		for _, call := range r.Calls {
			m.ToolCalls = append(m.ToolCalls, openai.ToolCall{ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments}})
		}
	case transcript.TypeToolResult:
		m.Role, m.Content, m.ToolCallID = openai.ChatMessageRoleTool, r.Output, r.ID
	default:
		return
	}
	c.messages = append(c.messages, message{ChatCompletionMessage: m, rec: r, by: by})
}

// setSystem puts the system prompt in the first place.
func (c *Conversation) setSystem(r transcript.Record) {
	m := message{ChatCompletionMessage: openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.Text}, rec: r}
	c.messages = append([]message{m}, c.messages[c.countSystem():]...)
}

// countSystem is how many system messages there are: 0 or 1.
func (c *Conversation) countSystem() int {
	if len(c.messages) > 0 && c.messages[0].Role == openai.ChatMessageRoleSystem {
		return 1
	}
	return 0
}

func (m *message) hasCall(id string) bool {
	return slices.ContainsFunc(m.rec.Calls, func(call transcript.Call) bool { return call.ID == id })
}

// callOf is the last message with tool calls, if it has one with this id.
func (c *Conversation) callOf(id string) *message {
	for i := len(c.messages) - 1; i >= 0; i-- {
		m := &c.messages[i]
		if m.hasCall(id) {
			return m
		}
		if m.Role != openai.ChatMessageRoleTool {
			return nil
		}
	}
	return nil
}

// isOpenCall reports whether a call waits for its result. In a session that was
// written by others, or has lost a line, a result may stand alone.
func (c *Conversation) isOpenCall(id string) bool {
	for i := len(c.messages) - 1; i >= 0; i-- {
		m := &c.messages[i]
		if m.Role != openai.ChatMessageRoleTool {
			return m.hasCall(id)
		}
		if m.ToolCallID == id {
			return false
		}
	}
	return false
}

// answerOpen answers what is open before a message that cannot follow it. Where we
// wrote the session, that is only so when a line of it was lost.
func (c *Conversation) answerOpen() { c.closeOpen(c.appendMessage) }

// closeOpen ends what a program that was killed left open: a reply whose end
// was not seen is kept as far as it was shown, calls without a result are
// answered as interrupted.
func (c *Conversation) closeOpen(add func(transcript.Record)) {
	shown := c.pieces
	c.pieces = transcript.Record{}
	c.closeCalls(add)
	if strings.TrimSpace(shown.Text) != "" {
		add(transcript.Record{Type: transcript.TypeAssistant, Text: shown.Text, Reasoning: shown.Reasoning, Partial: true})
	}
}

func (c *Conversation) closeCalls(add func(transcript.Record)) {
	answered := map[string]bool{}
	for i := len(c.messages) - 1; i >= 0; i-- {
		switch m := &c.messages[i]; {
		case m.Role == openai.ChatMessageRoleTool:
			answered[m.ToolCallID] = true
			continue
		case len(m.rec.Calls) > 0:
			answerOpen(m, answered, add)
		}
		return
	}
}

func answerOpen(m *message, answered map[string]bool, add func(transcript.Record)) {
	calls, started := m.rec.Calls, m.started // m moves when messages are added
	for _, call := range calls {
		if answered[call.ID] {
			continue
		}
		output := "[interrupted before it ran: agentbash was ended]"
		if call.ID == started {
			output = "[interrupted: agentbash was ended while this command ran; it may have done a part of its work, and its output is lost]"
		}
		add(transcript.Record{Type: transcript.TypeToolResult, ID: call.ID, Output: output, ExitCode: ExitInterrupted, Interrupted: true})
	}
}

// Clear starts a new conversation with the same model, in the same shell.
func (c *Conversation) Clear() error {
	c.addRecord(transcript.Record{Type: transcript.TypeClear})
	c.size.forget()
	return c.syncJournal()
}
