package session

import "unicode/utf8"

// A collector keeps the first headCap and the last tailCap bytes of a stream.
// It allocates as the stream grows, and nothing for an empty one.
type collector struct {
	headCap, tailCap int
	head             []byte
	tail             []byte // a ring once it is full
	pos              int    // where the next byte of a full ring goes
	total            int64  // length of the stream
}

func (c *collector) Write(p []byte) {
	c.total += int64(len(p))
	if room := c.headCap - len(c.head); room > 0 {
		n := min(room, len(p))
		c.head = append(c.head, p[:n]...)
		p = p[n:]
	}
	if len(p) >= c.tailCap {
		c.tail = append(c.tail[:0], p[len(p)-c.tailCap:]...)
		c.pos = 0
		return
	}
	if room := c.tailCap - len(c.tail); room > 0 {
		n := min(room, len(p))
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.pos:], p)
		p = p[n:]
		if c.pos += n; c.pos == c.tailCap {
			c.pos = 0
		}
	}
}

// Bytes returns what was kept. When bytes were dropped, headLen is the length
// of the head part, and both edges of the gap lie on UTF-8 boundaries.
func (c *collector) Bytes() (kept []byte, headLen int, dropped bool) {
	if c.total <= int64(len(c.head)) {
		return c.head, 0, false
	}
	dropped = c.total > int64(len(c.head)+len(c.tail))
	head, tail := c.head, c.tail[c.pos:]
	if dropped {
		head = trimRuneEnd(head)
		headLen = len(head)
	}
	kept = make([]byte, 0, len(head)+len(c.tail))
	kept = append(kept, head...)
	kept = append(kept, tail...)
	kept = append(kept, c.tail[:c.pos]...)
	if dropped {
		rest := kept[headLen:]
		kept = append(kept[:headLen], trimRuneStart(rest)...)
	}
	return kept, headLen, dropped
}

// trimRuneEnd drops the beginning of a rune that was cut off at the end of b.
func trimRuneEnd(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// trimRuneStart drops the rest of a rune that was cut off at the start of b.
func trimRuneStart(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	return b
}
