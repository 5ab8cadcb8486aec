package files

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// packings are the forms of compressed files, by the bytes they start with.
var packings = []struct {
	magic  string
	unpack func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	{"\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) }},
	{"\x5d\x00\x00", func(r io.Reader) (io.Reader, error) { return lzma.NewReader(r) }},
}

// packing is what unpacks a content that starts with head; nil if it is not compressed.
func packing(head []byte) func(io.Reader) (io.Reader, error) {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return p.unpack
		}
	}
	return nil
}

// unpack unpacks what starts with head, which is in the worker's buffer, and goes on in
// rest, if it is packed and that is asked for.
func (w *worker) unpack(head []byte, whole bool, rest io.Reader) ([]byte, bool, io.Reader, error) {
	open := packing(head)
	if !w.q.unpack || open == nil {
		return head, whole, rest, nil
	}
	text, err := open(io.MultiReader(bytes.NewReader(bytes.Clone(head)), rest))
	if err != nil {
		return nil, false, nil, err
	}
	return w.startOver(text)
}

// startOver fills the worker's buffer from a reader.
func (w *worker) startOver(rest io.Reader) ([]byte, bool, io.Reader, error) {
	n, whole, err := readAtLeast(rest, w.buf, w.least(len(w.buf)))
	return w.buf[:n], whole, rest, err
}
