package term

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/agentbash/agentbash/internal/safetext"
)

// How many rows of a question's text are shown before it is folded.
const (
	askHead = 24
	askTail = 6
)

// block is a question as it is shown on a screen of some width.
type block struct {
	look  palette
	width int
}

// What is special about a byte of a question's text.
const (
	isEscape = 1 + iota // it belongs to an escape for something hidden
	isKept              // it is not folded away
	isMarked            // whoever asks wants it to be seen
)

// shownRow is a row of a text.
type shownRow struct {
	text   string
	below  string // points at marks, where there are no styles
	marked bool   // it must not be folded away
}

// title is the question itself.
func (b block) title(q *Question) (out []string) {
	plain := block{width: b.width}
	for i, r := range plain.wrap(safetext.Line(q.Title), nil, 0, b.width-3) {
		lead := "  "
		if i == 0 {
			lead = "? "
		}
		out = append(out, b.look.paint(lead+r.text, bold|yellow))
	}
	return out
}

// text is what the question is about. all: nothing is folded; how is what the
// person does to see it all.
func (b block) text(q *Question, all bool, how string) (out []string) {
	if strings.TrimSpace(q.Text) == "" {
		return nil
	}
	text, marks, escapes := revealMarked(strings.TrimRight(q.Text, "\n"), q.Mark)
	_, keeps, _ := revealMarked(strings.TrimRight(q.Text, "\n"), q.Keep)
	special := make([]byte, len(text))
	for _, s := range escapes {
		fillBytes(special[s.From:s.To], isEscape)
	}
	for _, s := range keeps {
		fillBytes(special[s.From:s.To], isKept)
	}
	for _, s := range marks {
		fillBytes(special[s.From:s.To], isMarked)
	}
	diff := isDiff(strings.Split(text, "\n"))
	var rows []shownRow
	for line := range strings.Lines(text) {
		st := style(0)
		if diff {
			st = diffStyle(strings.TrimSuffix(line, "\n"))
		}
		rows = append(rows, b.wrap(strings.TrimSuffix(line, "\n"), special, st, b.width-5)...)
		special = special[len(line):]
	}
	return b.folded(rows, all, how)
}

func fillBytes(p []byte, with byte) {
	for i := range p {
		p[i] = with
	}
}

// folded leaves rows out of a long text, but none with a mark.
func (b block) folded(rows []shownRow, all bool, how string) (out []string) {
	all = all || len(rows) <= askHead+askTail+1 // the fold would take a row too
	left := 0
	for i, r := range rows {
		if !all && i >= askHead && i < len(rows)-askTail && !r.marked {
			left++
			continue
		}
		if left > 0 {
			out = append(out, b.look.paint(fmt.Sprintf("    ... %s more: %s shows all", CountNoun(left, "row"), how), dim))
			left = 0
		}
		out = append(out, "    "+r.text)
		if r.below != "" {
			out = append(out, "    "+r.below)
		}
	}
	return out
}

// wrap breaks a line into rows. special tells of its bytes, and may be nil.
func (b block) wrap(line string, special []byte, st style, width int) (out []shownRow) {
	var row, below strings.Builder
	used, now, marked := 0, style(0), false
	flush := func() {
		if now != 0 {
			row.WriteString(b.look.seq(0))
		}
		r := shownRow{text: row.String(), marked: marked}
		if !b.look.attributes {
			r.below = strings.TrimRight(below.String(), " ")
		}
		out = append(out, r)
		row.Reset()
		below.Reset()
		used, now, marked = 0, 0, false
	}
	at, state, ends := 0, -1, rowEnds(line, max(width, 8))
	for rest := line; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		want, sign := st, " "
		if special != nil && special[at] != 0 {
			want, marked = bold|underline|red, true
		}
		if special != nil && special[at] == isKept {
			want = bold
		}
		if special != nil && special[at] == isMarked {
			sign = "^"
		}
		if len(ends) > 0 && at == ends[0] {
			flush()
			ends = ends[1:]
		}
		at += len(cluster)
		if cluster == "\t" {
			cluster, w = "    ", 4
		}
		if want != now {
			row.WriteString(b.look.seq(want))
			now = want
		}
		row.WriteString(cluster)
		below.WriteString(strings.Repeat(sign, w))
		used += w
	}
	flush()
	return out
}

// choices are the answers, side by side where they fit.
func (b block) choices(q *Question) (out []string) {
	row := ""
	for _, c := range q.Choices {
		label := safetext.Line(c.Label)
		if c.Text {
			label += " ..."
		}
		item := strings.TrimRight(fmt.Sprintf("[%s] %s", safetext.Line(c.Key), label), " ")
		if row != "" && textColumns(row)+2+textColumns(item) > b.width-3 {
			out = append(out, "  "+row)
			row = ""
		}
		row = strings.TrimPrefix(row+"  "+item, "  ")
	}
	if row != "" {
		out = append(out, "  "+row)
	}
	return out
}
