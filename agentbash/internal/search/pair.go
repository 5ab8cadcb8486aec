package search

import "bytes"

// pair is two bytes of a needle, some way apart, each in up to two cases. A
// place where both fit is rare even where each of them alone is not, and
// vector instructions test many places at once: one byte search stops every
// few dozen bytes of ordinary text, and cannot keep up with the disk cache.
type pair struct {
	a, A  byte // the first byte and its other case, or the same again
	b, B  byte // the second
	apart int  // how far b is behind a
}

// find returns the first i in [from, len(buf)-apart) where both bytes fit, or -1.
func (p *pair) find(buf []byte, from int) int {
	n := len(buf) - p.apart - from
	if n <= 0 {
		return -1
	}
	at := 0
	if n >= vectorSize && hasVectors() {
		if at = indexPair(&buf[from], n, p.apart, p.a, p.A, p.b, p.B); at >= 0 {
			return from + at
		}
		return -1
	}
	for i := from; i < from+n; i++ {
		if i = min(indexFrom(buf, i, p.a), indexFrom(buf, i, p.A)); i >= from+n {
			break
		}
		if y := buf[i+p.apart]; y == p.b || y == p.B {
			return i
		}
	}
	return -1
}

// indexFrom returns where c is at or after i, or a place behind the buffer.
func indexFrom(buf []byte, i int, c byte) int {
	if k := bytes.IndexByte(buf[i:], c); k >= 0 {
		return i + k
	}
	return len(buf)
}
