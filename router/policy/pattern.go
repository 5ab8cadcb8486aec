package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// match reports whether the whole of s matches a glob pattern: * ? and [...].
// With paths, * and ? stop at a slash and ** does not.
func match(pattern, s string, paths bool) bool {
	budget := 1 << 14
	return matchHere(pattern, s, paths, &budget)
}

func matchHere(p, s string, paths bool, budget *int) bool {
	for {
		if *budget--; *budget < 0 {
			return true // too hard to tell: patterns here only ever raise
		}
		if p == "" {
			return s == ""
		}
		switch p[0] {
		case '*':
			return matchStar(p, s, paths, budget)
		case '?':
			if s == "" || paths && s[0] == '/' {
				return false
			}
			p, s = p[1:], s[1:]
			continue
		case '[':
			if ok, n := matchClass(p, s); n > 0 {
				if !ok || paths && s[0] == '/' {
					return false
				}
				p, s = p[n:], s[1:]
				continue
			}
		case '\\':
			if len(p) > 1 {
				p = p[1:]
			}
		}
		if s == "" || p[0] != s[0] {
			return false
		}
		p, s = p[1:], s[1:]
	}
}

func matchStar(p, s string, paths bool, budget *int) bool {
	deep := !paths
	for len(p) > 0 && p[0] == '*' {
		deep = deep || len(p) > 1 && p[1] == '*'
		p = p[1:]
	}
	if deep && paths && strings.HasPrefix(p, "/") && matchHere(p[1:], s, paths, budget) {
		return true // a/**/b is also a/b
	}
	for i := 0; ; i++ {
		if matchHere(p, s[i:], paths, budget) {
			return true
		}
		if i == len(s) || s[i] == '/' && !deep {
			return false
		}
	}
}

// matchClass matches [...] and returns the length of the class, 0 if it is none.
func matchClass(p, s string) (ok bool, n int) {
	i := 1
	not := i < len(p) && (p[i] == '!' || p[i] == '^')
	if not {
		i++
	}
	first := i
	for ; i < len(p) && (p[i] != ']' || i == first); i++ {
		if p[i] == '[' && i+1 < len(p) && p[i+1] == ':' {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				ok = ok || s != "" && inClass(p[i+2:i+end], s[0])
				i += end + 1
				continue
			}
		}
		lo, hi := p[i], p[i]
		if i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']' {
			hi = p[i+2]
			i += 2
		}
		ok = ok || s != "" && lo <= s[0] && s[0] <= hi
	}
	if i >= len(p) {
		return false, 0
	}
	return s != "" && ok != not, i + 1
}

// inClass is a POSIX character class, of what is not listed anything.
func inClass(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "alnum":
		return lower || upper || digit
	case "space", "blank":
		return c == ' ' || c == '\t' || c == '\n'
	}
	return true
}

// trim is ${s#pattern} and its kin.
func trim(s, pattern string, op syntax.ParExpOperator) string {
	if len(s) > 4096 {
		return anyText
	}
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	longest := op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix
	for n := 0; n <= len(s); n++ {
		k := n
		if longest {
			k = len(s) - n
		}
		if prefix && match(pattern, s[:k], false) {
			return s[k:]
		}
		if !prefix && match(pattern, s[len(s)-k:], false) {
			return s[:len(s)-k]
		}
	}
	return s
}

// replaceAll is ${s/pattern/with}, where the pattern is literal text; of other
// patterns the outcome is taken for anything.
func replaceAll(s string, patterns, withs value, all bool) value {
	var out value
	for _, p := range patterns {
		for _, w := range withs {
			switch {
			case !known(p) || !known(w) || len(p) > 1 && strings.ContainsAny(p[1:], "*?[\\&") || strings.ContainsAny(w, "&\\") || p != "" && strings.ContainsAny(p[:1], "*?["):
				out = out.join(value{anyText})
			case p == "":
				out = out.join(value{s})
			case p[0] == '#' && !all:
				out = out.join(value{replacePrefix(s, p[1:], w)})
			case p[0] == '%' && !all:
				out = out.join(value{replaceSuffix(s, p[1:], w)})
			case all:
				out = out.join(value{strings.ReplaceAll(s, p, w)})
			default:
				out = out.join(value{strings.Replace(s, p, w, 1)})
			}
		}
	}
	return out
}

func replacePrefix(s, p, with string) string {
	if rest, ok := strings.CutPrefix(s, p); ok {
		return with + rest
	}
	return s
}

func replaceSuffix(s, p, with string) string {
	if rest, ok := strings.CutSuffix(s, p); ok {
		return rest + with
	}
	return s
}
