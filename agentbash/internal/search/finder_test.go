package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// first is the definition of what a finder finds: whether a literal is there, and not before a place.
func first(buf string, texts []string, from int) int {
	least := -1
	for _, s := range texts {
		if at := strings.Index(buf[from:], s); at >= 0 && (least < 0 || from+at < least) {
			least = from + at
		}
	}
	return least
}

func TestFinderFindsLiterals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdABC.\xe9\n"[r.IntN(10)]
		}
		return string(b)
	}
	for range 20000 {
		buf := text(r.IntN(200))
		texts := make([]string, 1+r.IntN(12))
		for i := range texts {
			texts[i] = text(1 + r.IntN(7))
		}
		fold := r.IntN(3) == 0
		shown := buf
		if fold {
			texts, shown = lowered(texts), lowerASCII(buf)
		}
		f := newFinder(texts, fold)
		if r.IntN(4) == 0 {
			f.stops, f.bytes = 1000, 1000
		}
		f.reset([]byte(buf))
		from := r.IntN(len(buf) + 1)
		want, got := first(shown, texts, from), f.find([]byte(buf), from)
		require.Equal(t, want < 0, got < 0, "%q from %d: %q", buf, from, texts)
		if got >= 0 {
			require.Zero(t, first(shown[got:], texts, 0), "%q from %d: %q at %d", buf, from, texts, got)
		}
	}
}

func lowered(texts []string) (list []string) {
	for _, s := range texts {
		list = append(list, lowerASCII(s))
	}
	return list
}
