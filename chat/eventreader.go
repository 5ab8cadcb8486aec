package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// eventReader reads the events of a reply: server-sent events (WHATWG HTML, section 9.2),
// or a whole body that stands in their place.
type eventReader struct {
	r       *bufio.Reader
	body    io.Closer
	afterCR bool
	data    []byte   // of the event that is being read; nil: it has none yet
	queue   [][]byte // events that were not taken yet
	stray   []byte   // lines that are no part of an event
	began   bool     // there was an event
	whole   bool     // the events are a body without a stream
	done    bool     // the server said that it was the last
	err     error    // after the queue
}

// maxLine bounds one line of a stream: a server that never ends one must not
// take all memory.
const maxLine = 32 << 20

var errLine = fmt.Errorf("a line of more than %d bytes", maxLine)

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(body, 32<<10), body: body}
}

func (e *eventReader) Close() error { return e.body.Close() }

// next returns the data of the next event; io.EOF after the last.
func (e *eventReader) next() ([]byte, error) {
	for len(e.queue) == 0 {
		if e.err != nil {
			return nil, e.err
		}
		line, err := e.line()
		if e.takeLine(line); err != nil && e.err == nil {
			e.end(err)
		}
	}
	data := e.queue[0]
	e.queue = e.queue[1:]
	return data, nil
}

// line reads a line, which ends with LF, CR or both.
func (e *eventReader) line() (line []byte, err error) {
	for {
		if _, err := e.r.Peek(1); err != nil {
			return line, err
		}
		part, _ := e.r.Peek(e.r.Buffered())
		if e.afterCR {
			if e.afterCR = false; part[0] == '\n' {
				e.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(part, "\r\n")
		if end >= 0 {
			line = append(line, part[:end]...)
			e.afterCR = part[end] == '\r'
			e.r.Discard(end + 1)
			return line, nil
		}
		if line = append(line, part...); len(line) > maxLine {
			return nil, errLine
		}
		e.r.Discard(len(part))
	}
}

func (e *eventReader) takeLine(line []byte) {
	if !e.began && e.data == nil {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	rest, isData := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case isData:
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(rest, []byte(" "))...)
		if e.data == nil {
			e.data = []byte{}
		}
	case len(line) == 0:
		e.endEvent()
	case !beginsEvent(line) && len(e.stray) < maxLine:
		e.stray = append(append(e.stray, line...), '\n')
	}
}

// beginsEvent reports whether a text begins with a field of an event.
func beginsEvent(text []byte) bool {
	return slices.ContainsFunc([]string{"data:", ":", "event:", "id:", "retry:"}, func(field string) bool { return bytes.HasPrefix(text, []byte(field)) })
}

// endEvent takes the event that a blank line ends. Some servers leave the line out
// between two.
func (e *eventReader) endEvent() {
	data, last := bytes.CutSuffix(bytes.TrimSpace(e.data), []byte("[DONE]"))
	e.data = nil
	if len(data) > 0 {
		if each := splitValues(data); bytes.IndexByte(data, '\n') >= 0 && each != nil {
			e.queue = append(e.queue, each...)
		} else {
			e.queue = append(e.queue, data)
		}
		e.began = true
	}
	if last {
		e.done, e.err = true, io.EOF
	}
}

// splitValues are the values of a JSON text, those of a list one by one; nil: it is no JSON.
func splitValues(text []byte) (values [][]byte) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var v json.RawMessage
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return values
		} else if err != nil {
			return nil
		}
		var list []json.RawMessage
		if v[0] != '[' || json.Unmarshal(v, &list) != nil {
			list = []json.RawMessage{v}
		}
		for _, one := range list {
			values = append(values, one)
		}
	}
}

// end takes what is left at the end of the body.
func (e *eventReader) end(err error) {
	if data := bytes.TrimSpace(e.data); json.Valid(data) || string(data) == "[DONE]" {
		e.endEvent() // else it is not whole
	}
	if each := splitValues(e.stray); each != nil && errors.Is(err, io.EOF) {
		e.whole = !e.began
		e.queue = append(e.queue, each...)
	}
	if e.err == nil {
		e.err = err
	}
}

// pieces joins the pieces of a text, which servers cut in the midst of a character.
type pieces struct{ held []byte }

// add returns what is whole by now. raw is a JSON string, or a value of another type.
func (p *pieces) add(raw json.RawMessage) string {
	if len(raw) < 2 || raw[0] != '"' {
		return textOf(raw)
	}
	inside := raw[1 : len(raw)-1]
	if len(p.held) > 0 {
		inside = append(p.held, inside...)
	}
	n := len(inside) - unfinished(inside)
	if n == len(inside) && p.held == nil {
		return textOf(raw)
	}
	text := textOf(append(append([]byte{'"'}, inside[:n]...), '"'))
	p.held = bytes.Clone(inside[n:])
	return text
}

// rest is what was held back and never became whole.
func (p *pieces) rest() string {
	if len(p.held) == 0 {
		return ""
	}
	p.held = nil
	return string(utf8.RuneError)
}

// unfinished is how many bytes at the end of a JSON string's inside are the beginning of a
// character: of one in UTF-8, or the first half of an escaped surrogate pair.
func unfinished(s []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(s)); i++ {
		if b := s[len(s)-i:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRune(b) {
				return i
			}
			break
		}
	}
	const escape = len(`\ud83d`)
	if n := len(s) - escape; n >= 0 && s[n] == '\\' && s[n+1] == 'u' && s[n+2]|0x20 == 'd' && bytes.IndexByte([]byte("89abAB"), s[n+3]) >= 0 {
		before := s[:n]
		if (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 0 {
			return escape
		}
	}
	return 0
}
