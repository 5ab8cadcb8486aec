package registry

import (
	"slices"
	"strings"
)

// takeLetters takes -x: a declared letter, with its value joined or following.
func (p *parser) takeLetters(w string, rest []string) (used int) {
	for i := 1; i < len(w); i++ {
		q := p.params.findShort(w[i : i+1])
		if q == nil {
			means := p.tool.Unix[w[i:i+1]]
			if used, ok := p.takeUnix(w[i:i+1], "-"+w[i:i+1], w[i+1:], i+1 < len(w), rest); ok && takesValue(means) {
				return used
			} else if ok {
				continue
			}
			p.addProblem("unknown option %s: a value that starts with - goes after --", w)
			return 0
		}
		path := []string{q.Name}
		switch isFlag := q.isFlag(); {
		case isFlag && i+1 < len(w):
			p.addWord(path, q, q.alone())
		case i+1 < len(w):
			p.addWord(path, q, w[i+1:])
			return 0
		default:
			return p.takeValue("-"+q.Short, path, q, rest)
		}
	}
	return 0
}

// takesValue reports whether an option of the Unix program has a value.
func takesValue(means string) bool {
	return strings.HasPrefix(means, "--") && strings.Contains(means, "*")
}

// takeUnix takes an option of the Unix program, and returns how many of the following words it used.
func (p *parser) takeUnix(name, shown, value string, joined bool, rest []string) (used int, ok bool) {
	means, ok := p.tool.Unix[name]
	switch {
	case !ok || means == "":
		return 0, ok
	case !strings.HasPrefix(means, "--"):
		p.addProblem("%s: %s", shown, means)
		return 0, true
	case takesValue(means) && !joined && len(rest) == 0:
		p.addProblem("%s needs a value: write %[1]s VALUE", shown)
		return 0, true
	case takesValue(means) && !joined:
		value, used = rest[0], 1
	}
	for one := range strings.SplitSeq(means, " ") {
		key, text, _ := strings.Cut(one[2:], "=")
		key, isFile := strings.CutSuffix(key, "@")
		q := p.params.Find(key)
		if text = strings.Replace(text, "*", value, 1); isFile {
			p.addFile([]string{q.Name}, q, text)
		} else {
			p.addWord([]string{q.Name}, q, text)
		}
	}
	return used, true
}

// isFormat reports whether a word is -o, -oFORM or -o=FORM.
func (p *parser) isFormat(w string) bool {
	rest, ok := strings.CutPrefix(w, "-o")
	return ok && p.tool.Formats != nil && (rest == "" || rest[0] == '=' || slices.Contains(p.tool.Formats, rest))
}

// takeFormat takes -o FORM and returns how many of the following words it used.
func (p *parser) takeFormat(w string, rest []string) (used int) {
	last := len(p.tool.Formats) - 1
	right := "write -o " + strings.Join(p.tool.Formats[:last], ", -o ") + " or -o " + p.tool.Formats[last]
	value := strings.TrimPrefix(strings.TrimPrefix(w, "-o"), "=")
	if w == "-o" {
		if len(rest) == 0 {
			p.addProblem("-o needs a format: %s", right)
			return 0
		}
		value, used = rest[0], 1
	}
	if !slices.Contains(p.tool.Formats, value) {
		p.addProblem("-o %s: no such format: %s", value, right)
	}
	p.format = value
	return used
}
