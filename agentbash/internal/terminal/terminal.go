// Package terminal turns what a program writes to a terminal into text.
//
// A program that writes line after line is read as its lines: without control
// sequences, and with what was written over as it was in the end. Of a program that
// has the whole screen (vim, less) the screen can be read.
package terminal

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Terminal is a screen with the text that was on it. It is safe for concurrent use.
// Close it.
type Terminal struct {
	mu   sync.Mutex
	em   *vt.Emulator
	told []row // what was taken of the rows of the screen
	open bool  // the last of them may go on
}

// row is a row of the screen. Of a full one it is not known whether its line ends
// with it: the next is taken to be the rest of the line.
type row struct {
	text string
	full bool
}

// scrolled bounds the rows that one Write may scroll away.
const scrolled = 1 << 17

// New returns an empty screen. What the terminal answers to a program, and what is
// typed with Type and Press, is written to input, in its order; what input does not take
// is lost.
func New(columns, rows int, input io.Writer) *Terminal {
	t := &Terminal{em: vt.NewEmulator(columns, rows)}
	t.em.SetScrollbackSize(scrolled)
	queue := make(chan []byte, maxQueued)
	go func() {
		defer close(queue)
		for buf := make([]byte, 4096); ; {
			n, err := t.em.Read(buf)
			if err != nil {
				return
			}
			select {
			case queue <- slices.Clone(buf[:n]):
			default: // whoever reads the screen is not held up by who does not read the keys
			}
		}
	}()
	go func() {
		for p := range queue {
			input.Write(p)
		}
	}()
	return t
}

// maxQueued is how much of what is typed may wait for a program, in pieces of 4 KiB.
const maxQueued = 1024

// Close ends the answers to programs.
func (t *Terminal) Close() {
	if c, ok := t.em.InputPipe().(io.Closer); ok { // the emulator's own Close races with its Read
		c.Close()
	}
}

// Write shows what a program wrote, less than 128 KiB, and returns the lines that
// have left the screen by it and were not taken before.
func (t *Terminal) Write(p []byte) (gone string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.em.Write(p)
	back := t.em.Scrollback()
	rows := make([]row, back.Len())
	for i := range rows {
		line := back.Line(i)
		rows[i] = row{strings.TrimRight(line.String(), " "), len(line) == t.em.Width()}
	}
	back.Clear()
	gone = t.news(rows, false)
	t.told = t.told[min(len(t.told), len(rows)):]
	t.open = t.open && gone == ""
	return gone
}

// Take returns what is new on the screen since the last call; not while a program
// has the whole of it.
func (t *Terminal) Take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.em.IsAltScreen() {
		return ""
	}
	rows, open := t.rows()
	text := t.news(rows, open)
	t.told, t.open = rows, open
	return text
}

// News is what Take would return.
func (t *Terminal) News() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.em.IsAltScreen() {
		return ""
	}
	return t.news(t.rows())
}

// rows are those of the screen that were used, and whether the last may go on.
func (t *Terminal) rows() (rows []row, open bool) {
	cursor := t.em.CursorPosition()
	for y, text := range strings.Split(t.em.String(), "\n") {
		text = strings.TrimRight(text, " \r")
		if y == cursor.Y { // the blank after a prompt is a part of it
			text += strings.Repeat(" ", max(0, cursor.X-ansi.StringWidth(text)))
		}
		last := t.em.CellAt(t.em.Width()-1, y)
		rows = append(rows, row{text, last != nil && strings.TrimSpace(last.Content) != ""})
	}
	end := len(rows)
	for end > 0 && end > cursor.Y+1 && rows[end-1].text == "" {
		end--
	}
	if end == cursor.Y+1 && cursor.X == 0 && rows[cursor.Y].text == "" {
		return rows[:cursor.Y], false
	}
	return rows[:end], true
}

// news is what rows say that was not taken; open: the last of them may go on.
func (t *Terminal) news(rows []row, open bool) string {
	var b strings.Builder
	within := t.open // what was taken ends within a line
	for i, r := range rows {
		goesOn := open && i == len(rows)-1
		last := within && i == len(t.told)-1
		switch {
		case i < len(t.told) && strings.TrimRight(r.text, " ") == strings.TrimRight(t.told[i].text, " "):
			if !last || goesOn {
				continue
			}
		case last && strings.HasPrefix(r.text, t.told[i].text):
			b.WriteString(r.text[len(t.told[i].text):])
		default:
			if within {
				b.WriteByte('\n')
			}
			b.WriteString(r.text)
		}
		if within = goesOn; !goesOn && !r.full {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Screen is all of the screen, and where the cursor is, from 1.
func (t *Terminal) Screen() (text string, line, column int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := strings.Split(t.em.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \r")
	}
	at := t.em.CursorPosition()
	return strings.TrimRight(strings.Join(rows, "\n"), "\n") + "\n", at.Y + 1, at.X + 1
}

// FullScreen reports whether a program has the whole screen.
func (t *Terminal) FullScreen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.em.IsAltScreen()
}

// Type types a text; the ends of its lines are the Enter key.
func (t *Terminal) Type(text string) { t.em.SendText(strings.ReplaceAll(text, "\n", "\r")) }

// Press presses a key that ParseKey knows.
func (t *Terminal) Press(k Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.em.SendKey(vt.KeyPressEvent(k))
}
