package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/safetext"
)

// message is a request, or what belongs to one.
type message struct {
	Kind   string          `json:"kind"` // of a request its own word, or one of those below
	ID     uint64          `json:"id"`   // of the request, which its sender counts
	Data   json.RawMessage `json:"data,omitempty"`
	Error  string          `json:"error,omitempty"`
	Stream int             `json:"stream,omitempty"` // 1 or 2
	Bytes  []byte          `json:"bytes,omitempty"`
	Taken  int             `json:"taken,omitempty"`
}

// The kinds of messages that are no requests, and the one request that every end answers.
const (
	replyKind  = "reply"
	cancelKind = "cancel"
	outputKind = "output" // what a request writes, to its sender
	takenKind  = "taken"  // how much of it was read: so much more may come
	inputKind  = "input"  // asks the sender of a request for its stdin
)

type inputRequest struct {
	Of uint64 `json:"of"`
}

type inputReply struct {
	Bytes []byte `json:"bytes"`
	End   bool   `json:"end"`
}

// streams are what a request may read and write where it was sent.
type streams struct {
	in       io.Reader // nil: nothing
	out, err io.Writer
}

// handler answers requests of a kind. What it returns is the reply.
type handler func(ctx context.Context, r *request) (any, error)

// answering makes a handler of a function that takes a request's arguments.
func answering[A any](answer func(ctx context.Context, r *request, args A) (any, error)) handler {
	return func(ctx context.Context, r *request) (any, error) {
		var args A
		if err := decode(r.data, &args); err != nil {
			return nil, fmt.Errorf("its arguments are not understood: %w", err)
		}
		return answer(ctx, r, args)
	}
}

// decode reads JSON whose numbers stay as they were written.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// request is one that came.
type request struct {
	peer   *peer
	id     uint64
	data   json.RawMessage
	cancel context.CancelFunc
	unread int  // of its output; peer.mu guards it
	over   bool // it was answered
}

// peer sends requests over a link and answers those that come.
type peer struct {
	*link
	handlers map[string]handler

	mu      sync.Mutex // guards what follows
	next    uint64
	sent    map[uint64]*sentRequest
	serving map[uint64]*request
	taken   sync.Cond       // output was read, or nobody will
	ctx     context.Context // of all that is served
	end     context.CancelFunc
}

type sentRequest struct {
	streams streams
	came    []message     // output, and then the reply; peer.mu guards it
	more    chan struct{} // has one when something came
	unread  int           // of the output that came
}

// Output that nobody has read yet waits at both ends, up to so much of each request; its
// writer waits then, and nothing else that uses the link.
const (
	maxUnread = 2 << 20
	minPiece  = 1 << 10 // what a piece counts at least
)

// size is what a piece of output counts.
func (m message) size() int { return max(len(m.Bytes), minPiece) }

func newPeer(version string, handlers map[string]handler) *peer {
	p := &peer{link: newLink(version), handlers: handlers, sent: map[uint64]*sentRequest{}, serving: map[uint64]*request{}}
	p.taken.L = &p.mu
	p.ctx, p.end = context.WithCancel(context.Background())
	p.deliver = p.receive
	return p
}

// close ends all requests, in both directions.
func (p *peer) close(err error) {
	p.link.close(err)
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken.Broadcast()
}

func (p *peer) post(m message) error {
	data, err := json.Marshal(m)
	switch {
	case err != nil:
		return err
	case len(data) > maxFrame-frameHead:
		return fmt.Errorf("%d MB are too much for one message between the machines: pass it through a file or a pipe", len(data)>>20)
	}
	return p.send(data)
}

// stopTime is how long a request that was cancelled may take to say what came of it.
const stopTime = 10 * time.Second

// remoteError is an error that the other end told.
type remoteError struct{ text string }

func (e *remoteError) Error() string { return e.text }

// request sends one and waits for the reply. A cancelled context cancels it there.
func (p *peer) request(ctx context.Context, kind string, args, reply any, s streams) error {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	r := &sentRequest{streams: s, more: make(chan struct{}, 1)}
	p.mu.Lock()
	p.next++
	id := p.next
	p.sent[id] = r
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.sent, id)
		p.mu.Unlock()
	}()
	if err := p.post(message{Kind: kind, ID: id, Data: data}); err != nil {
		return err
	}
	var m message
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done, late, taken := ctx.Done(), (<-chan time.Time)(nil), 0
	for m.Kind != replyKind {
		select {
		case <-r.more:
			for _, m = range p.takeOutput(r) {
				if w := [...]io.Writer{nil, s.out, s.err}[m.Stream]; w != nil {
					if _, err := w.Write(m.Bytes); err != nil {
						stop() // nobody reads it
					}
				}
				if taken += m.size(); taken >= maxUnread/4 {
					p.tellTaken(r, id, taken)
					taken = 0
				}
			}
		case <-done:
			done, late = nil, time.After(stopTime)
			go p.post(message{Kind: cancelKind, ID: id}) // it waits where the connection is broken
		case <-late:
			return ctx.Err()
		case <-p.ctx.Done():
			p.link.mu.Lock()
			defer p.link.mu.Unlock()
			return p.link.err
		}
	}
	switch {
	case m.Error != "":
		return &remoteError{safetext.Visible(m.Error)}
	case reply == nil:
		return nil
	}
	return decode(m.Data, reply)
}

