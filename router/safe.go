package router

import (
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/safetext"
)

// Safe makes text from anywhere fit for a model: terminal control sequences and
// control characters other than tab, newline and carriage return are removed, and
// so are the characters that reorder or hide text; each byte that is no UTF-8
// becomes U+FFFD. Joiners and variation selectors stay where ordinary text has
// them. It is what results have gone through.
func Safe(s string) string { return safetext.Clean(s) }

// sample is how many bytes of a stream's beginning and end tell text from binary.
const sample = 8000

// isBinary reports whether bytes are no text: there is a NUL, other than one that ends
// them, or more than a tenth is not UTF-8.
func isBinary(b []byte) bool {
	bad := 0
	for i := 0; i < len(b); {
		if b[i] == 0 && (i == 0 || i < len(b)-1) {
			return true
		}
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 && utf8.FullRune(b[i:]) {
			bad++
		}
		i += n
	}
	return bad > len(b)/10
}
