package policy

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// ruling is what rules say about a part: the first of each kind.
type ruling struct {
	deny, ask, allow *rule
	maybe            *rule // one that denies or asks, if what is not known of the part is what it says
	writable         []bool
}

// lookup finds the rules about a part.
func (d *decider) lookup(p *Part) ruling {
	var out ruling
	for _, rs := range d.rules {
		if rs == nil {
			continue
		}
		for i := range rs.list {
			out.take(&rs.list[i], p, d.w)
		}
	}
	return out
}

// take adds what a rule says about a part.
func (o *ruling) take(r *rule, p *Part, w *World) {
	var f fit
	switch {
	case r.paths != nil && r.answer == Allow:
		o.allowFiles(r, p, w)
		return
	case r.paths != nil:
		f = r.fitFiles(p, w)
	default:
		f = r.fitWords(p)
	}
	switch {
	case f == misses:
	case r.answer == Allow:
		if o.allow == nil {
			o.allow = r
		}
	case f == mayFit:
		if o.maybe == nil {
			o.maybe = r
		}
	case r.answer == Deny && o.deny == nil:
		o.deny = r
	case r.answer == Ask && o.ask == nil:
		o.ask = r
	}
}

// allowFiles notes the files that a rule lets a part write.
func (o *ruling) allowFiles(r *rule, p *Part, w *World) {
	if o.writable == nil {
		o.writable = make([]bool, len(p.Paths))
	}
	for i := range p.Paths {
		if path := &p.Paths[i]; r.write && path.Write && path.Place != Nowhere && r.fitPath(path, w) == fits {
			o.writable[i] = true
		}
	}
}

// fitFiles compares a path rule with the files of a part.
func (r *rule) fitFiles(p *Part, w *World) fit {
	best := misses
	for i := range p.Paths {
		if path := &p.Paths[i]; path.Write == r.write {
			best = max(best, r.fitPath(path, w))
		}
	}
	return best
}

func (r *rule) fitPath(path *Path, w *World) fit {
	best := misses
	for i := range r.paths {
		if best = max(best, r.paths[i].fit(path, w)); best == fits {
			break
		}
	}
	return best
}

// fitWords compares a token rule with the words of a part.
func (r *rule) fitWords(p *Part) fit {
	if r.tool != (p.Kind == ToolPart) || p.Kind == RedirectPart || p.Kind == TextPart || len(p.words) == 0 {
		return misses
	}
	names := p.names()
	if r.answer == Allow {
		if !p.known || p.loose || p.Danger != NoDanger {
			return misses
		}
		m := wordMatch{tokens: r.words, words: p.words, names: names, strict: true, rest: !p.more && !p.strays()}
		if m.at(0, 0) == fits {
			return fits
		}
		return misses
	}
	m := wordMatch{tokens: r.words, words: p.words, names: names}
	return m.at(0, 0)
}

// strays reports whether a part writes files outside of the workspace: ... in
// a rule does not stand for those.
func (p *Part) strays() bool {
	for i := range p.Paths {
		if p.Paths[i].Write && !p.Paths[i].mine() {
			return true
		}
	}
	return false
}

// names are what a rule may call the part's first word.
func (p *Part) names() []string {
	first := p.words[0].text
	switch {
	case p.Kind == ToolPart && strings.HasPrefix(first, registry.FieldPrefix):
		// field:group.tool is how the rules' own examples look, and it is as clear.
		group, tool, _ := strings.Cut(first[len(registry.FieldPrefix):], ":")
		return []string{first, registry.FieldPrefix + group + "." + tool}
	case p.Kind == ToolPart:
		return []string{"agent:" + first}
	}
	if name, script := commandName(first); name != first && !script {
		return []string{first, name}
	}
	return []string{first}
}

// wordMatch compares a rule's tokens with words.
type wordMatch struct {
	tokens []token
	words  []field
	names  []string
	strict bool // it is an allow rule: what is not known never fits, and no word is passed over
	rest   bool // with strict: ... may stand for words
	steps  int
}

