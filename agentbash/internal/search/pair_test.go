package search

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPairFindsTheFirstPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		buf := make([]byte, r.IntN(200))
		for i := range buf {
			buf[i] = "abcABC.."[r.IntN(8)]
		}
		p := pair{a: 'a', A: "aA"[r.IntN(2)], b: 'b', B: "bB"[r.IntN(2)], apart: r.IntN(40)}
		from := r.IntN(len(buf) + 1)
		want := -1
		for i := from; i+p.apart < len(buf) && want < 0; i++ {
			if x, y := buf[i], buf[i+p.apart]; (x == p.a || x == p.A) && (y == p.b || y == p.B) {
				want = i
			}
		}
		require.Equal(t, want, p.find(buf, from), "%q from %d, %+v", buf, from, p)
	}
}

func TestCountLines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{0, 1, 31, 32, 33, 100, 255 * 32, 256 * 32, 300*32 + 7, 100000} {
		buf := bytes.Repeat([]byte{'x'}, size)
		for range r.IntN(size + 1) {
			buf[r.IntN(size)] = '\n'
		}
		n, nul := CountLines(buf)
		require.Equal(t, bytes.Count(buf, []byte{'\n'}), n, size)
		require.False(t, nul, size)
		if size > 0 {
			buf[r.IntN(size)] = 0
			_, nul = CountLines(buf)
			require.True(t, nul, size)
		}
	}
	all := bytes.Repeat([]byte{'\n'}, 1<<20)
	n, _ := CountLines(all)
	require.Equal(t, 1<<20, n)
}
