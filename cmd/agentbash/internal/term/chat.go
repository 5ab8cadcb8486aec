package term

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/chat"
)

// Options are a session's streams and what sits behind it.
type Options struct {
	In       io.Reader // an *os.File that is a terminal is edited on
	Out, Err io.Writer // see the package's documentation

	// Conversation is who answers. When it is nil, the person is in the model's
	// place, and Runner runs what is typed.
	Conversation *chat.Conversation
	Runner       chat.Runner

	// Interrupt gets the signal of Ctrl-C. During a turn it cancels the turn; at
	// the prompt twice in a row it ends the session. nil: never.
	Interrupt <-chan os.Signal

	// Incomplete reports that a text is only the beginning of a command, so that
	// another line is read. nil: only a backslash at the end asks for one.
	Incomplete func(text string) bool

	Info  Info
	Plain bool // no line editor (TERM=dumb, screen readers): the terminal's own
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
	s := &session{Options: *o, in: newInput(o)}
	defer s.in.close()
	s.screen = newScreen(o, s.in.width)
	if s.Conversation != nil {
		s.Conversation.OnEvent(s.screen.event)
	}
	s.screen.banner(o, s.in.terminal)
	return s.loop(ctx)
}

type session struct {
	Options
	in     *input
	screen *screen
}

func (s *session) loop(ctx context.Context) error {
	armed := false // Ctrl-C came last
	for {
		text, err := s.in.next(ctx, s.prompt(), s.Interrupt)
		switch {
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
		if err := s.turn(ctx, text); err != nil {
			return err
		}
	}
}

func (s *session) prompt() string {
	if s.Conversation == nil {
		return "$ "
	}
	return "> "
}

// turn answers one text. An error ends the session.
func (s *session) turn(ctx context.Context, text string) error {
	var err error
	s.cancellable(ctx, func(ctx context.Context) {
		if s.Conversation == nil {
			out, _ := s.Runner.Run(ctx, text, chat.DefaultTimeout)
			s.screen.output(out)
			return
		}
		s.screen.begin()
		_, err = s.Conversation.Turn(ctx, strings.ReplaceAll(text, "\\\n", "\n"))
		s.screen.end()
	})
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

// cancellable runs f with a context that ends at an interrupt.
func (s *session) cancellable(ctx context.Context, f func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for drained := false; !drained; {
		select { // an interrupt from before the turn is not meant for it
		case <-s.Interrupt:
		default:
			drained = true
		}
	}
	done, joined := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(joined)
		for {
			select {
			case <-s.Interrupt:
				cancel()
			case <-done:
				return
			}
		}
	}()
	f(ctx)
	close(done)
	<-joined
}
