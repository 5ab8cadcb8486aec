package glob

import (
	"fmt"

	"github.com/agentbash/agentbash/agentbash/internal/wildcard"
)

// expandBraces writes out the braces of a pattern.
func expandBraces(p string) ([]string, error) {
	done := []string{}
	todo := []string{p}
	for len(todo) > 0 {
		p, todo = todo[0], todo[1:]
		open, end, commas := firstBraces(p)
		if open < 0 {
			done = append(done, p)
			continue
		}
		from := open + 1
		var list []string
		for _, to := range append(commas, end) {
			list = append(list, p[:open]+p[from:to]+p[end+1:])
			from = to + 1
		}
		todo = append(list, todo...)
		if len(done)+len(todo) > maxAlternatives {
			return nil, fmt.Errorf("the braces of the pattern come to more than %d alternatives: use fewer", maxAlternatives)
		}
	}
	return done, nil
}

// firstBraces finds the first braces that are closed and hold a comma, or
// returns -1; commas are those that stand directly in them.
func firstBraces(p string) (open, end int, commas []int) {
	for open = 0; open < len(p); open++ {
		switch p[open] {
		case '\\':
			open++
		case '[':
			open += max(wildcard.BracketLen(p[open:])-1, 0)
		case '{':
			if end, commas = closingBrace(p, open); end > 0 && commas != nil {
				return open, end, commas
			}
		}
	}
	return -1, 0, nil
}

// closingBrace returns where the brace at p[open] is closed, or 0.
func closingBrace(p string, open int) (end int, commas []int) {
	depth := 0
	for i := open; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i += max(wildcard.BracketLen(p[i:])-1, 0)
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i, commas
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		}
	}
	return 0, nil
}
