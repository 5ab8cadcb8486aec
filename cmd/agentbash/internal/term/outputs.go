package term

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/agentbash/agentbash/internal/safetext"
)

// How much of an output is shown before it is folded.
const (
	foldHead = 3
	foldTail = 3
	foldDiff = 40
	mostKept = 50 // outputs that /output can show
)

// showOutput shows what a command of the model's gave: the diffs of edits, and
// the beginning and the end of anything else.
func (s *screen) showOutput(output string) {
	output = strings.TrimRight(cleanText(output), "\n")
	if output == "" || output == "(no output)" {
		return
	}
	lines := withoutState(strings.Split(output, "\n"))
	for len(lines) > 0 {
		n := diffLines(lines)
		diff := n > 0
		for !diff && n < len(lines) && diffLines(lines[n:]) == 0 {
			n++
		}
		if diff && strings.Contains(s.question, strings.Join(lines[:n], "\n")) {
			s.showLine("(the change that you saw in the question)", dim)
		} else {
			s.showPart(lines[:n], diff)
		}
		lines = lines[n:]
	}
}

// showPart shows a diff, or what stands between two.
func (s *screen) showPart(lines []string, diff bool) {
	head, tail := foldHead, foldTail
	if diff {
		head, tail = foldDiff, 0
	}
	if len(lines) <= head+tail+1 { // the fold would take a line too
		head = len(lines)
	}
	for i, line := range lines {
		switch left := len(lines) - head - tail; {
		case i < head || i >= len(lines)-tail:
			st := dim
			if diff {
				st = diffStyle(line)
			}
			s.showLine(line, st)
		case i == head:
			s.showLine(fmt.Sprintf("... %s more: /output shows all", CountNoun(left, "line")), dim)
		}
	}
}

// lineRows is how many rows of a line are shown before it is cut.
const lineRows = 6

// showLine shows a line of an output, over several rows where it must.
func (s *screen) showLine(line string, st style) {
	rows := wrapText(strings.TrimRight(line, "\n"), max(s.width()-5, 10))
	for i, r := range rows[:min(len(rows), lineRows)] {
		if i == lineRows-1 && len(rows) > lineRows {
			r = fmt.Sprintf("... %s more: /output shows all", CountNoun(len(rows)-i, "row"))
		}
		s.line("    " + s.look.paint(r, st))
	}
}

// wrapText breaks a line at spaces, and where there are none anywhere.
func wrapText(line string, width int) (rows []string) {
	line = strings.ReplaceAll(line, "\t", "    ")
	start := 0
	for _, end := range rowEnds(line, width) {
		rows = append(rows, strings.TrimRight(line[start:end], " "))
		start = end
	}
	return append(rows, line[start:])
}

// rowEnds are where the rows of a line end but for the last: behind a space, if there is
// one in the second half of the row.
func rowEnds(line string, width int) (ends []int) {
	start, used, space, state := 0, 0, 0, -1
	for at := 0; at < len(line); {
		cluster, _, w, next := uniseg.FirstGraphemeClusterInString(line[at:], state)
		if cluster == "\t" {
			w = 4
		}
		hangs := cluster == " " && used == width
		if used+w > width && at > start && !hangs {
			start, used = at, 0
			if space > at-(at-lastEnd(ends))/2 {
				start, used = space, textColumns(line[space:at])
			}
			ends = append(ends, start)
		}
		used, state, at = used+w, next, at+len(cluster)
		if cluster == " " || cluster == "\t" {
			space = at
		}
	}
	return ends
}

func lastEnd(ends []int) int {
	if len(ends) == 0 {
		return 0
	}
	return ends[len(ends)-1]
}

// withoutState leaves out what the line of the call has said already.
func withoutState(lines []string) []string {
	for n := len(lines); n > 0 && (strings.HasPrefix(lines[n-1], "[exit code: ") || strings.HasPrefix(lines[n-1], "[interrupted by")); n-- {
		lines = lines[:n-1]
	}
	return lines
}

// diffLines is how many lines of a unified diff the lines begin with.
func diffLines(lines []string) int {
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "--- ") || !strings.HasPrefix(lines[1], "+++ ") || !strings.HasPrefix(lines[2], "@@ ") {
		return 0
	}
	n := 3
	for n < len(lines) && lines[n] != "" && strings.ContainsRune(" +-@\\", rune(lines[n][0])) && diffLines(lines[n:]) == 0 {
		n++
	}
	return n
}

// isDiff recognizes a unified diff, which begins at a line of its own.
func isDiff(lines []string) bool {
	for i := range lines {
		if i+2 < len(lines) && strings.HasPrefix(lines[i], "--- ") && strings.HasPrefix(lines[i+1], "+++ ") && strings.HasPrefix(lines[i+2], "@@ ") {
			return true
		}
	}
	return false
}

// keptOutput is an output that can be shown whole.
type keptOutput struct{ command, output string }

func (s *screen) keepOutput(command, output string) {
	s.outputs = append(s.outputs, keptOutput{command, output})
	s.outputs = s.outputs[max(0, len(s.outputs)-mostKept):]
}

// showWhole shows the nth output from the last, whole.
func (s *screen) showWhole(n int) error {
	if len(s.outputs) == 0 {
		return fmt.Errorf("no command has run yet")
	}
	if n < 1 || n > len(s.outputs) {
		return fmt.Errorf("there are %s: /output 1 shows the last", CountNoun(len(s.outputs), "output"))
	}
	k := s.outputs[len(s.outputs)-n]
	s.endLine()
	s.line(s.look.paint("  $ "+strings.ReplaceAll(safetext.Visible(k.command), "\n", "\n    "), bold))
	s.page(k.output)
	return nil
}

// page shows a text, with diffs in colours.
func (s *screen) page(text string) {
	lines := strings.Split(strings.TrimRight(cleanText(text), "\n"), "\n")
	diff := isDiff(lines)
	for _, line := range lines {
		st := style(0)
		if diff {
			st = diffStyle(line)
		}
		if !s.terminal || diff {
			s.line(s.look.paint(line, st))
			continue
		}
		for _, r := range wrapText(line, max(s.width()-1, 10)) {
			s.line(r)
		}
	}
}

// CountNoun is a number of things: "1 line", "1,200 lines".
func CountNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return groupThousands(n) + " " + what + "s"
}
