package policy

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// The caps. A line that hits one is unknown in what was not looked at.
const (
	maxText   = 256 << 10 // bytes of a line
	maxBraces = 2000      // each may double the words of a command
	maxDepth  = 150       // syntax nodes, functions and texts within each other
	maxTexts  = 12        // texts within each other: bash -c 'bash -c ...'
	maxSteps  = 4000      // commands looked at, repetitions in loops and functions counted
	maxBytes  = 4 << 20   // of text that expansions make
)

// Analyzer judges command lines. It holds nothing of them and is safe for
// concurrent use.
type Analyzer struct {
	parsers sync.Pool
}

// New returns an Analyzer.
func New() *Analyzer {
	a := &Analyzer{}
	a.parsers.New = func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }
	return a
}

// Judge tells what would happen if a plan ran, in the world as it is. It runs
// nothing and reads no file: the same plan in the same world has always the same
// verdict.
func (a *Analyzer) Judge(p *router.Plan, w *World) (v Verdict) {
	parser := a.parsers.Get().(*syntax.Parser)
	defer rescue(&v, p.Raw, func() { a.parsers.Put(parser) })
	j := &judge{a: a, world: w, parser: parser, line: p.Raw}
	j.start()
	if p.Err == nil {
		j.judgePlan(p, &source{text: p.Raw, end: len(p.Raw)})
		j.runTraps()
	}
	return j.finish()
}

// judgePlan judges a plan whose text stands in the line at s.
func (j *judge) judgePlan(p *router.Plan, s *source) {
	switch {
	case p.Err != nil:
		j.cap("this is no command: " + p.Err.Error())
	case p.InProcess:
		j.callPlan(p, span{s.start, s.end})
	case len(s.text) > maxText:
		j.cap("the line is too long to be judged")
	default:
		s.calls, s.tree = p.Calls, p.Syntax()
		j.text(s)
	}
}

// rescue makes a verdict of a panic, and calls done where there was none. The
// lines judged here are a model's, and made to trip: none may take the session
// down, or run because of a mistake here. The fuzz targets go around it.
func rescue(v *Verdict, line string, done func()) {
	problem := recover()
	if problem == nil {
		done()
		return
	}
	at := span{0, len(line)}
	j := &judge{parts: []Part{{Kind: TextPart, set: unknown, Start: at.start, End: at.end}}}
	j.reason(fmt.Sprintf("this line cannot be judged (%v): please report it", problem), unknown, NoDanger, at)
	*v = j.collect()
	v.after = &env{unsure: true}
}

// span is a range of bytes in the line.
type span struct{ start, end int }

// source is a text that is looked at: the line, or one that was found in it.
type source struct {
	text  string
	start int               // of the text in the line
	end   int               //
	made  bool              // it was put together: all of it stands for start to end
	holes bool              // holes stand in it as variables
	lets  bool              // other words stand in it for the parser: see bashtext
	tree  *bashtext.Tree    // nil: it is still to be parsed
	calls []router.CallSite // in the text, where the router knows of them
	outer *source
}

// span returns the range of the line that a piece of the text stands for.
func (s *source) span(from, to syntax.Pos) span {
	if s.made {
		return span{s.start, s.end}
	}
	return span{s.start + int(from.Offset()), s.start + int(to.Offset())}
}

// judge looks at one line.
type judge struct {
	a      *Analyzer
	world  *World
	parser *syntax.Parser
	line   string

	src    *source
	env    env
	choice *choice // what is picked in the words that are expanded
	frames []frame
	stdin  value // what commands find on their stdin; nil: nothing is known
	via    string
	ever   map[string]variable // every value that a variable had: for traps
	bodies map[string]body     // of functions, by their texts

	parts   []Part
	reasons []Reason

	expanding []string // aliases that are being expanded
	traps     []field  // texts that traps run

	steps, depth, texts int
	bytes               int
	spent               bool                                                 // the budget is
	forks               int                                                  // backgrounds and pipes around the present command
	sockets             bool                                                 // one of bash's network paths was opened
	found               func(words []*syntax.Word, assigns []*syntax.Assign) // for tests: every simple command
}

func (j *judge) start() {
	j.env.dirs, j.env.vars = []string{anyText}, map[string]variable{}
	j.bodies, j.ever = map[string]body{}, map[string]variable{}
	if j.world.Dir != "" {
		j.env.dirs[0] = clean(j.world.Dir)
	}
	j.env.unsure = j.world.unsure
}

func (j *judge) finish() Verdict {
	v := j.collect()
	if len(j.env.vars) > 0 || j.env.unsure {
		kept := j.env.copy()
		v.after = &kept
	}
	return v
}

// cap records that something was not looked at.
func (j *judge) cap(why string) {
	at := span{0, len(j.line)}
	if j.src != nil {
		at = span{j.src.start, j.src.end}
	}
	j.unknown(why, at)
}

// reason notes why. One that is there already is not repeated.
func (j *judge) reason(text string, set effects, d Danger, at span) {
	r := Reason{Text: text, Danger: d, Start: at.start, End: at.end}
	if list := set.list(); len(list) > 0 {
		r.Effect = list[0]
	}
	if !slices.Contains(j.reasons, r) && (len(j.reasons) < 4*maxReasons || d != NoDanger && len(j.reasons) < 16*maxReasons) {
		j.reasons = append(j.reasons, r)
	}
}

// unknown notes an effect that belongs to no part: an expansion that may run
// what cannot be seen.
func (j *judge) unknown(why string, at span) { j.mayDo(unknown, why, at) }

// anything notes that what follows is not: it may be whatever there is.
func (j *judge) anything(why string, at span) {
	j.mayDo(reads|writes|executes|networks|unknown, why, at)
}

func (j *judge) mayDo(set effects, why string, at span) {
	j.add(Part{Kind: TextPart, set: set, Start: at.start, End: at.end, Via: j.via})
	j.reason(why, unknown, NoDanger, at)
}
