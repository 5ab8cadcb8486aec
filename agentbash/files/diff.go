package files

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/agentbash/agentbash/registry"
)

const (
	diffLines   = 60      // the most lines a success report shows
	diffContext = 3       // unchanged lines around a change
	diffLimit   = 4 << 20 // bytes of changed region above which no diff is made
	echoLines   = 8       // lines of one change that are shown to who has just sent them
)

// Diff is the unified diff of two versions of a file, cut at 60 lines. Only the region that
// differs is compared, so a small change in a big file costs little.
func Diff(name string, old, new []byte) string { return diffOf(name, old, new, diffLines) }

// diffFor is what makes the diff of a call: with dry_run all of it, else that for who has sent
// what is new in it: of a long run of lines that came or went the ends are shown.
func diffFor(call *registry.Call) func(name string, old, new []byte) string {
	if call.Bool("dry_run") {
		return Diff
	}
	return func(name string, old, new []byte) string { return diffOf(name, old, new, echoLines) }
}

func diffOf(name string, old, new []byte, longest int) string {
	old, new = showable(old, new)
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	oldPart, newPart := old[head:len(old)-tail], new[head:len(new)-tail]
	if len(oldPart) == 0 && len(newPart) == 0 {
		return ""
	}
	if len(oldPart)+len(newPart) > diffLimit {
		return fmt.Sprintf("(%s replaced by %s: too much for a diff)\n", countNoun(countLines(oldPart), "line"), countNoun(countLines(newPart), "line"))
	}
	if bytes.IndexByte(oldPart, 0) >= 0 || bytes.IndexByte(newPart, 0) >= 0 {
		return fmt.Sprintf("(binary: %s replaced by %s)\n", countNoun(len(oldPart), "byte"), countNoun(len(newPart), "byte"))
	}
	d := compareLines(string(oldPart), string(newPart))
	d.print(bytes.Count(old[:head], newline), longest)
	return cutDiff("--- " + name + "\n+++ " + name + "\n" + d.out.String())
}

// lineDiff is what two texts have in common line by line: in each, gaps[k] lines that
// the other one does not have stand before the common line k, or at the end.
type lineDiff struct {
	sides [2]diffSide
	out   strings.Builder
}

type diffSide struct {
	lines []string // with their newlines
	gaps  []int
}

func compareLines(old, new string) *lineDiff {
	d := &lineDiff{}
	d.sides[0].lines, d.sides[1].lines = splitLines(old), splitLines(new)
	at := 0
	same := func(upto int) {
		for range splitLines(old[at:upto]) {
			for i := range d.sides {
				d.sides[i].gaps = append(d.sides[i].gaps, 0)
			}
		}
	}
	d.sides[0].gaps, d.sides[1].gaps = []int{0}, []int{0}
	for _, e := range udiff.Lines(old, new) {
		same(e.Start)
		last := len(d.sides[0].gaps) - 1
		d.sides[0].gaps[last] += len(splitLines(old[e.Start:e.End]))
		d.sides[1].gaps[last] += len(splitLines(e.New))
		at = e.End
	}
	same(len(old))
	d.sides[0].slide(d.sides[1].gaps)
	d.sides[1].slide(d.sides[0].gaps)
	return d
}

func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// print writes the hunks; before is the number of lines that were not compared.
func (d *lineDiff) print(before, longest int) {
	old, new := &d.sides[0], &d.sides[1]
	common := len(old.gaps) - 1
	var at [2]int
	for k := 0; k <= common; {
		first := k // of the gaps of this hunk
		for first <= common && old.gaps[first]+new.gaps[first] == 0 {
			first++
		}
		if first > common {
			return
		}
		last := first
		for next := last + 1; next <= common && next-last <= 2*diffContext; next++ {
			if old.gaps[next]+new.gaps[next] > 0 {
				last = next
			}
		}
		skip, after := max(first-k-diffContext, 0), min(common-last, diffContext)
		at[0], at[1] = at[0]+skip, at[1]+skip
		var head [2]string
		for i, s := range d.sides {
			n := first - k - skip + last - first + after
			for _, gap := range s.gaps[first : last+1] {
				n += gap
			}
			head[i] = hunkRange(before+at[i], n)
		}
		fmt.Fprintf(&d.out, "@@ -%s +%s @@\n", head[0], head[1])
		for k += skip; k <= last+after; k++ {
			if k <= last {
				at[0] = d.run("-", old.lines[at[0]:at[0]+old.gaps[k]], at[0], longest)
				at[1] = d.run("+", new.lines[at[1]:at[1]+new.gaps[k]], at[1], longest)
			}
			if k < last+after {
				d.run(" ", old.lines[at[0]:at[0]+1], 0, 1)
				at[0], at[1] = at[0]+1, at[1]+1
			}
		}
		if k = last + after; last == common {
			return
		}
	}
}

// hunkRange is the start of a hunk, counted from 0, and its size.
func hunkRange(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}

// run writes lines of a kind, of more than longest the first and the last, and
// returns the place after them.
func (d *lineDiff) run(sign string, lines []string, at, longest int) int {
	for i, line := range lines {
		if len(lines) > longest && i == longest/2 {
			fmt.Fprintf(&d.out, "... %d more %s lines ...\n", len(lines)-longest/2-1, sign)
		}
		if len(lines) > longest && i >= longest/2 && i < len(lines)-1 {
			continue
		}
		d.out.WriteString(sign + line)
		if !strings.HasSuffix(line, "\n") {
			d.out.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return at + len(lines)
}

// diffMargin is how many equal lines around what differs are compared all the same: the
// context, and as far as a change may slide.
const diffMargin = slideLimit + diffContext + 1

// commonHead is the length of what both start with, less the lines of the margin.
func commonHead(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for range diffMargin {
		n = bytes.LastIndexByte(a[:max(n-1, 0)], '\n') + 1
	}
	return n
}

// commonTail is the length of what both end with, less the lines of the margin; it
// starts after a newline.
func commonTail(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for range diffMargin {
		next := bytes.IndexByte(a[len(a)-n:], '\n')
		if next < 0 {
			return 0
		}
		n -= next + 1
	}
	return n
}

func cutDiff(text string) string {
	lines := splitLines(text)
	if len(lines) <= diffLines {
		return text
	}
	return strings.Join(lines[:diffLines-1], "") + fmt.Sprintf("... %s of the diff are not shown\n", countNoun(len(lines)-diffLines+1, "line"))
}

// countLines counts lines, the last one with or without its newline.
func countLines(b []byte) int {
	n := bytes.Count(b, newline)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
