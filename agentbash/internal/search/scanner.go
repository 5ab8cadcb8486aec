package search

import "bytes"

// Scanner finds matching lines for one goroutine. It notices when the literals
// it looks for are frequent in what it is given and seldom part of a match, and takes others.
type Scanner struct {
	m      *Matcher
	run    *run // nil: there is no automaton
	buf    []byte
	plain  bool // every line is looked at
	sets   []*watched
	chosen int // of sets; -1: none pays

	hit    int  // with Invert: where the match that comes next starts
	behind int  // and what is behind it
	none   bool // there is none
}

// watched is a set of literals and what became of its candidates.
type watched struct {
	finder     *finder
	bytes      int // that were searched with it
	candidates int
	misses     int // candidates that were none
}

// NewScanner returns a scanner.
func (m *Matcher) NewScanner() *Scanner {
	s := &Scanner{m: m}
	if m.pre != nil {
		for _, set := range m.pre.sets {
			s.sets = append(s.sets, &watched{finder: newFinder(set, m.pre.fold)})
		}
	}
	if m.auto != nil {
		s.run = m.auto.newRun()
	}
	return s
}

// Reset makes buf the buffer to be scanned: whole lines, of which the last may have no end.
func (s *Scanner) Reset(buf []byte) {
	s.buf, s.behind, s.none = buf, 0, false
	if s.m.pre != nil {
		s.choose()
	}
	if s.plain = s.m.pre == nil || s.chosen < 0 || s.m.pre.unsure(buf); !s.plain {
		w := s.sets[s.chosen]
		w.finder.reset(buf)
		w.bytes += len(buf)
	}
}

const (
	enough = 500 // candidates that show how a set does
	dense  = 150 // bytes a candidate that misses, below which the automaton is faster
)

// rate is how often the set's candidates miss, per byte.
func (w *watched) rate() float64 { return float64(w.misses) / float64(w.bytes+1) }

// choose takes another set when the one in use has too many misses: one that
// was not tried, else the best one, else none.
func (s *Scanner) choose() {
	if s.chosen < 0 || s.m.pre.exact {
		return
	}
	w := s.sets[s.chosen]
	if w.candidates < enough || w.misses*2 < w.candidates {
		return
	}
	best := s.chosen
	for i, other := range s.sets {
		if other.candidates < enough && other.bytes < w.bytes {
			best = i
			break
		}
		if other.rate() < s.sets[best].rate() {
			best = i
		}
	}
	s.chosen = best
	if s.run != nil && s.sets[best].candidates >= enough && s.sets[best].rate() > 1.0/dense {
		s.chosen = -1
	}
}

// Next returns the first matching line that starts at or after from, which is
// the start of a line: where it starts and where it ends, its newline not
// included. ok is false when there is none.
func (s *Scanner) Next(from int) (start, end int, ok bool) {
	if !s.m.o.Invert {
		return s.next(from)
	}
	for from < len(s.buf) {
		if !s.none && s.behind <= from {
			start, end, ok := s.next(from)
			s.hit, s.behind, s.none = start, end+1, !ok
		}
		if s.none || from < s.hit {
			return from, lineEnd(s.buf, from), true
		}
		from = s.behind
	}
	return 0, 0, false
}

// next is Next for lines that match.
func (s *Scanner) next(from int) (start, end int, ok bool) {
	if s.plain {
		return s.scan(from)
	}
	w := s.sets[s.chosen]
	for from < len(s.buf) {
		at := w.finder.find(s.buf, from)
		if at < 0 {
			return 0, 0, false
		}
		w.candidates++
		start, end = bytes.LastIndexByte(s.buf[from:at], '\n')+1+from, lineEnd(s.buf, at)
		if s.m.pre.exact || s.others(start, end) && s.matches(start, end) {
			return start, end, true
		}
		w.misses++
		from = end + 1
	}
	return 0, 0, false
}

func lineEnd(buf []byte, at int) int {
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(buf)
}

// others reports whether a line holds literals of the other sets too.
func (s *Scanner) others(start, end int) bool {
	for i, w := range s.sets {
		if i != s.chosen && w.finder.find(s.buf[start:end], 0) < 0 {
			return false
		}
	}
	return true
}

// matches decides on one line.
func (s *Scanner) matches(start, end int) bool {
	if s.run != nil && !s.run.tooBig {
		if hit, ok := s.run.line(s.buf[start:end]); ok {
			return hit
		}
	}
	return s.m.MatchLine(s.buf[start:end])
}

// scan looks at every line.
func (s *Scanner) scan(from int) (start, end int, ok bool) {
	for from < len(s.buf) {
		if s.run == nil || s.run.tooBig {
			end = lineEnd(s.buf, from)
			if s.m.MatchLine(s.buf[from:end]) {
				return from, end, true
			}
			from = end + 1
			continue
		}
		at := s.run.find(s.buf, from)
		if at < 0 {
			if s.run.tooBig {
				from = s.run.stoppedAt
				continue
			}
			return 0, 0, false
		}
		start = bytes.LastIndexByte(s.buf[from:at], '\n') + 1 + from
		return start, lineEnd(s.buf, at), true
	}
	return 0, 0, false
}
