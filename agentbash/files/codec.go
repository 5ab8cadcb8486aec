package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	"github.com/agentbash/agentbash/registry"
)

// The values of encoding that are no encoding's name: rawBytes shows and takes bytes as they
// are, whatever they hold.
const (
	autoText = "auto"
	utf8Text = "utf-8"
	rawBytes = "raw"
)

// bom is the byte order mark as a character of a text.
const bom = "\ufeff"

// encodingParam is the parameter that all tools share which look into files.
func encodingParam(description string) registry.Param {
	return registry.Param{Name: "encoding", Type: registry.String, Default: autoText, Enum: append([]string{autoText, utf8Text, rawBytes}, charset.Names()...),
		Description: description}
}

// candidates are the encodings in which a content that is edited may be; nil is UTF-8, or bytes
// that are handled as they are. In those that are alike it is the same text as in one of them.
func candidates(content []byte, named string, list []replacement) (all, alike []*charset.Encoding, certain bool) {
	if named != autoText && named != "" {
		return []*charset.Encoding{charset.ByName(named)}, nil, true
	}
	own := func(r replacement) bool { return !utf8.ValidString(r.old) || !utf8.ValidString(r.new) } // the file's own bytes
	g := charset.Detect(content, false)
	switch {
	case len(g.Likely) == 0 || slices.ContainsFunc(list, own):
		return []*charset.Encoding{nil}, nil, true
	}
	alike = charset.Alike(content, g.Likely)
	if !g.Certain {
		return append(g.Likely, nil)[:max(2, len(g.Likely))], alike, false
	}
	return g.Likely, alike, true
}

// listEncodings is "gbk, or big5, euc-kr".
func listEncodings(all []*charset.Encoding) string {
	var names []string
	for _, e := range all {
		if e != nil {
			names = append(names, e.Name)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return names[0] + ", or " + strings.Join(names[1:], ", ")
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// agree makes something of a content in each of the encodings that it may be in. What comes out must
// be the same in all of them, but that one in which it can't be is out where telling says so, and one of
// those alike always.
func agree(all, alike []*charset.Encoding, telling bool, shown string, do func(*charset.Encoding) (edited, error)) (e edited, err error) {
	every := slices.Concat(all, alike)
	for i, c := range every {
		one, oneErr := do(c)
		switch {
		case i >= len(all) && (err != nil || oneErr != nil):
		case i == 0, telling && err != nil && oneErr == nil:
			e, err = one, oneErr
			e.encoding = c
		case telling && oneErr != nil, err != nil && oneErr != nil:
		case err != nil || oneErr != nil || !bytes.Equal(e.content, one.content):
			return edited{}, fmt.Errorf("%s is not UTF-8, and what would become of it depends on what it is: %s. Say which: --encoding %s (read %[1]s --encoding NAME shows whether it is right)",
				shown, listEncodings(every), all[0].Name)
		}
	}
	return e, err
}

// encodeContent is what is written to a file, or added to its end, in the encoding that the file has; that
// of a file without text is UTF-8.
func encodeContent(call *registry.Call, shown string, old, content []byte) ([]byte, error) {
	named, adding := call.String("encoding"), call.Bool("append") && len(old) > 0
	if named == autoText && !utf8.Valid(content) || named == rawBytes || named == utf8Text {
		return content, nil
	}
	all, alike, _ := candidates(old, named, nil)
	marked := !adding && all[0].Marked() && (len(old) == 0 || hasMark(all[0], old)) && !bytes.HasPrefix(content, []byte(bom))
	e, err := agree(all, alike, false, shown, func(c *charset.Encoding) (e edited, err error) {
		text := string(content)
		if marked {
			text = bom + text
		}
		e.content, err = c.Encode(text)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: nothing was written; --encoding utf-8 writes it as UTF-8", err)
	}
	if named == autoText && e.encoding != nil && !bytes.Equal(e.content, content) {
		fmt.Fprintf(call.Stderr, "%s: written as %s, which the file is in\n", shown, e.encoding.Name)
	}
	return e.content, nil
}

// hasMark reports whether a content starts with its encoding's byte order mark.
func hasMark(e *charset.Encoding, content []byte) bool {
	mark, err := e.Encode(bom)
	return err == nil && bytes.HasPrefix(content, mark)
}

// showable makes UTF-8 of two versions of a content that are to be compared.
func showable(old, new []byte) ([]byte, []byte) {
	if utf8.Valid(old) && utf8.Valid(new) && bytes.IndexByte(old, 0) < 0 {
		return old, new
	}
	e := charset.Detect(new, false).Best()
	if e == nil {
		e = charset.Detect(old, false).Best()
	}
	before, err := e.Decode(old)
	after, afterErr := e.Decode(new)
	if err != nil || afterErr != nil {
		return old, new
	}
	return []byte(strings.TrimPrefix(before, bom)), []byte(strings.TrimPrefix(after, bom))
}
