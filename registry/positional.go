package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// positional is a word without a key, owner the parameter whose value stands right before it.
type positional struct {
	word, owner string
	joined      bool
	at          int // among all words
}

// fillPositionals gives the positionals to the parameters that are not set.
func (p *parser) fillPositionals() {
	var free []*Param
	for _, required := range []bool{true, false} {
		for i := range p.params.list {
			q := &p.params.list[i]
			if q.Required == required && (required || q.Positional) && !p.isSet(q.Name) && !p.isSet(q.Unless) {
				free = append(free, q)
			}
		}
	}
	owner := ""
	for i, word := range p.positionals {
		if !word.joined {
			owner = word.owner
		}
		n := i
		if last := len(free) - 1; last >= 0 && free[last].Positional && free[last].holds(Array) {
			n = min(i, last) // it takes the rest
		}
		if p.at = word.at; n < len(free) {
			p.addWord([]string{free[n].Name}, free[n], word.word)
			owner = free[n].Name
			continue
		}
		p.problems = append(p.problems, p.surplusProblem(i, owner))
		return
	}
}

// surplusProblem is the problem of a word too many, which likely belongs to the value right before it.
func (p *parser) surplusProblem(at int, owner string) string {
	word := p.positionals[at]
	i := slices.IndexFunc(p.given, func(g given) bool { return owner != "" && strings.Join(g.path, ".") == owner && g.words != nil })
	if i < 0 {
		return fmt.Sprintf("a word too many: %s: quote a value of several words, or name its parameter: --key VALUE", quoteCut(word.word))
	}
	words := []string{p.given[i].words[len(p.given[i].words)-1], word.word}
	for _, next := range p.positionals[at+1:] {
		if !next.joined {
			break
		}
		words = append(words, next.word)
	}
	whole := quote.Literal(strings.Join(words, " "))
	if len(whole) > 80 {
		whole, words = "'...'", []string{"VALUE", "VALUE"}
	}
	said := fmt.Sprintf("a word too many: %s: quote values of several words: --%s %s", quoteCut(word.word), owner, whole)
	switch q := p.given[i].param; {
	case q != nil && q.holds(Array):
		said += ", or repeat it for more values:"
		for _, w := range words {
			said += " --" + owner + " " + quote.Word(w)
		}
	case q != nil && q.Role != "":
		said += ", or call it once for each"
	}
	return said
}

// isSet reports whether a parameter, or a place in it, has a value.
func (p *parser) isSet(name string) bool {
	_, inBase := p.base[name]
	return inBase || slices.ContainsFunc(p.given, func(g given) bool { return g.path[0] == name })
}
