package term

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
)

// How many rows of a command are shown before it is folded.
const (
	commandHead = 10
	commandTail = 2
)

// toolCall shows a command as it was sent; its result ends the last row.
func (s *screen) toolCall(c chat.ToolCall) {
	s.endLine()
	s.answer.Reset()
	s.asked[c.ID] = c.Command
	rows := []string{clipColumns("    "+asLine(c.Command), max(20, s.width()-28))}
	if s.terminal && !strings.HasPrefix(c.Command, "todo ") { // whose list is shown
		rows = rows[:0]
		for line := range strings.Lines(c.Command) {
			for _, r := range wrapText(safetext.Visible(strings.TrimRight(line, "\r\n")), max(s.width()-5, 10)) {
				rows = append(rows, "    "+r)
			}
		}
	}
	if over := len(rows) - commandHead - commandTail; over > 1 {
		rows = slices.Concat(rows[:commandHead], []string{fmt.Sprintf("    ... %s more: /output shows all", CountNoun(over, "row"))}, rows[len(rows)-commandTail:])
	}
	for i, r := range rows {
		if i == 0 {
			r = "  $ " + strings.TrimPrefix(r, "    ")
		}
		if s.callW = textColumns(r); i > 0 {
			s.writeSoon(s.err, "\n")
		}
		s.writeSoon(s.err, s.look.paint(r, bold))
	}
	s.call = c.Command
	s.live.label, s.live.begun = "running", time.Now()
	if s.live.on {
		s.flush()
	}
}

// showResult ends the line of a tool call with its outcome.
func (s *screen) showResult(r chat.ToolResult) {
	s.live.label, s.live.begun, s.live.tail = "working", time.Time{}, outputTail{whole: s.live.tail.whole}
	if r.Refused {
		s.remark("refused: "+safeLine(r.Output), yellow)
		return
	}
	state, st := "ok", green
	switch {
	case r.Interrupted && r.Duration == 0:
		return // it never ran, and has no line
	case r.Interrupted:
		state, st = "interrupted", yellow
	case r.Denied:
		state, st = "denied", yellow
	case r.ExitCode != 0:
		state, st = fmt.Sprintf("exit %d", r.ExitCode), red
	}
	what := state + ", " + outputSize(r.Output)
	switch {
	case r.Denied:
		what = state
	case r.Display != "" && state == "ok":
		what = safeLine(r.Display)
	case r.Display != "":
		what = state + ", " + safeLine(r.Display)
	}
	what = clipColumns(what, max(40, s.width()-14))
	outcome := fmt.Sprintf("  [%s, %s]", what, elapsedText(r.Duration))
	if s.terminal && s.callW+textColumns(outcome) >= s.width() {
		outcome = "\n  " + outcome
	}
	s.line(s.look.paint(outcome, st))
	s.call = ""
	s.keepOutput(s.asked[r.ID], r.Output)
	delete(s.asked, r.ID)
	switch {
	case !s.terminal:
	case s.todoChanged():
		for line := range strings.Lines(cleanText(todo.Text(s.steps))) {
			s.showLine(line, map[bool]style{true: dim}[strings.HasPrefix(line, "[x]")])
		}
	case r.Denied:
		for line := range strings.Lines(deniedText(r.Output)) {
			s.showLine(line, 0)
		}
	default:
		s.showOutput(r.Output)
	}
}

// deniedText is what a denial says, without the frame that the model sees around it.
func deniedText(output string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(cleanText(output), "[stderr]\n"), "\n[exit code: ")
	return text
}

// todoChanged reports whether the list of steps is another one than was shown last.
func (s *screen) todoChanged() bool {
	if s.todo == nil {
		return false
	}
	now := s.todo()
	if slices.Equal(now, s.steps) {
		return false
	}
	s.steps = now
	return true
}

// remark is a line of our own in a turn, in brackets.
func (s *screen) remark(text string, st style) {
	s.endLine()
	width := max(s.width()-3, 10)
	if !s.terminal {
		width = math.MaxInt
	}
	for _, r := range wrapText("["+text+"]", width) {
		s.line(s.look.paint("  "+r, st))
	}
}

// outputSize is how much output there is, in the words of a person.
func outputSize(output string) string {
	n := strings.Count(strings.TrimSuffix(output, "\n"), "\n") + 1
	switch {
	case output == "(no output)":
		return "no output"
	case n == 1:
		return "1 line"
	}
	return groupThousands(n) + " lines"
}
