package files

import (
	"fmt"
	"strings"
)

// countNoun is "1 line", "2 lines".
func countNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return groupThousands(n) + " " + what + "s"
}

// groupThousands writes a number with commas.
func groupThousands(n int) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
