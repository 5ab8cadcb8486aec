package kept

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// Server is what a keeper keeps.
type Server interface {
	io.Writer                  // its stdin
	ReadLine() ([]byte, error) // one line of its stdout, in memory that the next call may use again
	Noise(line []byte)         // takes a line of stdout that is no message
	Stop() (status string)     // ends it if it has not ended, and returns how it ended
}

// Options configures Serve.
type Options struct {
	Place  Place                                                               // where the listener is
	About  Status                                                              // what is known of the server
	Idle   time.Duration                                                       // how long the server stays without a client
	Launch func(ctx context.Context, stderr func(line string)) (Server, error) // starts the server; lines of its stderr go to stderr as they come
}

// firstWait bounds the wait for the client that had the keeper started.
const firstWait = time.Minute

// maxLine bounds a message of a client.
const maxLine = 64 << 20

// tailLines are kept of the server's stderr, for clients that come later.
const tailLines = 12

// keeper is one run of Serve.
type keeper struct {
	o      Options
	relay  relay
	ending chan struct{} // closed when the server is to end
	ended  chan struct{} // closed when it has
	once   sync.Once

	mu       sync.Mutex // guards what follows, and the relay
	idle     *time.Timer
	idleAt   time.Time
	stderr   []string
	replaced bool // a client was sent away, and starts a keeper in this place
	serving  sync.WaitGroup
}

// Serve keeps a server for the clients of a listener, until nobody has used it for
// Options.Idle, one of them or ctx ends it, or it ends by itself.
func Serve(ctx context.Context, l *net.UnixListener, o *Options) error {
	k := &keeper{o: *o, ending: make(chan struct{}), ended: make(chan struct{})}
	k.o.About.PID, k.o.About.Started = os.Getpid(), time.Now()
	k.relay.init()
	server, err := k.o.Launch(ctx, k.noteStderr)
	if err != nil {
		k.refuse(l, err)
		return err
	}
	k.idleAt, k.idle = time.Now().Add(k.o.Idle), time.AfterFunc(max(k.o.Idle, firstWait), k.endIdle)
	stop := context.AfterFunc(ctx, k.end)
	defer stop()
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			k.serving.Go(func() { k.serve(conn, l) })
		}
	}()
	written, read := make(chan struct{}), make(chan struct{})
	go func() { defer close(written); k.relay.toServer.copyTo(server) }()
	go func() { defer close(read); k.readServer(server); k.end() }()
	<-k.ending
	k.leavePlace(l)
	<-accepting
	k.relay.toServer.close()
	status := server.Stop()
	<-written
	<-read
	k.mu.Lock()
	k.idle.Stop()
	for _, c := range k.relay.clients {
		c.out.add([]byte("!end " + status + "\n"))
		c.out.close()
	}
	k.mu.Unlock()
	close(k.ended)
	k.serving.Wait()
	return nil
}

// end begins the end.
func (k *keeper) end() { k.once.Do(func() { close(k.ending) }) }

// refuse tells the client that had the keeper started why there is no server.
func (k *keeper) refuse(l *net.UnixListener, err error) {
	l.SetDeadline(time.Now().Add(firstWait))
	if conn, accepted := l.Accept(); accepted == nil {
		bufio.NewReader(conn).ReadSlice('\n')
		json.NewEncoder(conn).Encode(answer{Error: err.Error()})
		conn.Close()
	}
	k.leavePlace(l) // not before: the client has the lock until it is answered
}

// leavePlace removes the socket, unless another keeper may have it by now.
func (k *keeper) leavePlace(l *net.UnixListener) {
	defer l.Close()
	dir, err := openPrivate(k.o.Place.Dir, false)
	if err != nil {
		return
	}
	defer dir.Close()
	if lock(context.Background(), dir) == nil && !k.isReplaced() {
		os.Remove(within(dir, k.o.Place.Name+suffix))
	}
}

func (k *keeper) isReplaced() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.replaced
}

// readServer passes on what the server says until its stdout ends.
func (k *keeper) readServer(server Server) {
	for {
		line, err := server.ReadLine()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			k.mu.Lock()
			ok := k.relay.fromServer(append(line[:len(line):len(line)], '\n'))
			k.mu.Unlock()
			if !ok {
				server.Noise(line)
			}
		}
		if err != nil {
			return
		}
	}
}

// noteStderr keeps and passes on a line of the server's stderr.
func (k *keeper) noteStderr(line string) {
	line = strings.ReplaceAll(line, "\n", " ")
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stderr = append(k.stderr[max(0, len(k.stderr)+1-tailLines):], line)
	for _, c := range k.relay.clients {
		c.out.add([]byte("!stderr " + line + "\n"))
	}
}

func (k *keeper) endIdle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.relay.clients) == 0 {
		k.end()
	}
}

// serve answers one connection, until its end.
func (k *keeper) serve(conn net.Conn, l *net.UnixListener) {
	defer conn.Close()
	if checkPeer(conn) != nil {
		return
	}
	leave := make(chan struct{}) // one that says nothing does not hold up the end
	defer close(leave)
	go func() {
		select {
		case <-k.ending:
			conn.SetReadDeadline(time.Unix(1, 0))
		case <-leave:
		}
	}()
	r := bufio.NewReaderSize(conn, 64<<10)
	var say hello
	line, err := r.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &say) != nil {
		return
	}
	switch say.Op {
	case "use":
		k.serveClient(conn, r, say.Want, l)
		return
	case "stop":
		k.end()
		<-k.ended
	}
	json.NewEncoder(conn).Encode(answer{Status: k.status()})
}

func (k *keeper) status() *Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.o.About
	s.Clients, s.Requests = len(k.relay.clients), k.relay.requests
	if s.Ends = k.idleAt; s.Clients > 0 {
		s.Ends = time.Now().Add(k.o.Idle)
	}
	return &s
}

// serveClient connects a client with the server.
func (k *keeper) serveClient(conn net.Conn, r *bufio.Reader, want string, l *net.UnixListener) {
	k.mu.Lock()
	if k.replaced = k.replaced || k.isEnding() || want != k.o.Place.Want; k.replaced {
		l.Close()
		if len(k.relay.clients) == 0 {
			k.end()
		}
		k.mu.Unlock()
		json.NewEncoder(conn).Encode(answer{Other: true})
		return
	}
	c := k.relay.join()
	first, _ := json.Marshal(answer{Number: c.number, Stderr: k.stderr}) // it has no value that JSON has not
	c.out.add(append(first, '\n'))
	k.mu.Unlock()
	var writing sync.WaitGroup
	writing.Go(func() {
		c.out.copyTo(conn)
		conn.Close() // a client that does not read is gone, and one that was told of the end has no more to say
	})
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		k.mu.Lock()
		k.relay.fromClient(c, append(bytes.Clone(lines.Bytes()), '\n'))
		k.mu.Unlock()
	}
	if k.isEnding() {
		<-k.ended // and the client was told so
	}
	k.leaveClient(c)
	c.out.close()
	writing.Wait()
}

func (k *keeper) isEnding() bool {
	select {
	case <-k.ending:
		return true
	default:
		return false
	}
}

func (k *keeper) leaveClient(c *client) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.relay.leave(c)
	if len(k.relay.clients) > 0 {
		return
	}
	k.idleAt = time.Now().Add(k.o.Idle)
	k.idle.Reset(k.o.Idle)
	if k.replaced {
		k.end()
	}
}
