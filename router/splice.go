package router

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
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

// unclosedError is the error of a text that calls tools and has a here-document
// without an end. Bash would take what there is of the document for the whole, and
// a tool may write that.
func (n *nameIndex) unclosedError(p *Plan) error {
	var parse syntax.ParseError
	if !errors.As(p.Syntax().Err, &parse) {
		return nil
	}
	end, ok := strings.CutPrefix(parse.Text, "unclosed here-document ")
	if end, err := strconv.Unquote(end); ok && err == nil {
		text := p.Raw + "\n" + end + "\n"
		if found, _ := n.findCalls(text, bashtext.Parse(text)); len(found.calls) > 0 {
			return &registry.UsageError{Tool: found.calls[0].Name, Problems: []string{fmt.Sprintf("the here-document has no end, nothing of this line ran: put a line after its text that holds %s alone", end)}}
		}
	}
	return nil
}

// layerOf tells the layer from the form of a call's name.
func layerOf(name string) Layer {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return Field
	}
	return Agent
}
