package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/patch"
)

// replacement is one edit to be made.
type replacement struct {
	old, new string
	all      bool
	count    int         // 0: not checked
	hunk     *patch.Edit // old are whole lines, with what else is known of their place; nil: any text
}

// located is a place where an old text stands, and what is to stand there.
type located struct {
	start, end int
	new        string
}

// standing is the places of a replacement.
type standing struct {
	places []located
	exact  bool   // the old text stands there as it was given
	note   string // how else
}

// findReplacement finds the places of a replacement in a text: where the old text
// stands as it is, else where it does but for what cannot be meant. The first way in
// which it is there at all counts.
func findReplacement(text string, r replacement, strict bool) standing {
	if f := findAlike(text, r, strict); f.places != nil || strict {
		return f
	}
	for _, m := range misquotes() {
		if plain, ok := m.repair(r); ok {
			if f := findAlike(text, plain, false); f.places != nil {
				f.exact, f.note = false, strings.TrimSuffix(m.note+"; "+f.note, "; ")
				return f
			}
		}
	}
	return standing{}
}

// findAlike finds an old text as it is, else with other ends of lines, blanks at
// them, typographic characters or indentation.
func findAlike(text string, r replacement, strict bool) standing {
	exact := standing{places: r.fit(text, findExact(text, r, strict)), exact: true}
	if strict || exact.places != nil && !r.cutsIndent(text, exact.places) {
		return exact
	}
	for i, all := 0, foldings(); exact.places == nil && i < len(all) && (i == 0 || len(text) <= foldLimit); i++ {
		alike := &all[i]
		if places := r.fit(text, alike.find(text, r)); places != nil {
			if i == 0 {
				return standing{places: places, exact: true}
			}
			return standing{places: places, note: whichLines(text, places) + " but for " + alike.name}
		}
	}
	places, how := otherIndent(text, r)
	if places == nil {
		return exact
	}
	return standing{places: places, note: whichLines(text, places) + " but for the indentation (" + how + "): new_string was indented to fit"}
}

// cutsIndent reports whether an indented line is a deeper one of the file all but for a part
// of its indentation, and lines follow in the new text that would not have that part.
func (r replacement) cutsIndent(text string, places []located) bool {
	lines := strings.Count(strings.TrimSuffix(r.old, "\n"), "\n")
	if lines > 0 || !strings.Contains(strings.TrimSuffix(r.new, "\n"), "\n") || splitIndent(r.old).indent == "" {
		return false
	}
	return !slices.ContainsFunc(places, func(l located) bool {
		before := text[strings.LastIndexByte(text[:l.start], '\n')+1 : l.start]
		return before == "" || strings.TrimLeft(before, " \t") != ""
	})
}

// fit leaves the places that are whole lines, where only such are meant.
func (r replacement) fit(text string, places []located) []located {
	if r.hunk == nil {
		return places
	}
	places = slices.DeleteFunc(places, func(l located) bool {
		begins := l.start == 0 || text[l.start-1] == '\n'
		return !begins || l.end < len(text) && text[l.end] != '\n' && text[l.end-1] != '\n'
	})
	if len(places) == 0 {
		return nil
	}
	return places
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

// position says where the next change of a patch is looked for.
type position struct {
	from  int // after the one before
	moved int // lines that there are more than its line numbers know of
}

// choose finds the one place of a hunk among those where its old lines stand: after the
// hunk before and the lines that it names, else at its number.
func (r replacement) choose(text string, f *standing, p position) error {
	h := r.hunk
	if !h.Ordered {
		p.from = 0
	}
	from, err := anchored(text, h, p.from)
	if err != nil {
		return err
	}
	if h.Old == "" {
		at, err := insertion(text, h, from, p)
		f.places = []located{{at, at, r.new}}
		if endingAt(text, at, at) == crlf {
			f.places[0].new = strings.ReplaceAll(strings.ReplaceAll(r.new, crlf, "\n"), "\n", crlf)
		}
		return err
	}
	keep := func(ok func(l located) bool) {
		if some := slices.DeleteFunc(slices.Clone(f.places), func(l located) bool { return !ok(l) }); len(some) > 0 {
			f.places = some
		}
	}
	keep(func(l located) bool { return l.start >= from })
	if len(h.After) > 0 && f.places[0].start >= from {
		f.places = f.places[:1]
	}
	if h.AtEnd {
		keep(func(l located) bool { return l.end == len(text) })
	}
	if h.Line > 0 && len(f.places) > 1 {
		keep(func(l located) bool { return lineAt(text, l.start) == h.Line+p.moved })
	}
	return nil
}

// insertion is where lines are added that say no line that stays.
func insertion(text string, h *patch.Edit, from int, p position) (int, error) {
	switch {
	case len(h.After) > 0:
		if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
			return from + i + 1, nil
		}
		return len(text), nil
	case h.AtEnd || text == "":
		return len(text), nil
	case h.Line > 0:
		lines := textLines(text)
		switch at := h.Line + p.moved; {
		case at >= 1 && at <= len(lines):
			return lines[at-1].start, nil
		case at == len(lines)+1:
			return len(text), nil
		}
		return 0, fmt.Errorf("there is no line %d: the last one is %d", h.Line-1, len(lines))
	}
	return 0, errors.New("where its lines go cannot be told: give lines that stand around them too")
}

// anchored is the start of the last of the lines that an edit names to stand before
// it, from a place on; that place if it names none.
func anchored(text string, h *patch.Edit, from int) (int, error) {
	for _, anchor := range h.After {
		want, at := strings.TrimSpace(anchor), -1
		for _, is := range []func(line, want string) bool{func(l, w string) bool { return l == w }, strings.HasPrefix, strings.Contains} {
			for _, l := range textLines(text) {
				if at < 0 && l.start >= from && is(strings.TrimSpace(text[l.start:l.end]), want) {
					at = l.start
				}
			}
		}
		if at < 0 {
			return 0, fmt.Errorf("the line %q, after @@, is not in what follows line %d: give one that is there, or leave it out", anchor, lineAt(text, from))
		}
		from = at
	}
	return from, nil
}

// lineAt is the number of the line in which an offset lies.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

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
	var list []int
	line, at := 1, 0
	for _, l := range places[:min(n+1, len(places))] {
		line += strings.Count(text[at:l.start], "\n")
		at = l.start
		list = append(list, line)
	}
	return listLines(list, n)
}

// listLines is "line 3" or "lines 3, 5, ...".
func listLines(lines []int, n int) string {
	var list []string
	for _, line := range lines[:min(n, len(lines))] {
		list = append(list, fmt.Sprint(line))
	}
	s := strings.Join(list, ", ")
	if len(lines) > n {
		s += ", ..."
	}
	if len(lines) == 1 {
		return "line " + s
	}
	return "lines " + s
}

// whichLines is "line 3 matches", "lines 3-5 match" or, of several places, "lines 3, 9 match".
func whichLines(text string, places []located) string {
	l := places[0]
	first, last := lineAt(text, l.start), lineAt(text, max(l.end-1, l.start))
	switch {
	case len(places) > 1:
		return lineNumbers(text, places, 10) + " match"
	case first == last:
		return fmt.Sprintf("line %d matches", first)
	}
	return fmt.Sprintf("lines %d-%d match", first, last)
}
