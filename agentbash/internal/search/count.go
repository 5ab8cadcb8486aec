package search

import "bytes"

// CountLines counts the newlines of a buffer and says whether it holds a NUL
// byte, in one pass.
func CountLines(buf []byte) (newlines int, nul bool) {
	if n := len(buf) / vectorSize * vectorSize; n > 0 && hasVectors() {
		count, least := countLines(&buf[0], n)
		newlines, nul = count, least == 0
		buf = buf[n:]
	}
	return newlines + bytes.Count(buf, []byte{'\n'}), nul || bytes.IndexByte(buf, 0) >= 0
}
