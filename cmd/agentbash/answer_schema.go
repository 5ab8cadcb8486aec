package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/fieldbash"
)

// answerSchema is what the final answer must be; nil: a text.
type answerSchema struct {
	text  string
	check *fieldbash.AnswerSchema
}

// readSchema takes a schema, or the path of a file with one.
func readSchema(arg string) (*answerSchema, error) {
	if arg == "" {
		return nil, nil
	}
	text := strings.TrimSpace(arg)
	if !strings.HasPrefix(text, "{") {
		data, err := os.ReadFile(arg)
		if err != nil {
			return nil, fmt.Errorf("--json-schema: %w: give a file, or the schema itself", err)
		}
		text = strings.TrimSpace(string(data))
	}
	check, err := fieldbash.NewAnswerSchema(json.RawMessage(text))
	if err != nil {
		return nil, fmt.Errorf("--json-schema: %w", err)
	}
	return &answerSchema{text, check}, nil
}

// askFor adds to a prompt what its answer must be.
func (s *answerSchema) askFor(prompt string) string {
	if s == nil {
		return prompt
	}
	return prompt + "\n\nWhen you are done, the last message must be JSON and nothing else: no fence, no words around it. It must fit this JSON Schema:\n" + s.text
}

// answerTries bounds how often an answer that does not fit is sent back.
const answerTries = 3

// askAgain sends an answer that does not fit back, with what is wrong.
func (s *answerSchema) askAgain(ctx context.Context, conv *chat.Conversation, r *report) error {
	for n := 1; ; n++ {
		value := bareJSON(r.answer)
		problems := s.check.Check([]byte(value))
		if len(problems) == 0 {
			r.answer, r.structured = value, json.RawMessage(value)
			return nil
		}
		if n == answerTries {
			return &chat.Error{Exit: chat.ExitModel, Text: fmt.Sprintf("the answer does not fit the schema after %d tries (%s): make the schema simpler, or try another --model", n, strings.Join(problems, "; "))}
		}
		var err error
		r.answer, err = conv.Turn(ctx, "That does not fit the JSON Schema:\n- "+strings.Join(problems, "\n- ")+"\nSend the whole answer again, as JSON and nothing else.")
		if err != nil {
			return err
		}
	}
}

// bareJSON takes off what models put around JSON: a fence, a sentence before or after.
func bareJSON(s string) string {
	s = strings.TrimSpace(s)
	from := []string{s}
	if _, body, ok := strings.Cut(s, "```"); ok {
		_, body, _ = strings.Cut(body, "\n")
		from = append(from, body)
	}
	if i := strings.IndexAny(s, "{["); i >= 0 {
		from = append(from, s[i:])
	}
	for _, text := range from {
		var value json.RawMessage
		d := json.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&value); err == nil && (text != s || !d.More()) {
			return string(value)
		}
	}
	return s
}