// takeOutput is what came for a request that was not looked at yet.
func (p *peer) takeOutput(r *sentRequest) (came []message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	came, r.came = r.came, nil
	return came
}

// tellTaken says that so much of a request's output was read.
func (p *peer) tellTaken(r *sentRequest, id uint64, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.unread -= size
	go p.post(message{Kind: takenKind, ID: id, Taken: size}) // it waits where the connection is broken
}

// receive takes a message that came, and waits for nobody: what comes after it is no less urgent.
func (p *peer) receive(data []byte) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		p.close(fmt.Errorf("%w: %v", errProtocol, err))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sent, served := p.sent[m.ID], p.serving[m.ID]
	switch m.Kind {
	case replyKind, outputKind:
		switch {
		case sent == nil && m.Kind == outputKind: // who asked for it has given up
			go p.post(message{Kind: takenKind, ID: m.ID, Taken: m.size()})
			return
		case sent == nil || m.Stream < 0 || m.Stream > 2:
			return
		}
		if sent.unread += m.size(); sent.unread > maxUnread+2*minPiece { // it, and the reply
			go p.close(fmt.Errorf("%w: more output than may wait", errProtocol))
			return
		}
		sent.came = append(sent.came, m)
		select {
		case sent.more <- struct{}{}:
		default:
		}
	case takenKind:
		if served != nil {
			served.unread -= m.Taken
			p.taken.Broadcast()
		}
	case cancelKind:
		if served != nil {
			served.cancel()
		}
	default:
		p.answer(m)
	}
}

// answer has a request handled; p.mu is held.
func (p *peer) answer(m message) {
	ctx, cancel := context.WithCancel(p.ctx)
	r := &request{peer: p, id: m.ID, data: m.Data, cancel: cancel}
	h := p.handlers[m.Kind]
	switch {
	case m.Kind == inputKind:
		h = answering(p.giveInput)
	case h == nil:
		h = func(context.Context, *request) (any, error) {
			return nil, fmt.Errorf("%q is no request that is understood here", m.Kind)
		}
	}
	p.serving[m.ID] = r
	go func() {
		defer cancel()
		reply := message{Kind: replyKind, ID: m.ID}
		got, err := h(ctx, r)
		if err == nil {
			reply.Data, err = json.Marshal(got)
		}
		if err != nil {
			reply.Error = err.Error()
		}
		p.mu.Lock()
		delete(p.serving, m.ID)
		r.over = true
		p.taken.Broadcast()
		p.mu.Unlock()
		p.post(reply)
	}()
}

// maxPiece is how much of a stream one message carries.
const maxPiece = 64 << 10

// giveInput reads the stdin of a request that was sent.
func (p *peer) giveInput(_ context.Context, _ *request, of inputRequest) (any, error) {
	p.mu.Lock()
	sent := p.sent[of.Of]
	p.mu.Unlock()
	if sent == nil || sent.streams.in == nil {
		return inputReply{End: true}, nil
	}
	b := make([]byte, maxPiece)
	n, err := sent.streams.in.Read(b)
	if err == io.EOF {
		return inputReply{b[:n], true}, nil
	}
	return inputReply{b[:n], false}, err
}

// stdin reads what the sender of a request has.
func (r *request) stdin(ctx context.Context) io.Reader { return &remoteInput{ctx: ctx, r: r} }

type remoteInput struct {
	ctx  context.Context
	r    *request
	rest []byte
	end  error
}

func (i *remoteInput) Read(b []byte) (int, error) {
	for len(i.rest) == 0 {
		if i.end != nil {
			return 0, i.end
		}
		var got inputReply
		if err := i.r.peer.request(i.ctx, inputKind, inputRequest{i.r.id}, &got, streams{}); err != nil {
			return 0, err
		}
		if i.rest = got.Bytes; got.End {
			i.end = io.EOF
		}
	}
	n := copy(b, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// output writes to the sender of a request: stream 1 or 2.
func (r *request) output(stream int) io.Writer { return &remoteOutput{r, stream} }

type remoteOutput struct {
	r      *request
	stream int
}

func (o *remoteOutput) Write(b []byte) (n int, err error) {
	for n < len(b) {
		m := message{Kind: outputKind, ID: o.r.id, Stream: o.stream, Bytes: b[n:min(n+maxPiece, len(b))]}
		if err := o.r.awaitReader(m.size()); err != nil {
			return n, err
		}
		if err := o.r.peer.post(m); err != nil {
			return n, err
		}
		n += len(m.Bytes)
	}
	return n, nil
}

// awaitReader waits until so much more output may be sent.
func (r *request) awaitReader(size int) error {
	p := r.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	for r.unread+size > maxUnread && !r.over && p.ctx.Err() == nil {
		p.taken.Wait()
	}
	if r.over || p.ctx.Err() != nil {
		return io.ErrClosedPipe
	}
	r.unread += size
	return nil
}
