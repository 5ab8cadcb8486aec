package files

import (
	"fmt"
	"strings"
)

// indentRule turns the indentation of the old text into the file's: what is
// added to it or taken off it, or for tabs against spaces a number of units.
type indentRule struct {
	add, remove string

	units    bool
	from, to byte // ' ' or '\t'
	fromSize int  // characters of a level in the old text
	toSize   int  // and in the file
	shift    int  // levels that the file has more
}

// newIndentRule finds the rule that holds for all pairs; new is the text that it will be
// applied to, and fileUnit tells by how many spaces the file is indented.
func newIndentRule(pairs []indentPair, new []indented, fileUnit func() int) (indentRule, bool) {
	if r, ok := newScaleRule(pairs, new, fileUnit); ok {
		return r, true
	}
	add, canAdd := strings.CutSuffix(pairs[0].file, pairs[0].old)
	remove, canRemove := strings.CutSuffix(pairs[0].old, pairs[0].file)
	for _, p := range pairs {
		canAdd = canAdd && p.file == add+p.old
		canRemove = canRemove && p.old == remove+p.file
	}
	switch {
	case canAdd && !indentClashes(add, new):
		return indentRule{add: add}, true
	case canRemove:
		return indentRule{remove: remove}, true
	}
	return newUnitRule(pairs, new)
}

// indentClashes reports whether the new text is indented by other characters than
// what would be put before it, so that a mix would come of it.
func indentClashes(add string, new []indented) bool {
	kind, _ := onlyIndent(add)
	for _, n := range new {
		k, _ := onlyIndent(n.indent)
		if n.rest != "" && kind != 0 && k != 0 && k != kind {
			return true
		}
	}
	return false
}

// onlyIndent says of which character an indentation consists: 0 when it is empty, ok
// is false for a mix.
func onlyIndent(indent string) (kind byte, ok bool) {
	if indent == "" {
		return 0, true
	}
	return indent[0], strings.Count(indent, indent[:1]) == len(indent)
}

// newScaleRule finds out that spaces stand for another number of spaces. Lines of one depth
// show it only by what the file is indented by.
func newScaleRule(pairs []indentPair, new []indented, fileUnit func() int) (indentRule, bool) {
	r := indentRule{units: true, from: ' ', to: ' '}
	first := pairs[0]
	for _, n := range new {
		if n.rest != "" {
			r.fromSize = gcd(r.fromSize, len(n.indent))
		}
		if strings.Contains(n.indent, "\t") {
			return r, false
		}
	}
	for _, p := range pairs {
		r.fromSize = gcd(r.fromSize, len(p.old))
		if strings.Contains(p.old+p.file, "\t") {
			return r, false
		}
	}
	if r.fromSize < 2 {
		return r, false
	}
	for _, p := range pairs {
		if deeper := len(p.old) - len(first.old); deeper != 0 {
			r.toSize = r.fromSize * (len(p.file) - len(first.file)) / deeper
		}
	}
	if r.toSize == 0 {
		r.toSize = fileUnit()
		if r.toSize == 0 || len(first.file) == 0 || len(first.old)*r.toSize != len(first.file)*r.fromSize {
			return r, false
		}
	}
	if r.toSize < 1 || r.toSize == r.fromSize || len(first.file)%r.toSize != 0 {
		return r, false
	}
	r.shift = len(first.file)/r.toSize - len(first.old)/r.fromSize
	return r, r.holds(pairs)
}

// holds reports whether the rule makes the file's indentation of the old text's.
func (r *indentRule) holds(pairs []indentPair) bool {
	for _, p := range pairs {
		if out, ok := r.indent(p.old); !ok || out != p.file {
			return false
		}
	}
	return true
}

// indentUnit is by how many spaces most lines go deeper than the one before; 0: none does.
func indentUnit(lines []indented) int {
	steps, unit, before := map[int]int{}, 0, 0
	for _, l := range lines {
		if l.rest == "" {
			continue
		}
		width := strings.Count(l.indent, " ")
		if step := width - before; step > 0 {
			if steps[step]++; steps[step] > steps[unit] {
				unit = step
			}
		}
		before = width
	}
	return unit
}

