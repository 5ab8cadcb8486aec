package charset

import (
	"unicode"
	"unicode/utf8"
)

// isText reports whether a character can stand in a text.
func isText(r rune) bool {
	return unicode.IsGraphic(r) && r != utf8.RuneError || r >= '\t' && r <= '\r' || r == 0x1b || r == '\b' || unicode.Is(unicode.Cf, r)
}

// plausibility is how much a text looks like one of the encoding, 1 at most; ok is false if it cannot be one.
// It is the mean of its characters beyond ASCII: a letter counts where it stands among its like, a usual Chinese
// one everywhere, and a sign in the middle of a word against it. n is how many they are.
func (e *Encoding) plausibility(sample []byte) (score float64, n int, ok bool) {
	text, ok := e.text(sample)
	if !ok {
		return 0, 0, false
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if !isText(runes[i]) {
			return 0, 0, false
		}
		if !unicode.IsLetter(runes[i]) {
			if s := signScore(runes, i); s != 0 {
				n, score = n+1, score+s
			}
			continue
		}
		word := runes[i:]
		end := 1
		for end < len(word) && (unicode.IsLetter(word[end]) || unicode.IsMark(word[end])) {
			end++
		}
		word = word[:end]
		own, sum := e.wordScore(word)
		n, score, i = n+own, score+sum, i+end-1
	}
	if n == 0 {
		return 0, 0, true
	}
	if score /= float64(n); e.Name == "euc-kr" && n > enough && score > 0.95 { // Chinese text is rarely Hangul throughout
		score += 0.25
	}
	return score, n, true
}

// signScore is what a sign counts; 0: it tells nothing.
func signScore(text []rune, i int) float64 {
	inWord := i > 0 && i+1 < len(text) && unicode.IsLetter(text[i-1]) && unicode.IsLetter(text[i+1])
	switch r := text[i]; {
	case r == '’' && inWord, r >= 0x3000 && r < 0x3040, r >= 0xff00 && r < 0xff61:
		return 1
	case r >= 0x2500 && r < 0x25a0 || r >= 0xff61 && r < 0xffa0: // boxes; narrow Japanese letters
		return -0.5
	case r >= utf8.RuneSelf && inWord:
		return -1
	}
	return 0
}

// wordScore is how many letters beyond ASCII a word has, and what they count.
func (e *Encoding) wordScore(word []rune) (n int, sum float64) {
	ascii, mixed := 0, false
	var script *unicode.RangeTable
	for i, r := range word {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			n++
			s := scriptOf(r)
			mixed = mixed || script != nil && s != script
			script = s
		}
		mixed = mixed || i > 0 && unicode.IsUpper(r) && unicode.IsLower(word[i-1])
	}
	for i, r := range word {
		if r < utf8.RuneSelf {
			continue
		}
		sum += e.letterScore(word, i, ascii, n, mixed, scriptOf(r))
	}
	return n, sum
}

func (e *Encoding) letterScore(word []rune, i, ascii, n int, mixed bool, script *unicode.RangeTable) float64 {
	r := word[i]
	switch script {
	case unicode.Han, unicode.Hangul:
		if script == unicode.Han && i > 0 && i+1 < len(word) && word[i-1] < utf8.RuneSelf && word[i+1] < utf8.RuneSelf {
			return -1
		}
		return e.usual(r)
	case unicode.Hiragana, unicode.Katakana:
		return e.kanaScore(r)
	case unicode.Latin:
		if mixed || n > 2*ascii && len(word) > 1 || unicode.Is(unicode.Lo, r) {
			return -0.5
		}
	default:
		if mixed || ascii > 0 {
			return -1
		}
		if script == unicode.Cyrillic && !isRussian(r) {
			return 0.3
		}
	}
	if unicode.IsUpper(r) && i > 0 { // a word in capitals
		return 0.5
	}
	return 1
}

func isRussian(r rune) bool { return r >= 'А' && r <= 'я' || r == 'ё' }

func (e *Encoding) kanaScore(r rune) float64 {
	switch {
	case r >= 0xff61:
		return -0.5
	case e.Name == "shift_jis" || e.Name == "euc-jp":
		return 1
	}
	return 0.3
}

// usual is 1 for a character where the encoding has the usual ones, else 0.
func (e *Encoding) usual(r rune) float64 {
	b, err := e.enc.NewEncoder().String(string(r))
	if err == nil && len(b) == 2 && b[0] >= e.first && b[0] <= e.last && (e.first < 0xb0 || b[1] >= 0xa1) {
		return 1
	}
	return 0
}

// scriptOf is the script of a letter; nil: one of those that no other encoding takes for its own.
func scriptOf(r rune) *unicode.RangeTable {
	for _, t := range []*unicode.RangeTable{unicode.Latin, unicode.Han, unicode.Cyrillic, unicode.Greek, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Hebrew, unicode.Arabic, unicode.Thai} {
		if unicode.Is(t, r) {
			return t
		}
	}
	return nil
}
