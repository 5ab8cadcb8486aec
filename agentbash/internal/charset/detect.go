package charset

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gogs/chardet"
)

// Guess is what a text may be in.
type Guess struct {
	Likely  []*Encoding // best first; empty: it is UTF-8, or nothing explains it
	Certain bool        // Likely is one, and there is no doubt of it
	Binary  bool        // it is no text
}

// Best is the likeliest encoding; nil: the bytes are handled as they are.
func (g Guess) Best() *Encoding {
	if len(g.Likely) == 0 {
		return nil
	}
	return g.Likely[0]
}

// Others names the encodings beside the best; "" if there are none.
func (g Guess) Others() string {
	var names []string
	for _, e := range g.Likely[min(1, len(g.Likely)):] {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// binaryHead is how far a NUL makes a file binary, in bytes, as for git.
const binaryHead = 8000

// Detect looks at a text, or at its head if more follows.
func Detect(b []byte, more bool) Guess {
	if e := marked(b); e != nil {
		return Guess{Likely: []*Encoding{e}, Certain: true}
	}
	if bytes.IndexByte(b[:min(len(b), binaryHead)], 0) >= 0 {
		e, certain := wide(b, more)
		if e4 := wide32(b, more); e4 != nil {
			e, certain = e4, true
		}
		if e == nil {
			return Guess{Binary: true}
		}
		return Guess{Likely: []*Encoding{e}, Certain: certain}
	}
	at := InvalidAt(b, more)
	if at < 0 || bytes.IndexByte(b, 0) >= 0 {
		return Guess{}
	}
	good, bad := countUTF8(b)
	if good > 4*bad {
		return Guess{}
	}
	g, score := legacy(b, bytes.LastIndexByte(b[:at], '\n')+1, more)
	if good >= bad && (bad < 2 || score < plausible) { // a stray byte, or bytes of no encoding
		return Guess{}
	}
	return g
}

// marked is the encoding whose byte order mark b starts with.
func marked(b []byte) *Encoding {
	for _, m := range []struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(b, []byte(m.mark)) {
			return ByName(m.name)
		}
	}
	return nil
}

// wide tells UTF-16 without a byte order mark by its NULs: text of it has ASCII characters, which have
// one, nothing that is no character, and is not made of pairs of ASCII bytes. It is certain where blanks
// or ends of lines are among them.
func wide(b []byte, more bool) (best *Encoding, certain bool) {
	if len(b)%2 != 0 && !more {
		return nil, false
	}
	most := 0
	for i, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		name := []string{"utf-16le", "utf-16be"}[i]
		all, ascii, pairs, blank := 0, 0, 0, false
		for i := 0; i+1 < min(len(b), binaryHead); i += 2 {
			r := rune(order.Uint16(b[i:]))
			if utf16.IsSurrogate(r) && i+3 < len(b) {
				i += 2
				r = utf16.DecodeRune(r, rune(order.Uint16(b[i:])))
			}
			all++
			switch {
			case !isText(r) && !(more && utf16.IsSurrogate(r)):
				all, ascii, i = 0, 0, len(b)
			case r < utf8.RuneSelf:
				ascii++
				blank = blank || r == ' ' || r == '\n'
			case r>>8 < utf8.RuneSelf && isText(r>>8) && isText(r&0x7f) && r&0x80 == 0:
				pairs++
			}
		}
		if ascii > most && pairs <= (all-ascii)/2 {
			most, best, certain = ascii, ByName(name), blank
		}
	}
	return best, certain
}

// wide32 tells UTF-32 without a byte order mark: few other bytes are characters, and blanks or ends of lines among them.
func wide32(b []byte, more bool) *Encoding {
	whole := min(len(b), binaryHead) &^ 3
	if whole < 16 || len(b)%4 != 0 && !more {
		return nil
	}
	for _, e := range []*Encoding{ByName("utf-32le"), ByName("utf-32be")} {
		if text, ok := e.text(b[:whole]); ok && strings.ContainsAny(text, " \n") && strings.IndexFunc(text, func(r rune) bool { return !isText(r) }) < 0 {
			return e
		}
	}
	return nil
}

