package mcp

import (
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	tailLines    = 12  // lines kept of what a server wrote to stderr
	tailLineSize = 300 // bytes kept of each
)

// tail keeps the last lines written to it. It is safe for concurrent use.
type tail struct {
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

// plainText makes a server's line fit to be shown: valid UTF-8, no terminal
// control sequences, no trailing space, bounded.
func plainText(line string) string {
	if len(line) > tailLineSize {
		line = line[:tailLineSize]
	}
	var b strings.Builder
	for len(line) > 0 {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			i := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			line = rest[i+1:] // an unfinished sequence leaves its text
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		if (r >= ' ' && r != 0x7f && !(r == utf8.RuneError && n == 1)) || r == '\t' {
			b.WriteRune(r)
		}
		line = line[n:]
	}
	return strings.TrimRight(b.String(), " \t")
}
