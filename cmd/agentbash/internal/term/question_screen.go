package term

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/safetext"
)

// unfinishedTime is as settleTime, where a text is being typed.
const unfinishedTime = 3 * settleTime

// asking is a question on the screen of a session. Keys answer it only when
// nothing has been typed for a while: what is on its way was meant for something
// else. A nil *asking is none.
type asking struct {
	*pending
	text   buffer    // of the answer
	at     int       // of a list, what Enter takes
	quiet  time.Time // since then nothing was typed
	middle bool      // of a text that is typed ahead
	ready  bool      // keys answer

	stop func() // ends the wait for a line, where nothing is edited
}

// over is closed when nobody waits for the answer any more.
func (a *asking) over() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.ctx.Done()
}

// done is closed when the answer is there.
func (a *asking) done() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.settled
}

// answers reports whether a key belongs to the question.
func (a *asking) answers(k key) bool {
	return a != nil && a.ready && k.name != keyEscape && k.name != keyInterrupt && k.name != keySuspend
}

// typedAhead tells that a key was not for the question.
func (a *asking) typedAhead(middle bool) {
	if a != nil {
		a.quiet, a.middle = time.Now(), middle
	}
}

// questions are taken one at a time.
func (s *chatUI) questions() <-chan *pending {
	if s.asked != nil {
		return nil
	}
	return s.in.questions
}

// showQuestion takes a question and shows it.
func (s *chatUI) showQuestion(p *pending) {
	if s.gone {
		p.endWait(Reply{}, ErrNobody)
	}
	if p.over() {
		return
	}
	s.asked = &asking{pending: p, quiet: time.Now(), middle: s.in.edit != nil && s.in.edit.text.text != ""}
	s.asked.ready = p.q.Items != nil || p.q.Secret // the person asked for it, and no other text may take a secret
	if s.in.edit == nil {
		return // it is shown when its line is asked for
	}
	b := block{s.screen.look, s.screen.width()}
	s.screen.mu.Lock()
	s.screen.question = cleanText(p.q.Text)
	s.screen.mu.Unlock()
	s.screen.rows(append(b.title(p.q), b.text(p.q, false, "Ctrl-O")...), 0)
	s.screen.setTitle("?", filepath.Base(s.dir()))
	s.notify("agentbash asks: " + p.q.Title)
}

// untilAnswered lets the person answer at the prompt.
func (s *chatUI) untilAnswered(ctx context.Context) {
	for s.asked != nil {
		p := s.asked.pending
		s.runInterruptible(ctx, "", func(ctx context.Context) {
			select {
			case <-p.settled:
			case <-p.ctx.Done():
			case <-ctx.Done():
			}
		})
		if p.over() || ctx.Err() != nil {
			s.dismissQuestion(ErrNoAnswer)
		}
	}
}

// resumeAsking shows what is to be answered, if anything.
func (s *chatUI) resumeAsking() {
	switch {
	case s.asked == nil:
	case s.in.edit == nil:
		s.askInLines()
	default:
		s.screen.typing(s.in.edit.text.text, s.in.queue)
		s.showAnswer()
	}
}

// pauseAsking is for the time between two turns: the question stays.
func (s *chatUI) pauseAsking() {
	if s.asked != nil && s.asked.stop != nil {
		s.asked.stop()
	}
}

// askInLines asks on a terminal where nothing is edited.
func (s *chatUI) askInLines() {
	p := s.asked.pending
	ctx, cancel := context.WithCancelCause(p.ctx)
	l := &lineAsker{fd: s.in.tty.fd, out: s.screen.asWriter(), size: s.screen.size, look: s.screen.look}
	l.ahead = func(lines []string) { s.in.lines.queue = append(s.in.lines.queue, lines...) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r, err := l.ask(ctx, p.q); context.Cause(ctx) != errPaused {
			p.endWait(r, err)
		}
	}()
	s.asked.stop = func() {
		cancel(errPaused)
		<-done
	}
}

// dismissQuestion ends the question without an answer, if there is one.
func (s *chatUI) dismissQuestion(err error) {
	if s.asked == nil {
		return
	}
	if s.asked.stop != nil {
		s.asked.stop()
	}
	s.asked.endWait(Reply{}, err)
	s.asked = nil
	s.screen.answering(nil, "", nil)
}

// allowAnswers lets keys answer when the person has paused.
func (s *chatUI) allowAnswers() {
	a := s.asked
	if a == nil || a.ready {
		return
	}
	wait := settleTime * time.Millisecond
	if a.middle {
		wait = unfinishedTime * time.Millisecond
	}
	if a.ready = time.Since(a.quiet) >= wait; a.ready {
		s.showAnswer()
	}
}

func (s *chatUI) showAnswer() {
	text := ""
	if s.asked.ready {
		typed := strings.ReplaceAll(safetext.Line(s.asked.text.text), `\n`, " ")
		if s.asked.q.Secret {
			typed = strings.Repeat("*", len([]rune(typed)))
		}
		text = s.asked.prompt() + typed
	}
	var list func(width, height int) []string
	if s.asked.q.Items != nil {
		list = s.asked.pickRows(s.screen.look)
	}
	s.screen.answering(s.asked.q, text, list)
}

// answerKey takes a key of the answer.
func (s *chatUI) answerKey(k key) {
	a := s.asked
	wantsText := a.choice != nil || len(a.q.Choices) == 0 || a.q.Free
	var reply *Reply
	var problem string
	switch {
	case a.q.Items != nil:
		reply = a.pickKey(k)
	case k.name == keyOutput:
		s.screen.rows(block{s.screen.look, s.screen.width()}.text(a.q, true, ""), 0)
	case k.name == keyEnter:
		if reply, problem = a.take(a.text.text); reply == nil {
			a.text.start()
		}
	case k.name == keyPaste && !wantsText: // nobody says yes by pasting
	case k.name == keyBackspace && a.text.text == "":
		a.choice = nil
	case k.name == "" && a.text.text == "" && utf8.RuneCountInString(k.text) == 1 && a.immediate(k.text) != nil:
		reply = a.choose(a.immediate(k.text))
	default:
		a.text.press(k)
	}
	if problem != "" {
		s.screen.note(problem)
	}
	if reply == nil {
		s.showAnswer()
		return
	}
	s.asked = nil
	s.screen.answering(nil, "", nil)
	var rows []string
	for _, r := range (block{}).wrap(a.said(*reply), nil, 0, s.screen.width()-5) {
		rows = append(rows, "    "+r.text)
	}
	s.screen.rows(rows, dim)
	a.endWait(*reply, nil)
}
