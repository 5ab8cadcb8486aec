package secrettext

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const minKnown = 8

// encoded is one of the forms of a known secret.
type encoded struct{ text, what string }

// encodings are the forms in which a secret is looked for.
func encodings(secret string) (forms []encoded) {
	add := func(text, what string) {
		if !slices.ContainsFunc(forms, func(f encoded) bool { return f.text == text }) {
			forms = append(forms, encoded{text, what})
		}
	}
	add(secret, "key")
	reversed := []byte(secret)
	slices.Reverse(reversed)
	add(string(reversed), "key, reversed")
	add(hex.EncodeToString([]byte(secret)), "key, hex")
	add(strings.ToUpper(hex.EncodeToString([]byte(secret))), "key, hex")
	for before := range 3 {
		// Where it stands in a longer text decides on the characters. The first and the
		// last may be made of its neighbours too, and are not looked at.
		text := append(make([]byte, before), secret...)
		from, to := (before*8+5)/6, len(text)*8/6
		add(base64.StdEncoding.EncodeToString(text)[from:to], "key, base64")
		add(base64.URLEncoding.EncodeToString(text)[from:to], "key, base64")
	}
	return forms
}

// findKnown finds known secrets, also over the ends of lines: base64 and fold put
// them anywhere.
func findKnown(text string, known *pairs[encoded]) (spans []span) {
	if known == nil {
		return nil
	}
	plain, at := joinLines(text)
	for i := 0; i+1 < len(plain); i++ {
		for _, k := range known.at(plain, i) {
			if strings.HasPrefix(plain[i:], k.text) {
				spans = append(spans, span{at(i), at(i+len(k.text)-1) + 1, k.what})
				i += len(k.text) - 1
				break
			}
		}
	}
	return spans
}

// joinLines is a text without its line ends, and where a byte of that stands in the
// text.
func joinLines(text string) (plain string, at func(int) int) {
	if !strings.ContainsAny(text, "\r\n") {
		return text, func(i int) int { return i }
	}
	var b strings.Builder
	b.Grow(len(text))
	var cuts []int // after so many bytes of plain one was left out
	for rest := text; ; {
		i := strings.IndexAny(rest, "\r\n")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		cuts = append(cuts, b.Len())
		rest = rest[i+1:]
	}
	return b.String(), func(i int) int {
		n, _ := slices.BinarySearch(cuts, i+1)
		return i + n
	}
}
