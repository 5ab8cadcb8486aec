package search

import (
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// automaton is an expression made ready to be run as a deterministic automaton
// over the characters of lines. Its states are made by each [run] as they are met.
//
// Characters are put into classes: those that no part of the expression tells
// apart. The end of a line is a class of its own, which decides the line and
// starts the next one. A byte that is not UTF-8 is the character U+FFFD, as it
// is to package regexp.
type automaton struct {
	prog    *syntax.Prog
	keepsCR bool                 // a \r before a newline is a character like others
	words   bool                 // the expression has word boundaries
	ascii   [utf8.RuneSelf]uint8 // class of a character
	bounds  []rune               // where intervals of characters of one class start, from the second on
	class   []uint8              // of each interval
	samples []rune               // a character of each class
	end     int                  // the class of the end of a line, the last one
}

const (
	maxClasses      = 250
	maxInstructions = 4000
)

// newAutomaton returns nil for an expression that is too big for one.
func newAutomaton(re *syntax.Regexp, keepsCR bool) *automaton {
	prog, err := syntax.Compile(re)
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	a := &automaton{prog: prog, keepsCR: keepsCR}
	var sets []*syntax.Inst // one for each set of characters that the program has
	seen := map[string]bool{}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			key := fmt.Sprint(in.Rune, len(in.Rune) == 1 && syntax.Flags(in.Arg)&syntax.FoldCase != 0)
			if !seen[key] {
				seen[key] = true
				sets = append(sets, in)
			}
		case syntax.InstEmptyWidth:
			a.words = a.words || syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		}
	}
	a.divide(sets)
	if !a.classify(sets) {
		return nil
	}
	for r := range rune(utf8.RuneSelf) {
		a.ascii[r] = a.classOf(r)
	}
	a.ascii['\n'] = uint8(a.end)
	return a
}

// divide finds the intervals of characters that no set and no word boundary divides.
func (a *automaton) divide(sets []*syntax.Inst) {
	starts := map[rune]bool{'\r': true, '\r' + 1: true}
	for _, in := range sets {
		eachRange(in, func(lo, hi rune) { starts[lo], starts[hi+1] = true, true })
	}
	if a.words {
		for _, r := range []rune{'0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1} {
			starts[r] = true
		}
	}
	delete(starts, 0)
	delete(starts, unicode.MaxRune+1)
	a.bounds = slices.Sorted(maps.Keys(starts))
}

// classify gives the same class to intervals that are in the same sets, and
// reports whether the classes are few enough.
func (a *automaton) classify(sets []*syntax.Inst) bool {
	classes := map[string]uint8{}
	key := make([]byte, len(sets)+1)
	for _, r := range append([]rune{0}, a.bounds...) {
		for i, in := range sets {
			key[i] = boolBit(in.MatchRune(r))
		}
		key[len(sets)] = boolBit(a.words && isWord(r)) | boolBit(r == '\r')<<1
		c, ok := classes[string(key)]
		if !ok {
			if len(classes) == maxClasses {
				return false
			}
			c = uint8(len(classes))
			classes[string(key)] = c
			a.samples = append(a.samples, r)
		}
		a.class = append(a.class, c)
	}
	a.end = len(classes)
	return true
}

func boolBit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// classOf is the class of a character other than a newline.
func (a *automaton) classOf(r rune) uint8 {
	return a.class[sort.Search(len(a.bounds), func(i int) bool { return a.bounds[i] > r })]
}

// eachRange gives the characters that an instruction takes.
func eachRange(in *syntax.Inst, f func(lo, hi rune)) {
	if len(in.Rune) == 1 {
		r := in.Rune[0]
		f(r, r)
		if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
				f(o, o)
			}
		}
		return
	}
	for i := 0; i < len(in.Rune); i += 2 {
		f(in.Rune[i], in.Rune[i+1])
	}
}

// A state is a set of places in the program, before anything that takes no
// text was followed from them, and what stood before: that decides, together
// with the next character, which assertions hold.
type state struct {
	places []uint32 // sorted
	before context
}

type context uint8

const (
	lineStart context = iota
	afterWord
	afterOther
)

// follow adds to set what can be reached from pc without taking a character,
// and reports whether that includes a match.
func (a *automaton) follow(set *sparse, pc uint32, holds syntax.EmptyOp) bool {
	stack := append(set.stack[:0], pc)
	match := false
	for len(stack) > 0 {
		pc, stack = stack[len(stack)-1], stack[:len(stack)-1]
		if !set.insert(pc) {
			continue
		}
		switch in := &a.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				stack = append(stack, in.Out)
			}
		case syntax.InstMatch:
			match = true
		}
	}
	set.stack = stack
	return match
}

// holds says which assertions are true between what stood before and a class.
func (a *automaton) holds(before context, class int) syntax.EmptyOp {
	var op syntax.EmptyOp
	if before == lineStart {
		op |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	next := false
	if class == a.end {
		op |= syntax.EmptyEndLine | syntax.EmptyEndText
	} else {
		next = isWord(a.samples[class])
	}
	if next != (before == afterWord) {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

func isWord(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

// step returns the state after a character of the class, or matched.
func (a *automaton) step(s *state, class int, set *sparse) (next state, matched bool) {
	set.clear()
	holds := a.holds(s.before, class)
	for _, pc := range s.places {
		matched = a.follow(set, pc, holds) || matched
	}
	if matched || class == a.end {
		return state{}, matched
	}
	r := a.samples[class]
	for _, pc := range set.dense {
		if in := &a.prog.Inst[pc]; takesRune(in, r) {
			next.places = append(next.places, in.Out)
		}
	}
	next.places = append(next.places, uint32(a.prog.Start)) // a match may start anywhere
	slices.Sort(next.places)
	next.places = slices.Compact(next.places)
	next.before = afterOther
	if a.words && isWord(r) {
		next.before = afterWord
	}
	return next, false
}

func takesRune(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(r)
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return false
}

// sparse is a set of small numbers that is cleared at once.
type sparse struct {
	dense  []uint32
	sparse []uint32
	stack  []uint32
}

func newSparse(n int) *sparse { return &sparse{sparse: make([]uint32, n)} }

func (s *sparse) clear() { s.dense = s.dense[:0] }

func (s *sparse) insert(v uint32) bool {
	if i := s.sparse[v]; int(i) < len(s.dense) && s.dense[i] == v {
		return false
	}
	s.sparse[v] = uint32(len(s.dense))
	s.dense = append(s.dense, v)
	return true
}
