package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// written is a file that a statement's stdout goes to.
type written struct {
	files  []field
	sink   *sink
	append bool
}

// redirects walks a statement's redirections and sets what the command finds
// on its stdin and who asks for its stdout.
func (j *judge) redirects(redirs []*syntax.Redirect) *written {
	var to *written
	for _, r := range redirs {
		if r.N != nil {
			j.hidden(r.N.Value, j.src.span(r.Pos(), r.End()))
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			j.feed(r, j.document(r))
		case syntax.WordHdoc:
			j.feed(r, concat(j.expandOne(r.Word), value{"\n"}))
		case syntax.DplIn, syntax.DplOut:
			to = j.duplicate(r, to)
		case syntax.RdrIn:
			j.redirectIn(r)
		default:
			to = j.redirectOut(r, to)
		}
	}
	return to
}

func (j *judge) feed(r *syntax.Redirect, v value) {
	if r.N == nil || r.N.Value == "0" {
		j.stdin = v
	}
}

// targets returns the files that a redirection's word may mean.
func (j *judge) targets(w *syntax.Word) []field {
	if f, ok := j.literal(w); ok {
		return []field{f}
	}
	var out []field
	for _, l := range j.expand(w) {
		out = append(out, l...)
	}
	return out
}

func (j *judge) redirectIn(r *syntax.Redirect) {
	var v value
	for _, f := range j.targets(r.Word) {
		if j.socket(f) {
			v = v.join(value{fromNet})
			continue
		}
		j.addPath(RedirectPart, f, false)
		if c := j.content(f); c != nil {
			v = v.join(c)
		} else if f.text != "/dev/null" {
			v = v.join(value{anyText})
		}
	}
	if v == nil {
		v = value{""}
	}
	j.feed(r, v)
}

func (j *judge) redirectOut(r *syntax.Redirect, to *written) *written {
	fs := j.targets(r.Word)
	for _, f := range fs {
		if j.socket(f) {
			if r.Op == syntax.RdrInOut {
				j.feed(r, value{fromNet})
			}
			continue
		}
		j.addPath(RedirectPart, f, true)
		if f.text == "/dev/stdout" || f.text == "/dev/fd/1" || f.text == "/proc/self/fd/1" {
			return to
		}
	}
	if r.N != nil && r.N.Value != "1" {
		return to
	}
	s := &sink{}
	j.out = s
	return &written{files: fs, sink: s, append: r.Op == syntax.AppOut || r.Op == syntax.AppAll}
}

// duplicate is <&n and >&n; >&word is a file.
func (j *judge) duplicate(r *syntax.Redirect, to *written) *written {
	for _, f := range j.targets(r.Word) {
		fd := strings.TrimSuffix(f.text, "-")
		switch {
		case fd == "" || strings.Trim(fd, "0123456789") == "" || f.text == digits:
			if r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") && fd == "2" {
				j.out = nil
			} else if r.Op == syntax.DplIn || r.N != nil && r.N.Value == "0" {
				in := value{anyText}
				if j.sockets {
					in = value{fromNet}
				}
				j.feed(r, in)
			}
		case r.Op == syntax.DplOut:
			to = j.redirectOut(r, to)
		}
	}
	return to
}

// document is what a here-document feeds.
func (j *judge) document(r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return value{""}
	}
	var v value
	if literalDelimiter(r.Word) {
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		v = value{j.src.literal(b.String())}
	} else {
		j.endsEarly(r)
		v = value{""}
		for _, part := range r.Hdoc.Parts {
			if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, `\"`) {
				quoted := *lit
				quoted.Value = strings.ReplaceAll(lit.Value, `\"`, `\\"`) // a quote is nothing special here
				part = &quoted
			}
			v = concat(v, j.unsplit([]syntax.WordPart{part}, true))
		}
	}
	if r.Op == syntax.DashHdoc {
		v = v.each(func(s string) string { return strings.TrimLeft(strings.ReplaceAll(s, "\n\t", "\n"), "\t") })
	}
	return v
}

// endsEarly finds what bash takes for the end of a here-document and the parser
// does not: a delimiter that a backslash has spread over two lines. What comes
// after it are commands.
func (j *judge) endsEarly(r *syntax.Redirect) {
	s := j.src
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	for from > 1 && from < len(s.text) && s.text[from-2:from] == "\\\n" {
		from -= 2 // the parser has left it out
	}
	if from >= to || to > len(s.text) || !strings.Contains(s.text[from:to], "\\\n") {
		return
	}
	delimiter := j.src.literal(unescape(r.Word.Lit()))
	for at, line := from, ""; at < to; {
		end := strings.IndexByte(s.text[at:to], '\n')
		if end < 0 {
			end = to - at
		}
		line += s.text[at : at+end]
		at += end + 1
		if oddBackslash(line) == 1 {
			line = line[:len(line)-1]
			continue
		}
		if r.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		if line == delimiter && at < to {
			where := s.span(r.Pos(), r.End())
			j.unknown("where the here-document ends is not certain", where)
			j.text(&source{text: s.text[at:to], start: where.start, end: where.end, made: true})
			return
		}
		line = ""
	}
}

// literalDelimiter reports whether any of a here-document's delimiter is
// quoted, so that nothing in the document is expanded.
func literalDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.IndexByte(lit.Value, '\\') >= 0 {
			return true
		}
	}
	return false
}

// maxFiles bounds the files whose text is kept.
const maxFiles = 24

// fileWritten keeps what a statement wrote into a file, in case the line runs
// it later.
func (j *judge) fileWritten(to *written) {
	if to == nil {
		return
	}
	for _, f := range to.files {
		j.keepFile(f, to.sink.value(), to.append)
	}
}

func (j *judge) keepFile(f field, text value, more bool) {
	if len(j.env.files) >= maxFiles || f.text == "/dev/null" || f.text == "" {
		return
	}
	for _, path := range j.resolve(f.text) {
		v := text
		if more {
			old := j.content(field{text: path})
			if old == nil {
				old = value{anyText + "\n"}
			}
			v = concat(old, text)
		}
		j.env.files = append(j.env.files, file{path, v})
	}
}

// socket reports whether a file is one of bash's network paths, and notes it.
func (j *judge) socket(f field) bool {
	rest, ok := strings.CutPrefix(f.text, "/dev/tcp/")
	if !ok {
		if rest, ok = strings.CutPrefix(f.text, "/dev/udp/"); !ok {
			return false
		}
	}
	p := Part{Kind: RedirectPart, words: []field{f}, set: networks, Start: f.at.start, End: f.at.end, Via: j.via}
	j.add(p)
	j.sockets = true
	j.reason("connects to "+show(rest), networks, NoDanger, f.at)
	return true
}

// addPath notes that a redirection reads or writes a file.
func (j *judge) addPath(kind PartKind, f field, write bool) {
	p := Part{Kind: kind, words: []field{f}, Start: f.at.start, End: f.at.end, Via: j.via}
	j.path(&p, f, write, false)
	if len(p.Paths) > 0 || p.set != 0 {
		j.add(p)
	}
}