// InvalidAt returns the offset of the first byte that is not UTF-8, or -1. A
// sequence that is cut off at the end counts as valid when more may follow.
func InvalidAt(b []byte, more bool) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && !(more && !utf8.FullRune(b[i:])) {
			return i
		}
		i += n
	}
	return -1
}

// countUTF8 counts the bytes that continue a character, and those that are no UTF-8. A few of the first are
// in texts of other encodings by chance.
func countUTF8(b []byte) (good, bad int) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if n > 1 {
			good += n - 1
		} else if r == utf8.RuneError {
			bad++
		}
		b = b[n:]
	}
	return good, bad
}

const (
	sampleSize = 4 << 10 // bytes by which a guess is made
	most       = 8       // candidates
	enough     = 4       // characters that tell an encoding from others that are much like it
	plausible  = 0.8     // score of a text that is one of an encoding
)

// legacy finds the encodings that explain bytes which are not UTF-8, and how well the best does.
func legacy(b []byte, from int, more bool) (g Guess, best float64) {
	sample := b[from:min(from+sampleSize, len(b))]
	if end := bytes.LastIndexByte(sample, '\n'); end >= 0 && from+len(sample) < len(b) {
		sample = sample[:end+1]
	}
	trust := map[string]float64{}
	all, _ := chardet.NewTextDetector().DetectAll(sample)
	for _, r := range all {
		for name := range strings.FieldsSeq(aliases(r.Charset)) {
			trust[name] = float64(r.Confidence) / 100
		}
	}
	type scored struct {
		*Encoding
		score float64
		n     int // characters that tell
	}
	var list []scored
	for i := range encodings {
		e := &encodings[i]
		if e.Marked() {
			continue
		}
		if score, n, ok := e.plausibility(sample); ok {
			list = append(list, scored{e, score + e.prior + trust[e.Name]/2, n})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var texts []string
	least := math.Inf(-1) // what explains the text less well is no candidate
	if more {             // the last character may be cut
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	for _, s := range list {
		if len(g.Likely) == most {
			break
		}
		text, ok := s.text(b)
		if !ok || s.score+s.grace <= least || slices.Contains(texts, text) {
			continue
		}
		if texts = append(texts, text); len(texts) == 1 {
			least = s.score - 0.8
			if s.n >= enough {
				least = s.score - 0.4
			}
			best, g.Certain = s.score, s.score >= plausible
		}
		g.Likely = append(g.Likely, s.Encoding)
	}
	g.Certain = g.Certain && len(texts) == 1
	return g, best
}

// Alike are other encodings in which a text is the same as in one of those it may be in: what is added
// to it may be other bytes in them.
func Alike(b []byte, likely []*Encoding) (list []*Encoding) {
	var texts []string
	for _, e := range likely {
		if e == nil || e.Marked() {
			return nil
		}
		text, _ := e.text(b)
		texts = append(texts, text)
	}
	for i := range encodings {
		e := &encodings[i]
		if e.Marked() || slices.Contains(likely, e) {
			continue
		}
		if text, ok := e.text(b); ok && slices.Contains(texts, text) {
			list = append(list, e)
		}
	}
	return list
}

// aliases are our names of what the detector names.
func aliases(name string) string {
	ours := map[string]string{
		"ISO-8859-1": "windows-1252 latin1", "ISO-8859-2": "windows-1250 iso-8859-2", "ISO-8859-7": "windows-1253 iso-8859-7", "ISO-8859-8": "windows-1255",
		"ISO-8859-8-I": "windows-1255", "ISO-8859-9": "windows-1254", "GB-18030": "gbk gb18030", "GB18030": "gbk gb18030", "KOI8-R": "koi8-r koi8-u",
	}
	return cmp.Or(ours[name], strings.ToLower(name))
}