// newUnitRule finds out how many spaces stand for a tab, or the other way round.
func newUnitRule(pairs []indentPair, new []indented) (indentRule, bool) {
	r := indentRule{units: true}
	var olds []indented
	for _, p := range pairs {
		if !r.kinds(p.old, &r.from) || !r.kinds(p.file, &r.to) {
			return r, false
		}
		olds = append(olds, indented{p.old, "x"})
	}
	for _, n := range new {
		if n.rest != "" && !r.kinds(n.indent, &r.from) {
			return r, false
		}
	}
	if r.from == r.to || r.from == 0 || r.to == 0 {
		return r, false
	}
	r.fromSize, r.toSize = 1, 1
	size := indentSlope(pairs, r.from == ' ')
	if size == 0 {
		size = guessUnit(pairs[0], append(olds, new...), r.from == ' ')
	}
	if r.from == ' ' {
		r.fromSize = size
	} else {
		r.toSize = size
	}
	r.shift = len(pairs[0].file)/r.toSize - len(pairs[0].old)/r.fromSize
	return r, r.holds(pairs)
}

// kinds notes of which character an indentation consists, and reports whether
// that is the same as before.
func (r *indentRule) kinds(indent string, kind *byte) bool {
	k, ok := onlyIndent(indent)
	if k != 0 && *kind == 0 {
		*kind = k
	}
	return ok && (k == 0 || k == *kind)
}

// indentSlope is the number of spaces for a tab that two pairs of different depth show, or 0.
func indentSlope(pairs []indentPair, oldIsSpaces bool) int {
	for _, p := range pairs[1:] {
		spaces, tabs := len(p.old)-len(pairs[0].old), len(p.file)-len(pairs[0].file)
		if !oldIsSpaces {
			spaces, tabs = tabs, spaces
		}
		if tabs != 0 && spaces%tabs == 0 && spaces/tabs > 0 {
			return spaces / tabs
		}
	}
	return 0
}

// guessUnit is the number of spaces for a tab when all lines are equally deep.
func guessUnit(p indentPair, all []indented, oldIsSpaces bool) int {
	spaces, tabs := len(p.old), len(p.file)
	if !oldIsSpaces {
		spaces, tabs = tabs, spaces
	}
	if oldIsSpaces { // what divides every depth that occurs
		common := 0
		for _, l := range all {
			if l.rest != "" {
				common = gcd(common, len(l.indent))
			}
		}
		if common > 1 && common < spaces && common <= 8 {
			return common
		}
	}
	if tabs > 0 && spaces%tabs == 0 && spaces > 0 {
		return spaces / tabs
	}
	return 4
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// appliesTo reports whether all lines can be indented by the rule.
func (r *indentRule) appliesTo(lines []indented) bool {
	for _, l := range lines {
		if _, ok := r.indent(l.indent); !ok && l.rest != "" {
			return false
		}
	}
	return true
}

// indented is a line as the rule indents it.
func (r *indentRule) indented(line string) string {
	l := splitIndent(line)
	if l.rest == "" {
		return ""
	}
	indent, _ := r.indent(l.indent)
	return indent + l.rest
}

func (r *indentRule) indent(old string) (string, bool) {
	if !r.units {
		rest, ok := strings.CutPrefix(old, r.remove)
		return r.add + rest, ok
	}
	level := len(old)/r.fromSize + r.shift
	rest := len(old) % r.fromSize // an alignment within a level
	if level < 0 {
		return "", false
	}
	return strings.Repeat(string(r.to), level*r.toSize) + strings.Repeat(" ", rest), true
}

func (r *indentRule) describe() string {
	switch {
	case r.units && r.from == r.to:
		return fmt.Sprintf("%d spaces in old_string, %d in the file", r.fromSize, r.toSize)
	case r.units && r.to == '\t':
		return fmt.Sprintf("%d spaces in old_string, a tab in the file", r.fromSize)
	case r.units:
		return fmt.Sprintf("a tab in old_string, %d spaces in the file", r.toSize)
	case r.add != "":
		return fmt.Sprintf("the file has %q more", r.add)
	case r.remove != "":
		return fmt.Sprintf("the file has %q less", r.remove)
	}
	return "blank lines hold other spaces"
}
