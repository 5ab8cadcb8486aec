// Package pdftext reads the text of PDF documents, page by page.
package pdftext

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Document is a PDF document. It is not safe for concurrent use.
type Document struct {
	pages []page
	data  *bounded
}

// page is what is drawn, and with which fonts.
type page struct{ contents, fonts pdf.Value }

// The tree of pages may lead in a circle.
const (
	maxPages = 10_000
	maxDepth = 50
)

// Open reads where the pages are. An error says what is wrong with the document, or that it
// has a password. What is read is given up when stop returns an error, or when it takes too much.
func Open(data []byte, stop func() error) (d *Document, err error) {
	defer recoverTo(&err)
	if hugeTable().Match(data) {
		return nil, errors.New("it is said to have more objects than it can")
	}
	d = &Document{data: &bounded{data: data, stop: stop}}
	d.data.begin()
	r, err := pdf.NewReader(d.data, int64(len(data)))
	if err = cmp.Or(d.data.err, err); err != nil {
		return nil, err
	}
	if nestsStreams(r) {
		return nil, errors.New("it has object streams in object streams")
	}
	d.addPages(r.Trailer().Key("Root").Key("Pages"), pdf.Value{}, 0)
	return d, nil
}

// addPages adds the pages of a part of the tree, with the resources that they inherit.
func (d *Document) addPages(part, resources pdf.Value, depth int) {
	if own := part.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := part.Key("Kids")
	switch {
	case depth > maxDepth || len(d.pages) >= maxPages:
	case kids.Kind() == pdf.Array:
		for i := range kids.Len() {
			d.addPages(kids.Index(i), resources, depth+1)
		}
	case part.Key("Type").Name() == "Page":
		d.pages = append(d.pages, page{part.Key("Contents"), resources.Key("Font")})
	}
}

// Pages is how many pages there are.
func (d *Document) Pages() int { return len(d.pages) }

// Page is the text of a page, the first being 1; "" where it is a picture. Lines and words are
// told by where their letters stand.
func (d *Document) Page(n int) (text string, err error) {
	defer recoverTo(&err)
	d.data.begin()
	p := d.pages[n-1]
	if p.contents.IsNull() {
		return "", nil
	}
	checkSize(p.contents)
	w := writer{page: p, fonts: map[string]*font{}, state: state{ctm: unit}}
	pdf.Interpret(p.contents, w.operate)
	return strings.TrimSpace(w.text.String()), nil
}

// recoverTo makes an error of a panic: the reader panics at what it does not understand.
func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}
