package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
)

// Change is what a slash command makes of the conversation.
type Change struct {
	Conversation *chat.Conversation  // takes the place of the present one; nil: that stays
	Records      []transcript.Record // of it, to be shown
	About        string              // for the person
	Aside        string              // for the model, with the next prompt
	Draft        string              // the text that is edited next
}

// takeChange makes the session what a command wants, and returns what to show.
func (s *chatUI) takeChange(c Change) string {
	if c.Conversation != nil {
		c.Conversation.OnEvent(s.showEvent)
		s.Conversation, s.aside = c.Conversation, nil
		if s.Mode != nil {
			s.prompted, s.told = s.Mode(), s.Mode()
		}
		s.screen.mu.Lock()
		s.screen.usage = chat.Usage{}
		if len(c.Records) > 0 { // another session; what is forked or rewound has cost what it has
			s.screen.total = chat.Usage{}
		}
		s.screen.mu.Unlock()
		s.showRecords(c.Records)
	}
	if c.Aside != "" {
		s.aside = append(s.aside, c.Aside)
	}
	switch {
	case c.Draft == "":
	case s.in.edit == nil:
		c.About += c.Draft + "\n"
	default:
		s.in.edit.text.start()
		s.in.edit.text.insert(c.Draft)
		s.in.edit.kept = true
	}
	return c.About
}

// mostReplayed bounds how many prompts of a session are shown when it goes on.
const mostReplayed = 50

// showRecords shows what was said in a session, as it was shown then. It is for a
// person alone.
func (s *chatUI) showRecords(records []transcript.Record) {
	if !s.in.terminal || len(records) == 0 {
		return
	}
	records = transcript.Settled(records)
	prompts := 0
	for _, r := range records {
		if r.Type == transcript.TypeUser {
			prompts++
		}
	}
	commands := map[string]string{}
	for _, r := range records {
		for _, c := range r.Calls {
			commands[c.ID] = c.Command()
		}
		if r.Type == transcript.TypeUser {
			if prompts--; prompts == mostReplayed {
				s.screen.note(fmt.Sprintf("earlier prompts are left out, and the last %d shown: /export has all", mostReplayed))
			}
		}
		if prompts >= mostReplayed {
			continue
		}
		s.showRecord(r, commands)
	}
}

// showRecord shows one record. commands are those of the calls, by ID.
func (s *chatUI) showRecord(r transcript.Record, commands map[string]string) {
	switch r.Type {
	case transcript.TypeUser:
		s.screen.showAnswer(s.prompt() + strings.ReplaceAll(cleanText(r.Prompt()), "\n", "\n  ") + "\n")
	case transcript.TypeAssistant:
		s.screen.showEvent(chat.Text{Delta: r.Text})
		s.screen.end()
	case transcript.TypeToolResult:
		if command, ok := commands[r.ID]; ok {
			s.screen.showEvent(chat.ToolCall{ID: r.ID, Command: command})
			s.screen.showEvent(chat.ToolResult{ID: r.ID, Output: r.Output, ExitCode: r.ExitCode, Duration: time.Duration(r.DurationMS) * time.Millisecond,
				Running: r.Running, Refused: r.Refused, Interrupted: r.Interrupted, Denied: r.Denied})
		}
	case transcript.TypeClear:
		s.screen.note("the conversation was forgotten here")
	}
}
