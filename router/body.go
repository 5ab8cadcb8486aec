package router

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/secrettext"
)

// body is the text of a result before it is cut.
type body struct {
	tool      string                 // for the hint
	max       int                    // characters that are shown
	longest   int                    // characters of a line that are shown; 0: all
	rest      func(lines int) string // how to see what follows so many lines; may be nil
	headOnly  bool                   // of a cut body only the beginning is shown
	hider     *secrettext.Hider
	dir       string // where files go
	parts     []part
	total     int64 // characters
	truncated bool
	path      string // of the file that holds the whole, once there is one
	missing   bool   // the file does not hold all of it
}

// part is a piece of a body: a text, or a stream.
type part struct {
	text   string
	stream *capture
}

func (b *body) addText(s string) {
	b.parts = append(b.parts, part{text: s})
	b.total += int64(utf8.RuneCountInString(s))
}

// addStream appends a stream. A binary one is described; its bytes are in a file.
func (b *body) addStream(c *capture) {
	if !c.binary() {
		b.parts = append(b.parts, part{stream: c})
		b.total += c.chars.count()
		return
	}
	kept := "and could not be kept"
	if path, err := c.keepFile(); err == nil {
		kept, b.path = "kept in "+path, path
	}
	b.addText(fmt.Sprintf("(binary output: %d bytes, %s)\n", c.total, kept))
}

// binary reports whether the stream, by its beginning and its end, is no text.
func (c *capture) binary() bool {
	if isBinary(c.head[:min(len(c.head), sample)]) {
		return true
	}
	end := c.end(sample)
	return isBinary(end[max(0, len(end)-sample):])
}

// cutText returns what a model sees.
func (b *body) cutText() string {
	if held := b.first(math.MaxInt); b.longest > 0 && b.hasLongLine(held) {
		return b.cutLongLines(held)
	}
	if b.total <= int64(b.max) {
		return b.clean(b.first(b.max * utf8.UTFMax))
	}
	b.truncated = true
	b.keepWhole()
	headMax := b.max / 5
	if b.headOnly {
		headMax = b.max
	}
	// More than is shown, so that no secret is cut before it is found.
	window := func(n int) int { return (n + secrettext.Slack) * utf8.UTFMax }
	head := b.first(window(headMax))
	head = Safe(head[:len(head)-unfinishedBytes([]byte(head))])
	head = untilWordEnd(firstChars(head, headMax+secrettext.Slack), headMax)
	head = atLineEnd(firstChars(b.hider.Hide(head), headMax))
	hint := b.hint("too_long", b.max, b.advice(head))
	if b.headOnly {
		return endLine(head) + hint
	}
	tail := strings.TrimLeftFunc(b.last(window(b.max-headMax)), func(c rune) bool { return c == utf8.RuneError })
	tail = fromWordStart(lastChars(Safe(tail), b.max-headMax+secrettext.Slack), b.max-headMax)
	tail = atLineStart(lastChars(b.hider.Hide(tail), b.max-headMax))
	return endLine(head) + hint + "\n" + tail
}

func (b *body) hint(reason string, most int, advice string) string {
	return fmt.Sprintf("<system_hint type=\"tool_output_omitted\" tool=%q reason=%q actual_chars=\"%d\" max_chars=\"%d\" full_output=%q>%s</system_hint>",
		b.tool, reason, b.total, most, b.path, advice)
}

// clean makes a text fit for a model.
func (b *body) clean(s string) string { return b.hider.Hide(Safe(s)) }

// untilWordEnd ends a text at a word behind its first n characters: a word that is cut may be part of a secret.
func untilWordEnd(s string, n int) string {
	keep := len(firstChars(s, n))
	if i := strings.LastIndexAny(s[keep:], " \t\n"); i >= 0 {
		return s[:keep+i+1]
	}
	return s
}

// fromWordStart begins a text at a word ahead of its last n characters.
func fromWordStart(s string, n int) string {
	if i := strings.IndexAny(s[:len(s)-len(lastChars(s, n))], " \t\n"); i >= 0 {
		return s[i:]
	}
	return s
}

// advice says how to see what was left out.
func (b *body) advice(head string) string {
	if lines := strings.Count(head, "\n"); b.rest != nil && lines > 0 {
		return b.rest(lines)
	}
	if b.path == "" {
		return "the whole output could not be kept: run the command again with a filter such as | head or | grep"
	}
	path, lines := quote.Word(b.path), strings.Count(head, "\n")
	note := ""
	if b.missing {
		note = fmt.Sprintf("the file holds the first %d bytes only; ", int64(captureFile))
	}
	if lines == 0 {
		return fmt.Sprintf("%sa long line is cut: see more of it with tail -c +%d %s | head -c %d", note, len(head)+1, path, b.max/2)
	}
	return fmt.Sprintf("%sthe rest follows after line %d: read --file_path %s --offset %d --limit 200, or search it: grep --pattern TEXT --path %s",
		note, lines, path, lines+1, path)
}

// first returns at least the first n bytes of the body, if it has so many.
func (b *body) first(n int) string {
	var s strings.Builder
	for _, p := range b.parts {
		if s.Len() >= n {
			break
		}
		if p.stream == nil {
			s.WriteString(p.text)
			continue
		}
		s.Write(p.stream.head[:min(len(p.stream.head), n)])
		if !p.stream.whole() {
			break
		}
	}
	return s.String()
}

// last returns the last n bytes of the body, or all if it has not so many.
func (b *body) last(n int) string {
	end := ""
	for _, p := range slices.Backward(b.parts) {
		text := p.text
		if p.stream != nil {
			text = string(p.stream.end(n))
		}
		end = text[max(0, len(text)-(n-len(end))):] + end
	}
	return end
}

// keepWhole writes the whole body to one file, which a long stdout has begun.
func (b *body) keepWhole() {
	first := b.parts[0].stream
	if first == nil {
		first = &capture{dir: b.dir, head: []byte(b.parts[0].text), total: int64(len(b.parts[0].text))}
	}
	path, err := first.keepFile()
	if err == nil && len(b.parts) > 1 {
		err = b.appendTo(path)
	}
	if err != nil {
		b.path = ""
		return
	}
	b.path = path
	for _, p := range b.parts {
		b.missing = b.missing || p.stream != nil && p.stream.total > captureFile
	}
}

func (b *body) appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range b.parts[1:] {
		if err := p.appendTo(f); err != nil {
			return err
		}
	}
	return f.Close()
}

func (p part) appendTo(f *os.File) error {
	switch {
	case p.stream == nil:
		_, err := f.WriteString(p.text)
		return err
	case p.stream.whole():
		_, err := f.Write(p.stream.head)
		return err
	case p.stream.err != nil:
		return p.stream.err
	}
	more, err := os.Open(p.stream.path)
	if err != nil {
		return err
	}
	defer os.Remove(p.stream.path) // its content is in the body's file now
	defer more.Close()
	_, err = io.Copy(f, more)
	return err
}
