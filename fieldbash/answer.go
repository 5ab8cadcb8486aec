package fieldbash

import (
	"encoding/json"
	"errors"
)

// AnswerSchema checks JSON texts against a JSON Schema (draft-07 or 2020-12).
// References that leave the schema are refused.
type AnswerSchema struct{ v *validator }

// NewAnswerSchema reads a schema. An error says why it cannot be used.
func NewAnswerSchema(schema json.RawMessage) (*AnswerSchema, error) {
	v := &validator{schema: func() json.RawMessage { return schema }}
	switch err := v.prepare(); {
	case err != nil:
		return nil, err
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
	lines, err := s.v.judge(value)
	switch {
	case errors.Is(err, errTooCostly):
		return []string{"it cannot be checked: the schema is too costly: make it simpler"}
	case err != nil:
		return []string{plainReason(err)}
	}
	return lines[:min(len(lines), maxProblems)]
}
