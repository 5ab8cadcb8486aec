package remote

import (
	"context"
	"encoding/json"
	"errors"
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
}

// The kinds of messages that are no requests, and the one request that every end answers.
const (
	replyKind  = "reply"
	cancelKind = "cancel"
	outputKind = "output" // what a request writes, to its sender
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

// request is one that came.
type request struct {
	peer *peer
	id   uint64
	data json.RawMessage
}

// peer sends requests over a link and answers those that come.
type peer struct {
	*link
	handlers map[string]handler

	mu      sync.Mutex // guards what follows
	next    uint64
	sent    map[uint64]*sentRequest
	serving map[uint64]context.CancelFunc
	ctx     context.Context // of all that is served
	end     context.CancelFunc
}

type sentRequest struct {
	streams streams
	came    chan message // output, and then the reply
	over    chan struct{}
}

// maxCame is how many pieces of a request's output may wait for a slow reader, before all that
// comes over the link has to: a command of a pipeline can end before the next reads.
const maxCame = 4096

func newPeer(version string, handlers map[string]handler) *peer {
	p := &peer{link: newLink(version), handlers: handlers, sent: map[uint64]*sentRequest{}, serving: map[uint64]context.CancelFunc{}}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.deliver = p.receive
	return p
}

// close ends all requests, in both directions.
func (p *peer) close(err error) {
	p.link.close(err)
	p.end()
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
	r := &sentRequest{streams: s, came: make(chan message, 1), over: make(chan struct{})}
	if s.out != nil {
		r.came = make(chan message, maxCame)
	}
	p.mu.Lock()
	p.next++
	id := p.next
	p.sent[id] = r
	p.mu.Unlock()
	defer close(r.over)
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
	done, late := ctx.Done(), (<-chan time.Time)(nil)
	for m.Kind != replyKind {
		select {
		case m = <-r.came:
			if w := [...]io.Writer{nil, s.out, s.err}[m.Stream]; w != nil {
				if _, err := w.Write(m.Bytes); err != nil {
					stop() // nobody reads it
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
	return json.Unmarshal(m.Data, reply)
}

// receive takes a message that came.
func (p *peer) receive(data []byte) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		p.close(fmt.Errorf("%w: %v", errProtocol, err))
		return
	}
	p.mu.Lock()
	sent, cancel := p.sent[m.ID], p.serving[m.ID]
	p.mu.Unlock()
	switch m.Kind {
	case replyKind, outputKind:
		if sent != nil && m.Stream >= 0 && m.Stream <= 2 {
			select {
			case sent.came <- m:
			case <-sent.over:
			case <-p.ctx.Done():
			}
		}
	case cancelKind:
		if cancel != nil {
			cancel()
		}
	case inputKind:
		go p.giveInput(m)
	default:
		p.answer(m)
	}
}

// answer has a request handled.
func (p *peer) answer(m message) {
	h := p.handlers[m.Kind]
	if h == nil {
		go p.post(message{Kind: replyKind, ID: m.ID, Error: fmt.Sprintf("%q is no request that is understood here", m.Kind)})
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.mu.Lock()
	p.serving[m.ID] = cancel
	p.mu.Unlock()
	go func() {
		defer cancel()
		reply := message{Kind: replyKind, ID: m.ID}
		got, err := h(ctx, &request{p, m.ID, m.Data})
		if err == nil {
			reply.Data, err = json.Marshal(got)
		}
		if err != nil {
			reply.Error = err.Error()
		}
		p.mu.Lock()
		delete(p.serving, m.ID)
		p.mu.Unlock()
		p.post(reply)
	}()
}

// maxPiece is how much of a stream one message carries.
const maxPiece = 64 << 10

// giveInput answers a request for the stdin of a request.
func (p *peer) giveInput(m message) {
	var of inputRequest
	reply, got := message{Kind: replyKind, ID: m.ID}, inputReply{End: true}
	json.Unmarshal(m.Data, &of) // 0 is no request
	p.mu.Lock()
	sent := p.sent[of.Of]
	p.mu.Unlock()
	if sent != nil && sent.streams.in != nil {
		b := make([]byte, maxPiece)
		n, err := sent.streams.in.Read(b)
		got = inputReply{b[:n], err != nil}
		if err != nil && err != io.EOF {
			reply.Error = err.Error()
		}
	}
	reply.Data, _ = json.Marshal(got) // it is JSON
	p.post(reply)
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
		piece := b[n:min(n+maxPiece, len(b))]
		if err := o.r.peer.post(message{Kind: outputKind, ID: o.r.id, Stream: o.stream, Bytes: piece}); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// decode reads a request's arguments.
func (r *request) decode(into any) error {
	if err := json.Unmarshal(r.data, into); err != nil {
		return errors.New("its arguments are not understood: " + err.Error())
	}
	return nil
}
