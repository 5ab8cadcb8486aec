package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBareJSON(t *testing.T) {
	for said, want := range map[string]string{
		`{"a": 1}`: `{"a": 1}`, "```json\n{\"a\": 1}\n```": `{"a": 1}`,
		"Here it is:\n```json\n{\"a\": [1, 2]}\n```\nI hope it helps.": `{"a": [1, 2]}`,
		`The answer is {"a": "}"}, I think.`:                           `{"a": "}"}`, `[1]`: `[1]`, `42`: `42`, `"text"`: `"text"`, "none": "none", "{broken": "{broken",
	} {
		require.Equal(t, want, bareJSON(said), said)
	}
}
