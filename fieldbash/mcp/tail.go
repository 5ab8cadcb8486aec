package mcp

import (
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/safetext"
)

const (
	tailLines    = 12  // lines kept of what a server wrote to stderr
	tailLineSize = 300 // bytes kept of each
)

// tail keeps the last lines written to it. It is safe for concurrent use.
type tail struct {
	also func(line string) // gets each line too; nil: nobody

	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write takes bytes of a stream; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range p {
		if b == '\n' {
			t.push(string(t.partial))
			t.partial = t.partial[:0]
		} else if len(t.partial) < tailLineSize {
			t.partial = append(t.partial, b)
		}
	}
	return len(p), nil
}

// endLine takes what has come of a line for the whole of it.
func (t *tail) endLine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.push(string(t.partial))
	t.partial = nil
}

// add takes one whole line.
func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.push(line)
}

func (t *tail) push(line string) {
	line = plainText(line)
	if line == "" {
		return
	}
	if len(t.lines) == tailLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
	if t.also != nil {
		t.also(line)
	}
}

// String returns the lines, oldest first, without a final newline.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.lines
	if last := plainText(string(t.partial)); last != "" {
		lines = append(lines[:len(lines):len(lines)], last)
	}
	return strings.Join(lines, "\n")
}

// plainText makes a server's line fit to be shown: no trailing space, bounded.
func plainText(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), tailLineSize)], "")
	return strings.TrimRight(strings.NewReplacer("\n", "", "\r", "").Replace(safetext.Clean(line)), " \t")
}

// noise is a line of stdout that is no message, as the tail shows it.
func noise(line []byte) string { return "(stdout) " + string(line[:min(len(line), tailLineSize)]) }
