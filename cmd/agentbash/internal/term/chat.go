package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
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
	Plain bool // no line editor, nothing repainted, no styles (TERM=dumb, screen readers)
	Color bool // colours may be used; bold and the like do not count as such

	History     string          // the file of the project's history; "" keeps none
	Editor      string          // $VISUAL or $EDITOR, a command line; "" is vi
	Dir         func() string   // where @path and relative paths begin; nil is Info.Dir
	Names       func() []string // tools, for Tab; nil: none
	Commands    []Command       // slash commands beside the package's own
	CommandDirs []CommandDir    // hold the user's commands, NAME.md; the first of a name counts
	Skills      func() []Skill  // are commands too, after those; nil: there are none

	// Background says how many background shells run; nil: nobody knows.
	Background func() int

	// Mode is how much runs without a question, and SetMode changes it; nil: it
	// cannot be seen, or changed. ModeText is what a conversation whose system prompt
	// tells another mode is told of it. Resume has another session go on and says so, with
	// the conversation that takes the present one's place; "" is the one before. nil:
	// there are none. They are called between turns.
	Mode     func() string
	SetMode  func(ctx context.Context, mode string) error
	ModeText func() string
	Resume   func(ctx context.Context, id string) (c *chat.Conversation, about string, err error)
}

// errInterrupted is Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

// Chat runs a session until its input ends, Ctrl-C comes twice at the prompt, or
// ctx ends, whose cause it returns. The terminal is as it was when Chat returns.
//
// On a terminal the errors of turns are shown and the session goes on. Without
// one the first of them ends it and is returned, for the exit status.
//
// When ctx ends during the wait for a line, the goroutine that reads In is left
// behind, since a read cannot be taken back; it ends with In.
func Chat(ctx context.Context, o *Options) error {
	in, err := newInput(o)
	if err != nil {
		return fmt.Errorf("keyboard: %w", err)
	}
	s := &chatUI{Options: *o, in: in}
	defer in.close()
	s.screen = newScreen(o, in)
	s.screen.live.background = o.Background
	in.attaches = s.attachFromKey
	if in.terminal && o.Asker.Present() {
		in.questions, in.news = o.Asker.requests, o.Asker.news
		defer o.Asker.bindSession(ctx)()
		defer s.dismissQuestion(ErrNobody)
	}
	if s.Conversation != nil {
		s.Conversation.OnEvent(s.showEvent)
	}
	s.screen.banner(o)
	s.openHistory()
	if s.Mode != nil {
		s.prompted, s.told = s.Mode(), s.Mode()
	}
	return s.loop(ctx)
}

type chatUI struct {
	Options
	in       *input
	screen   *screen
	aside    []string    // what ! and /undo ran since the last prompt, for the next
	prompted string      // the mode in the system prompt
	told     string      // the mode that the model was told of
	attached attachments // pictures of texts that are not sent yet
	asked    *asking     // a question that is not answered yet; nil: none
	gone     bool        // nobody types any more
	seen     string      // the command of a project that was shown last, and is used when it is typed again
}

// openHistory connects the editor to the history's file and to the names.
func (s *chatUI) openHistory() {
	e := s.in.edit
	if e == nil {
		return
	}
	e.complete = s.complete
	if s.History == "" {
		return
	}
	var err error
	if e.text.history, err = loadHistory(s.History); err != nil {
		s.screen.note("the history is not available: " + err.Error())
		return
	}
	e.save = func(line string) {
		if err := saveHistory(s.History, line); err != nil {
			e.save = nil
			s.screen.note(err.Error())
		}
	}
}

func (s *chatUI) dir() string {
	if s.Dir != nil {
		return s.Dir()
	}
	return s.Info.Dir
}

