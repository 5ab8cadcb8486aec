package ignore

import (
	"bytes"
	"strings"
)

// Result is what rules say of a path.
type Result int8

// The results.
const (
	Silent   Result = iota // no rule matches
	Excluded               // ignored
	Included               // taken back by a rule with "!"
)

// Rules are the patterns of one file. A nil *Rules has none. They are not
// changed after they were made and are safe for concurrent use.
type Rules struct {
	names []rule // matched against the last element of a path
	paths []rule // matched against the whole path below the rules' directory
	exact map[string][]rule
}

// rule is one line of the file.
type rule struct {
	line    int // the greater one wins
	negated bool
	dirOnly bool
	kind    kind
	text    string // exact: all of it; ending: what it ends with; wildcard: the literal start
	wild    wild   // what follows the literal start
}

type kind int8

const (
	exact    kind = iota
	ending        // "*" and a literal
	wildcard      // anything else
)

// Parse compiles an ignore file; nil when it holds no pattern.
func Parse(data []byte) *Rules {
	r := &Rules{exact: map[string][]rule{}}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	n := 0
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		r.addPattern(string(line), n)
		n++
	}
	if n == 0 {
		return nil
	}
	return r
}

func (r *Rules) addPattern(p string, line int) {
	p = strings.TrimSuffix(p, "\r")
	if i := strings.IndexByte(p, 0); i >= 0 {
		p = p[:i]
	}
	p = trimSpaces(p)
	one := rule{line: line}
	if p, one.negated = strings.CutPrefix(p, "!"); p == "" {
		return
	}
	if p, one.dirOnly = strings.CutSuffix(p, "/"); p == "" {
		return
	}
	isName := !strings.Contains(p, "/")
	if !isName {
		p = strings.TrimPrefix(p, "/")
	}
	plain := strings.IndexAny(p, `*?[\`)
	switch {
	case plain < 0 && isName:
		one.text = p
		r.exact[p] = append(r.exact[p], one)
		return
	case plain < 0:
		one.text = p
	case isName && p[0] == '*' && !strings.ContainsAny(p[1:], `*?[\`):
		one.kind, one.text = ending, p[1:]
	case isName:
		one.kind, one.wild = wildcard, compilePattern(p, false)
	default:
		one.kind, one.text, one.wild = wildcard, p[:plain], compilePattern(p[plain:], true)
	}
	if isName {
		r.names = append(r.names, one)
	} else {
		r.paths = append(r.paths, one)
	}
}

// trimSpaces cuts trailing spaces that no backslash protects.
func trimSpaces(p string) string {
	end := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case ' ':
			continue
		case '\\':
			if i+1 == len(p) {
				return p
			}
			i++
		}
		end = i + 1
	}
	return p[:end]
}

// Match says what the rules say of a path, relative to their directory and
// without a leading slash; name is its last element.
func (r *Rules) Match(path, name string, isDir bool) Result {
	if r == nil {
		return Silent
	}
	best := -1
	verdict := Silent
	hit := func(one *rule) {
		best = one.line
		if verdict = Excluded; one.negated {
			verdict = Included
		}
	}
	list := r.exact[name]
	for i := range list {
		if list[i].line > best && (isDir || !list[i].dirOnly) {
			hit(&list[i])
		}
	}
	if one := lastMatch(r.names, best, name, isDir); one != nil {
		hit(one)
	}
	if one := lastMatch(r.paths, best, path, isDir); one != nil {
		hit(one)
	}
	return verdict
}

// lastMatch returns the last rule after line best that matches, or nil.
func lastMatch(rules []rule, best int, text string, isDir bool) *rule {
	for i := len(rules) - 1; i >= 0 && rules[i].line > best; i-- {
		if (isDir || !rules[i].dirOnly) && rules[i].match(text) {
			return &rules[i]
		}
	}
	return nil
}

func (one *rule) match(s string) bool {
	switch one.kind {
	case exact:
		return s == one.text
	case ending:
		return strings.HasSuffix(s, one.text)
	}
	rest, ok := strings.CutPrefix(s, one.text)
	return ok && one.wild.match(rest)
}
