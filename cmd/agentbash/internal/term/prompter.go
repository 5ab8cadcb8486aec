package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/safetext"
)

// AskerOptions say how questions look. Nil options are a plain terminal.
type AskerOptions struct {
	Plain bool // no styles
	Color bool // colours may be used
}

// Prompter asks the person at a terminal, in lines. While a session of [Chat]
// has the terminal, the session asks for it: at its prompt and while a turn
// runs, with what was typed ahead kept apart. It is safe for concurrent use.
type Prompter struct {
	lines *lineAsker // nil: there is nobody
	err   io.Writer

	turn     chan struct{} // holds a token while somebody has the terminal
	requests chan *pending // for the session that has it
	news     chan struct{} // holds a token while there is something to tell

	mu     sync.Mutex
	bound  bool     // a session has the terminal
	told   []string // for it to show
	waited time.Duration
}

var _ Asker = (*Prompter)(nil)

// NewAsker returns who asks at a terminal. Where in or err is no terminal,
// every question is answered with [ErrNobody]. It starts nothing.
func NewAsker(in *os.File, err io.Writer, o *AskerOptions) *Prompter {
	if o == nil {
		o = &AskerOptions{Plain: true}
	}
	p := &Prompter{err: err, turn: make(chan struct{}, 1), requests: make(chan *pending), news: make(chan struct{}, 1)}
	if in != nil && isTerminal(in) && isTerminal(err) {
		tty := &terminal{fd: int(in.Fd())}
		p.lines = &lineAsker{fd: tty.fd, out: err, size: tty.size, look: newPalette(!o.Plain, o.Color && !o.Plain, "")}
	}
	return p
}

// Ask puts a question. The error is [ErrNobody], [ErrNoAnswer] or the cause of
// ctx's end.
func (p *Prompter) Ask(ctx context.Context, q *Question) (Reply, error) {
	if p == nil || p.lines == nil {
		return Reply{}, ErrNobody
	}
	if ctx.Err() != nil {
		return Reply{}, context.Cause(ctx)
	}
	start := time.Now()
	defer func() {
		p.mu.Lock()
		p.waited += time.Since(start)
		p.mu.Unlock()
	}()
	one := newPending(ctx, q)
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
		return p.lines.ask(ctx, q)
	case p.requests <- one:
		select {
		case <-one.settled:
			return one.reply, one.err
		case <-ctx.Done():
			return Reply{}, context.Cause(ctx)
		}
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	}
}

// Waited is how long questions have waited for their answers, all together.
func (p *Prompter) Waited() time.Duration {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}

// Present reports whether anybody can be asked.
func (p *Prompter) Present() bool { return p != nil && p.lines != nil }

// Tell shows a text, made visible, without an answer. It never waits: while a
// session has the terminal, the session shows it when it next can.
func (p *Prompter) Tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.bound {
		fmt.Fprintln(p.err, safetext.Visible(text))
		return
	}
	p.told = append(p.told, text)
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// takeNews takes what there is to tell.
func (p *Prompter) takeNews() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := p.told
	p.told = nil
	return told
}

// bindSession gives the terminal to a session, until the returned function is called.
func (p *Prompter) bindSession(ctx context.Context) (release func()) {
	if !p.Present() {
		return func() {}
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	p.mu.Lock()
	p.bound = true
	p.mu.Unlock()
	return func() {
		p.mu.Lock()
		p.bound = false
		p.mu.Unlock()
		for _, text := range p.takeNews() {
			p.Tell(text)
		}
		<-p.turn
	}
}

// pending is a question that waits for its answer.
type pending struct {
	ctx context.Context // of whoever asks
	answering

	once    sync.Once
	settled chan struct{} // closed when reply and err are there
	reply   Reply
	err     error
}

func newPending(ctx context.Context, q *Question) *pending {
	return &pending{ctx: ctx, answering: answering{q: q}, settled: make(chan struct{})}
}

// endWait ends the wait; the first one counts.
func (p *pending) endWait(r Reply, err error) {
	p.once.Do(func() {
		p.reply, p.err = r, err
		close(p.settled)
	})
}

// over reports whether nobody waits for it any more.
func (p *pending) over() bool {
	select {
	case <-p.settled:
		return true
	case <-p.ctx.Done():
		return true
	default:
		return false
	}
}
