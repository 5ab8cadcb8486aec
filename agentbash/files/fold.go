package files

import (
	"cmp"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// foldLimit is the size in bytes of a text above which only its ends of lines and its
// indentation may differ.
const foldLimit = 16 << 20

// folding is a way to take texts for alike that are not the same.
type folding struct {
	name   string         // of what may differ
	re     *regexp.Regexp // what is replaced
	plain  *strings.Replacer
	within bool // a changed line keeps the file's own characters where it did not change
}

// foldings are the ways in which a text may differ and mean the same, from the closest on.
// The ends of lines stay.
var foldings = sync.OnceValue(func() []folding {
	var table []string
	set := "["
	for plain, special := range map[string]string{
		" ": "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", "": "\u200b\u200c\u200d\u2060\ufeff",
		"'": "\u2018\u2019\u201a\u201b\u2032", `"`: "\u201c\u201d\u201e\u201f\u2033", "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "...": "\u2026",
	} {
		for _, c := range special {
			table = append(table, string(c), plain)
			set += string(c)
		}
	}
	const ends = `[ \t]*\r?\n|[ \t]+\z`
	return []folding{
		{name: "the ends of lines", re: regexp.MustCompile(`\r\n`)},
		{name: "blanks at the ends of lines", re: regexp.MustCompile(ends)},
		{name: "typographic quotes, dashes or blanks", re: regexp.MustCompile(ends + "|" + set + "]"), plain: strings.NewReplacer(table...), within: true},
	}
})

// folded is a text in which what does not count is gone, and where its parts were.
type folded struct {
	text string
	cuts []cut
}

// cut is a part that was replaced: where it is, and where it was.
type cut struct{ start, end, from, to int }

func (w *folding) fold(text string) folded {
	var b strings.Builder
	var f folded
	at := 0
	for _, m := range w.re.FindAllStringIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		c := cut{start: b.Len(), from: m[0], to: m[1]}
		switch part := text[m[0]:m[1]]; {
		case strings.HasSuffix(part, "\n"):
			b.WriteByte('\n')
		case strings.Trim(part, " \t") != "":
			b.WriteString(w.plain.Replace(part))
		}
		c.end, at = b.Len(), m[1]
		f.cuts = append(f.cuts, c)
	}
	b.WriteString(text[at:])
	f.text = b.String()
	return f
}

// after is where the character before an offset ended.
func (f *folded) after(at int) int {
	return f.was(at, sort.Search(len(f.cuts), func(i int) bool { return f.cuts[i].start >= at }))
}

// before is where the character at an offset started.
func (f *folded) before(at int) int {
	return f.was(at, sort.Search(len(f.cuts), func(i int) bool { return f.cuts[i].end > at }))
}

// parts reports whether an offset lies within what stands for one character.
func (f *folded) parts(at int) bool {
	i := sort.Search(len(f.cuts), func(i int) bool { return f.cuts[i].end > at })
	return i < len(f.cuts) && f.cuts[i].start < at
}

func (f *folded) was(at, cuts int) int {
	if cuts == 0 {
		return at
	}
	c := f.cuts[cuts-1]
	return c.to + max(at-c.end, 0)
}

// find finds the places where a text is like the old one.
func (w *folding) find(text string, r replacement) (places []located) {
	old := w.fold(r.old)
	if strings.TrimSpace(old.text) == "" && old.text != r.old {
		return nil
	}
	in := w.fold(text)
	if in.text == text && old.text == r.old {
		return nil
	}
	for at := 0; ; {
		i := strings.Index(in.text[at:], old.text)
		if i < 0 {
			return places
		}
		at += i
		if in.parts(at) || in.parts(at+len(old.text)) {
			at++
			continue
		}
		l := located{start: in.before(at), end: in.after(at + len(old.text))}
		change := func(was, line string) string {
			if w.within {
				return w.keep(was, line)
			}
			return line
		}
		l.new = carry(text[l.start:l.end], r, endingAt(text, l.start, l.end), change)
		places = append(places, l)
		at += len(old.text)
	}
}

// carry makes a replacement in lines that are like its old ones: those that do not
// change stay as they are, and change makes those that come; the line of the file
// is "" where there is none that it replaces. usual ends the lines that come.
func carry(file string, r replacement, usual string, change func(was, line string) string) string {
	had, old := splitLines(file), strings.ReplaceAll(r.old, crlf, "\n")
	var b strings.Builder
	at := 0
	for _, e := range udiff.Lines(old, strings.ReplaceAll(r.new, crlf, "\n")) {
		first := strings.Count(old[:e.Start], "\n")
		last := first + len(splitLines(old[e.Start:e.End]))
		for ; at < first && at < len(had); at++ {
			b.WriteString(had[at])
		}
		lines := splitLines(e.New)
		for i, line := range lines {
			was, end := "", usual
			if len(lines) == last-first && at+i < len(had) {
				was = strings.TrimRight(had[at+i], "\r\n")
				end = cmp.Or(had[at+i][len(was):], usual)
			}
			text, ended := strings.CutSuffix(line, "\n")
			if b.WriteString(change(was, text)); ended {
				b.WriteString(end)
			}
		}
		at = last
	}
	for ; at < len(had); at++ {
		b.WriteString(had[at])
	}
	return b.String()
}

// keep makes of a line of the file what was asked for, with the file's characters where
// what stands there is only written in another way.
func (w *folding) keep(was, line string) string {
	f := w.fold(was)
	head, tail := 0, 0
	for head < min(len(f.text), len(line)) && f.text[head] == line[head] {
		head++
	}
	for head > 0 && head < len(line) && !utf8.RuneStart(line[head]) {
		head--
	}
	for tail < min(len(f.text), len(line))-head && f.text[len(f.text)-1-tail] == line[len(line)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(line[len(line)-tail]) {
		tail--
	}
	if head+tail == 0 {
		return line
	}
	return was[:f.after(head)] + line[head:len(line)-tail] + was[f.before(len(f.text)-tail):]
}
