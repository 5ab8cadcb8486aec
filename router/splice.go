package router

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// splice finds the calls of a bash text, puts before the command word of each
// what makes it one that bash can run (agent:read for read), and quotes patterns
// in it. Every other byte stays: only offsets are taken from the syntax tree. Text
// that cannot be parsed stays whole, for bash to judge.
func (p *Plan) splice(names *nameIndex) {
	found, ok := names.findCalls(p.Raw, p.Syntax())
	p.Calls, p.edits, p.hints, p.unparsed = found.calls, found.edits, found.hints, !ok
	if p.Script = p.Raw; len(p.edits) == 0 {
		return
	}
	var b strings.Builder
	b.Grow(len(p.Raw) + len(p.edits)*len(agentPrefix))
	last := 0
	for _, e := range p.edits {
		b.WriteString(p.Raw[last:e.at])
		b.WriteString(e.text)
		last = e.at
	}
	b.WriteString(p.Raw[last:])
	p.Script = b.String()
}

// layerOf tells the layer from the form of a call's name.
func layerOf(name string) Layer {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return Field
	}
	return Agent
}
