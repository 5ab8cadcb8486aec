package files

import (
	"fmt"
	"strings"
)

// located is a place where an old text stands, and what is to stand there.
type located struct {
	start, end int
	new        string
}

// findReplacement finds the places of a replacement in a text: where the old text
// stands as it is, else with other line ends, else (whole lines that occur once)
// with another indentation. note says which, if it was not the first.
func findReplacement(text string, r replacement, strict bool) (places []located, note string) {
	if places = findExact(text, r, strict); places != nil || strict {
		return places, ""
	}
	if places = otherEnds(text, r); places != nil {
		return places, ""
	}
	return otherIndent(text, r)
}

// findExact finds the old text as it is; the new one gets the line ends of the place.
func findExact(text string, r replacement, strict bool) []located {
	var places []located
	for at := 0; ; {
		i := strings.Index(text[at:], r.old)
		if i < 0 {
			return places
		}
		l := located{at + i, at + i + len(r.old), r.new}
		if !strict && !strings.Contains(r.new, crlf) && endingAt(text, l.start, l.end) == crlf {
			l.new = strings.ReplaceAll(r.new, "\n", crlf)
		}
		places = append(places, l)
		at = l.end
	}
}

const crlf = "\r\n"

// endingAt is the line end that is usual at a place: the first one in it, else
// that of its line, else that of the line before.
func endingAt(text string, start, end int) string {
	i := strings.IndexByte(text[start:end], '\n')
	if i < 0 {
		i = strings.IndexByte(text[end:], '\n') + end - start
		if i < end-start {
			i = strings.LastIndexByte(text[:start], '\n') - start
		}
	}
	if at := start + i; at > 0 && text[at] == '\n' && text[at-1] == '\r' {
		return crlf
	}
	return "\n"
}

// otherEnds finds the old text with \n and \r\n taken as the same.
func otherEnds(text string, r replacement) []located {
	old := strings.ReplaceAll(r.old, crlf, "\n")
	if !strings.Contains(old, "\n") || !strings.Contains(text, crlf) && old == r.old {
		return nil
	}
	plain, offsets := withoutCR(text)
	var places []located
	for at := 0; ; {
		i := strings.Index(plain[at:], old)
		if i < 0 {
			return places
		}
		at += i
		l := located{start: offsets.of(at), end: offsets.of(at + len(old))}
		l.new = withEnds(text[l.start:l.end], strings.ReplaceAll(r.new, crlf, "\n"), endingAt(text, l.start, l.end))
		places = append(places, l)
		at += len(old)
	}
}

// removed are the offsets in a text without its \r of the \n that had one.
type removed []int

// withoutCR turns \r\n into \n.
func withoutCR(text string) (string, removed) {
	var b strings.Builder
	var cuts removed
	for {
		before, after, found := strings.Cut(text, crlf)
		b.WriteString(before)
		if !found {
			return b.String(), cuts
		}
		cuts = append(cuts, b.Len())
		b.WriteByte('\n')
		text = after
	}
}

// of is where an offset in the shorter text was in the longer one; a \n stands for its \r\n.
func (cuts removed) of(at int) int {
	lo, hi := 0, len(cuts)
	for lo < hi {
		if mid := (lo + hi) / 2; cuts[mid] < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return at + lo
}

// withEnds gives a new text the line ends of the old one: each line that stays
// at the start or at the end keeps its own, the others get the usual one.
func withEnds(old, new, usual string) string {
	var ends []string
	var oldLines []string
	for line := range strings.SplitSeq(old, "\n") {
		plain, hasCR := strings.CutSuffix(line, "\r")
		oldLines = append(oldLines, plain)
		if hasCR {
			ends = append(ends, crlf)
		} else {
			ends = append(ends, "\n")
		}
	}
	newLines := strings.Split(new, "\n")
	head := 0
	for head < len(oldLines)-1 && head < len(newLines)-1 && oldLines[head] == newLines[head] {
		head++
	}
	tail := 0 // line ends, counted from the last
	for tail < len(oldLines)-1-head && tail < len(newLines)-1-head && oldLines[len(oldLines)-1-tail] == newLines[len(newLines)-1-tail] {
		tail++
	}
	var b strings.Builder
	for i, line := range newLines {
		b.WriteString(line)
		switch last := len(newLines) - 1; {
		case i == last:
		case i < head:
			b.WriteString(ends[i])
		case i >= last-tail:
			b.WriteString(ends[len(oldLines)-1-(last-i)])
		default:
			b.WriteString(usual)
		}
	}
	return b.String()
}

// replacePlaces makes the replacements at their places.
func replacePlaces(text string, places []located) string {
	var b strings.Builder
	at := 0
	for _, l := range places {
		b.WriteString(text[at:l.start])
		b.WriteString(l.new)
		at = l.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// sizeAfter is the size of a text after its replacements.
func sizeAfter(text string, places []located) int {
	n := len(text)
	for _, l := range places {
		n += len(l.new) - (l.end - l.start)
	}
	return n
}

// lineNumbers lists the lines of up to n places.
func lineNumbers(text string, places []located, n int) string {
	var list []string
	line, at := 1, 0
	for _, l := range places[:min(n, len(places))] {
		line += strings.Count(text[at:l.start], "\n")
		at = l.start
		list = append(list, fmt.Sprint(line))
	}
	s := strings.Join(list, ", ")
	if len(places) > n {
		s += ", ..."
	}
	if len(places) == 1 {
		return "line " + s
	}
	return "lines " + s
}
