package files

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// codec turns a file's bytes into text and back. The zero value is for text
// that is handled as it is: UTF-8, or bytes of which only ASCII is looked at.
type codec struct {
	name string
	enc  encoding.Encoding
}

// codecFor chooses how a file's content is edited. Text in UTF-16 has its mark.
// What is not UTF-8 is taken for Windows-1252 or Latin-1 when the edit has more than ASCII in it and
// nothing in the file looks like UTF-8; an edit that is no UTF-8 itself has the file's own bytes.
func codecFor(content []byte, list []replacement) codec {
	if mark := utf16Mark(content); mark != "" {
		return codec{mark, namedEncodings()[mark]}
	}
	ascii, valid := true, true
	for _, r := range list {
		ascii = ascii && isASCII(r.old) && isASCII(r.new)
		valid = valid && utf8.ValidString(r.old) && utf8.ValidString(r.new)
	}
	if ascii || !valid || bytes.IndexByte(content, 0) >= 0 || invalidAt(content, false) < 0 || holdsUTF8(content) {
		return codec{}
	}
	c := codec{"windows-1252", charmap.Windows1252}
	if _, err := c.decode(content); err != nil {
		c = codec{"latin1", charmap.ISO8859_1}
	}
	return c
}

// holdsUTF8 reports whether a character of more than one byte stands in b.
func holdsUTF8(b []byte) bool {
	for len(b) > 0 {
		_, n := utf8.DecodeRune(b)
		if n > 1 {
			return true
		}
		b = b[n:]
	}
	return false
}

// decode returns the text, or an error when encoding it would not give the same bytes again.
func (c codec) decode(content []byte) (string, error) {
	if c.enc == nil {
		return string(content), nil
	}
	text, err := c.enc.NewDecoder().Bytes(content)
	if err != nil {
		return "", err
	}
	if back, err := c.encode(string(text)); err != nil || !bytes.Equal(back, content) {
		return "", fmt.Errorf("it is not all %s, so that an edit could change other bytes", c.name)
	}
	return string(text), nil
}

func (c codec) encode(text string) ([]byte, error) {
	if c.enc == nil {
		return []byte(text), nil
	}
	b, err := c.enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, errors.New("new_string has characters that " + c.name + ", the file's encoding, does not have")
	}
	return b, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
