package session

// appendQuoted appends s as one bash $'...' word on one physical line: the
// reader of the shell never sees a newline, a quote or a backslash of s, so the
// text can neither end the word nor be taken for a continuation line. A NUL
// cannot exist in a bash word; callers refuse it.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '$', '\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '!': // history expansion, when a command turned it on
			dst = append(dst, `\041`...)
		case 0x01: // bash's own escape byte inside words
			dst = append(dst, `\001`...)
		case 0x7f: // bash's mark of a quoted null
			dst = append(dst, `\177`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '\'')
}
