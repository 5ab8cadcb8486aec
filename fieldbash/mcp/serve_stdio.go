package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// mostMessage is the length of a message that a client may send, in bytes.
const mostMessage = 64 << 20

// parseError answers a line that is no message (JSON-RPC 2.0, section 5.1).
const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is no JSON object"}}` + "\n"

// messages hands on the lines of a client that are JSON objects. The SDK would
// end the connection at any other; here it is answered, and the next one counts.
type messages struct {
	in      *bufio.Reader
	answers io.Writer
	line    []byte // what of a line was not read yet
}

func newMessages(in io.Reader, answers io.Writer) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), answers: answers}
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		line, err := m.next()
		switch text := bytes.TrimSpace(line); {
		case len(text) > 0 && text[0] == '{' && json.Valid(text):
			m.line = append(text, '\n')
		case err != nil:
			return 0, err
		case len(text) > 0 || line == nil:
			if _, err := io.WriteString(m.answers, parseError); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

// next reads one line; nil is one that was too long.
func (m *messages) next() (line []byte, err error) {
	tooLong := false
	for {
		part, err := m.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > mostMessage; !tooLong {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			if tooLong {
				line = nil
			}
			return line, err
		}
	}
}

// Close is for the transport; the stream is not ours to close.
func (m *messages) Close() error { return nil }

// wholeWriter writes one message after the other. It is not ours to close.
type wholeWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *wholeWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func (w *wholeWriter) Close() error { return nil }
