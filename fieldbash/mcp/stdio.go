package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxMessage = 64 << 20 // bytes of one JSON-RPC message; results of 16 MB are real

	methodDiscover   = "server/discover" // MCP revision 2026-07-28
	methodInitialize = "initialize"      // those before it
)

// errTooLong ends a connection whose server sends a line without an end.
var errTooLong = fmt.Errorf("a message is longer than %d MB", maxMessage>>20)

// sentKey is the context key of an *atomic.Bool that is set as soon as a byte
// of the request may have reached the server.
type sentKey struct{}

func markSent(ctx context.Context) {
	if sent, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		sent.Store(true)
	}
}

// stdioTransport hands the SDK a connection to a running process.
type stdioTransport struct {
	proc         *process
	discoverWait time.Duration // how long server/discover may stay unanswered
	noted        func()        // called for each note that arrives
	conn         *stdioConn    // set by Connect
}

func (t *stdioTransport) Connect(context.Context) (sdk.Connection, error) {
	c := &stdioConn{
		proc: t.proc, discoverWait: t.discoverWait, noted: t.noted,
		incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	t.conn = c
	go c.readLoop()
	return c, nil
}

// stdioConn is newline-delimited JSON-RPC over a process's pipes.
type stdioConn struct {
	proc         *process
	discoverWait time.Duration
	noted        func()

	incoming chan jsonrpc.Message
	ended    chan struct{} // closed by readLoop after it set readErr
	readErr  error
	itself   bool        // it was not we who ended the connection
	died     atomic.Bool // a write met a server that had ended

	closeOnce sync.Once
	closed    chan struct{}

	writeMu sync.Mutex

	mu         sync.Mutex
	discover   jsonrpc.ID // the request in flight, if it is one
	timer      *time.Timer
	abandoned  map[any]bool // requests answered by us; a late answer is dropped
	silent     bool         // discover was abandoned
	discovered bool         // discover was answered, by whatever
}

// SessionID is empty: stdio has no sessions.
func (c *stdioConn) SessionID() string { return "" }

// Read returns the next message of the server.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.ended:
		return nil, c.readErr
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readLoop passes messages on until the server's stdout ends. It is joined by Close.
func (c *stdioConn) readLoop() {
	defer close(c.ended)
	defer c.proc.noteConnEnded()
	r := bufio.NewReaderSize(c.proc.stdout, 64<<10)
	for {
		line, err := readLine(r)
		if m := c.decode(line); m != nil {
			select {
			case c.incoming <- m:
			case <-c.closed:
			}
		}
		if err != nil {
			c.readErr = err
			select {
			case <-c.closed:
			default:
				c.itself = true
			}
			return
		}
	}
}

// endedItself reports whether the server ended before we closed the
// connection; the connection has been closed.
func (c *stdioConn) endedItself() bool {
	<-c.ended
	return c.itself || c.died.Load()
}

// readLine returns one line without its newline; the last may come with an error.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && err == nil {
			return part, nil // the usual case, not copied: decode copies what it keeps
		}
		line = append(line, part...)
		if len(line) > maxMessage {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// decode returns the message on a line, or nil for noise, which goes to the
// server's tail, and for answers that nobody waits for any more.
func (c *stdioConn) decode(line []byte) jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || c.proc.noteKeeper(line) {
		return nil
	}
	var m jsonrpc.Message
	if line[0] == '{' {
		m, _ = jsonrpc.DecodeMessage(keepSchemas(line))
		c.proc.ownID(m)
	}
	switch m := m.(type) {
	case nil:
		c.proc.stderr.add(noise(line))
		return nil
	case *jsonrpc.Request:
		if isNote(m.Method) {
			c.noted()
		}
	case *jsonrpc.Response:
		if c.late(m.ID) {
			return nil
		}
		if m.Error == nil {
			m.Result = keepResult(m.Result)
		}
	}
	return m
}

// Write sends one message.
func (c *stdioConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(c.proc.sharedID(msg))
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == methodDiscover {
		c.watchDiscover(req.ID)
	}
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.proc.gone() {
		c.died.Store(true)
		return io.ErrClosedPipe
	}
	markSent(ctx)
	err = c.writeAll(ctx, append(data, '\n'))
	if errors.Is(err, syscall.EPIPE) && c.proc.wait(graceDrain) {
		c.died.Store(true)
	}
	return err
}

// writeAll writes; a server that does not read its stdin must not hold a
// caller beyond its context, and half a message makes the connection useless.
func (c *stdioConn) writeAll(ctx context.Context, data []byte) error {
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.proc.stdin.SetWriteDeadline(time.Unix(1, 0))
		close(set)
	})
	n, err := c.proc.stdin.Write(data)
	if !stop() {
		<-set
		c.proc.stdin.SetWriteDeadline(time.Time{})
	}
	if err != nil && n > 0 {
		c.proc.stderr.add("(agentbash: the server stopped reading its stdin in the middle of a message)")
		c.closeOnce.Do(func() { close(c.closed) }) // Read ends, and the session with it
	}
	return err
}

// watchDiscover answers server/discover ourselves when the server stays silent:
// "no such method" makes the SDK fall back to the initialize handshake of the
// revisions before 2026-07-28, on this very connection.
func (c *stdioConn) watchDiscover(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discover = id
	c.timer = time.AfterFunc(c.discoverWait, func() {
		c.mu.Lock()
		if c.discovered {
			c.mu.Unlock()
			return
		}
		c.silent = true
		c.abandoned = map[any]bool{id.Raw(): true}
		c.mu.Unlock()
		m := &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer to " + methodDiscover}}
		select {
		case c.incoming <- m:
		case <-c.ended:
		case <-c.closed:
		}
	})
}

// late reports whether a response comes after we answered in its place.
func (c *stdioConn) late(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.abandoned[id.Raw()] {
		return true
	}
	if c.timer != nil && id == c.discover {
		c.discovered = true
		c.timer.Stop()
	}
	return false
}

// diedDiscovering reports whether the server ended instead of answering
// server/discover: some do.
func (c *stdioConn) diedDiscovering() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil && !c.discovered && !c.silent
}

// wasSilent reports whether server/discover had to be answered by us.
func (c *stdioConn) wasSilent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silent
}

// Close ends the server and returns when it is gone.
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		c.mu.Lock()
		if c.timer != nil {
			c.timer.Stop()
		}
		c.mu.Unlock()
	})
	c.proc.stop()
	<-c.ended
	c.proc.stdout.Close()
	return nil
}
