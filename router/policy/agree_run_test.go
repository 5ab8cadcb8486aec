package policy

import (
	"math/rand"
	"testing"
)

// FuzzAgreesWithBash asks bash's own parser, which runs nothing, what simple
// commands a text holds.
func FuzzAgreesWithBash(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for range 150 {
		g := gen{Rand: r}
		f.Add(g.text())
		f.Add(randomText(r))
	}
	f.Fuzz(agree)
}
