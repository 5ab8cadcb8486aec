package remote

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// A frame is its length (4 bytes, of what follows), its type, two numbers of 8 bytes (its
// own and that of the last message that came the other way), and what it carries.
const (
	helloFrame   byte = 1 // is the first of a connection, both ways
	messageFrame byte = 2 // carries a message
	ackFrame     byte = 3 // carries nothing but the second number

	frameHead = 1 + 8 + 8
	maxFrame  = 64 << 20
)

// hello is what the two ends tell each other when they are connected.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program
}

const protocol = 1

const (
	maxWaiting = 8 << 20                // bytes that may wait to be acknowledged
	ackAfter   = 1 << 20                // bytes that are acknowledged at once
	ackDelay   = 200 * time.Millisecond // and fewer after this
)

// link carries messages both ways over connections that may break, one after the other: each
// arrives once, and in order. What was not acknowledged is sent again over the next.
type link struct {
	version string
	deliver func([]byte) // gets the messages, one at a time

	serving sync.Mutex // held while a connection is served

	mu      sync.Mutex // guards what follows
	changed sync.Cond
	conn    io.ReadWriteCloser // nil: there is none
	out     [][]byte           // messages that were not acknowledged
	waiting int                // their bytes
	sent    int                // of them, over this connection
	last    uint64             // number of the last message out
	got     uint64             // of the last that came
	due     int                // bytes that came and were not acknowledged
	ackNow  bool
	err     error // of close
}

func newLink(version string) *link {
	l := &link{version: version}
	l.changed.L = &l.mu
	return l
}

// send queues a message; it waits while too much waits to be acknowledged.
func (l *link) send(data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.waiting > maxWaiting {
		l.changed.Wait()
	}
	if l.err != nil {
		return l.err
	}
	l.out, l.waiting, l.last = append(l.out, data), l.waiting+len(data), l.last+1
	l.changed.Broadcast()
	return nil
}

// close ends the link: nothing is sent any more.
func (l *link) close(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	if l.conn != nil {
		l.conn.Close()
	}
	l.changed.Broadcast()
}

// serve uses a connection until it breaks, and closes it; one that was used before is closed.
func (l *link) serve(conn io.ReadWriteCloser) error {
	defer conn.Close()
	l.hangUp()
	l.serving.Lock()
	defer l.serving.Unlock()
	l.mu.Lock()
	l.conn = conn
	got, err := l.got, l.err
	l.mu.Unlock()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	if err := l.greet(conn, in, got); err != nil {
		l.forget(conn)
		return err
	}
	var writing sync.WaitGroup
	writing.Go(func() { l.write(conn) })
	err = l.read(in)
	l.forget(conn)
	conn.Close()
	writing.Wait()
	return err
}

// hangUp ends the connection that is used.
func (l *link) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
	}
}

func (l *link) forget(conn io.ReadWriteCloser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == conn {
		l.conn = nil
	}
	l.changed.Broadcast()
}

// errProtocol is what no other connection mends.
var errProtocol = errors.New("the two programs do not understand each other")

// greet exchanges hellos and finds out what the other end has.
func (l *link) greet(conn io.Writer, in io.Reader, got uint64) error {
	mine, _ := json.Marshal(hello{protocol, l.version}) // it is JSON
	if _, err := conn.Write(appendFrame(nil, helloFrame, 0, got, mine)); err != nil {
		return err
	}
	kind, _, has, data, err := readFrame(in)
	if err != nil {
		return err
	}
	var theirs hello
	if kind != helloFrame || json.Unmarshal(data, &theirs) != nil || theirs != (hello{protocol, l.version}) {
		return fmt.Errorf("%w: the one there is of version %q (protocol %d), this one of version %q (protocol %d): put the program of this version there", errProtocol, theirs.Version, theirs.Protocol, l.version, protocol)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.acknowledged(has) {
		return fmt.Errorf("%w: it has %d messages, of %d", errProtocol, has, l.last)
	}
	l.sent = 0
	return nil
}

// acknowledged forgets messages that have arrived; false: there are none of that number.
func (l *link) acknowledged(number uint64) bool {
	first := l.last - uint64(len(l.out)) // is acknowledged
	if number > l.last || number < first {
		return false
	}
	n := int(number - first)
	for _, data := range l.out[:n] {
		l.waiting -= len(data)
	}
	l.out, l.sent = slices.Delete(l.out, 0, n), max(0, l.sent-n)
	if n > 0 {
		l.changed.Broadcast()
	}
	return true
}

// read takes what comes over a connection.
func (l *link) read(in io.Reader) error {
	for {
		kind, number, has, data, err := readFrame(in)
		if err != nil {
			return err
		}
		l.mu.Lock()
		ok := l.acknowledged(has)
		fresh := number == l.got+1
		l.mu.Unlock()
		switch {
		case !ok, kind != messageFrame && kind != ackFrame, kind == messageFrame && number > l.got+1:
			return fmt.Errorf("%w: a frame of type %d, number %d", errProtocol, kind, number)
		case kind == messageFrame && fresh:
			l.deliver(data)
			l.arrived(len(data))
		}
	}
}

// arrived notes that a message was taken, and has it acknowledged, soon.
func (l *link) arrived(size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got++
	if l.due += size + frameHead; l.due >= ackAfter {
		l.ackNow = true
		l.changed.Broadcast()
	} else if l.due == size+frameHead {
		time.AfterFunc(ackDelay, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.ackNow = l.due > 0
			l.changed.Broadcast()
		})
	}
}

// write sends what there is over a connection.
func (l *link) write(conn io.ReadWriteCloser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.conn == conn && l.err == nil {
		if l.sent == len(l.out) && !l.ackNow {
			l.changed.Wait()
			continue
		}
		batch, number, got := slices.Clone(l.out[l.sent:]), l.last-uint64(len(l.out)-l.sent), l.got
		l.sent, l.ackNow, l.due = len(l.out), false, 0
		l.mu.Unlock()
		var frames []byte
		if len(batch) == 0 {
			frames = appendFrame(nil, ackFrame, 0, got, nil)
		}
		for i, data := range batch {
			frames = appendFrame(frames, messageFrame, number+uint64(i)+1, got, data)
		}
		_, err := conn.Write(frames)
		l.mu.Lock()
		if err != nil {
			conn.Close()
			return
		}
	}
}

func appendFrame(b []byte, kind byte, number, got uint64, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(frameHead+len(data)))
	b = append(b, kind)
	b = binary.BigEndian.AppendUint64(b, number)
	b = binary.BigEndian.AppendUint64(b, got)
	return append(b, data...)
}

func readFrame(in io.Reader) (kind byte, number, got uint64, data []byte, err error) {
	var head [4 + frameHead]byte
	if _, err = io.ReadFull(in, head[:]); err != nil {
		return 0, 0, 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size < frameHead || size > maxFrame {
		return 0, 0, 0, nil, fmt.Errorf("%w: a frame of %d bytes", errProtocol, size)
	}
	data = make([]byte, size-frameHead)
	_, err = io.ReadFull(in, data)
	return head[4], binary.BigEndian.Uint64(head[5:]), binary.BigEndian.Uint64(head[13:]), data, err
}
