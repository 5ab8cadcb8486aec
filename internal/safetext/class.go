package safetext

import "unicode"

// isControl reports a character that is no text: all but tab, newline and
// carriage return.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0
}

// isShapeless reports a character that has no shape of its own, moves others
// about, or looks as each terminal likes.
func isShapeless(r rune) bool {
	if r < 0xa0 {
		return false
	}
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800: // blank letters
		return true
	}
	return !unicode.IsLetter(r) && unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Z, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isHidden reports a shapeless character that is not part of ordinary text after
// the character prev.
func isHidden(prev, r rune) bool {
	switch {
	case !isShapeless(r):
		return false
	case r == 0x200c || r == 0x200d || r == 0x180e: // joiners, of which Latin, Greek and Cyrillic have no use
		return prev < 0x0590 || !unicode.In(prev, unicode.L, unicode.M, unicode.S)
	case unicode.Is(unicode.Variation_Selector, r):
		return !mayVary(prev, r)
	}
	return r != 0x2800 && !unicode.In(r, unicode.Co, unicode.Z, unicode.Prepended_Concatenation_Mark)
}

// mayVary reports whether a variation selector may follow a character.
func mayVary(prev, r rune) bool {
	if prev < 0x80 { // keycaps
		return (r == 0xfe0e || r == 0xfe0f) && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
	}
	return unicode.In(prev, unicode.L, unicode.N, unicode.P, unicode.S)
}
