package router

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// spliced is what parsing found in a bash text.
type spliced struct {
	script string // the text to run
	calls  []CallSite
	hints  []string // what to say if bash's answer fails
}

// splice puts in the place of each agent and field command word of a bash text
// what bash can run (agent:read for read). Every other byte stays: only offsets
// are taken from the syntax tree. Text that cannot be parsed stays whole, for
// bash to judge.
func (n *nameIndex) splice(text string) spliced {
	calls, hints, ok := n.find(text)
	if !ok {
		hints = []string{unparsed}
	}
	if len(calls) == 0 {
		return spliced{script: text, hints: hints}
	}
	var b strings.Builder
	b.Grow(len(text) + len(calls)*len(agentPrefix))
	last := 0
	for _, c := range calls {
		b.WriteString(text[last:c.Offset])
		if c.Layer == Agent && !strings.HasPrefix(text[c.Offset:], agentPrefix) {
			b.WriteString(agentPrefix)
		}
		last = c.Offset
	}
	b.WriteString(text[last:])
	return spliced{script: b.String(), calls: calls, hints: hints}
}

// layerOf tells the layer from the form of a call's name.
func layerOf(name string) Layer {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return Field
	}
	return Agent
}
