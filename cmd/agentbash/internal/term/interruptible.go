package term

import (
	"context"
	"time"
)

// runInterruptible runs f while the person can stop it, which ends its context, can type
// ahead, and can be asked.
func (s *chatUI) runInterruptible(ctx context.Context, label string, f func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.drainInterrupts()
	s.screen.startLive(label)
	defer s.screen.stopLive()
	defer s.local.Wait()
	s.resumeAsking()
	defer s.pauseAsking()
	var keys <-chan key
	var ticks <-chan time.Time
	var ended <-chan error
	if s.in.edit != nil {
		keys, ended = s.in.keys.keys, s.in.keys.ended
		ticker := time.NewTicker(2 * frameTime)
		defer ticker.Stop()
		ticks = ticker.C
	}
	stop := func() {
		cancel() // first: who asked must not take the silence for a no and go on
		s.dismissQuestion(ErrNoAnswer)
	}
	done := s.runGuarded(ctx, f)
	for {
		select {
		case <-done:
			return
		case <-s.Interrupt:
			stop()
		case p := <-s.questions():
			s.showQuestion(p)
			s.resumeAsking()
		case <-s.in.news:
			s.tellNews()
		case <-s.asked.done():
			s.dismissQuestion(nil)
		case <-s.asked.over():
			s.dismissQuestion(ErrNoAnswer)
		case err := <-ended:
			s.in.keys.ended <- err // for the prompt
			ended, s.gone = nil, true
			s.dismissQuestion(ErrNobody)
		case k := <-keys:
			if s.handlePressed(ctx, k) {
				stop()
			}
		case <-ticks:
			s.allowAnswers()
			s.refreshStatus(ctx)
			s.screen.tick()
		}
	}
}

func (s *chatUI) drainInterrupts() {
	for {
		select { // an interrupt from before is not meant for what begins
		case <-s.Interrupt:
		default:
			return
		}
	}
}

// runGuarded runs f in a goroutine.
func (s *chatUI) runGuarded(ctx context.Context, f func(context.Context)) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		whole := false
		defer func() {
			if !whole {
				s.in.restore() // a panic: its text must be readable, and the terminal usable
			}
			close(done)
		}()
		f(ctx)
		whole = true
	}()
	return done
}

// handlePressed takes a key while something runs. stop: it is to end.
func (s *chatUI) handlePressed(ctx context.Context, k key) (stop bool) {
	switch {
	case s.sessionKey(ctx, k):
		return false
	case k.name == keySuspend:
		s.screen.hideLive(true)
		if err := s.suspendProgram(); err != nil {
			s.screen.note(err.Error())
		}
		s.screen.hideLive(false)
		return false
	case s.asked.answers(k):
		s.answerKey(k)
		return false
	}
	if k.name == keyOutput {
		s.screen.toggleTail()
		return false
	}
	k, note := s.in.attaches(k)
	if note != "" {
		s.screen.note(note)
	}
	stop = s.in.typeAhead(k)
	s.asked.typedAhead(s.in.edit.text.text != "")
	s.screen.typing(s.in.edit.text.text, s.in.queue)
	return stop
}
