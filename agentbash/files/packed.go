package files

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
	"github.com/ulikunitz/xz/lzma"
)

// The most memory that unpacking may take, which a file asks for in its header: what xz -9 and zstd --ultra need.
const (
	xzMemory   = 64 << 20
	zstdMemory = 128 << 20
)

// packings are the forms of compressed files, by the bytes they start with.
var packings = []struct {
	magic  string
	unpack func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, xzMemory) }},
	{"\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdMemory))
	}},
	{"\x5d\x00\x00", func(r io.Reader) (io.Reader, error) { return lzma.ReaderConfig{DictCap: xzMemory}.NewReader(r) }},
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

// unpacked is the content of a packed file.
type unpacked struct{ io.Reader }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	return n, explainUnpacking(err)
}

// explainUnpacking says what to do about a file that asks for too much memory.
func explainUnpacking(err error) error {
	const takes = "to unpack it takes more than %d MiB of memory: %s FILE | grep PATTERN does that (%w)"
	switch tooBig := (*lzma.ErrDictSize)(nil); {
	case errors.Is(err, xz.ErrMemlimit), errors.As(err, &tooBig):
		return fmt.Errorf(takes, xzMemory>>20, "xz -dc", err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf(takes, zstdMemory>>20, "zstd -dc --long=31", err)
	}
	return err
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
		return nil, false, nil, explainUnpacking(err)
	}
	return w.startOver(unpacked{text})
}

// startOver fills the worker's buffer from a reader.
func (w *worker) startOver(rest io.Reader) ([]byte, bool, io.Reader, error) {
	n, whole, err := readAtLeast(rest, w.buf, w.least(len(w.buf)))
	return w.buf[:n], whole, rest, err
}
