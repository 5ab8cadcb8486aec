package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// written is where a statement's stdout goes.
type written struct {
	moved  bool // not where it went before
	files  []field
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
		case syntax.RdrIn:
			j.redirectIn(r)
		default:
			j.redirectOut(r, &to)
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

func (j *judge) redirectIn(r *syntax.Redirect) {
	var v value
	for _, f := range j.fields(r.Word) {
		c := value{fromNet}
		if !j.socket(f) {
			j.redirect(f, false)
			if c = j.content(f); f.text == "/dev/null" {
				c = value{""}
			} else if c == nil {
				c = value{anyText}
			}
		}
		v = v.join(c)
	}
	j.feed(r, v)
}

// redirectOut is > and its kin; <&n and >&n duplicate a descriptor, >&word is a
// file.
func (j *judge) redirectOut(r *syntax.Redirect, to *written) {
	stdout := r.N == nil || r.N.Value == "1"
	duplicates := r.Op == syntax.DplIn || r.Op == syntax.DplOut
	var files []field
	for _, f := range j.fields(r.Word) {
		fd := strings.TrimSuffix(f.text, "-")
		isNumber := duplicates && (strings.Trim(fd, "0123456789") == "" || f.text == digits)
		switch {
		case isNumber && r.Op == syntax.DplOut && stdout && fd == "2":
			to.moved, j.env.out = true, nil
		case r.Op == syntax.DplIn || isNumber && r.N != nil && r.N.Value == "0":
			in := value{anyText}
			if j.sockets {
				in = value{fromNet}
			}
			j.feed(r, in)
		case isNumber:
		case j.socket(f):
			if r.Op == syntax.RdrInOut {
				j.feed(r, value{fromNet})
			}
		default:
			j.redirect(f, true)
			files = append(files, f)
		}
	}
	if stdout && len(files) > 0 && !slices.Contains([]string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, files[0].text) {
		j.env.out = value{""}
		*to = written{true, files, r.Op == syntax.AppOut || r.Op == syntax.AppAll}
	}
}

// document is what a here-document feeds.
func (j *judge) document(r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return value{""}
	}
	literal := false // a delimiter that is quoted: nothing is expanded
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		literal = literal || !ok || strings.Contains(lit.Value, "\\")
	}
	from, to := int(r.Word.End().Offset()), int(r.Hdoc.End().Offset())
	if !literal && from < to && to <= len(j.src.text) { // bash takes a delimiter that a backslash spreads over two lines
		lines := strings.NewReplacer("\\\n", "", "\t", "").Replace(j.src.text[from:to])
		if strings.Contains(lines, "\n"+j.src.literal(unescape(r.Word.Lit()))+"\n") {
			j.anything("where the here-document ends is not certain", j.src.span(r.Pos(), r.End()))
		}
	}
	return j.textsOf(func() string {
		b := builder{whole: true}
		for _, part := range r.Hdoc.Parts {
			lit, ok := part.(*syntax.Lit)
			switch {
			case ok && literal:
				b.quoted(j.src.literal(lit.Value))
				continue
			case ok && strings.Contains(lit.Value, `\"`):
				quoted := *lit
				quoted.Value = strings.ReplaceAll(lit.Value, `\"`, `\\"`) // a quote is nothing special here
				part = &quoted
			}
			j.build(&b, []syntax.WordPart{part}, true, false)
		}
		text := j.afford(string(b.text))
		if r.Op == syntax.DashHdoc {
			text = strings.TrimLeft(strings.ReplaceAll(text, "\n\t", "\n"), "\t")
		}
		return text
	})
}

// keepFile keeps what was written into a file, in case the line runs it.
func (j *judge) keepFile(f field, text value, more bool) {
	if f.text == "/dev/null" || f.text == "" {
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
		j.env.set("file "+path, variable{lists: v})
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

// redirect notes that a redirection reads or writes a file.
func (j *judge) redirect(f field, write bool) {
	p := Part{Kind: RedirectPart, words: []field{f}, Start: f.at.start, End: f.at.end, Via: j.via}
	if j.path(&p, f, write, false); len(p.Paths) > 0 || p.set != 0 {
		j.add(p)
	}
}
