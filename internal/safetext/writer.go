package safetext

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer writes to a terminal what may hold anything, such as the names of
// files: controls and hidden characters are written out, as ls does. It is safe
// for concurrent use. Flush it at the end.
type Writer struct {
	W io.Writer

	mu   sync.Mutex
	held []byte // a character, or the end of a line, that is not complete
	prev rune
}

// Write shows p; it keeps back at most a character that is not complete.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.show(append(w.held, p...), false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows what was kept back.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.show(w.held, true)
}

func (w *Writer) show(p []byte, last bool) error {
	var b strings.Builder
	i := 0
	for i < len(p) {
		rest := p[i:]
		if !last && (!utf8.FullRune(rest) || string(rest) == "\r") {
			break
		}
		r, n := utf8.DecodeRune(rest)
		ends := r == '\r' && n < len(rest) && rest[n] == '\n'
		from := b.Len()
		breaks := r == '\r' || r == 0x2028 || r == 0x2029 // the line, or moves to its start
		b.WriteString(showRune(string(rest[:n]), r, ends || !breaks && !isHidden(w.prev, r)))
		if w.prev = r; b.Len()-from != n {
			w.prev = 0 // what was written out ends in a digit
		}
		i += n
	}
	w.held = append([]byte(nil), p[i:]...)
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w.W, b.String())
	return err
}
