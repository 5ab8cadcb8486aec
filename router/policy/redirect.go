package policy

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// written is where a statement's stdout goes.
type written struct {
	moved  bool // not where it went before
	files  []word
	append bool
}

// redirects walks redirections, and sets what the command finds on its stdin and who asks for its stdout.
func (j *judge) redirects(redirs []*syntax.Redirect) (to written) {
	for _, r := range redirs {
		n := ""
		if r.N != nil {
			n = r.N.Value
			j.hidden(n, j.src.spanOf(r.Pos(), r.End()))
		}
		feeds := false
		var in value
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			feeds, in = true, j.document(r)
		case syntax.WordHdoc:
			feeds, in = true, concat(j.expandOne(r.Word), value{"\n"})
		default:
			feeds = r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut || r.Op == syntax.DplIn
			in = j.redirection(r, !feeds && (n == "" || n == "1"), &to)
		}
		if n == "0" || n == "" && feeds {
			j.stdin = in
		}
	}
	return to
}

// redirection walks the files of a redirection and returns what is read there; <&n and >&n are descriptors, >&word a file.
func (j *judge) redirection(r *syntax.Redirect, stdout bool, to *written) (in value) {
	var files []word
	for _, f := range j.allWords(r.Word) {
		got, fd := value{anyText}, strings.TrimSuffix(f.text, "-")
		switch isNumber := strings.Trim(fd, "0123456789") == "" || f.text == digits; {
		case r.Op == syntax.DplIn || r.Op == syntax.DplOut && isNumber:
			if j.sockets {
				got = value{fromNet}
			}
			if stdout && fd == "2" {
				to.moved, j.env.out = true, nil
			}
		case j.socket(f):
			got = value{fromNet}
		case r.Op == syntax.RdrIn:
			j.redirect(f, false)
			if text := j.content(f); text != nil {
				got = text
			} else if f.text == "/dev/null" {
				got = value{""}
			}
		default:
			j.redirect(f, true)
			files = append(files, f)
		}
		in = in.join(got)
	}
	if stdout && len(files) > 0 && !slices.Contains([]string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, files[0].text) {
		j.env.out = value{""}
		*to = written{true, files, r.Op == syntax.AppOut || r.Op == syntax.AppAll}
	}
	if in == nil {
		in = value{""}
	}
	return in
}

// document is what a here-document feeds.
func (j *judge) document(r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return value{""}
	}
	end := r.Word.Lit()
	literal := end == "" || strings.Contains(end, "\\") // it is quoted: nothing is expanded
	lines := strings.NewReplacer("\\\n", "", "\t", "").Replace(j.src.cut(r.Word.End(), r.Hdoc.End()))
	if !literal && strings.Contains(lines, "\n"+j.src.literal(end)+"\n") { // a backslash may spread the end over two lines
		j.anything("where the here-document ends is not certain", j.src.spanOf(r.Pos(), r.End()))
	}
	return j.textsOf(func() string {
		b := builder{whole: true}
		for _, part := range r.Hdoc.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				text := *lit
				if literal {
					b.quoted(j.src.literal(lit.Value))
					continue
				}
				text.Value = strings.ReplaceAll(lit.Value, `\"`, `\\"`) // a quote is nothing special here
				part = &text
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
func (j *judge) keepFile(f word, text value, more bool) {
	if f.text == "/dev/null" || f.text == "" {
		return
	}
	for _, path := range j.resolve(f.text) {
		v := text
		if more {
			old := j.content(word{text: path})
			if old == nil {
				old = value{anyText + "\n"}
			}
			v = concat(old, text)
		}
		j.env.set("file "+path, variable{lists: v})
	}
}

// socket reports whether a file is one of bash's network paths, and notes it.
func (j *judge) socket(f word) bool {
	rest, ok := strings.CutPrefix(f.text, "/dev/")
	kind, address, _ := strings.Cut(rest, "/")
	if !ok || kind != "tcp" && kind != "udp" {
		return false
	}
	j.add(j.part(RedirectPart, f.at, f)).set = networks
	j.sockets = true
	j.reason("connects to "+show(address), networks, NoDanger, f.at)
	return true
}

// redirect notes that a redirection reads or writes a file.
func (j *judge) redirect(f word, write bool) {
	p := j.part(RedirectPart, f.at, f)
	if j.path(p, f, write, false); len(p.Paths) > 0 || p.set != 0 {
		j.add(p)
	}
}

// capture walks a subshell and returns what it writes to its stdout.
func (j *judge) capture(walk func()) value {
	out := j.env.out
	j.env.out = value{""}
	j.subshell(walk)
	got := j.env.out
	if j.env.out = out; j.spent {
		return value{anyText}
	}
	return got
}

// substitution is what $(...) becomes.
func (j *judge) substitution(n *syntax.CmdSubst) (out value) {
	got := j.capture(func() { j.list(n.Stmts) })
	if n.TempFile || n.ReplyVar { // ${ x; } and ${|x; } run in this shell
		j.list(n.Stmts)
	}
	if n.Backquotes && strings.Contains(j.src.cut(n.Left, n.Right), "\\`") {
		j.anything("backquotes in backquotes are read in another way by bash", j.src.spanOf(n.Pos(), n.End()))
		got = value{decoded}
	}
	for _, s := range got {
		out = out.join(value{strings.TrimRight(s, "\n")})
	}
	return out
}

// procSubst walks <(...) or >(...), and returns a path that stands for it.
func (j *judge) procSubst(n *syntax.ProcSubst) string {
	got := j.capture(func() {
		if n.Op != syntax.CmdIn && j.stdin == nil {
			j.stdin = value{anyText}
		}
		j.list(n.Stmts)
	})
	if n.Op != syntax.CmdIn {
		got = value{anyText}
	}
	path := fmt.Sprintf("/dev/fd/63-%d", n.Pos().Offset())
	j.env.set("file "+path, variable{lists: got})
	return path
}

// content returns what is known of a file that the line has written, or a process substitution is; nil: nothing.
func (j *judge) content(f word) (out value) {
	switch f.text {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return j.stdin
	}
	for _, path := range j.resolve(f.text) {
		out = out.join(j.env.vars["file "+path].value())
		for name, v := range j.env.vars {
			if other, ok := strings.CutPrefix(name, "file "); ok && f.glob && match(path, other) {
				out = out.join(v.value())
			}
		}
	}
	return out
}
