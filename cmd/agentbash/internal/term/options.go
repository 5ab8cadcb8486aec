package term

import (
	"context"
	"io"
	"os"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
)

// Options are a session's streams and what sits behind it.
type Options struct {
	In       io.Reader // an *os.File that is a terminal is edited on
	Out, Err io.Writer // see the package's documentation

	// Conversation is who answers. When it is nil, the person is in the model's
	// place. Runner runs what the person types, never what the model sends.
	Conversation *chat.Conversation
	Runner       chat.Runner

	// Interrupt gets the signal of Ctrl-C. During a turn it cancels the turn; at
	// the prompt twice in a row it ends the session. nil: never. Resize gets the
	// signal of a terminal that has changed its size (SIGWINCH).
	Interrupt, Resize <-chan os.Signal

	// Asker, if not nil, asks and tells through the session while the session lasts.
	Asker *Prompter

	// Incomplete reports that a text is only the beginning of a command, so that
	// another line is read. nil: only a backslash at the end asks for one.
	Incomplete func(text string) bool

	Info  Info
	Plain bool   // no line editor, nothing repainted, no styles (TERM=dumb, screen readers)
	Color bool   // colours may be used; bold and the like do not count as such
	Theme string // see CheckTheme
	Vim   bool   // the line editor starts with vim's keys

	Script      []string        // is typed by itself, a text after the other; then the session ends. nil: the person types
	Keys        Keys            // what the keys do; nil: the usual
	History     string          // the file of the project's history; "" keeps none
	Editor      string          // $VISUAL or $EDITOR, a command line; "" is vi
	Dir         func() string   // where @path and relative paths begin; nil is Info.Dir
	Names       func() []string // tools, for Tab; nil: none
	Files       func() []string // those of the workspace, relative to Dir, for @; nil: none
	Commands    []Command       // slash commands beside the package's own
	CommandDirs []CommandDir    // hold the user's commands, NAME.md; the first of a name counts
	Skills      func() []Skill  // are commands too, after those; nil: there are none

	// Home is what ~ stands for, Branch the one that is checked out, Todo the steps of the
	// work; the last two may be nil. StatusLine makes the status line; nil: the program's
	// own. Notify says when the person is told that a turn has ended or a question waits:
	// always, never, or, with "", while the terminal's window is not the one typed into.
	Home       string
	Branch     func() string
	Todo       func() []todo.Item
	StatusLine func(ctx context.Context, s Status) (string, error)
	Notify     string

	// Background says how many background shells run; nil: nobody knows.
	Background func() int

	// Mode is how much runs without a question, and SetMode changes it; nil: it
	// cannot be seen, or changed. ModeText is what a conversation whose system prompt
	// tells another mode is told of it. They are called between turns, but for Mode, and SetMode,
	// which is called in a goroutine of its own then.
	Mode     func() string
	SetMode  func(ctx context.Context, mode string) error
	ModeText func() string

	Records []transcript.Record // of the conversation, to be shown first
	First   []string            // texts that are taken as if they had been typed
}
