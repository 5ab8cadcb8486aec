package files

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// The encodings that have no table: utf8Text is shown as it is, rawBytes too
// and whatever it holds.
const (
	autoText = "auto"
	utf8Text = "utf-8"
	rawBytes = "raw"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// namedEncodings are the names that the encoding parameter takes, beside auto,
// utf-8 and raw: those of the WHATWG Encoding Standard, short forms included.
func namedEncodings() map[string]encoding.Encoding {
	return map[string]encoding.Encoding{
		"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"latin1": charmap.ISO8859_1, "iso-8859-2": charmap.ISO8859_2, "iso-8859-5": charmap.ISO8859_5, "iso-8859-7": charmap.ISO8859_7,
		"iso-8859-15": charmap.ISO8859_15, "windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1252": charmap.Windows1252,
		"windows-1253": charmap.Windows1253, "windows-1254": charmap.Windows1254, "koi8-r": charmap.KOI8R, "ibm437": charmap.CodePage437,
		"gbk": simplifiedchinese.GBK, "gb18030": simplifiedchinese.GB18030, "big5": traditionalchinese.Big5,
		"shift_jis": japanese.ShiftJIS, "euc-jp": japanese.EUCJP, "euc-kr": korean.EUCKR,
	}
}

// encodingNames are those names in the order in which help shows them.
func encodingNames() []string {
	names := slices.Sorted(maps.Keys(namedEncodings()))
	return append([]string{autoText, utf8Text, rawBytes}, names...)
}

// isBinary reports whether a file that starts with head is no text: it holds a
// NUL byte and no mark of UTF-16.
func isBinary(head []byte) bool {
	return bytes.IndexByte(head, 0) >= 0 && utf16Mark(head) == ""
}

// utf16Mark names the UTF-16 encoding whose byte order mark head starts with.
func utf16Mark(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}): // UTF-32
		return ""
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "utf-16be"
	}
	return ""
}

// invalidAt returns the offset of the first byte that is not UTF-8, or -1. A
// sequence that is cut off at the end counts as valid when more may follow.
func invalidAt(b []byte, more bool) int {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && !(more && !utf8.FullRune(b[i:])) {
			return i
		}
		i += n
	}
	return -1
}

// countNoun is "1 line", "2 lines".
func countNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return groupThousands(n) + " " + what + "s"
}

// groupThousands writes a number with commas.
func groupThousands(n int) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