// maxWordSteps bounds a comparison; what is not done by then may fit.
const maxWordSteps = 4096

func (m *wordMatch) at(t, w int) fit {
	if m.steps++; m.steps > maxWordSteps {
		if m.strict {
			return misses
		}
		return mayFit
	}
	if t == len(m.tokens) {
		if w == len(m.words) {
			return fits
		}
		return m.remainder(w)
	}
	if m.tokens[t].rest {
		return m.anyWords(t, w)
	}
	best := misses
	if w < len(m.words) {
		if f := m.word(t, w); f != misses {
			best = min(f, m.at(t+1, w+1))
		}
		if m.words[w].multi && !m.strict && best != fits {
			best = max(best, min(mayFit, max(m.at(t, w+1), m.at(t+1, w)))) // it may be no word, or several
		}
	}
	if best != fits && !m.strict && w > 0 && w < len(m.words) {
		best = max(best, m.pass(t, w))
	}
	return best
}

// pass goes over an option that stands before the word that a rule wants, with
// its value or without: git -C dir push is a push.
func (m *wordMatch) pass(t, w int) fit {
	text := m.words[w].text
	if len(text) < 2 || text[0] != '-' {
		return misses
	}
	best := m.at(t, w+1)
	if best != fits && w+2 < len(m.words) {
		best = max(best, m.at(t, w+2))
	}
	return best
}

// remainder tells what words mean that stand after a rule's last one: they are
// options that may be passed over, or they make it another command.
func (m *wordMatch) remainder(w int) fit {
	for ; w < len(m.words); w++ {
		if m.strict || !m.words[w].multi {
			return misses
		}
	}
	return mayFit
}

// anyWords is ... in a rule.
func (m *wordMatch) anyWords(t, w int) fit {
	if m.strict && !m.rest && w < len(m.words) {
		return misses
	}
	if t == len(m.tokens)-1 {
		return fits
	}
	best := misses
	for k := w; k <= len(m.words) && best != fits; k++ {
		best = max(best, m.at(t+1, k))
	}
	return best
}

// word compares one token with one word.
func (m *wordMatch) word(t, w int) fit {
	f := &m.words[w]
	re := m.tokens[t].match
	if f.exact() {
		if w == 0 {
			for _, n := range m.names {
				if re.MatchString(n) {
					return fits
				}
			}
			return misses
		}
		if re.MatchString(f.text) {
			return fits
		}
		return misses
	}
	if m.strict {
		return misses
	}
	if m.tokens[t].wild && !f.multi {
		return fits
	}
	// What is known at its beginning may already be another word.
	if known := f.text[:max(0, strings.IndexByte(f.text, hole))]; !f.glob && !f.multi && known != "" && m.tokens[t].plain &&
		!strings.ContainsAny(m.tokens[t].text, "*(") && !strings.HasPrefix(m.tokens[t].text, known) {
		return misses
	}
	return mayFit
}

// fits reports whether the rule is about a command line: for an allow rule,
// whether the line may run by it in ask mode.
func (r *rule) fits(line string) bool {
	w := &World{Dir: "/workspace", Home: "/home/you", Scratch: []string{"/tmp"}}
	v := New().Judge(router.PlanNative(line), w)
	if r.answer == Allow {
		d := Decide(AskMode, []*Rules{{list: []rule{*r}}}, &v, w)
		return d.Answer == Allow && r.touches(&v, w)
	}
	return r.touches(&v, w)
}

// touches reports whether the rule is about any part of a line.
func (r *rule) touches(v *Verdict, w *World) bool {
	for i := range v.Parts {
		p := &v.Parts[i]
		f := misses
		if r.paths != nil {
			f = r.fitFiles(p, w)
		} else {
			f = r.fitWords(p)
		}
		if f != misses {
			return true
		}
	}
	return false
}
