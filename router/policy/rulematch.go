package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// fit tells whether a rule is about a part.
func (r *rule) fit(p *Part, w *World) fit {
	if r.paths == nil {
		return r.fitWords(p)
	}
	return best(p.Paths, func(path Path) fit {
		if path.Write != r.write {
			return misses
		}
		return best(r.paths, func(pattern pathPattern) fit { return pattern.fit(&path, w) })
	})
}

// fitWords compares a token rule with the words of a part.
func (r *rule) fitWords(p *Part) fit {
	strict := r.answer == Allow
	if r.tool != (p.Kind == ToolPart) || p.Kind == RedirectPart || p.Kind == TextPart || len(p.words) == 0 ||
		strict && (!p.known || p.loose || p.Danger != NoDanger) {
		return misses
	}
	m := wordMatch{tokens: r.words, part: p, names: p.names(), strict: strict, closed: strict && p.closed()}
	return m.match(0, 0)
}

// closed reports whether ... in an allow rule stands for no words of a part: it does more than usual, or writes elsewhere.
func (p *Part) closed() bool {
	return p.more || slices.ContainsFunc(p.Paths, func(path Path) bool { return path.Write && !path.mine() })
}

// names are what a rule may call the part's first word.
func (p *Part) names() []string {
	first := p.words[0].asName()
	if p.Kind == ToolPart {
		if rest, ok := strings.CutPrefix(first, registry.FieldPrefix); ok {
			// field:group.tool is how the rules' own examples look, and it is as clear.
			group, tool, _ := strings.Cut(rest, ":")
			return []string{first, registry.FieldPrefix + group + "." + tool}
		}
		return []string{"agent:" + first}
	}
	if name, script := commandName(first); name != first && !script {
		return []string{first, name}
	}
	return []string{first}
}

// wordMatch compares a rule's tokens with the words of a part.
type wordMatch struct {
	tokens []token
	part   *Part
	names  []string // of the first word
	strict bool     // it is an allow rule: no word is passed over
	closed bool     // ... stands for no words
	steps  int
}

// maxWordSteps bounds a comparison; what is not done by then may fit.
const maxWordSteps = 4096

// match compares from a token and a word on.
func (m *wordMatch) match(t, w int) fit {
	words := m.part.words
	m.steps++
	switch {
	case m.steps > maxWordSteps && !m.strict:
		return mayFit
	case t == len(m.tokens) && w == len(words):
		return fits
	case t == len(m.tokens) && !m.strict && words[w].multi: // it may be no word
		return min(mayFit, m.match(t, w+1))
	case t == len(m.tokens) || m.steps > maxWordSteps:
		return misses
	case m.tokens[t].rest() && w < len(words) && m.closed:
		return misses
	case m.tokens[t].rest() && t == len(m.tokens)-1:
		return fits
	case m.tokens[t].rest() && w < len(words):
		return max(m.match(t+1, w), m.match(t, w+1))
	case m.tokens[t].rest():
		return m.match(t+1, w)
	case w == len(words):
		return misses
	}
	f := mayFit
	if w == 0 && !words[w].multi {
		f = best(m.names, m.tokens[t].fit)
	} else if !words[w].multi {
		f = m.tokens[t].fit(words[w].asName())
	}
	if f != misses {
		f = min(f, m.match(t+1, w+1))
	}
	if m.strict || f == fits {
		return f
	}
	if words[w].multi { // it may be no word, or several
		f = max(f, min(mayFit, max(m.match(t, w+1), m.match(t+1, w))))
	}
	if text := words[w].text; w > 0 && len(text) > 1 && text[0] == '-' {
		// An option, with its value or without, may stand before what the rule
		// wants: git -C dir push is a push.
		f = max(f, m.match(t, w+1))
		if w+2 < len(words) {
			f = max(f, m.match(t, w+2))
		}
	}
	return f
}

// follows reports whether a line is as the rule says: for an allow rule, whether it may run by it in ask mode.
func (r *rule) follows(line string) bool {
	w := &World{Dir: "/workspace", Home: "/home/you", Scratch: []string{"/tmp"}}
	v, free := Judge(router.PlanNative(line), w), *r
	free.outside = true // what it allows may need that
	return slices.ContainsFunc(v.Parts, func(p Part) bool { return r.fit(&p, w) != misses }) &&
		(r.answer != Allow || Decide(AskMode, []*Rules{{list: []rule{free}}}, &v, w).Answer == Allow)
}
