package chat

import (
	"github.com/agentbash/agentbash/chat/transcript"
)

// Journal takes the records of a conversation, in order. Append keeps a record
// whatever happens to this process; Sync keeps all of them whatever happens to
// the machine.
type Journal interface {
	Append(transcript.Record) error
	Sync() error
}

// appendRecord appends to the journal. Its first error ends the turn before the next
// request, since a session that cannot be recorded is one that can be lost.
func (c *Conversation) appendRecord(r transcript.Record) {
	if c.opts.Journal != nil && c.sick == nil {
		c.sick = c.opts.Journal.Append(r)
	}
}

func (c *Conversation) syncJournal() error {
	if c.opts.Journal != nil && c.sick == nil {
		c.sick = c.opts.Journal.Sync()
	}
	if c.sick != nil {
		return &Error{Exit: ExitModel, Text: c.sick.Error(), Err: c.sick}
	}
	return nil
}

// emitEvent records an event, and then shows it.
func (c *Conversation) emitEvent(e Event) {
	switch e.(type) {
	case Text, Reasoning:
		if c.summarizing {
			return
		}
	}
	switch e := e.(type) {
	case Text:
		c.appendRecord(transcript.Record{Type: transcript.TypeText, Text: e.Delta})
	case Reasoning:
		c.appendRecord(transcript.Record{Type: transcript.TypeReasoning, Text: e.Delta})
	case ToolCall:
		c.appendRecord(transcript.Record{Type: transcript.TypeToolCall, ID: e.ID, Command: e.Command, Timeout: e.Timeout.Seconds(), Kill: e.Kill})
	case Usage:
		u := transcript.Usage(e)
		c.appendRecord(transcript.Record{Type: transcript.TypeUsage, Usage: &u})
	case Retry:
		c.appendRecord(transcript.Record{Type: transcript.TypeRetry, Text: e.Reason, Attempt: e.Attempt, WaitMS: e.Wait.Milliseconds()})
	}
	c.opts.Events(e)
}

// record is the result as a journal has it; dir is where the shell is now.
func (r ToolResult) record(dir string) transcript.Record {
	return transcript.Record{Type: transcript.TypeToolResult, ID: r.ID, Output: r.Output, ExitCode: r.ExitCode, DurationMS: r.Duration.Milliseconds(), Running: r.Running,
		Refused: r.Refused, Interrupted: r.Interrupted, Denied: r.Denied, Dir: dir}
}

// addRecord records something that belongs to the conversation, and takes it into it.
func (c *Conversation) addRecord(r transcript.Record) {
	c.appendRecord(r)
	c.absorbRecord(r)
}

// shellDir is where the runner's shell is, if it says so.
func (c *Conversation) shellDir() string {
	if d, ok := c.opts.Runner.(interface{ Dir() string }); ok {
		return d.Dir()
	}
	return ""
}
