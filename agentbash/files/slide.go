package files

import "strings"

// slideLimit is how far a change is slid to find the best place for it, in lines.
const slideLimit = 100

// slide moves each change to where git shows it. A change can be moved over a line that
// is equal to its last or first one: it goes to a change of the other side if it can meet one,
// else to where its ends part the text best, by indentation and blank lines.
func (s *diffSide) slide(other []int) {
	for k, start := 0, 0; k < len(s.gaps); k, start = k+1, start+1 {
		if s.gaps[k] == 0 {
			continue
		}
		earliest, meets := k, -1
		for size := 0; size != s.gaps[k]; {
			size = s.gaps[k]
			for k > 0 && s.lines[start-1] == s.lines[start+s.gaps[k]-1] {
				start -= 1 + s.gaps[k-1]
				k = s.move(k, -1)
			}
			if earliest, meets = k, -1; other[k] > 0 {
				meets = k
			}
			for k < len(s.gaps)-1 && s.lines[start] == s.lines[start+s.gaps[k]] {
				if k = s.move(k, 1); other[k] > 0 {
					meets = k
				}
				start++
			}
		}
		best := k
		if meets >= 0 {
			best = meets
		} else if k > earliest {
			best = s.bestPlace(k, start, max(earliest, k-s.gaps[k]-1, k-slideLimit))
		}
		for ; k > best; start-- {
			k = s.move(k, -1)
		}
		start += s.gaps[k]
	}
}

// move joins a change to the gap before or after its own.
func (s *diffSide) move(k, by int) int {
	s.gaps[k+by] += s.gaps[k]
	s.gaps[k] = 0
	return k + by
}

// bestPlace is the best gap from first to k for the change that stands in gap k, at a line.
func (s *diffSide) bestPlace(k, start, first int) int {
	best, bestIndent, bestPenalty := -1, 0, 0
	for at := first; at <= k; at++ {
		top := start - (k - at)
		i1, p1 := s.splitCost(top + s.gaps[k])
		i2, p2 := s.splitCost(top)
		indent, penalty := i1+i2, p1+p2
		worse := penalty - bestPenalty
		if indent > bestIndent {
			worse += 60
		} else if indent < bestIndent {
			worse -= 60
		}
		if best < 0 || worse <= 0 {
			best, bestIndent, bestPenalty = at, indent, penalty
		}
	}
	return best
}

// splitCost rates a place to part the text, before a line: how deep what follows is
// indented, and how bad the place is. The weights are those of git's indent heuristic.
func (s *diffSide) splitCost(at int) (indent, penalty int) {
	indent = -1
	if at < len(s.lines) {
		indent = indentWidth(s.lines[at])
	} else {
		penalty += 21
	}
	before, blanksBefore := s.nextIndent(at-1, -1)
	after, blanksAfter := s.nextIndent(at+1, 1)
	if before == -1 && blanksBefore == 0 {
		penalty++
	}
	blanks := 0
	if indent == -1 {
		blanks, indent = 1+blanksAfter, after
	}
	penalty += -30*(blanksBefore+blanks) + 6*blanks
	kind := 0
	if blanksBefore+blanks > 0 {
		kind = 1
	}
	switch {
	case indent == -1 || before == -1 || indent == before:
	case indent > before:
		penalty += [2]int{-4, 10}[kind]
	case after > indent:
		penalty += [2]int{24, 17}[kind]
	default:
		penalty += [2]int{23, 17}[kind]
	}
	return indent, penalty
}

// nextIndent is the indentation of the next line that is not blank, -1 without one, and how
// many blank ones come before it.
func (s *diffSide) nextIndent(at, by int) (indent, blanks int) {
	for ; at >= 0 && at < len(s.lines); at += by {
		if indent = indentWidth(s.lines[at]); indent >= 0 {
			return indent, blanks
		}
		if blanks++; blanks == 20 {
			return 0, blanks
		}
	}
	return -1, blanks
}

// indentWidth is the width of a line's indentation, -1 of a blank line.
func indentWidth(line string) int {
	width := 0
	for _, c := range line {
		switch {
		case c == ' ':
			width++
		case c == '\t':
			width += 8 - width%8
		case strings.ContainsRune("\n\r\v\f", c):
		default:
			return min(width, 200)
		}
	}
	return -1
}
