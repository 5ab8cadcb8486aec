// Package pdftext reads the text of PDF documents, page by page.
package pdftext

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Document is a PDF document. It is not safe for concurrent use.
type Document struct{ r *pdf.Reader }

// Open reads the document's table of objects. An error says what is wrong with it, or that it
// has a password.
func Open(data []byte) (d *Document, err error) {
	defer recoverTo(&err)
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return &Document{r}, nil
}

// Pages is how many pages there are.
func (d *Document) Pages() (n int) {
	defer recoverTo(new(error))
	return d.r.NumPage()
}

// Page is the text of a page, the first being 1; "" where it is a picture. Lines and words are
// told by where their letters stand.
func (d *Document) Page(n int) (text string, err error) {
	defer recoverTo(&err)
	p := d.r.Page(n)
	if p.V.Key("Contents").IsNull() {
		return "", nil
	}
	w := writer{page: p, fonts: map[string]*font{}, state: state{ctm: unit}}
	pdf.Interpret(p.V.Key("Contents"), w.operate)
	return strings.TrimSpace(w.text.String()), nil
}

// recoverTo makes an error of a panic: the reader panics at what it does not understand.
func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}
