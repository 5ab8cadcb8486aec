package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// painter keeps a prompt and the edited text on the screen, from the row where
// the prompt was first painted. It breaks lines itself, so that it always knows where
// the cursor is, whatever the terminal does at its right edge.
type painter struct {
	out   io.Writer
	size  func() (width, height int)
	row   int // where the cursor is, from the first row of what is painted
	col   int
	rows  []int // columns of the rows above the cursor's
	width int   // of the screen at that time

	footer func(width, height int) []string // rows to show below; may be nil
	look   palette
}

// reflow finds the cursor after the screen has got narrower. Terminals that
// break rows anew (most do) have moved it down.
func (p *painter) reflow(width int) {
	if p.width == width || len(p.rows) == 0 && p.col == 0 {
		return
	}
	row := 0
	for _, w := range p.rows {
		row += 1 + max(0, w-1)/max(width, 1)
	}
	p.row = row + p.col/max(width, 1)
}

// layoutRows breaks a prompt and a text into rows of at most width columns, and
// says where the cursor is.
func layoutRows(prompt, text string, cursor, width int) (rows []string, row, col int) {
	var b strings.Builder
	used := 0
	flush := func() {
		rows = append(rows, b.String())
		b.Reset()
		used = 0
	}
	put := func(s string, w int) {
		if used+w > width {
			flush()
		}
		b.WriteString(s)
		used += w
	}
	indent := strings.Repeat(" ", uniseg.StringWidth(prompt))
	put(prompt, len(indent))
	at, state, rest := 0, -1, text
	for {
		if used >= width {
			flush() // the cursor never stands beyond the last column
		}
		if at == cursor {
			row, col = len(rows), used
		}
		if rest == "" {
			break
		}
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		at += len(cluster)
		switch {
		case cluster == "\n" || cluster == "\r\n":
			flush()
			put(indent, len(indent))
			continue
		case cluster == "\t":
			cluster, w = "  ", 2
		case w == 0 || cluster[0] < ' ' || cluster[0] == 127:
			cluster, w = visibleCluster(cluster), len(visibleCluster(cluster))
		}
		if used+w > width && at-len(cluster) == cursor {
			row, col = len(rows)+1, 0
		}
		put(cluster, w)
	}
	flush()
	return rows, row, col
}

// visibleCluster shows what has no shape of its own: ^A, <U+200B>.
func visibleCluster(cluster string) string {
	var b strings.Builder
	for _, r := range cluster {
		switch {
		case r < ' ':
			fmt.Fprintf(&b, "^%c", r+'@')
		case r == 127:
			b.WriteString("^?")
		default:
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}

// paint shows the text in the place of what was painted before.
func (p *painter) paint(prompt, text string, cursor int) error {
	return p.paintIn(prompt, text, cursor, false)
}

// paintIn paints what is edited, or at the end what stays of it, set apart from what follows.
func (p *painter) paintIn(prompt, text string, cursor int, stays bool) error {
	width, height := p.size()
	p.reflow(width)
	rows, row, col := layoutRows(prompt, text, cursor, max(width, 4))
	// What does not fit the screen cannot be reached to be painted over, so only
	// the rows around the cursor are shown.
	if first := max(0, min(row-height/2, len(rows)-height)); len(rows) > height && height > 1 {
		rows, row = rows[first:min(first+height, len(rows))], row-first
	}
	var b strings.Builder
	p.home(&b)
	for i, r := range rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		if stays {
			r = p.look.paint(r, ownPrompt)
		}
		b.WriteString(r)
	}
	below := 0
	if p.footer != nil && !stays {
		for _, r := range p.footer(max(width-1, 4), height) {
			if len(rows)+below < height {
				b.WriteString("\r\n" + r)
				below++
			}
		}
	}
	if up := len(rows) - 1 - row + below; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteByte('\r')
	if col > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", col)
	}
	p.row, p.col, p.rows, p.width = row, col, p.rows[:0], width
	for _, r := range rows[:row] {
		p.rows = append(p.rows, textColumns(r))
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

// home goes back to where the prompt starts and clears from there.
func (p *painter) home(b *strings.Builder) {
	if p.row > 0 {
		fmt.Fprintf(b, "\x1b[%dA", p.row)
	}
	b.WriteString("\r\x1b[J")
	p.row = 0
}

// clearScreen starts at the top of an empty screen.
func (p *painter) clearScreen() error {
	p.row, p.col, p.rows = 0, 0, p.rows[:0]
	_, err := io.WriteString(p.out, "\x1b[H\x1b[2J")
	return err
}

// leave ends the painting below the text, which stays.
func (p *painter) leave(prompt, text, mark string) error {
	if err := p.paintIn(prompt, text+mark, len(text)+len(mark), true); err != nil {
		return err
	}
	p.row, p.col, p.rows = 0, 0, p.rows[:0]
	_, err := io.WriteString(p.out, "\r\n")
	return err
}
