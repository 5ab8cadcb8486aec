package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// frameTime is the time between two pictures of what runs, and the longest that
// anything is held back to be written at once with what follows it.
const frameTime = 50 * time.Millisecond

// most bytes that are held back.
const mostHeld = 32 << 10

// livePicture is what stands below the output while something runs: how long it has
// been going, and what was typed meanwhile. It is drawn with the cursor left where
// the output ends, so that neither needs to know of the other.
type livePicture struct {
	on         bool
	drawn      int // rows below the cursor
	label      string
	since      time.Time
	queued     []string
	typed      string
	tail       outputTail
	begun      time.Time // when the command that runs was started
	background func() int
	asked      *Question                        // that is to be answered; nil: none
	list       func(width, height int) []string // that is chosen from; nil: none
	answer     string                           // the prompt of the answer and what is typed of it; "": not yet
	held       strings.Builder
	heldFor    io.Writer
	flushed    time.Time
}

// writeSoon writes to out or err, at once or with what follows soon.
func (s *screen) writeSoon(w io.Writer, text string) {
	if text == "" {
		return
	}
	l := &s.live
	if w == s.err || s.words != nil {
		s.lineStart = strings.HasSuffix(text, "\n")
	}
	if !l.on {
		io.WriteString(w, text)
		return
	}
	if l.heldFor != w {
		s.flush()
		l.heldFor = w
	}
	l.held.WriteString(text)
	if time.Since(l.flushed) >= frameTime || l.held.Len() > mostHeld {
		s.flush()
	}
}

// flush writes what was held back, and draws what stands below it.
func (s *screen) flush() {
	l := &s.live
	var b strings.Builder
	if l.drawn > 0 {
		b.WriteString("\x1b[J")
		l.drawn = 0
	}
	if l.held.Len() > 0 && l.heldFor != s.err {
		io.WriteString(s.err, b.String())
		b.Reset()
		io.WriteString(l.heldFor, l.held.String())
	} else {
		b.WriteString(l.held.String())
	}
	l.held.Reset()
	if l.on && !s.atEdge() {
		s.drawBelow(&b)
	}
	io.WriteString(s.err, b.String())
	l.flushed = time.Now()
}

// atEdge is true when the next character would begin a new row. Moving the
// cursor makes terminals forget that. Where the screen has got narrower, the row
// was broken anew.
func (s *screen) atEdge() bool {
	return s.words != nil && s.words.l.col > 0 && s.words.l.col%max(s.width(), 1) == 0
}

// drawBelow makes room below the cursor (ESC D goes down a row, and scrolls at the
// last one), and draws there.
func (s *screen) drawBelow(b *strings.Builder) {
	l := &s.live
	width := max(s.width()-1, 4)
	rows := s.liveRows(width)
	if _, height := s.size(); len(rows) >= height && l.asked == nil {
		rows = rows[:max(height-1, 0)]
	} else if len(rows) >= height {
		rows = rows[len(rows)-max(height-1, 0):] // the answer is the last
	}
	if l.drawn = len(rows); l.drawn == 0 {
		return
	}
	below := len(rows)
	if s.lineStart {
		below-- // the cursor's own row is empty
	}
	if below > 0 {
		b.WriteString(strings.Repeat("\x1bD", below))
		fmt.Fprintf(b, "\x1b[%dA", below)
	}
	b.WriteString("\x1b7")
	for i, r := range rows {
		if i > 0 || !s.lineStart {
			b.WriteString("\x1b[1B")
		}
		b.WriteString("\r" + r)
	}
	b.WriteString("\x1b8")
}

// liveRows is the picture: what runs and what is typed meanwhile, or what there
// is to be answered.
func (s *screen) liveRows(width int) []string {
	l := &s.live
	elapsed := time.Since(l.since)
	label := fmt.Sprintf("%s %d s", l.label, int(elapsed.Seconds()))
	if !l.begun.IsZero() {
		label = fmt.Sprintf("%s %d s", l.label, int(time.Since(l.begun).Seconds()))
	}
	if l.asked != nil {
		label = fmt.Sprintf("waiting for your answer %d s", int(elapsed.Seconds()))
	}
	frame := `|/-\`[int(elapsed/(2*frameTime))%4]
	label += ", Esc stops"
	if l.background != nil {
		if n := l.background(); n > 0 {
			label += fmt.Sprintf(", %s: /jobs", CountNoun(n, "background shell"))
		}
	}
	var rows []string
	_, height := s.size()
	for _, line := range l.tail.rows(max(height-6, 1), l.asked != nil) {
		rows = append(rows, s.look.paint(clipColumns("    "+line, width), dim))
	}
	rows = append(rows, s.look.paint(clipColumns(fmt.Sprintf("%c %s", frame, label), width), dim))
	if l.asked != nil {
		for _, r := range (block{width: width}).choices(l.asked) {
			rows = append(rows, s.look.paint(clipColumns(r, width), bold))
		}
		if l.list != nil {
			rows = append(rows, l.list(width, height)...)
		}
	}
	if l.answer != "" {
		return append(append(rows, clipLeft(l.answer, width)), s.statusRows(width, height)...)
	}
	for _, q := range l.queued {
		rows = append(rows, s.look.paint(clipColumns("  next: "+safeLine(q), width), dim))
	}
	if l.typed != "" {
		rows = append(rows, clipLeft("> "+safeLine(lastOf(l.typed)), width))
	}
	return append(rows, s.statusRows(width, height)...)
}

// lastOf is the end of a text, more of it than fits a row: a large paste is not
// looked through for every picture.
func lastOf(s string) string {
	const most = 4096
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-most:], "")
}

// clipLeft keeps the end of a line.
func clipLeft(s string, width int) string {
	for textColumns(s) > width {
		r := []rune(s)
		s = "<" + string(r[min(len(r), 1+max(1, textColumns(s)-width)):])
	}
	return s
}

// startLive begins to show that something runs.
func (s *screen) startLive(label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canLive {
		s.live = livePicture{on: true, label: label, since: time.Now(), background: s.live.background}
		s.lineStart = !s.midline // the prompt was left with a newline
	}
}

// tick shows the next picture.
func (s *screen) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live.on {
		return
	}
	if s.words != nil && time.Since(s.spoke) > 2*frameTime {
		s.writeSafe(s.words.settle()) // the model pauses: what was said so far is shown
	}
	s.flush()
}

// hideLive takes the picture off the screen while another program has the
// terminal, and puts it back.
func (s *screen) hideLive(hide bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.on = s.canLive && !hide
	s.flush()
}

// typing shows what is typed while something runs.
func (s *screen) typing(typed string, queued []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.on {
		s.live.typed, s.live.queued = typed, queued
		s.flush()
	}
}

// answering shows a question's choices, or the rows of its list, and its answer as far as it has come.
func (s *screen) answering(q *Question, text string, list func(width, height int) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.asked, s.live.answer, s.live.list = q, text, list
	if s.live.on {
		s.flush()
	}
}

// toggleTail shows more or less of what runs.
func (s *screen) toggleTail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.tail.whole = !s.live.tail.whole
	s.flush()
}

// stopLive leaves the output alone on the screen.
func (s *screen) stopLive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.on {
		s.live.on = false
		s.flush()
	}
}
