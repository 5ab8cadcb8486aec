package policy

import (
	"fmt"
	"slices"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// The caps. A line that hits one is unknown in what was not looked at.
const (
	maxText   = 256 << 10 // bytes of a line
	maxBraces = 2000      // each may double the words of a command
	maxDepth  = 150       // syntax nodes, functions and texts within each other
	textDepth = 6         // of them for a text: bash -c 'bash -c ...'
	maxSteps  = 4000      // commands looked at, repetitions in loops and functions counted
	maxBytes  = 4 << 20   // of text that expansions make
)

// Judge tells what would happen if a plan ran, in the world as it is. It runs
// nothing and reads no file: the same plan in the same world has always the same
// verdict.
func Judge(p *router.Plan, w *World) (v Verdict) {
	// The lines judged here are a model's, and made to trip: none may take the
	// session down, or run because of a mistake here. The fuzz targets go around it.
	defer func() {
		if problem := recover(); problem != nil {
			j := newJudge(w, p.Raw)
			j.env.unsure = true
			j.cap(fmt.Sprintf("this line cannot be judged (%v): please report it", problem))
			v = j.collect()
		}
	}()
	j := newJudge(w, p.Raw)
	if j.calls = p.Calls; p.Err == nil {
		j.judgePlan(p, j.src)
		j.runTraps()
	}
	v = j.collect()
	v.inProcess = p.InProcess
	return v
}

// judgePlan judges a plan whose text stands in the line at s.
func (j *judge) judgePlan(p *router.Plan, s *source) {
	switch {
	case p.Err != nil:
		j.cap("this is no command: " + p.Err.Error())
	case p.InProcess:
		j.callPlan(p, s.span)
	case len(s.text) > maxText:
		j.cap("the line is too long to be judged")
	default:
		s.calls, s.tree = p.Calls, p.Syntax()
		j.text(s)
	}
}

// span is a range of bytes in the line.
type span struct{ start, end int }

// source is a text that is looked at: the line, or one that was found in it.
type source struct {
	text  string
	span                    // of the text in the line
	made  bool              // it was put together: all of it stands for start to end
	holes bool              // holes stand in it as variables
	tree  *bashtext.Tree    // nil: it is still to be parsed
	calls []router.CallSite // in the text, where the router knows of them
}

// madeOf returns a text that was put together from what stands there.
func madeOf(text string, at span) *source {
	return &source{text: text, span: at, made: true}
}

// spanOf returns the range of the line that a piece of the text stands for.
func (s *source) spanOf(from, to syntax.Pos) span {
	if s.made {
		return s.span
	}
	return span{s.start + int(from.Offset()), s.start + int(to.Offset())}
}

// cut returns a piece of the text, "" where it is not in it.
func (s *source) cut(from, to syntax.Pos) string {
	if from.Offset() > to.Offset() || int(to.Offset()) > len(s.text) {
		return ""
	}
	return s.text[from.Offset():to.Offset()]
}

// judge looks at one line.
type judge struct {
	world *World
	scope
	env    env
	choice *choice // what is picked in the words that are expanded

	calls   []router.CallSite // that the router found anywhere in the line
	parts   []*Part
	reasons []Reason
	traps   []word                     // texts that traps run
	hide    []func(text string) string // of the tools that are called

	steps, bytes int
	spent        bool // the budget is
	sockets      bool // one of bash's network paths was opened
}

func newJudge(w *World, line string) *judge {
	j := &judge{world: w, scope: scope{src: &source{text: line, span: span{0, len(line)}}}}
	j.env = env{dirs: []string{anyText}, vars: map[string]variable{}, unsure: w.unsure}
	if w.Dir != "" {
		j.env.dirs = []string{clean(w.Dir)}
	}
	return j
}

// scope is what belongs to a place in the line, and is as it was behind it.
type scope struct {
	src   *source
	stdin value  // what commands find on their stdin; nil: nothing is known
	via   string // what it was found through
	frame *frame // the innermost function or loop
	forks int    // backgrounds and pipes around it
	depth int
}

// nested walks what stands within the present place, if there is still budget.
func (j *judge) nested(walk func()) {
	outer := j.scope
	if j.step() {
		walk()
	}
	j.scope = outer
}

// step counts, and reports whether there is still budget.
func (j *judge) step() bool {
	j.steps++
	j.depth++
	if j.depth > maxDepth {
		j.cap("this is too deep to be judged")
	}
	j.spent = j.spent || j.steps > maxSteps
	return j.depth <= maxDepth && j.steps <= maxSteps
}

// cap records that something was not looked at.
func (j *judge) cap(why string) { j.unknown(why, j.src.span) }

// reason notes why. One that is there already is not repeated.
func (j *judge) reason(text string, set effects, d Danger, at span) {
	r := Reason{Text: text, Danger: d, Start: at.start, End: at.end}
	if list := set.list(); len(list) > 0 {
		r.Effect = list[0]
	}
	if !slices.Contains(j.reasons, r) && len(j.reasons) < 16*maxReasons {
		j.reasons = append(j.reasons, r)
	}
}

// unknown notes an effect that belongs to no part, such as an expansion that may run what cannot be seen.
func (j *judge) unknown(why string, at span) *Part {
	p := j.add(j.part(TextPart, at))
	p.set = unknown
	j.reason(why, unknown, NoDanger, at)
	return p
}

// anything notes that what follows is not: it may be whatever there is.
func (j *judge) anything(why string, at span) {
	j.unknown(why, at).set = reads | writes | executes | networks | unknown
}
