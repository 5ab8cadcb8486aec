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
