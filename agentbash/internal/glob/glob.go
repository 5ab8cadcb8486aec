// Package glob matches paths against patterns while a tree is walked: a
// [State] is how far a pattern has come at a directory, so that no path is
// matched twice and directories in which nothing can match are not entered.
//
// A pattern is split at slashes. In a name, * is any text, ? one character,
// [a-z] and [!a] (or [^a]) one character of a set, {a,b} either text, and a
// backslash takes the next character literally. A name ** is any number of
// directories, none included; at the end, everything below. A name that starts
// with a dot is matched only by a pattern's name that starts with one, unless
// hidden names are asked for. A bracket or brace without its end is itself.
package glob

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/wildcard"
)

// maxAlternatives bounds what {a,b}{c,d}... may multiply to.
const maxAlternatives = 4096

// Pattern is a compiled pattern. It is not changed after it was made and is
// safe for concurrent use.
type Pattern struct {
	alternatives [][]segment
	dirs         bool // every alternative ends with a slash: directories are meant
	start        *State
}

// segment is one name of a pattern.
type segment struct {
	any  bool // **
	name wildcard.Pattern
}

// Compile compiles a pattern, or several of which any may match; slashes at their start are taken off. It
// fails when one is empty or their braces come to too many alternatives.
func Compile(patterns ...string) (*Pattern, error) {
	p := &Pattern{dirs: true}
	for _, pattern := range patterns {
		list, err := expandBraces(pattern)
		if err != nil {
			return nil, err
		}
		before := len(p.alternatives)
		for _, text := range list {
			p.dirs = p.dirs && strings.HasSuffix(text, "/")
			if segs := splitSegments(text); len(segs) > 0 {
				p.alternatives = append(p.alternatives, segs)
			}
		}
		if len(p.alternatives) == before {
			return nil, fmt.Errorf("the pattern %q names nothing: write one such as '**/*.go'", pattern)
		}
	}
	var at []position
	for i := range p.alternatives {
		at = append(at, position{i, 0})
	}
	p.start = p.newState(at)
	return p, nil
}

func splitSegments(text string) (segs []segment) {
	for part := range strings.SplitSeq(text, "/") {
		switch {
		case part == "" || part == ".":
		case part != "**":
			segs = append(segs, segment{name: wildcard.Compile(part)})
		case len(segs) == 0 || !segs[len(segs)-1].any:
			segs = append(segs, segment{any: true})
		}
	}
	return segs
}

// Dirs reports whether the pattern asks for directories: it ends with a slash.
func (p *Pattern) Dirs() bool { return p.dirs }

// Start is the state at the directory that the pattern starts from.
func (p *Pattern) Start() *State { return p.start }

// position is a segment of an alternative.
type position struct{ alt, seg int }

// State is how far a pattern has come at a directory. It is safe for concurrent use.
type State struct {
	pattern   *Pattern
	positions []position          // that the next name can be at; those after a ** included
	rest      bool                // a ** at the end: everything below matches
	last      []*wildcard.Pattern // names that can end the path
	onlyAny   bool                // no place leads on but a **, so that the state stays in every directory
}

func (p *Pattern) newState(at []position) *State {
	s := &State{pattern: p, onlyAny: true}
	for i := 0; i < len(at); i++ {
		segs := p.alternatives[at[i].alt]
		if next := (position{at[i].alt, at[i].seg + 1}); segs[at[i].seg].any && next.seg < len(segs) && !slices.Contains(at, next) {
			at = append(at, next)
		}
	}
	for _, pl := range at {
		segs := p.alternatives[pl.alt]
		seg := &segs[pl.seg]
		isLast := pl.seg == len(segs)-1
		switch {
		case seg.any && isLast:
			s.rest = true
		case isLast:
			s.last = append(s.last, &seg.name)
		case !seg.any:
			s.onlyAny = false
		}
	}
	s.positions = at
	return s
}

// Match reports whether an entry of the directory completes the pattern.
func (s *State) Match(entry string, hidden bool) bool {
	shown := hidden || entry[0] != '.'
	if s.rest && shown {
		return true
	}
	for _, n := range s.last {
		if (shown || n.StartsWith('.')) && n.Match(entry) {
			return true
		}
	}
	return false
}

// Enter is the state at a subdirectory, or nil when nothing below it can match.
func (s *State) Enter(entry string, hidden bool) *State {
	shown := hidden || entry[0] != '.'
	if s.onlyAny && shown && s.anyIn() {
		return s
	}
	var at []position
	for _, pl := range s.positions {
		segs := s.pattern.alternatives[pl.alt]
		seg := &segs[pl.seg]
		next := pl
		if !seg.any {
			next.seg++
		}
		fits := seg.any && shown || !seg.any && (shown || seg.name.StartsWith('.')) && next.seg < len(segs) && seg.name.Match(entry)
		if fits && !slices.Contains(at, next) {
			at = append(at, next)
		}
	}
	if at == nil {
		return nil
	}
	return s.pattern.newState(at)
}

// anyIn reports whether a ** is among the places.
func (s *State) anyIn() bool {
	return slices.ContainsFunc(s.positions, func(pl position) bool { return s.pattern.alternatives[pl.alt][pl.seg].any })
}

// Prefix cuts the leading directories off a pattern that are plain names, so
// that a walk can start below them: src/x/**/*.go is src/x and **/*.go. The last
// name always stays in the pattern.
func Prefix(pattern string) (dir, rest string) {
	rest = pattern
	for {
		head, tail, found := strings.Cut(rest, "/")
		if !found || strings.Trim(tail, "/") == "" || strings.ContainsAny(head, `*?[]{}\,`) {
			return dir, rest
		}
		dir += head + "/"
		rest = tail
	}
}
