package router

import (
	"bytes"
	"sync"
)

// maxWaiting is how much of one stream waits for the end of the other's line, in bytes.
const maxWaiting = 64 << 10

// merge is a command's two streams as a model reads them: in the order in which
// they came, with a line that says where stderr begins and where stdout goes
// on. No line is torn: the other stream waits until it ends. It is safe for
// concurrent use.
type merge struct {
	mu      sync.Mutex
	text    capture
	last    *capture // whose text stands last; it begins as stdout
	open    bool     // its line has not ended
	waiting []byte   // what has come of the other one since
	other   *capture // that one
}

// add takes what came of a stream.
func (m *merge) add(c *capture, p []byte) {
	if len(p) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c == m.last && len(m.waiting) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			end = len(p)
		}
		m.write(p[:end])
		if p = p[end:]; !m.open {
			m.switchStream()
		}
	}
	switch {
	case len(p) == 0:
	case c == m.last:
		m.write(p)
	default:
		if m.waiting = append(m.waiting, p...); !m.open || len(m.waiting) > maxWaiting {
			m.switchStream()
		}
	}
}

// switchStream goes on with the stream that waits, if one does.
func (m *merge) switchStream() {
	if len(m.waiting) == 0 {
		return
	}
	if m.open {
		m.text.Write([]byte{'\n'})
	}
	p := m.waiting
	m.last, m.other, m.waiting = m.other, m.last, nil
	m.text.Write([]byte("[" + m.last.name + "]\n"))
	m.write(p)
}

func (m *merge) write(p []byte) {
	m.text.Write(p)
	m.open = p[len(p)-1] != '\n'
}
