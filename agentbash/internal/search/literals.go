package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLiterals = 64  // alternatives that are searched for
	maxClass    = 6   // characters of a class that are written out
	maxCross    = 64  // alternatives while they are put together
	maxLength   = 256 // bytes of one literal
)

// lits is what is known of the texts that an expression matches.
type lits struct {
	all     []string   // every text it matches; nil: too many
	need    []string   // one of these is part of every text; nil: not known
	also    [][]string // as need, others
	checked bool       // all holds only where an assertion does, or ignores case
}

// extractLiterals reads the literals off a simplified expression. Letters of a part
// that ignores case come in lower case.
func extractLiterals(re *syntax.Regexp) lits {
	switch re.Op {
	case syntax.OpLiteral:
		return literalTexts(re)
	case syntax.OpCharClass:
		return classTexts(re)
	case syntax.OpEmptyMatch:
		return lits{all: []string{""}}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return lits{all: []string{""}, checked: true}
	case syntax.OpCapture:
		return extractLiterals(re.Sub[0])
	case syntax.OpQuest:
		l := extractLiterals(re.Sub[0])
		if l.all == nil {
			return lits{}
		}
		return lits{all: addTexts(l.all, []string{""}), checked: l.checked}
	case syntax.OpPlus:
		l := extractLiterals(re.Sub[0])
		return lits{need: l.required(), also: l.also}
	case syntax.OpAlternate:
		return alternateTexts(re)
	case syntax.OpConcat:
		return concatTexts(re)
	}
	return lits{}
}

// literalTexts takes a literal apart where a character stands for more than itself
// and its two cases: U+FFFD for any byte that is not UTF-8, é for É.
func literalTexts(re *syntax.Regexp) lits {
	fold := re.Flags&syntax.FoldCase != 0
	var parts []string
	var b strings.Builder
	for _, r := range re.Rune {
		if fold {
			r = unicode.ToLower(r)
		}
		if r == utf8.RuneError || fold && r >= utf8.RuneSelf && unicode.SimpleFold(r) != r {
			parts = append(parts, b.String())
			b.Reset()
			continue
		}
		b.WriteRune(r)
	}
	parts = append(parts, b.String())
	if len(parts) == 1 {
		return lits{all: parts, checked: fold}
	}
	best := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
	if best == "" {
		return lits{}
	}
	return lits{need: []string{best}}
}

func classTexts(re *syntax.Regexp) lits {
	var all []string
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(all) == maxClass {
				return lits{}
			}
			all = append(all, string(r))
		}
	}
	if all == nil {
		return lits{}
	}
	for _, s := range []string{"\uFFFD", "\n", "\r"} { // any byte that is not UTF-8; the end of a line
		if len(all) > 1 && slices.Contains(all, s) || all[0] == "\uFFFD" {
			return lits{}
		}
	}
	return lits{all: all}
}

// required is the literals of which one must be there, or nil.
func (l lits) required() []string {
	if l.all != nil && !slices.Contains(l.all, "") && (l.need == nil || searchCost(l.all) <= searchCost(l.need)) {
		return l.all
	}
	return l.need
}

func alternateTexts(re *syntax.Regexp) lits {
	out := lits{all: []string{}, need: []string{}}
	for _, sub := range re.Sub {
		l := extractLiterals(sub)
		out.checked = out.checked || l.checked
		if out.all != nil && l.all != nil && len(out.all)+len(l.all) <= maxCross {
			out.all = addTexts(out.all, l.all)
		} else {
			out.all = nil
		}
		if need := l.required(); out.need != nil && need != nil && len(out.need)+len(need) <= maxCross {
			out.need = addTexts(out.need, need)
		} else {
			out.need = nil
		}
	}
	return out
}

func addTexts(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// concatTexts puts neighbours together while they are few, and keeps the best piece.
func concatTexts(re *syntax.Regexp) lits {
	whole := lits{all: []string{""}}
	run := []string{""}
	var best []string
	consider := func(list []string) {
		switch {
		case list == nil || slices.Contains(list, ""):
		case best == nil || searchCost(list) < searchCost(best):
			best, list = list, best
			fallthrough
		default:
			if list != nil {
				whole.also = append(whole.also, list)
			}
		}
	}
	for _, sub := range re.Sub {
		l := extractLiterals(sub)
		whole.checked = whole.checked || l.checked
		if l.all == nil {
			consider(run)
			consider(l.need)
			whole.also = append(whole.also, l.also...)
			run, whole.all = []string{""}, nil
			continue
		}
		next := crossTexts(run, l.all)
		if next == nil {
			consider(run)
			whole.all = nil
			next = l.all
		}
		run = next
	}
	consider(run)
	if whole.all != nil {
		whole.all = run
	}
	whole.need = best
	return whole
}

// crossTexts is every text of a followed by every text of b, or nil when they are too many.
func crossTexts(a, b []string) []string {
	if len(a)*len(b) > maxCross {
		return nil
	}
	var out []string
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLength {
				return nil
			}
			if s := x + y; !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// ignoresCase reports whether any part of the expression ignores case.
func ignoresCase(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		return true
	}
	return slices.ContainsFunc(re.Sub, ignoresCase)
}
