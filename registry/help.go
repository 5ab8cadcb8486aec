package registry

import (
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// Help is what -h prints (name: summary) or, verbose, what --help prints:
// usage, parameters with types, defaults and allowed values, examples. It is
// made from the schema and ends with a newline.
func (t *Tool) Help(verbose bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.Name, t.Summary)
	if !verbose {
		return b.String()
	}
	if t.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(t.Detail))
	}
	fmt.Fprintf(&b, "\nusage: %s\n", t.Usage())
	if list := t.Params.List(); len(list) > 0 {
		b.WriteString("\nparameters:\n")
		for i := range list {
			list[i].describe(&b)
		}
		b.WriteString(t.elsewhere())
	} else if t.Params != nil && t.Params.open {
		b.WriteString("\nparameters: any --key value\n" + t.elsewhere())
	} else {
		b.WriteString("\ntakes no parameters\n")
	}
	if examples := t.examples(); len(examples) > 0 {
		b.WriteString("\nexamples:\n")
		for _, e := range examples {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(e, "\n", "\n  "))
		}
	}
	return b.String()
}

// elsewhere says how a value comes from a file or stdin.
func (t *Tool) elsewhere() string {
	line := "values from a file or stdin: --KEY@=FILE, --KEY@=-"
	for _, q := range t.Params.List() {
		if q.isStructured() {
			line += fmt.Sprintf("; --%s @FILE, --%[1]s -", q.Name)
			break
		}
	}
	if t.Params.Find("json") == nil {
		line += "; all: --json @FILE, --json -"
	}
	if t.Foreign && t.Params.Find("schema") == nil {
		line += "; the JSON Schema: --schema"
	}
	return line + "\n"
}

// examples are the tool's own, or made now.
func (t *Tool) examples() []string {
	if len(t.Examples) == 0 && t.MakeExamples != nil {
		return t.MakeExamples(t)
	}
	return t.Examples
}

// Usage is one line: the name and its parameters, optional ones in brackets.
func (t *Tool) Usage() string {
	words := []string{t.Name}
	list := t.Params.List()
	for i := range list {
		if q := &list[i]; q.Required && !q.Stdin {
			words = append(words, q.Option(q.placeholder()))
		}
	}
	for i := range list {
		q := &list[i]
		switch {
		case q.Required && !q.Stdin:
		case q.holds(Boolean) && q.Name != "help":
			words = append(words, "["+quote.Word("--"+q.Name)+"]")
		case q.Alone != "":
			words = append(words, "[--"+q.Name+" ["+q.placeholder()+"]]")
		default:
			words = append(words, "["+q.Option(q.placeholder())+"]")
		}
	}
	return strings.Join(words, " ")
}

func (q *Param) describe(b *strings.Builder) {
	b.WriteString("  " + quote.Word("--"+q.Name))
	if q.Name == "help" {
		b.WriteString("=" + q.placeholder())
	}
	if q.Short != "" {
		fmt.Fprintf(b, ", -%s", q.Short)
	}
	fmt.Fprintf(b, " (%s", q.typeName())
	if q.Required {
		b.WriteString(", required")
	}
	if q.Stdin {
		b.WriteString(", or stdin")
	}
	if q.Default != nil {
		fmt.Fprintf(b, ", default %s", mustJSON(q.Default))
	}
	if r := q.rangeText(); r != "" {
		b.WriteString(", " + r)
	}
	b.WriteString(")")
	if q.Description != "" {
		b.WriteString(": " + strings.Join(strings.Fields(q.Description), " "))
	}
	b.WriteByte('\n')
	if q.Type == Array && q.Items != nil && q.Items.Props != nil {
		q.Items.Props.describeMembers(b, q.Name+".0")
	}
	q.Props.describeMembers(b, q.Name)
}

// describeMembers lists an object's members below its parameter, one level.
func (p *Params) describeMembers(b *strings.Builder, path string) {
	for _, m := range p.List() {
		required := ""
		if m.Required {
			required = ", required"
		}
		fmt.Fprintf(b, "      --%s.%s %s (%s%s)", path, m.Name, m.placeholder(), m.typeName(), required)
		if m.Description != "" {
			b.WriteString(": " + strings.Join(strings.Fields(m.Description), " "))
		}
		b.WriteByte('\n')
	}
}

func (q *Param) typeName() string {
	switch {
	case len(q.Enum) > 0:
		return strings.Join(q.Enum, "|")
	case len(q.AnyOf) > 0:
		var names []string
		for i := range q.AnyOf {
			names = append(names, q.AnyOf[i].shapeName())
		}
		return strings.Join(names, " or ")
	case q.Type == Array && q.Items != nil:
		return "array of " + q.Items.typeName()
	case q.Type == Object && q.Props.List() == nil && q.Props.findOrRest("") != nil:
		return "{NAME: " + q.Props.rest.typeName() + "}"
	case q.Type == "":
		return "any"
	}
	return q.Type
}

// mostMembers bounds what is shown of an object in one line.
const mostMembers = 8

// shapeName is typeName, and of an object its members: {type: circle, r, label?}.
func (q *Param) shapeName() string {
	list := q.Props.List()
	if q.Type != Object || len(list) == 0 {
		return q.typeName()
	}
	var names []string
	for i := range list {
		name := list[i].Name
		switch m := &list[i]; {
		case i == mostMembers:
			name = "..."
		case i > mostMembers:
			continue
		case !m.Required:
			name += "?"
		case len(m.Enum) > 0:
			name += ": " + strings.Join(m.Enum, "|")
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func (q *Param) rangeText() string {
	switch {
	case q.Min != nil && q.Max != nil:
		return formatNumber(*q.Min) + " to " + formatNumber(*q.Max)
	case q.Min != nil:
		return "at least " + formatNumber(*q.Min)
	case q.Max != nil:
		return "at most " + formatNumber(*q.Max)
	}
	return ""
}
