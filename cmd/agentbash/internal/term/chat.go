package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
)

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
	in.script, in.scripted = o.Script, o.Script != nil && in.edit != nil
	in.attaches, in.concerns, in.atOnce = s.attachFromKey, s.sessionKey, s.runAtOnce
	if in.edit != nil {
		e := in.edit
		e.paint.footer, e.paint.look, e.offer, e.vim.on = s.footer, s.screen.look, s.offer, o.Vim
		e.text.chips = func() []string { return s.attached.chips() }
	}
	if in.terminal && o.Asker.Present() {
		in.questions, in.news = o.Asker.requests, o.Asker.news
		defer o.Asker.bindSession(ctx)()
		defer s.dismissQuestion(ErrNobody)
	}
	if s.Conversation != nil {
		s.Conversation.OnEvent(s.showEvent)
	}
	s.screen.banner(o)
	s.showRecords(o.Records)
	s.openHistory()
	if in.lines != nil {
		in.lines.queue = append(in.lines.queue, o.First...)
	}
	in.queue = append(in.queue, o.First...)
	if s.Mode != nil {
		s.prompted, s.told, s.began = s.Mode(), s.Mode(), s.Mode()
	}
	s.screen.pushTitle()
	defer s.screen.popTitle()
	return s.loop(ctx)
}

// CommandError is how the last command ended, where there is no model and nobody has seen it.
type CommandError struct{ Status int }

func (e *CommandError) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

type chatUI struct {
	Options
	in        *input
	screen    *screen
	aside     []string    // what ! and /undo ran since the last prompt, for the next
	prompted  string      // the mode in the system prompt
	told      string      // the mode that the model was told of
	attached  attachments // to texts that are not sent yet
	files     fileList    // those that @ finds
	asked     *asking     // a question that is not answered yet; nil: none
	gone      bool        // nobody types any more
	turning   bool        // a turn runs
	began     string      // the mode at the start
	wanted    atomic.Pointer[string]
	switching sync.WaitGroup // changes of the mode
	local     sync.WaitGroup // slash commands that run during a turn
	unfocused bool
	status    int    // of the last command that was typed in the model's place
	seen      string // the command of a project that was shown last, and is used when it is typed again
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
		s.noteContext()
		s.refreshStatus(ctx)
		s.screen.setTitle("", filepath.Base(s.dir()))
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
		case errors.Is(err, io.EOF) && s.status != 0 && !s.in.terminal:
			return &CommandError{s.status}
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
		case errors.Is(err, ErrQuit):
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
	case keyEscape:
		if s.Conversation == nil {
			return nil
		}
		return s.runTurn(ctx, "/rewind")
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
	s.switching.Wait()
	prompt, typed, ok, err := s.runSlash(ctx, text)
	switch command, shell := strings.CutPrefix(text, "!"); {
	case err != nil || ok && prompt == "":
		return err
	case ok:
		err = s.sendPrompt(ctx, prompt, typed)
	case s.Conversation == nil && text == "help" && s.in.terminal: // bash's own says nothing of where one is
		return s.runTurn(ctx, "/help")
	case s.Conversation == nil:
		s.runTyped(ctx, text)
	case shell && s.in.terminal && strings.TrimSpace(command) != "":
		out := s.runTyped(ctx, command)
		s.aside = append(s.aside, "$ "+command+"\n"+out)
	default:
		text = strings.ReplaceAll(text, "\\\n", "\n")
		err = s.sendPrompt(ctx, text, text)
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

// sessionKey takes a key that is for the session and not for the text.
func (s *chatUI) sessionKey(ctx context.Context, k key) bool {
	switch k.name {
	case keyMode:
		s.cycleMode()
	case keyFocusIn, keyFocusOut:
		s.unfocused = k.name == keyFocusOut
	default:
		return false
	}
	s.refreshStatus(ctx)
	return true
}

// runTyped runs a command that was typed, and returns what a model sees of it.
func (s *chatUI) runTyped(ctx context.Context, command string) (out string) {
	live, ok := s.Runner.(chat.LiveRunner)
	status := 0
	s.runInterruptible(ctx, "running", func(ctx context.Context) {
		if !ok || !s.in.terminal {
			out, status = s.Runner.Run(ctx, command, chat.DefaultTimeout)
			return
		}
		w := &liveWriter{screen: s.screen, clean: onScreen()}
		out, status = live.RunLive(ctx, command, chat.DefaultTimeout, w, w)
		w.end(out)
	})
	if !ok || !s.in.terminal {
		s.screen.showTyped(out)
	}
	s.screen.mu.Lock()
	s.screen.keepOutput(command, out)
	s.screen.mu.Unlock()
	if s.Conversation == nil {
		s.status = status
	}
	if s.Conversation == nil && status == notFound && isProse(command) {
		s.screen.note("that reads as a question, and no model is here to answer it: /connect connects one")
	}
	return out
}

const notFound = 127 // the exit status of a command that there is not

// isProse reports whether a text is words alone: a question, or more of them than a mistyped
// command has.
func isProse(text string) bool {
	words := strings.Fields(strings.TrimRight(text, "?.! "))
	return (len(words) > 3 || strings.Contains(text, "?")) && !slices.ContainsFunc(words, func(w string) bool {
		return w[0] == '-' || strings.ContainsFunc(w, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("',.-", r) })
	})
}
