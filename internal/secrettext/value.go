package secrettext

import (
	"slices"
	"strings"
)

// shape is what a text consists of.
type shape struct {
	digits, lowers, uppers, symbols, distinct int
}

func shapeOf(text string) (s shape) {
	var seen [256]bool
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			s.digits++
		case 'a' <= c && c <= 'z':
			s.lowers++
		case 'A' <= c && c <= 'Z':
			s.uppers++
		case strings.IndexByte("!#%^*+=?~@&$", c) >= 0:
			s.symbols++
		}
		if !seen[text[i]] {
			seen[text[i]] = true
			s.distinct++
		}
	}
	return s
}

// isRandom reports whether a token's characters may have been drawn, and are no
// placeholder; nor words, if they may be some.
func isRandom(body string, mayBeWords bool) bool {
	s := shapeOf(body)
	return s.distinct >= 4 && (!mayBeWords || s.digits > 0 || s.lowers > 0 && s.uppers > 1) && !isPlaceholder(body)
}

// isPlaceholder reports whether a value stands for a secret and is none.
func isPlaceholder(value string) bool {
	value = strings.ToLower(value)
	return slices.Contains(words, value) || slices.ContainsFunc(placeholders, func(p string) bool { return strings.Contains(value, p) })
}

// isWords reports whether a value is a word of code, or several: a_name, a.name2.
func isWords(value string) bool {
	return dotted.run(value) == len(value) && !('0' <= value[0] && value[0] <= '9') && strings.IndexByte(value, '-') < 0
}

// namesSecret reports whether a word of code is a name itself: testPassword1.
func namesSecret(value string) bool {
	value = strings.ToLower(value)
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(value, name) })
}

// assigned is a value and how it was written.
type assigned struct {
	value      string
	quoted     bool
	quotedName bool
	spaced     bool // spaces stand around what assigns it
	shouting   bool // the name has no small letters
	next       byte // after a bare value; 0 is the end
	prose      bool // "the password is ..."
	header     bool // x-api-key: ...
	certain    bool // what comes after the sign is the value, whatever it is
}

// isSecret reports whether the value of a kind of name is to be hidden.
func (a assigned) isSecret(what string, loose bool) bool {
	switch {
	case a.value == "":
		return false
	case loose && (a.certain || a.quotedName && a.quoted || a.prose && what == "password" && len(a.value) >= 4):
		return a.value[0] != '$'
	case what == "password":
		return a.isPassword()
	}
	return a.isToken()
}

// isPassword reports whether a value is one rather than code or a word.
func (a assigned) isPassword() bool {
	s := shapeOf(a.value)
	return a.mayBeSecret(6) && (s.digits+s.symbols > 0 || a.shouting && !a.spaced)
}

// isToken reports whether a value is a key or a token rather than code, a number or a
// word.
func (a assigned) isToken() bool {
	s, min := shapeOf(a.value), 12
	if a.header {
		min = 8
	}
	if !a.mayBeSecret(min) || s.distinct < 6 || s.lowers+s.uppers == 0 {
		return false
	}
	if isWords(a.value) && strings.ContainsAny(a.value, "_.") && s.digits < 3 {
		return false
	}
	return s.digits > 0 || a.shouting && !a.spaced || s.lowers > 0 && s.uppers > 1 && a.quoted && len(a.value) >= 20
}

// mayBeSecret is what both have in common.
func (a assigned) mayBeSecret(min int) bool {
	v := a.value
	switch {
	case len(v) < min || len(v) > Slack || strings.ContainsAny(v, " \t") || strings.Contains(v, "://") || isPlaceholder(v):
		return false
	case strings.IndexByte("$~", v[0]) >= 0 || strings.HasPrefix(v, "./") || v[0] == '/' && strings.Count(v, "/") > 1:
		return false
	case !a.quoted && a.isCode():
		return false
	}
	s := shapeOf(v)
	return s.lowers+s.digits+s.symbols > 0
}

// isCode reports whether a bare value is an expression: a call, a member, an argument, a name.
func (a assigned) isCode() bool {
	if strings.IndexByte("([{", a.next) >= 0 {
		return true
	}
	return !a.prose && isWords(a.value) && (strings.IndexByte(a.value, '.') > 0 || strings.IndexByte(",)", a.next) >= 0 || a.spaced && namesSecret(a.value))
}
