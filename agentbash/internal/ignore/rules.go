package ignore

import (
	"bytes"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/wildcard"
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
	pattern wildcard.Pattern // of those that are not in exact
}

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
	if strings.Contains(p, "/") {
		one.pattern = wildcard.CompileGit(strings.TrimPrefix(p, "/"), true)
		r.paths = append(r.paths, one)
	} else if strings.ContainsAny(p, `*?[\`) {
		one.pattern = wildcard.CompileGit(p, false)
		r.names = append(r.names, one)
	} else {
		r.exact[p] = append(r.exact[p], one)
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
		if (isDir || !rules[i].dirOnly) && rules[i].pattern.Match(text) {
			return &rules[i]
		}
	}
	return nil
}
