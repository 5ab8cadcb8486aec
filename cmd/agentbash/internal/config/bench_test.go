package config

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse reads a file with 500 functions.
func BenchmarkParse(b *testing.B) {
	one := `{"name": "tool%d", "description": "does what it does, at some length, so that it is like a real one", "parameters": {"type": "object", "properties": {"x": {"type": "string"}, "count": {"type": "integer", "minimum": 0}}, "required": ["x"]}, "exec": {"argv": ["true"]}}`
	var all []string
	for i := range 500 {
		all = append(all, fmt.Sprintf(one, i))
	}
	data := []byte(`{"functions": {"many": [` + strings.Join(all, ",\n") + `]}}`)
	for b.Loop() {
		if _, err := (&source{data: data}).parse(); err != nil {
			b.Fatal(err)
		}
	}
}
