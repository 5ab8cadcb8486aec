package router

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// splice finds the calls of a bash text, and puts in the place of each command
// word of one what bash can run (agent:read for read). Every other byte stays:
// only offsets are taken from the syntax tree. Text that cannot be parsed stays
// whole, for bash to judge.
func (p *Plan) splice(names *nameIndex) {
	text, ok := p.Raw, false
	if p.Calls, p.hints, ok = names.findCalls(text, p.Syntax()); !ok {
		p.hints = []string{unparsed}
	}
	if len(p.Calls) == 0 {
		p.Script = text
		return
	}
	var b strings.Builder
	b.Grow(len(text) + len(p.Calls)*len(agentPrefix))
	last := 0
	for _, c := range p.Calls {
		b.WriteString(text[last:c.Offset])
		if c.Layer == Agent && !strings.HasPrefix(text[c.Offset:], agentPrefix) {
			b.WriteString(agentPrefix)
		}
		last = c.Offset
	}
	b.WriteString(text[last:])
	p.Script = b.String()
}

// layerOf tells the layer from the form of a call's name.
func layerOf(name string) Layer {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return Field
	}
	return Agent
}
