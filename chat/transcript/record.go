package transcript

import (
	"encoding/json"
	"time"
)

// Version is the version of the format that is written.
const Version = 1

// Type says what a record tells.
type Type string

// The types of records. A reader skips those that it does not know.
const (
	TypeSession    Type = "session"     // the first line: V, ID, Dir, Program
	TypeResume     Type = "resume"      // the session is gone on with: Dir, Program; Text is what the model is told of it
	TypeModel      Type = "model"       // Model and Server answer from here on
	TypeSystem     Type = "system"      // Text is the system prompt from here on
	TypeUser       Type = "user"        // Text and Images of the person; Typed is the text as they know it
	TypeText       Type = "text"        // a piece of the answer, as it was shown
	TypeReasoning  Type = "reasoning"   // a piece of the reasoning, as it was shown
	TypeAssistant  Type = "assistant"   // a whole reply; replaces the pieces before it
	TypeToolCall   Type = "tool_call"   // call ID starts to run Command
	TypeToolResult Type = "tool_result" // call ID ended
	TypeShown      Type = "shown"       // Text and Images are what the calls before it showed
	TypeUsage      Type = "usage"       // what a request cost
	TypeRetry      Type = "retry"       // a request is sent again; the pieces before it are void
	TypeCompact    Type = "compact"     // the conversation is Messages from here on
	TypeClear      Type = "clear"       // the conversation starts anew
	TypeRewind     Type = "rewind"      // of the lines before it, those from the To-th on are void
	TypeEnd        Type = "end"         // a turn ended: ExitCode, Error
)

// Record is one line of a session. Which fields are set depends on Type.
type Record struct {
	Type Type      `json:"type"`
	Time time.Time `json:"time,omitzero"` // UTC; set by Append

	V       int    `json:"v,omitempty"`
	ID      string `json:"id,omitempty"` // of the session, or of a call
	Dir     string `json:"dir,omitempty"`
	Program string `json:"program,omitempty"` // the version that wrote it
	Parent  string `json:"parent,omitempty"`  // the session that this one was forked from
	Model   string `json:"model,omitempty"`
	Server  string `json:"server,omitempty"`

	Text      string          `json:"text,omitempty"`
	Typed     string          `json:"typed,omitempty"` // "": it is Text
	Reasoning string          `json:"reasoning,omitempty"`
	Extra     json.RawMessage `json:"extra,omitempty"` // what a provider wants to have back with its reply
	Images    []Image         `json:"images,omitempty"`
	Calls     []Call          `json:"calls,omitempty"`
	Partial   bool            `json:"partial,omitempty"` // the reply broke off

	Command     string  `json:"command,omitempty"`
	Timeout     float64 `json:"timeout,omitempty"` // seconds
	Kill        bool    `json:"kill,omitempty"`    // it was to end at its timeout
	Output      string  `json:"output,omitempty"`  // what the model sees
	ExitCode    int     `json:"exit_code,omitempty"`
	DurationMS  int64   `json:"duration_ms,omitempty"`
	Running     int     `json:"running,omitempty"`     // the background shell that it went on as
	Refused     bool    `json:"refused,omitempty"`     // the call was malformed and never ran
	Interrupted bool    `json:"interrupted,omitempty"` // cancelled
	Denied      bool    `json:"denied,omitempty"`      // it is not allowed, and never ran

	Usage    *Usage   `json:"usage,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	WaitMS   int64    `json:"wait_ms,omitempty"`
	Error    string   `json:"error,omitempty"`
	Messages []Record `json:"messages,omitempty"` // user, assistant, tool_result and shown records
	To       int      `json:"to,omitempty"`
}

// Call is a tool call as it goes back to the model.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`       // JSON
	Extra     json.RawMessage `json:"extra,omitempty"` // what a provider wants to have back with it
}

// Image is a picture that belongs to a prompt, or that a command showed.
type Image struct {
	Name string `json:"name"` // as it was typed
	MIME string `json:"mime"`
	Data []byte `json:"data"` // base64 in JSON
}

// Usage is what a request cost.
type Usage struct {
	Prompt     int     `json:"prompt"`
	Completion int     `json:"completion"`
	Cached     int     `json:"cached,omitempty"`
	Reasoning  int     `json:"reasoning,omitempty"`
	Cost       float64 `json:"cost,omitempty"`      // dollars
	Estimated  bool    `json:"estimated,omitempty"` // the server gave no numbers
}
