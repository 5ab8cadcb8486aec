package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// written is the files that a statement's stdout goes to.
type written struct {
	files  []field
	sink   *sink
	append bool
}

// redirects walks a statement's redirections and sets what the command finds
// on its stdin and who asks for its stdout.
func (j *judge) redirects(redirs []*syntax.Redirect) (to written) {
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
			j.duplicate(r, &to)
		case syntax.RdrIn:
			j.redirectIn(r)
		default:
			j.redirectOut(r, j.targets(r.Word), &to)
		}
	}
	return to
}

// feed gives the command its stdin.
func (j *judge) feed(r *syntax.Redirect, v value) {
	if r.N == nil || r.N.Value == "0" {
		j.stdin = v
	}
}

// targets returns the files that a redirection's word may mean.
func (j *judge) targets(w *syntax.Word) (out []field) {
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

func (j *judge) redirectOut(r *syntax.Redirect, files []field, to *written) {
	for _, f := range files {
		if j.socket(f) {
			if r.Op == syntax.RdrInOut {
				j.feed(r, value{fromNet})
			}
			continue
		}
		j.addPath(RedirectPart, f, true)
		if f.text == "/dev/stdout" || f.text == "/dev/fd/1" || f.text == "/proc/self/fd/1" {
			return
		}
	}
	if r.N == nil || r.N.Value == "1" {
		j.out = &sink{}
		*to = written{files, j.out, r.Op == syntax.AppOut || r.Op == syntax.AppAll}
	}
}

// duplicate is <&n and >&n; >&word is a file.
func (j *judge) duplicate(r *syntax.Redirect, to *written) {
	files := j.targets(r.Word)
	for i, f := range files {
		fd := strings.TrimSuffix(f.text, "-")
		switch {
		case strings.Trim(fd, "0123456789") != "" && f.text != digits:
			if r.Op == syntax.DplOut {
				j.redirectOut(r, files[i:i+1], to)
			}
		case r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") && fd == "2":
			j.out = nil
		case r.Op == syntax.DplIn || r.N != nil && r.N.Value == "0":
			in := value{anyText}
			if j.sockets {
				in = value{fromNet}
			}
			j.feed(r, in)
		}
	}
}

// document is what a here-document feeds.
func (j *judge) document(r *syntax.Redirect) value {
	v := value{""}
	if r.Hdoc == nil {
		return v
	}
	literal := false // a delimiter that is quoted: nothing is expanded
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		literal = literal || !ok || strings.Contains(lit.Value, "\\")
	}
	if !literal {
		j.endsEarly(r)
	}
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case ok && literal:
			v = concat(v, value{j.src.literal(lit.Value)})
			continue
		case ok && strings.Contains(lit.Value, `\"`):
			quoted := *lit
			quoted.Value = strings.ReplaceAll(lit.Value, `\"`, `\\"`) // a quote is nothing special here
			part = &quoted
		}
		v = concat(v, j.unsplit([]syntax.WordPart{part}, true))
	}
	if r.Op == syntax.DashHdoc {
		v = v.each(func(s string) string { return strings.TrimLeft(strings.ReplaceAll(s, "\n\t", "\n"), "\t") })
	}
	return v
}

// endsEarly finds what bash may take for the end of a here-document and the
// parser does not: a delimiter that a backslash has spread over two lines. What
// comes after it are commands.
func (j *judge) endsEarly(r *syntax.Redirect) {
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	for from > 1 && from < len(j.src.text) && j.src.text[from-2:from] == "\\\n" {
		from -= 2 // the parser has left it out
	}
	if from >= to || to > len(j.src.text) || !strings.Contains(j.src.text[from:to], "\\\n") {
		return
	}
	text := "\n" + strings.ReplaceAll(j.src.text[from:to], "\\\n", "")
	if r.Op == syntax.DashHdoc {
		text = strings.ReplaceAll(text, "\t", "")
	}
	_, rest, ok := strings.Cut(text, "\n"+j.src.literal(unescape(r.Word.Lit()))+"\n")
	if ok {
		at := j.src.span(r.Pos(), r.End())
		j.unknown("where the here-document ends is not certain", at)
		j.text(&source{text: rest, start: at.start, end: at.end, made: true})
	}
}

// maxFiles bounds the files whose text is kept.
const maxFiles = 24

// keepFile keeps what was written into a file, in case the line runs it.
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
	rest, ok := strings.CutPrefix(f.text, "/dev/")
	kind, address, _ := strings.Cut(rest, "/")
	if !ok || kind != "tcp" && kind != "udp" {
		return false
	}
	j.add(Part{Kind: RedirectPart, words: []field{f}, set: networks, Start: f.at.start, End: f.at.end, Via: j.via})
	j.sockets = true
	j.reason("connects to "+show(address), networks, NoDanger, f.at)
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
