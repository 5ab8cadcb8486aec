// Package document shows files that are no text as text: PDF documents page by page, notebooks cell by
// cell, archives and SQLite databases as listings.
package document

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/pdftext"
)

// Piece is a part of what a document shows: whole lines, or a picture among them.
type Piece struct {
	Text  string
	Image []byte
	Name  string // of the picture
}

// Document is a file that is shown piece by piece.
type Document struct {
	Shown  string // how: "as the text of its pages"
	Pieces iter.Seq2[Piece, error]
}

// HeadSize is how many bytes of a file tell what it is.
const HeadSize = 512

// Open tells a document by its head and its name; nil: it is none of those that are known here.
func Open(name string, head []byte, r io.ReaderAt, size int64) *Document {
	stream := func() io.Reader { return io.NewSectionReader(r, 0, size) }
	has := func(start string) bool { return bytes.HasPrefix(head, []byte(start)) }
	switch {
	case has("%PDF-"):
		return &Document{"as the text of its pages", pages(r, size)}
	case has("PK\x03\x04"), has("PK\x05\x06"):
		return &Document{"as a listing (unzip -p FILE NAME prints a member)", zipMembers(r, size)}
	case has("SQLite format 3\x00"):
		return &Document{"as its schema and counts of rows (sqlite3 FILE 'SELECT ...' asks it)", tables(r)}
	case has("\x1f\x8b"), has("BZh"), len(head) > 262 && string(head[257:262]) == "ustar":
		if members := tarMembers(stream); members != nil {
			return &Document{"as a listing (tar -xOf FILE NAME prints a member)", members}
		}
	case strings.EqualFold(filepath.Ext(name), ".ipynb"):
		if cells := cells(stream(), size); cells != nil {
			return &Document{"as its cells", cells}
		}
	}
	return nil
}

// maxWhole bounds the documents that are read as a whole, in bytes.
const maxWhole = 256 << 20

func readWhole(r io.Reader, size int64) ([]byte, error) {
	if size > maxWhole {
		return nil, fmt.Errorf("it has %d MB, and at most %d are read", size>>20, maxWhole>>20)
	}
	return io.ReadAll(r)
}

// pages are the pages of a PDF document.
func pages(r io.ReaderAt, size int64) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		data, err := readWhole(io.NewSectionReader(r, 0, size), size)
		if err != nil {
			yield(Piece{}, err)
			return
		}
		stop := func() error { _, err := r.ReadAt(nil, 0); return err }
		d, err := pdftext.Open(data, stop)
		if err != nil {
			yield(Piece{}, err)
			return
		}
		for n := 1; n <= d.Pages(); n++ {
			text, err := d.Page(n)
			switch {
			case err != nil:
				text = fmt.Sprintf("(its text cannot be read: %v; pdftotext -f %d -l %d FILE - may)", err, n, n)
			case text == "":
				text = fmt.Sprintf("(no text: pdftoppm -r 100 -f %d -l %d -png FILE page makes a picture of it)", n, n)
			}
			if !yield(Piece{Text: fmt.Sprintf("--- page %d of %d ---\n%s\n", n, d.Pages(), text)}, nil) {
				return
			}
		}
	}
}
