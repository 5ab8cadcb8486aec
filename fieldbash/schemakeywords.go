package fieldbash

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// lookRest lets the library judge the keywords that say something of the value
// itself, one at a time: lengths, ranges, patterns.
func (f *mistakeFinder) lookRest(s *jsonschema.Schema, v any, at []string) {
	for _, r := range restOf(s) {
		one, err := resolved(r.one)
		if err == nil && one.Validate(v) != nil {
			f.add(at, " %s", r.text)
		}
	}
}

// keyword is one keyword and what it asks for.
type keyword struct {
	one  *jsonschema.Schema
	text string
}

func restOf(s *jsonschema.Schema) (out []keyword) {
	number := func(p *float64, one *jsonschema.Schema, text string) {
		if p != nil {
			out = append(out, keyword{one, text + " " + strconv.FormatFloat(*p, 'f', -1, 64)})
		}
	}
	count := func(p *int, one *jsonschema.Schema, text, unit string) {
		if p != nil {
			out = append(out, keyword{one, fmt.Sprintf("must have at %s %d %s", text, *p, unit)})
		}
	}
	number(s.MultipleOf, &jsonschema.Schema{MultipleOf: s.MultipleOf}, "must be a multiple of")
	number(s.Minimum, &jsonschema.Schema{Minimum: s.Minimum}, "must be at least")
	number(s.Maximum, &jsonschema.Schema{Maximum: s.Maximum}, "must be at most")
	number(s.ExclusiveMinimum, &jsonschema.Schema{ExclusiveMinimum: s.ExclusiveMinimum}, "must be above")
	number(s.ExclusiveMaximum, &jsonschema.Schema{ExclusiveMaximum: s.ExclusiveMaximum}, "must be below")
	count(s.MinLength, &jsonschema.Schema{MinLength: s.MinLength}, "least", "characters")
	count(s.MaxLength, &jsonschema.Schema{MaxLength: s.MaxLength}, "most", "characters")
	count(s.MinItems, &jsonschema.Schema{MinItems: s.MinItems}, "least", "elements")
	count(s.MaxItems, &jsonschema.Schema{MaxItems: s.MaxItems}, "most", "elements")
	count(s.MinProperties, &jsonschema.Schema{MinProperties: s.MinProperties}, "least", "members")
	count(s.MaxProperties, &jsonschema.Schema{MaxProperties: s.MaxProperties}, "most", "members")
	if s.Pattern != "" {
		out = append(out, keyword{&jsonschema.Schema{Pattern: s.Pattern}, "must match the pattern " + s.Pattern})
	}
	if s.UniqueItems {
		out = append(out, keyword{&jsonschema.Schema{UniqueItems: true}, "must not have an element twice"})
	}
	if b, err := json.Marshal(s.Not); s.Not != nil && err == nil {
		out = append(out, keyword{&jsonschema.Schema{Not: s.Not}, "must not fit " + cleanText(string(b), maxSummary)})
	}
	for name, needs := range s.DependentRequired {
		out = append(out, keyword{&jsonschema.Schema{DependentRequired: map[string][]string{name: needs}}, "with " + name + " must also have " + strings.Join(needs, ", ")})
	}
	return out
}