func (s *chatUI) loop(ctx context.Context) error {
	armed := false // Ctrl-C came last
	for {
		s.untilAnswered(ctx)
		text, err := s.in.next(ctx, s.prompt(), s.Interrupt)
		var want asked
		switch {
		case errors.Is(err, errQuestion):
			s.showQuestion(s.in.question)
			continue
		case errors.Is(err, errNews):
			s.tellNews()
			continue
		case errors.Is(err, errNote):
			s.screen.note(s.in.note)
			continue
		case errors.As(err, &want):
			if err := s.handleKey(ctx, keyName(want)); err != nil {
				return err
			}
			continue
		case errors.Is(err, errInterrupted):
			if !s.in.terminal {
				return &chat.Error{Exit: chat.ExitInterrupted, Text: "interrupted: what was not read yet did not run", Err: context.Canceled}
			}
			if armed {
				return nil
			}
			armed = true
			s.screen.note("press Ctrl-C again to end, or go on")
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		armed = false
		if strings.TrimSpace(text) == "" {
			continue
		}
		switch err := s.runTurn(ctx, text); {
		case errors.Is(err, errQuit):
			return nil
		case err != nil:
			return err
		}
	}
}

// handleKey does what a key at the prompt asks of the session.
func (s *chatUI) handleKey(ctx context.Context, k keyName) error {
	switch k {
	case keyOutput:
		_, err := s.output(ctx, "")
		if err != nil {
			s.screen.note(err.Error())
		}
		return nil
	case keySuspend:
		return s.suspendProgram()
	}
	if err := s.editExternally(ctx); err != nil {
		s.screen.note(err.Error())
	}
	return nil
}

// tellNews shows what others have to say.
func (s *chatUI) tellNews() {
	for _, text := range s.Asker.takeNews() {
		s.screen.rows(strings.Split(safetext.Visible(text), "\n"), 0)
	}
}

func (s *chatUI) prompt() string {
	if s.Conversation == nil {
		return "$ "
	}
	return "> "
}

// runTurn answers one text. An error ends the session.
func (s *chatUI) runTurn(ctx context.Context, text string) error {
	prompt, ok, err := s.runSlash(ctx, text)
	switch command, shell := strings.CutPrefix(text, "!"); {
	case err != nil || ok && prompt == "":
		return err
	case ok:
		err = s.sendPrompt(ctx, prompt)
	case s.Conversation == nil:
		s.runTyped(ctx, text)
	case shell && s.in.terminal && strings.TrimSpace(command) != "":
		out := s.runTyped(ctx, command)
		s.aside = append(s.aside, "$ "+command+"\n"+out)
	default:
		err = s.sendPrompt(ctx, strings.ReplaceAll(text, "\\\n", "\n"))
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !s.in.terminal:
		return err
	case err != nil:
		s.screen.note(err.Error())
	}
	return nil
}

// sendPrompt sends a prompt, after what the person ran.
func (s *chatUI) sendPrompt(ctx context.Context, prompt string) (err error) {
	if len(s.aside) > 0 {
		prompt = "I ran in your shell:\n" + strings.Join(s.aside, "\n") + "\n\n" + prompt
		s.aside = nil
	}
	if s.ModeText != nil && s.Mode() != s.told {
		s.told = s.Mode()
		prompt = "<system_hint type=\"mode_changed\">the user changed the mode. " + s.ModeText() + "</system_hint>\n\n" + prompt
	}
	s.screen.begin()
	images := s.takePictures(prompt)
	s.runInterruptible(ctx, "working", func(ctx context.Context) {
		_, err = s.Conversation.Send(ctx, chat.Prompt{Text: prompt, Images: images})
	})
	s.screen.end()
	return err
}

// showEvent shows an event. A summary may have lost what the model was told of the mode.
func (s *chatUI) showEvent(e chat.Event) {
	if _, ok := e.(chat.Compacted); ok {
		s.told = s.prompted
	}
	s.screen.showEvent(e)
}

// takePictures takes the pictures that a prompt has chips of, and shows the chips of
// those that it names.
func (s *chatUI) takePictures(prompt string) (images []chat.Image) {
	images, s.attached = s.attached.take(prompt)
	named, err := chat.NamedImages(prompt, s.dir())
	if err != nil || !s.in.terminal {
		return images // what is wrong with them comes back from the turn
	}
	var chips []string
	for _, img := range named {
		chips = append(chips, "  "+imageLabel(img))
	}
	s.screen.rows(chips, dim)
	return images
}

// runTyped runs a command that was typed, and returns what a model sees of it.
func (s *chatUI) runTyped(ctx context.Context, command string) (out string) {
	live, ok := s.Runner.(chat.LiveRunner)
	s.runInterruptible(ctx, "running", func(ctx context.Context) {
		if !ok || !s.in.terminal {
			out, _ = s.Runner.Run(ctx, command, chat.DefaultTimeout)
			return
		}
		w := &liveWriter{screen: s.screen, clean: onScreen()}
		out, _ = live.RunLive(ctx, command, chat.DefaultTimeout, w, w)
		w.end(out)
	})
	if !ok || !s.in.terminal {
		s.screen.showTyped(out)
	}
	s.screen.mu.Lock()
	s.screen.keepOutput(command, out)
	s.screen.mu.Unlock()
	return out
}
