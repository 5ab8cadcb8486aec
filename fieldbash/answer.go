package fieldbash

import (
	"encoding/json"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
)

// AnswerSchema checks JSON texts against a JSON Schema (draft-07 or 2020-12).
// References that leave the schema are refused.
type AnswerSchema struct{ v *validator }

// NewAnswerSchema reads a schema. An error says why it cannot be used.
func NewAnswerSchema(schema json.RawMessage) (*AnswerSchema, error) {
	var said error
	v := newValidator("the answer", schema, func(_ string, args ...any) {
		for _, arg := range args {
			if err, ok := arg.(error); ok {
				said = err
			}
		}
	})
	v.compile.Do(v.prepare)
	switch {
	case said != nil:
		return nil, said
	case v.ready == nil:
		return nil, errors.New("the schema is empty")
	}
	return &AnswerSchema{v}, nil
}

// Check returns one line for each mistake of a text, and none when it fits. It
// is safe for concurrent use.
func (s *AnswerSchema) Check(text []byte) []string {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return []string{"it is not JSON: " + err.Error()}
	}
	if !isAffordable(s.v.tree, value) {
		return []string{"it cannot be checked: the schema is too costly: make it simpler"}
	}
	err := s.v.ready.Validate(value)
	if err == nil {
		return nil
	}
	f := mistakeFinder{root: s.v.root, refs: map[string]*jsonschema.Schema{}}
	f.compareValue(s.v.root, value, nil, 0)
	if lines := f.lines(); len(lines) > 0 {
		return lines[:min(len(lines), maxProblems)]
	}
	return []string{plainReason(err)}
}
