package network

import "context"

// question is one that a person is asked, for all connections that wait for it.
type question struct {
	waiting int // guarded by Proxy.mu
	cancel  context.CancelFunc
	done    chan struct{} // closed when the answer is there
	yes     bool
	err     error
}

// ask waits for a person's answer.
func (p *Proxy) ask(ctx context.Context, t target) (bool, error) {
	q := p.joinQuestion(t)
	defer p.leaveQuestion(t, q)
	select {
	case <-q.done:
		return q.yes, q.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (p *Proxy) joinQuestion(t target) *question {
	p.mu.Lock()
	q := p.asking[t]
	if q != nil {
		q.waiting++
		p.mu.Unlock()
		return q
	}
	ctx, cancel := context.WithCancel(p.life)
	q = &question{waiting: 1, cancel: cancel, done: make(chan struct{})}
	p.asking[t] = q
	p.mu.Unlock()
	run := func() {
		defer close(q.done)
		p.oneQuestion.Lock()
		defer p.oneQuestion.Unlock()
		if q.err = ctx.Err(); q.err == nil {
			q.yes, q.err = p.opts.Ask(ctx, t.host.String(), t.port)
		}
	}
	if !p.start(run) {
		q.err = context.Canceled
		close(q.done)
	}
	return q
}

// leaveQuestion takes a question back that nobody waits for any more.
func (p *Proxy) leaveQuestion(t target, q *question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		q.cancel()
		if p.asking[t] == q {
			delete(p.asking, t)
		}
	}
}
