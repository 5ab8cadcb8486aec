package files

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

const (
	diffLines   = 60      // the most lines a success report shows
	diffContext = 3       // unchanged lines around a change
	diffLimit   = 4 << 20 // bytes of changed region above which no diff is made
)

// unifiedDiff is the unified diff of two versions of a file, cut at diffLines lines.
// Only the region that differs is compared, so a small change in a big file costs little.
func unifiedDiff(name string, old, new []byte) string {
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
	u, err := udiff.ToUnifiedDiff(name, name, string(oldPart), udiff.Lines(string(oldPart), string(newPart)), diffContext)
	if err != nil {
		return "(" + err.Error() + ")\n"
	}
	before := bytes.Count(old[:head], newline)
	for _, h := range u.Hunks {
		h.FromLine += before
		h.ToLine += before
	}
	return cutDiff(u.String())
}

// commonHead is the length of what both start with, less the lines of context that a diff shows.
func commonHead(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for range diffContext + 1 {
		n = bytes.LastIndexByte(a[:max(n-1, 0)], '\n') + 1
	}
	return n
}

// commonTail is the length of what both end with, less the lines of context; it
// starts after a newline.
func commonTail(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for range diffContext + 1 {
		next := bytes.IndexByte(a[len(a)-n:], '\n')
		if next < 0 {
			return 0
		}
		n -= next + 1
	}
	return n
}

func cutDiff(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
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
