package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sink takes what commands write to their stdout, as far as it can be known.
type sink struct {
	vals  value
	loose bool // some of it may be missing, or be there several times
}

func (s *sink) add(v value) {
	if s == nil {
		return
	}
	if s.vals == nil {
		s.vals = v
		return
	}
	s.vals = concat(s.vals, v)
}

// mark remembers how much there is; loosen says that what came after it was
// written by a command that may run not at all, or more than once.
func (s *sink) mark() int {
	if s == nil || s.vals == nil {
		return 0
	}
	return len(s.vals[0])
}

func (s *sink) loosen(mark int) {
	if s != nil && s.mark() != mark {
		s.loose = true
	}
}

// value is all that may have been written.
func (s *sink) value() value {
	v := s.vals
	if v == nil {
		return value{""}
	}
	if s.loose {
		return v.join(value{v.taint()})
	}
	return v
}

// choice collects what several ways that a command may go write: one of them
// does, not all.
type choice struct {
	j     *judge
	to    *sink
	vals  value
	loose bool
	got   *sink
}

func (j *judge) choice() choice { return choice{j: j, to: j.out} }

// way begins another way.
func (c *choice) way() {
	if c.to == nil {
		return
	}
	c.close()
	c.got = &sink{}
	c.j.out = c.got
}

func (c *choice) close() {
	if c.got != nil {
		v := c.got.vals
		if v == nil {
			v = value{""}
		}
		c.vals = c.vals.join(v)
		c.loose = c.loose || c.got.loose
		c.got = nil
	}
}

// end adds what the ways have written to the sink that asked for it.
func (c *choice) end() {
	if c.to == nil {
		return
	}
	c.close()
	c.j.out = c.to
	c.to.add(c.vals)
	c.to.loose = c.to.loose || c.loose
}

// maxProcs bounds the process substitutions whose output is kept.
const maxProcs = 64

// substitution is what $(...) becomes.
func (j *judge) substitution(n *syntax.CmdSubst) value {
	var got sink
	j.inside(n.Stmts, &got, !n.TempFile && !n.ReplyVar)
	all := got.value()
	if text, ok := j.nestedBackquotes(n); ok {
		at := j.src.span(n.Pos(), n.End())
		var again sink
		j.apart(&again, true, func() { j.text(&source{text: text, start: at.start, end: at.end, made: true}) })
		all = all.join(again.value())
	}
	var out value
	for _, s := range all {
		out = out.join(value{strings.TrimRight(s, "\n")})
	}
	return out
}

// nestedBackquotes returns the text of backquotes with others in them, as bash
// reads it: the parser takes a\`b\` for two words.
func (j *judge) nestedBackquotes(n *syntax.CmdSubst) (string, bool) {
	from, to := int(n.Left.Offset())+1, int(n.Right.Offset())
	if !n.Backquotes || from > to || to > len(j.src.text) || !strings.Contains(j.src.text[from:to], "\\`") {
		return "", false
	}
	return j.src.literal(strings.NewReplacer("\\`", "`", `\\`, `\`, `\$`, "$").Replace(j.src.text[from:to])), true
}

// inside walks commands whose stdout goes to a sink.
func (j *judge) inside(stmts []*syntax.Stmt, to *sink, sub bool) {
	j.apart(to, sub, func() { j.list(stmts) })
}

// apart is inside for any walk; with sub it changes nothing in this shell.
func (j *judge) apart(to *sink, sub bool, walk func()) {
	out, depth, forks := j.out, j.depth, j.forks
	j.out = to
	j.depth++
	saved := j.env.copy()
	if j.step() {
		walk()
	} else {
		to.add(value{anyText})
	}
	if sub {
		j.env = saved
	}
	j.out, j.depth, j.forks = out, depth, forks
}

// procSubst walks <(...) or >(...), and returns a path that stands for it.
func (j *judge) procSubst(n *syntax.ProcSubst) string {
	var got sink
	stdin := j.stdin
	if n.Op != syntax.CmdIn {
		if j.stdin == nil {
			j.stdin = value{anyText}
		}
		j.inside(n.Stmts, &sink{}, true)
		j.stdin = stdin
		return procPath + "0"
	}
	j.inside(n.Stmts, &got, true)
	j.stdin = stdin
	if len(j.procs) == 0 {
		j.procs = append(j.procs, value{anyText})
	}
	if len(j.procs) < maxProcs {
		j.procs = append(j.procs, got.value())
	}
	return procPath + strconv.Itoa(len(j.procs)-1)
}

// procPath begins the path of a process substitution.
const procPath = "/dev/fd/proc"

// content returns what is known of a file that the line itself has written: a
// process substitution, or a file by a redirection. Nil: nothing.
func (j *judge) content(f field) value {
	if n, ok := strings.CutPrefix(f.text, procPath); ok {
		if i, err := strconv.Atoi(n); err == nil && i < len(j.procs) {
			return j.procs[i]
		}
		return value{anyText}
	}
	switch f.text {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return j.stdin
	}
	if len(j.env.files) == 0 {
		return nil
	}
	var out value
	for _, path := range j.resolve(f.text) {
		for i := range j.env.files {
			g := &j.env.files[i]
			if g.path == path || f.glob && match(path, g.path, true) {
				out = out.join(g.text)
			}
		}
	}
	return out
}
