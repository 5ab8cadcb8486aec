package search

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// finder finds the first of some literals in one pass. It looks for three
// neighbouring bytes of each: which literals a byte can belong to is read off two
// tables by its halves, 32 bytes at once where there are vector instructions (the
// method is called Teddy, of Hyperscan). Which bytes of a literal are rare is known of
// text in general; where they prove frequent, others are taken. A finder belongs to one goroutine.
type finder struct {
	list    []literal // sorted by group
	fold    bool
	masks   [width][2][32]byte // bits of groups by the low and the high half of a byte, twice
	tables  [width][256]byte   // the same by the whole byte
	open    [width]byte        // groups with a literal that is too short to have such a byte
	starts  [groups + 1]int    // of the groups in list
	bytes   int                // that were searched since the bytes were chosen
	stops   int                // places where no literal was
	retuned int
}

// literal is a text, in lower case when folding, and where the bytes of it are that are looked for.
type literal struct {
	text string
	at   int
}

const (
	width  = 3
	groups = 8
)

func newFinder(texts []string, fold bool) *finder {
	f := &finder{fold: fold}
	for _, s := range texts {
		f.list = append(f.list, literal{text: s})
	}
	f.choose(func(piece string) float64 {
		all := 1.0
		for i := range len(piece) {
			c := byteFrequency(piece[i])
			if o := f.other(piece[i]); o != piece[i] {
				c += byteFrequency(o)
			}
			all *= c
		}
		return all
	})
	return f
}

// choose chooses the bytes of each literal that are looked for, the rarest, and makes the tables.
func (f *finder) choose(rarity func(piece string) float64) {
	for i := range f.list {
		l := &f.list[i]
		least := -1.0
		for at := range max(len(l.text)-width, 0) + 1 {
			if r := rarity(l.text[at:min(at+width, len(l.text))]); least < 0 || r < least {
				least, l.at = r, at
			}
		}
	}
	slices.SortFunc(f.list, func(a, b literal) int { return cmp.Compare(a.text[a.at:], b.text[b.at:]) })
	f.masks, f.tables, f.open = [width][2][32]byte{}, [width][256]byte{}, [width]byte{}
	for g := range groups {
		f.starts[g+1] = (g + 1) * len(f.list) / groups
		for _, l := range f.list[f.starts[g]:f.starts[g+1]] {
			f.addToGroup(l, byte(1)<<g)
		}
	}
	for k := range width {
		for c := range 256 {
			f.tables[k][c] = f.masks[k][0][c&15] & f.masks[k][1][c>>4]
		}
	}
}

// addToGroup enters a literal's bytes in the tables.
func (f *finder) addToGroup(l literal, bit byte) {
	for k := range width {
		if l.at+k >= len(l.text) {
			f.open[k] |= bit
			for half := range 32 {
				f.masks[k][0][half] |= bit
				f.masks[k][1][half] |= bit
			}
			continue
		}
		c := l.text[l.at+k]
		for _, c := range []byte{c, f.other(c)} {
			for _, lane := range []byte{0, 16} {
				f.masks[k][0][lane+c&15] |= bit
				f.masks[k][1][lane+c>>4] |= bit
			}
		}
	}
}

// other is the other case of a letter when case is ignored.
func (f *finder) other(c byte) byte {
	if f.fold && 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

const (
	often      = 256      // bytes a stop below which what is looked for is frequent
	sample     = 16 << 10 // bytes that tell what is rare
	mostTuning = 4
)

// reset prepares for another buffer.
func (f *finder) reset(buf []byte) {
	if f.stops > 100 && f.stops > f.bytes/often && f.retuned < mostTuning {
		buf := buf[:min(len(buf), sample)]
		if f.fold {
			buf = lowerASCII(bytes.Clone(buf))
		}
		f.choose(func(piece string) float64 { return float64(bytes.Count(buf, []byte(piece))) })
		f.retuned++
		f.stops, f.bytes = 0, 0
	}
	f.bytes += len(buf)
}

// find returns where the first literal at or after from starts, or -1.
func (f *finder) find(buf []byte, from int) int {
	for i := from; i < len(buf); i++ {
		found, group := f.place(buf, i)
		if found < 0 {
			return -1
		}
		i = found
		for ; group != 0; group &= group - 1 {
			g := bits.TrailingZeros8(group)
			for _, l := range f.list[f.starts[g]:f.starts[g+1]] {
				if start := i - l.at; start >= 0 && f.is(buf[start:], l.text) {
					return start
				}
			}
		}
		f.stops++
	}
	return -1
}

// place returns the first place at or after from where the bytes of some groups are.
func (f *finder) place(buf []byte, from int) (i int, group byte) {
	i = from
	if n := len(buf) - (width - 1) - from; n >= vectorSize && hasVectors() {
		if at := findBytes(&buf[from], n, &f.masks); at >= 0 {
			i += at
		} else {
			i += n
		}
	}
	for ; i < len(buf)-(width-1); i++ {
		if group = f.tables[0][buf[i]] & f.tables[1][buf[i+1]] & f.tables[2][buf[i+2]]; group != 0 {
			return i, group
		}
	}
	for ; i < len(buf); i++ {
		group = 0xff
		for k := range width {
			if i+k < len(buf) {
				group &= f.tables[k][buf[i+k]]
			} else {
				group &= f.open[k]
			}
		}
		if group != 0 {
			return i, group
		}
	}
	return -1, 0
}

// is reports whether b starts with a literal.
func (f *finder) is(b []byte, text string) bool {
	if len(b) < len(text) {
		return false
	}
	if !f.fold {
		return string(b[:len(text)]) == text
	}
	for i := range len(text) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}

// lowerASCII lowers ASCII letters; other bytes stay.
func lowerASCII[T ~string | ~[]byte](s T) T {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return T(b)
}
