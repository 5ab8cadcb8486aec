package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// buffer is the text that is edited; the cursor stands before a character (a
// grapheme cluster) of it. It knows nothing of the screen.
type buffer struct {
	text   string
	cursor int             // in bytes
	killed string          // what Ctrl-Y brings back
	chips  func() []string // parts of the text that go as one; may be nil
	past   []bufferState   // what undo goes back to, the last first to come

	history []string
	shown   int    // index into history of what is edited; len(history): a new line
	draft   string // the new line, while an old one is shown
}

// bufferState is a text as it was.
type bufferState struct {
	text   string
	cursor int
}

// mostUndone bounds what is kept to be undone.
const mostUndone = 500

// keep has undo come back to a text, if it has changed since.
func (b *buffer) keep(was bufferState) {
	if was.text != b.text {
		b.past = append(b.past, was)
		b.past = b.past[max(0, len(b.past)-mostUndone):]
	}
}

func (b *buffer) undo() {
	if n := len(b.past); n > 0 {
		b.text, b.cursor, b.past = b.past[n-1].text, b.past[n-1].cursor, b.past[:n-1]
	}
}

// start begins a new line.
func (b *buffer) start() {
	b.past = nil
	b.text, b.cursor, b.draft, b.shown = "", 0, "", len(b.history)
}

// remember adds a line to the history, unless it repeats the last, or starts
// with a space, which keeps it out as in bash (HISTCONTROL=ignoreboth).
func (b *buffer) remember(line string) bool {
	n := len(b.history)
	if strings.TrimSpace(line) == "" || line[0] == ' ' || n > 0 && b.history[n-1] == line {
		return false
	}
	b.history = append(b.history, line)
	return true
}

// press does what a key does to the text.
func (b *buffer) press(k key) {
	if k.name == keyUndo {
		b.undo()
		return
	}
	defer b.keep(bufferState{b.text, b.cursor})
	switch k.name {
	case "", keyPaste:
		b.insert(k.text)
	case keyNewline:
		b.insert("\n")
	case keyHome:
		b.cursor = b.lineStart()
	case keyEnd:
		b.cursor = b.lineEnd()
	case keyLeft:
		b.cursor = b.before(b.cursor)
	case keyRight:
		b.cursor = b.after(b.cursor)
	case keyWordLeft:
		b.cursor = b.wordStart()
	case keyWordRight:
		b.cursor = b.wordEnd()
	case keyUp, keyDown:
		b.vertical(k.name == keyUp)
	case keyBackspace:
		b.remove(b.chipStart(), b.cursor)
	case keyDelete, keyEOF:
		b.remove(b.cursor, b.after(b.cursor))
	case keyKillLeft:
		b.killed = b.remove(b.lineStart(), b.cursor)
	case keyKillRight:
		b.killed = b.remove(b.cursor, b.lineEnd())
	case keyKillWord:
		b.killed = b.remove(b.wordStart(), b.cursor)
	case keyKillNext:
		b.killed = b.remove(b.cursor, b.wordEnd())
	case keyYank:
		b.insert(b.killed)
	case keySwap:
		b.swap()
	}
}

func (b *buffer) insert(s string) {
	b.text = b.text[:b.cursor] + s + b.text[b.cursor:]
	b.cursor += len(s)
}

// remove cuts text out and leaves the cursor there.
func (b *buffer) remove(from, to int) string {
	cut := b.text[from:to]
	b.text = b.text[:from] + b.text[to:]
	b.cursor = from
	return cut
}

// before is where the character that ends at a position starts.
func (b *buffer) before(at int) int {
	start, state, rest := 0, -1, b.text[:at]
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if rest != "" {
			start += len(cluster)
		}
	}
	return start
}

// chipStart is where the chip that ends at the cursor starts, or the character.
func (b *buffer) chipStart() int {
	if b.chips != nil {
		for _, chip := range b.chips() {
			if strings.HasSuffix(b.text[:b.cursor], chip) {
				return b.cursor - len(chip)
			}
		}
	}
	return b.before(b.cursor)
}

// after is where the character that starts at a position ends.
func (b *buffer) after(at int) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(b.text[at:], -1)
	return at + len(cluster)
}

func (b *buffer) lineStart() int { return 1 + strings.LastIndexByte(b.text[:b.cursor], '\n') }

func (b *buffer) lineEnd() int {
	if i := strings.IndexByte(b.text[b.cursor:], '\n'); i >= 0 {
		return b.cursor + i
	}
	return len(b.text)
}

func (b *buffer) wordStart() int {
	head := strings.TrimRightFunc(b.text[:b.cursor], unicode.IsSpace)
	if i := strings.LastIndexFunc(head, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(head[i:])
		return i + size
	}
	return 0
}

func (b *buffer) wordEnd() int {
	tail := b.text[b.cursor:]
	word := strings.TrimLeftFunc(tail, unicode.IsSpace)
	skipped := len(tail) - len(word)
	if i := strings.IndexFunc(word, unicode.IsSpace); i >= 0 {
		return b.cursor + skipped + i
	}
	return len(b.text)
}

// swap exchanges the two characters around the cursor, or the last two.
func (b *buffer) swap() {
	mid, end := b.cursor, b.after(b.cursor)
	if mid == len(b.text) {
		mid, end = b.before(mid), mid
	}
	start := b.before(mid)
	if start == mid || mid == end {
		return
	}
	b.text = b.text[:start] + b.text[mid:end] + b.text[start:mid] + b.text[end:]
	b.cursor = end
}

// vertical moves between the lines of the text, and from its first or last line
// through the history.
func (b *buffer) vertical(up bool) {
	column := utf8.RuneCountInString(b.text[b.lineStart():b.cursor])
	switch {
	case up && b.lineStart() > 0:
		b.cursor = b.lineStart() - 1
		b.cursor = b.lineStart()
	case !up && b.lineEnd() < len(b.text):
		b.cursor = b.lineEnd() + 1
	default:
		b.recall(up)
		return
	}
	for range column {
		if b.cursor < b.lineEnd() {
			b.cursor = b.after(b.cursor)
		}
	}
}

func (b *buffer) recall(older bool) {
	to := b.shown + 1
	if older {
		to = b.shown - 1
	}
	if to < 0 || to > len(b.history) {
		return
	}
	if b.shown == len(b.history) {
		b.draft = b.text
	}
	b.shown, b.text = to, b.draft
	if to < len(b.history) {
		b.text = b.history[to]
	}
	b.cursor = len(b.text)
}
