// Package charset finds out in which encoding a text is, and makes UTF-8 of it and
// back without a byte lost. What is not certain is told as the candidates that there are.
package charset

import (
	"bytes"
	"fmt"
	"io"
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
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// Encoding is how a text is written as bytes. nil is UTF-8, or bytes that are handled as they are.
type Encoding struct {
	Name string
	enc  encoding.Encoding

	prior       float64 // how much more usual it is than others that explain a text as well
	grace       float64 // how much less likely it may be than others and still be a candidate
	first, last byte    // of the first bytes of the usual Chinese characters, or Hangul
}

// The byte order mark is a character of the text, so that it stays as it was.
var encodings = []Encoding{
	{Name: "utf-16le", enc: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}, {Name: "utf-16be", enc: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{Name: "utf-32le", enc: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, {Name: "utf-32be", enc: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{Name: "windows-1252", enc: charmap.Windows1252, prior: 0.3}, {Name: "latin1", enc: charmap.ISO8859_1}, {Name: "iso-8859-15", enc: charmap.ISO8859_15},
	{Name: "windows-1250", enc: charmap.Windows1250}, {Name: "iso-8859-2", enc: charmap.ISO8859_2},
	{Name: "windows-1251", enc: charmap.Windows1251, prior: 0.1}, {Name: "koi8-r", enc: charmap.KOI8R, prior: 0.1}, {Name: "koi8-u", enc: charmap.KOI8U},
	{Name: "iso-8859-5", enc: charmap.ISO8859_5}, {Name: "ibm866", enc: charmap.CodePage866, prior: -0.3, grace: 0.4}, {Name: "ibm437", enc: charmap.CodePage437, prior: -0.6}, {Name: "macintosh", enc: charmap.Macintosh, prior: -0.6, grace: 0.6},
	{Name: "windows-1253", enc: charmap.Windows1253}, {Name: "iso-8859-7", enc: charmap.ISO8859_7}, {Name: "windows-1254", enc: charmap.Windows1254},
	{Name: "windows-1255", enc: charmap.Windows1255, prior: -0.2}, {Name: "windows-1256", enc: charmap.Windows1256, prior: -0.2}, {Name: "windows-874", enc: charmap.Windows874, prior: -0.2},
	{Name: "gbk", enc: simplifiedchinese.GBK, prior: 0.2, first: 0xb0, last: 0xd7}, {Name: "gb18030", enc: simplifiedchinese.GB18030, first: 0xb0, last: 0xd7},
	{Name: "big5", enc: traditionalchinese.Big5, prior: 0.1, first: 0xa4, last: 0xc6},
	{Name: "shift_jis", enc: japanese.ShiftJIS, prior: 0.2, first: 0x88, last: 0x97}, {Name: "euc-jp", enc: japanese.EUCJP, prior: 0.1, first: 0xb0, last: 0xcf},
	{Name: "euc-kr", enc: korean.EUCKR, prior: 0.1, first: 0xb0, last: 0xc8},
}

// Names are the names of the encodings, those of the WHATWG Encoding Standard where it has them.
func Names() (names []string) {
	for i := range encodings {
		names = append(names, encodings[i].Name)
	}
	slices.Sort(names)
	return names
}

// ByName is the encoding of a name; nil: there is none.
func ByName(name string) *Encoding {
	for i := range encodings {
		if encodings[i].Name == name {
			return &encodings[i]
		}
	}
	return nil
}

// bomUTF8 is the byte order mark as a character of a text.
const bomUTF8 = "\ufeff"

// Reader makes UTF-8 of what r has, without the byte order mark. What is no text of the encoding becomes U+FFFD.
func (e *Encoding) Reader(r io.Reader) io.Reader {
	if e == nil {
		return r
	}
	return transform.NewReader(r, transform.Chain(e.enc.NewDecoder(), unicode.UTF8BOM.NewDecoder()))
}

// text is what content says; ok is false where it has bytes that say nothing.
func (e *Encoding) text(content []byte) (text string, ok bool) {
	b, err := e.enc.NewDecoder().Bytes(content)
	return string(b), err == nil && !bytes.ContainsRune(b, utf8.RuneError)
}

// Decode returns the text, or an error when Encode would not give the same bytes again.
func (e *Encoding) Decode(content []byte) (string, error) {
	if e == nil {
		return string(content), nil
	}
	text, err := e.enc.NewDecoder().Bytes(content)
	if err != nil {
		return "", err
	}
	if back, err := e.Encode(string(text)); err != nil || !bytes.Equal(back, content) {
		return "", fmt.Errorf("it is not all %s, so that an edit could change other bytes: name the right one with --encoding", e.Name)
	}
	return string(text), nil
}

// Encode returns the bytes of a text, or an error that names a character which the encoding does not have.
func (e *Encoding) Encode(text string) ([]byte, error) {
	if e == nil {
		return []byte(text), nil
	}
	b, err := e.enc.NewEncoder().Bytes([]byte(text))
	if err == nil {
		return b, nil
	}
	for _, r := range text {
		if _, err := e.enc.NewEncoder().String(string(r)); err != nil {
			return nil, fmt.Errorf("%s, the file's encoding, does not have %q", e.Name, r)
		}
	}
	return nil, err
}

// Marked reports whether files of the encoding usually start with a byte order mark.
func (e *Encoding) Marked() bool { return e != nil && strings.HasPrefix(e.Name, "utf-") }
