package term

import (
	"strings"

	"github.com/agentbash/agentbash/internal/safetext"
)

// onScreen makes a stream of text safe for the screen.
func onScreen() safetext.Stream { return safetext.Stream{Lines: true} }

// cleanText cleans a whole text for the screen.
func cleanText(s string) string {
	z := onScreen()
	return z.Clean(s) + z.Rest()
}

// safeLine cleans a text and folds it to one line.
func safeLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// asLine folds a text, as it must be seen, to one line, for what is to be recognized.
func asLine(s string) string { return strings.Join(strings.Fields(safetext.Visible(s)), " ") }

// revealMarked is [safetext.Visible] with the places of marks in the result, and those
// of the escapes.
func revealMarked(s string, marks []Span) (text string, moved, escapes []Span) {
	var b strings.Builder
	starts, ends := make([]int, len(s)), make([]int, len(s)) // of the character of each byte, in the result
	for i := 0; i < len(s); {
		start := b.Len()
		shown, size := safetext.Next(s, i)
		b.WriteString(shown)
		if shown != s[i:i+size] {
			escapes = append(escapes, Span{start, b.Len()})
		}
		for end := i + size; i < end; i++ {
			starts[i], ends[i] = start, b.Len()
		}
	}
	for _, m := range marks {
		from, to := max(0, min(m.From, len(s))), max(0, min(m.To, len(s)))
		if from < to {
			moved = append(moved, Span{starts[from], ends[to-1]})
		}
	}
	return b.String(), moved, escapes
}
