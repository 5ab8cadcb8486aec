package acp

import (
	"context"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/fieldbash"
)

// Host opens sessions. It is safe for concurrent use.
type Host interface {
	Open(ctx context.Context, o *Open) (Session, error)

	// Find returns the sessions of a directory, the one that was last written first; "" is all.
	Find(dir string) ([]Found, error)
}

// Open is what a session is opened with.
type Open struct {
	ID      string // goes on with this one; "" begins one
	Dir     string // absolute
	Servers map[string]fieldbash.Server
	Editor  Editor
}

// Editor is who sits at the other side, as a session sees it.
type Editor interface {
	Ask(ctx context.Context, q *term.Question) (term.Reply, error)
	Present() bool
	Tell(text string)

	// Unsaved is what the editor has of a file where that is not what the disk has.
	Unsaved(ctx context.Context, path string) (text string, ok bool)
}

// Found is a session that can be gone on with.
type Found struct {
	ID, Dir, Title string
	Modified       string // RFC 3339
}

// Session is one conversation with a shell of its own. But for SetMode its methods are
// called one at a time.
type Session interface {
	ID() string
	Records() []transcript.Record // of before it was opened
	Send(ctx context.Context, p chat.Prompt, events func(chat.Event)) error
	Context() (used, window int)
	Mode() string
	SetMode(ctx context.Context, mode string) error
	Commands() []term.Command
	Plan() []todo.Item
	Foresee(command string) Foreseen
	Close() error
}

// Foreseen is what can be told of a command before it runs.
type Foreseen struct {
	Tool  string   // the agent command that it is; "": another
	Reads []string // absolute paths
	Write []string
}
