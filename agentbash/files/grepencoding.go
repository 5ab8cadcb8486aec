package files

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	"golang.org/x/sys/unix"
)

var utf8BOM = []byte(bom)

// asUTF8 makes UTF-8 of what starts with head, which is in the worker's buffer, and goes on in rest.
func (w *worker) asUTF8(head []byte, whole bool, rest io.Reader) ([]byte, bool, io.Reader, error) {
	e := charset.ByName(w.q.call.String("encoding"))
	w.guess, w.raw = "", false
	if w.q.call.String("encoding") == autoText {
		e = w.detect(head, whole, rest)
	}
	if e == nil {
		return head, whole, rest, nil
	}
	return w.startOver(e.Reader(io.MultiReader(bytes.NewReader(bytes.Clone(head)), rest)))
}

// detect finds out what a content is in. A big file is searched as it is, but for UTF-16.
func (w *worker) detect(head []byte, whole bool, rest io.Reader) *charset.Encoding {
	g := charset.Detect(head, !whole)
	e := g.Best()
	switch f, file := rest.(fdReader); {
	case e == nil || e.Marked() && hasMark(e, head):
		return e
	case e.Marked() && !g.Certain && !w.explicit:
		return nil
	case file && !whole && !e.Marked():
		var st unix.Stat_t
		if unix.Fstat(f.fd, &st) != nil || st.Size >= bigFile {
			w.guess, w.raw = e.Name, true
			return nil
		}
	}
	if w.guess = e.Name; g.Others() != "" {
		w.guess += ", a guess (it may be " + g.Others() + ": --encoding NAME)"
	}
	return e
}

// noteEncoding says what a file was taken for in which something was found, or was missed, or which was named.
func (w *worker) noteEncoding() {
	if w.guess == "" || w.lines == 0 && !w.explicit && (!w.raw || isASCII(strings.Join(w.q.patterns, ""))) {
		return
	}
	said := fmt.Sprintf("%s is not UTF-8: searched as %s", w.shownName(), w.guess)
	if w.raw {
		said = fmt.Sprintf("%s is not UTF-8, and too big to be searched as %s unasked: --encoding %[2]s does it", w.shownName(), w.guess)
	}
	w.out.mu.Lock()
	defer w.out.mu.Unlock()
	w.out.decoded = append(w.out.decoded, said)
}
