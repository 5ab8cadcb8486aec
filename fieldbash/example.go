package fieldbash

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// sampleDepth bounds how deep an example's nested values go.
const sampleDepth = 3

// exampleOf writes one right call: the required parameters with values of
// their types. A tool without required parameters is called by its name.
func exampleOf(t *registry.Tool) []string {
	words := []string{t.Name}
	for _, p := range t.Params.List() {
		if !p.Required {
			continue
		}
		v := sampleValue(&p, 0)
		var text string
		switch {
		case v == "true" && p.Type == registry.Boolean && p.Name != "help":
			words = append(words, quote.Word("--"+p.Name))
			continue
		case json.Unmarshal([]byte(v), &text) != nil:
			text = v
		}
		words = append(words, p.Option(quote.Word(text)))
	}
	return []string{strings.Join(words, " ")}
}

// sampleValue is a value that a parameter takes, as JSON.
func sampleValue(p *registry.Param, depth int) string {
	switch {
	case p.Default != nil:
		if b, err := json.Marshal(p.Default); err == nil {
			return string(b)
		}
	case len(p.Enum) > 0 && (p.Type == registry.String || p.Type == ""):
		return strconv.Quote(p.Enum[0])
	case len(p.Enum) > 0:
		return p.Enum[0]
	case len(p.AnyOf) > 0:
		some := slices.IndexFunc(p.AnyOf, func(u registry.Param) bool { return u.Type != registry.Null })
		return sampleValue(&p.AnyOf[max(0, some)], depth)
	}
	switch p.Type {
	case registry.Integer, registry.Number:
		return sampleNumber(p)
	case registry.Boolean:
		return "true"
	case registry.Array:
		if p.Items == nil || depth > sampleDepth {
			return "[]"
		}
		return "[" + sampleValue(p.Items, depth+1) + "]"
	case registry.Object:
		return sampleObject(p, depth)
	case registry.Null:
		return "null"
	}
	return `"text"`
}

// sampleNumber is 1, or the end of the range that is nearest to it.
func sampleNumber(p *registry.Param) string {
	n := 1.0
	if p.Min != nil {
		n = max(n, *p.Min)
	}
	if p.Max != nil {
		n = min(n, *p.Max)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// sampleObject has the required members, in schema order.
func sampleObject(p *registry.Param, depth int) string {
	var members []string
	for _, q := range p.Props.List() {
		if q.Required && depth <= sampleDepth {
			members = append(members, strconv.Quote(q.Name)+":"+sampleValue(&q, depth+1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
