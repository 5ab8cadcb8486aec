package registry

import (
	"strconv"
	"strings"
)

// PatternWords tells for each of the words after the tool's name whether it is the
// value of a parameter with Pattern set, or holds it (--key=value).
func (t *Tool) PatternWords(words []string) []bool {
	const mark = "\x00" // which no word of a command can hold
	marked := make([]string, len(words))
	for i, w := range words {
		key, _, joined := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-"):
			w = mark + strconv.Itoa(i)
		case joined:
			w = key + "=" + mark + strconv.Itoa(i)
		}
		marked[i] = w
	}
	parsed, _ := t.Parse(marked, true)
	patterns := make([]bool, len(words))
	for _, q := range t.Params.List() {
		values, several := parsed.Kwargs[q.Name].([]any)
		if !several {
			values = []any{parsed.Kwargs[q.Name]}
		}
		for _, v := range values {
			if text, _ := v.(string); strings.HasPrefix(text, mark) {
				i, _ := strconv.Atoi(text[len(mark):])
				patterns[i] = q.Pattern
			}
		}
	}
	return patterns
}
