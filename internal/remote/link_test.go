package remote

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/stretchr/testify/require"
)

// cutter breaks a connection after so many bytes.
type cutter struct {
	net.Conn
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if len(b) > c.left {
		n, _ := c.Conn.Write(b[:c.left])
		c.Conn.Close()
		return n, io.ErrClosedPipe
	}
	c.left -= len(b)
	return c.Conn.Write(b)
}

// connect returns the two ends of a connection that has buffers, as those of pipes have.
func connect(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	a, err = net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	b, err = l.Accept()
	require.NoError(t, err)
	return a, b
}

// TestLink sends messages both ways over connections that break at any byte: each arrives once,
// in order.
func TestLink(t *testing.T) {
	const messages = 3000
	ends := [2]*link{newLink("v"), newLink("v")}
	var got [2][]string
	var all sync.WaitGroup
	all.Add(2 * messages)
	for i, l := range ends {
		l.deliver = func(b []byte) {
			got[i] = append(got[i], string(b[:8]))
			all.Done()
		}
		go func() {
			for k := range messages {
				l.send([]byte(fmt.Sprintf("%08d%s", k, strings.Repeat("x", k%5000))))
			}
		}()
	}
	stop := make(chan struct{})
	var serving sync.WaitGroup
	random := rand.New(rand.NewPCG(3, 4))
	serving.Go(func() {
		for cuts := 0; ; cuts++ {
			select {
			case <-stop:
				require.Greater(t, cuts, 20)
				return
			default:
			}
			a, b := connect(t)
			left := [2]int{random.IntN(400_000), random.IntN(400_000)}
			var both sync.WaitGroup
			both.Go(func() { ends[0].serve(&cutter{a, left[0]}) })
			both.Go(func() { ends[1].serve(&cutter{b, left[1]}) })
			both.Wait()
		}
	})
	all.Wait()
	close(stop)
	for _, l := range ends {
		l.close(io.EOF)
	}
	serving.Wait()
	for _, list := range got {
		require.Len(t, list, messages)
		for k, text := range list {
			require.Equal(t, fmt.Sprintf("%08d", k), text)
		}
	}
}

// TestLinkRefuses has the other end speak another protocol.
func TestLinkRefuses(t *testing.T) {
	frame := func(kind byte, number uint64, data string) []byte {
		return appendFrame(nil, kind, number, 0, []byte(data))
	}
	hi := frame(helloFrame, 0, `{"protocol":1,"version":"v"}`)
	for name, sent := range map[string][]byte{
		"another version":  frame(helloFrame, 0, `{"protocol":1,"version":"w"}`),
		"another protocol": frame(helloFrame, 0, `{"protocol":2,"version":"v"}`),
		"no hello":         frame(messageFrame, 1, `{}`),
		"unknown frame":    append(hi, frame(9, 1, "")...),
		"a gap":            append(hi, frame(messageFrame, 2, `{}`)...),
		"too long":         append(hi, binary.BigEndian.AppendUint32(nil, maxFrame+1)...),
		"unknown ack":      append(hi, appendFrame(nil, ackFrame, 0, 7, nil)...),
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			go io.Copy(io.Discard, b)
			go func() {
				b.Write(append(sent, make([]byte, frameHead)...))
			}()
			l := newLink("v")
			l.deliver = func([]byte) {}
			require.ErrorIs(t, l.serve(a), errProtocol)
		})
	}
}

// TestPeerRefusesUnknownRequests answers them with an error, and goes on.
func TestPeerRefusesUnknownRequests(t *testing.T) {
	near, far := newPeer("v", nil), newPeer("v", map[string]handler{
		"slow": func(ctx context.Context, _ *request) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
		"echo": func(ctx context.Context, r *request) (any, error) {
			_, err := io.Copy(r.output(1), r.stdin(ctx))
			return "end", err
		}})
	a, b := connect(t)
	var serving sync.WaitGroup
	serving.Go(func() { near.serve(a) })
	serving.Go(func() { far.serve(b) })
	ctx := context.Background()
	require.ErrorContains(t, near.request(ctx, "nope", nil, nil, streams{}), `"nope" is no request`)
	var out strings.Builder
	var reply string
	text := strings.Repeat("0123456789", 100_000)
	require.NoError(t, near.request(ctx, "echo", nil, &reply, streams{in: strings.NewReader(text), out: &out}))
	require.Equal(t, text, out.String())
	require.Equal(t, "end", reply)
	stopped, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	require.ErrorContains(t, near.request(stopped, "slow", nil, nil, streams{}), "canceled")
	near.close(io.EOF)
	require.ErrorIs(t, near.request(ctx, "echo", nil, nil, streams{}), io.EOF)
	serving.Wait()
	far.close(io.EOF)
}

// TestUnreadOutputHoldsNothingUp has a request whose output nobody reads for now: another is answered.
func TestUnreadOutputHoldsNothingUp(t *testing.T) {
	const pieces = 3 * maxUnread / minPiece
	near, far := newPeer("v", nil), newPeer("v", map[string]handler{
		"flood": func(_ context.Context, r *request) (any, error) {
			for range pieces {
				if _, err := r.output(1).Write([]byte("x")); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
		"ping": func(context.Context, *request) (any, error) { return "pong", nil }})
	a, b := connect(t)
	var serving sync.WaitGroup
	serving.Go(func() { near.serve(a) })
	serving.Go(func() { far.serve(b) })
	out, in := io.Pipe()
	serving.Go(func() {
		err := near.request(context.Background(), "flood", nil, nil, streams{out: in})
		in.CloseWithError(err)
	})
	full := func() bool {
		far.mu.Lock()
		defer far.mu.Unlock()
		for _, r := range far.serving {
			return r.unread == maxUnread
		}
		return false
	}
	require.Eventually(t, full, time.Minute, time.Millisecond)
	var reply string
	require.NoError(t, near.request(context.Background(), "ping", nil, &reply, streams{}))
	require.Equal(t, "pong", reply)
	got, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Len(t, got, pieces)
	near.close(io.EOF)
	far.close(io.EOF)
	serving.Wait()
}

// TestTooMuchOutput has the other end send more than may wait.
func TestTooMuchOutput(t *testing.T) {
	near, far := newPeer("v", nil), newPeer("v", map[string]handler{"flood": func(ctx context.Context, r *request) (any, error) {
		for ctx.Err() == nil && r.peer.post(message{Kind: outputKind, ID: r.id, Stream: 1, Bytes: make([]byte, maxPiece)}) == nil {
		}
		return nil, nil
	}})
	a, b := connect(t)
	var serving sync.WaitGroup
	serving.Go(func() { near.serve(a) })
	serving.Go(func() { far.serve(b) })
	out, in := io.Pipe()
	defer out.Close()
	got := make(chan error)
	go func() { got <- near.request(context.Background(), "flood", nil, nil, streams{out: in}) }()
	<-near.ctx.Done()
	out.Close()
	require.ErrorIs(t, <-got, errProtocol)
	far.close(io.EOF)
	serving.Wait()
}

// TestLostLinkIsNoYes has a session ask and record while nobody is at the other end any more.
func TestLostLinkIsNoYes(t *testing.T) {
	h := newHost("v", t.TempDir())
	asked := make(chan error, 2)
	e := &guard.Entry{Plan: router.PlanNative("touch x")}
	go func() {
		got, err := h.Approve(context.Background(), e)
		if got.Yes {
			err = nil
		}
		asked <- err
	}()
	go func() {
		_, err := h.Intent(e)
		asked <- err
	}()
	h.peer.close(io.EOF)
	require.Error(t, <-asked)
	require.Error(t, <-asked)
}
