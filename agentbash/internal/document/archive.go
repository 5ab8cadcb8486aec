package document

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
)

// member is one line of a listing.
func member(name string, size uint64, at time.Time, target string) Piece {
	if name = PlainName(name); target != "" {
		name += " -> " + PlainName(target)
	}
	return Piece{Text: fmt.Sprintf("%12d  %s  %s\n", size, at.Format("2006-01-02 15:04"), name)}
}

// PlainName is a name in a line of a listing: quoted, if it would be more than that.
func PlainName(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

func zipMembers(r io.ReaderAt, size int64) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		z, err := zip.NewReader(r, size)
		if err != nil {
			yield(Piece{}, err)
			return
		}
		for _, f := range z.File {
			if !yield(member(f.Name, f.UncompressedSize64, f.Modified, ""), nil) {
				return
			}
		}
	}
}

// tarMembers lists a tar archive, compressed or not; nil: it is none.
func tarMembers(open func() io.Reader) iter.Seq2[Piece, error] {
	start := func() (*tar.Reader, *tar.Header, error) {
		r := bufio.NewReader(open())
		head, _ := r.Peek(3)
		in := io.Reader(r)
		switch {
		case string(head) == "BZh":
			in = bzip2.NewReader(r)
		case len(head) > 1 && head[0] == 0x1f:
			z, err := gzip.NewReader(r)
			if err != nil {
				return nil, nil, err
			}
			in = z
		}
		t := tar.NewReader(in)
		h, err := t.Next()
		return t, h, err
	}
	if _, _, err := start(); err != nil {
		return nil
	}
	return func(yield func(Piece, error) bool) {
		t, h, err := start()
		for ; err == nil; h, err = t.Next() {
			if !yield(member(h.Name, uint64(h.Size), h.ModTime, h.Linkname), nil) {
				return
			}
		}
		if err != io.EOF {
			yield(Piece{}, err)
		}
	}
}
