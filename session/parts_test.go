//go:build linux

package session

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestQuoted has bash read back what appendQuoted wrote.
func TestQuoted(t *testing.T) {
	var all []byte
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "'", "\\", "\\'", "\n", "\r\n", "!", "$'x'", "\\x41", "\\\n", string(all), strings.Repeat("'\\\n", 1000)}
	for range 200 {
		b := make([]byte, random.IntN(50))
		for i := range b {
			b[i] = byte(1 + random.IntN(255))
		}
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		word := appendQuoted(nil, text)
		require.NotContains(t, string(word), "\n")
		got, err := exec.Command("bash", "-c", "printf %s "+string(word)).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
}

// TestCollector compares with a stream that is kept whole.
func TestCollector(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct{ head, tail, write, writes int }{
		{10, 20, 5, 3}, {10, 20, 5, 6}, {10, 20, 5, 7}, {10, 20, 50, 1}, {10, 20, 30, 1}, {10, 20, 31, 1}, {10, 20, 7, 100}, {1, 1, 3, 9}, {100, 7, 13, 50}, {3, 200, 13, 50},
	} {
		c := collector{headCap: row.head, tailCap: row.tail}
		var whole []byte
		for range row.writes {
			p := make([]byte, random.IntN(row.write+1))
			for i := range p {
				p[i] = 'a' + byte(random.IntN(26))
			}
			c.Write(p)
			whole = append(whole, p...)
			kept, head, dropped := c.Bytes()
			require.Equal(t, int64(len(whole)), c.total)
			if len(whole) <= row.head+row.tail {
				require.Equal(t, string(whole), string(kept), "%+v", row)
				require.False(t, dropped)
				require.Zero(t, head)
				continue
			}
			require.True(t, dropped)
			require.Equal(t, row.head, head)
			require.Equal(t, string(whole[:row.head])+string(whole[len(whole)-row.tail:]), string(kept), "%+v", row)
		}
	}
}

// TestCollectorCutsAtRunes cuts a text of many-byte runes everywhere.
func TestCollectorCutsAtRunes(t *testing.T) {
	text := strings.Repeat("aä€🎉", 20)
	for head := range 20 {
		for tail := range 20 {
			c := collector{headCap: head + 1, tailCap: tail + 1}
			for b := range slices.Chunk([]byte(text), 3) {
				c.Write(b)
			}
			kept, n, _ := c.Bytes()
			require.True(t, utf8.Valid(kept), "%d %d: %q", head, tail, kept)
			require.True(t, strings.HasPrefix(text, string(kept[:n])))
			require.True(t, strings.HasSuffix(text, string(kept[n:])))
			require.Greater(t, len(kept), head+tail+2-2*utf8.UTFMax)
		}
	}
}

// TestFrames feeds frames among noise, in pieces of every size.
func TestFrames(t *testing.T) {
	stream := "noise\x01 not one\x00\x011 0 /a\x00\x01\x012 3 /b c\nd\x00debug\n\x013 255 \x00\x014 x /\x00\x01999999999999999999999 1 /\x00\x015 1 /e"
	want := []frame{{1, 0, "/a"}, {2, 3, "/b c\nd"}, {3, 255, ""}}
	for size := 1; size <= len(stream); size++ {
		var r frameReader
		var got []frame
		for b := range slices.Chunk([]byte(stream), size) {
			r.add(b)
			for f, ok := r.next(); ok; f, ok = r.next() {
				got = append(got, f)
			}
		}
		require.Equal(t, want, got, "pieces of %d", size)
	}
	var r frameReader
	r.add(bytes.Repeat([]byte{1}, 3*maxFrame))
	_, ok := r.next()
	require.False(t, ok)
	require.LessOrEqual(t, len(r.buf), maxFrame, "what is no frame is not kept for ever")
	r.add([]byte("7 0 /\x00"))
	f, ok := r.next()
	require.True(t, ok)
	require.Equal(t, int64(7), f.id)
}

func TestChildEnv(t *testing.T) {
	got := childEnv([]string{"A=1", "TERM=xterm", "KEY=secret", "KEY2=b", "broken", "PS1=x", "N=a\x00b", "=::", "E="}, []string{"KEY"})
	require.Equal(t, append([]string{"A=1", "KEY2=b", "E="}, plainOutput[:]...), got)
}
