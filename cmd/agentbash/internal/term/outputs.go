package term

import (
	"fmt"
	"strings"
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
		s.showPart(lines[:n], diff)
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
	width := max(s.width()-5, 10)
	for i, line := range lines {
		switch left := len(lines) - head - tail; {
		case i < head || i >= len(lines)-tail:
			st := dim
			if diff {
				st = diffStyle(line)
			}
			s.line("    " + s.look.paint(clipColumns(strings.ReplaceAll(line, "\t", "    "), width), st))
		case i == head:
			s.line("    " + s.look.paint(clipColumns(fmt.Sprintf("... %s more: /output shows all", countNoun(left, "line")), width), dim))
		}
	}
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
		return fmt.Errorf("there are %s: /output 1 shows the last", countNoun(len(s.outputs), "output"))
	}
	k := s.outputs[len(s.outputs)-n]
	s.line(s.look.paint("  $ "+asLine(k.command), bold))
	s.page(k.output)
	return nil
}

// page shows a text, with diffs in colours.
func (s *screen) page(text string) {
	lines := strings.Split(strings.TrimRight(cleanText(text), "\n"), "\n")
	diff := isDiff(lines)
	for _, line := range lines {
		if diff {
			line = s.look.paint(line, diffStyle(line))
		}
		s.line(line)
	}
}

func countNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return groupThousands(n) + " " + what + "s"
}
