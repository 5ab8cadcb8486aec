package term

import (
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/chat"
)

// How many of the last lines of what runs are shown, and kept for Ctrl-O.
const (
	tailShown = 5
	tailKept  = 500
)

// outputTail is the end of what the command that runs has written so far.
type outputTail struct {
	lines []string
	open  string // what came of the line after them
	gone  int    // lines before them
	whole bool   // the person wants to see more than the last few
}

// add adds a piece of the output.
func (t *outputTail) add(e chat.Output) {
	if e.Omitted > 0 {
		t.open = ""
	}
	parts := strings.Split(t.open+e.Text, "\n")
	for _, part := range parts[:len(parts)-1] {
		t.lines = append(t.lines, lastWritten(part))
	}
	t.open = lastOf(parts[len(parts)-1])
	over := max(0, len(t.lines)-tailKept)
	t.lines, t.gone = t.lines[over:], t.gone+over
}

// lastWritten is a line as it was in the end, where parts of it were written over.
func lastWritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return safeLine(cleanText(line[strings.LastIndexByte(line, '\r')+1:]))
}

// rows are those to be shown, most of them at most; few leaves room for a question.
func (t *outputTail) rows(most int, few bool) []string {
	lines := t.lines
	if t.open != "" {
		lines = append(lines[:len(lines):len(lines)], lastWritten(t.open))
	}
	all := t.gone + len(lines)
	if !t.whole || few {
		most = min(most, tailShown)
	}
	if all <= most {
		return lines
	}
	lines = lines[max(0, len(lines)-most+1):]
	more := fmt.Sprintf("... %s before", CountNoun(all-len(lines), "line"))
	if !t.whole {
		more += ": Ctrl-O shows more"
	}
	return append([]string{more}, lines...)
}
