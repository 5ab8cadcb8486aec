package files

import (
	"io"

	"golang.org/x/sys/unix"
)

// fdReader reads an open file by its descriptor, without waiting for it to become ready.
type fdReader struct{ fd int }

func (r fdReader) Read(p []byte) (int, error) {
	return readOnce(p, func() (int, error) { return unix.Read(r.fd, p) })
}

// ReadAt reads at an offset; it may be called from several goroutines.
func (r fdReader) ReadAt(p []byte, off int64) (total int, err error) {
	for total < len(p) && err == nil {
		var n int
		n, err = readOnce(p[total:], func() (int, error) { return unix.Pread(r.fd, p[total:], off+int64(total)) })
		total += n
	}
	return total, err
}

func readOnce(p []byte, read func() (int, error)) (int, error) {
	for {
		switch n, err := read(); {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// readAtLeast reads so many bytes, or all that there are, which whole says.
func readAtLeast(r io.Reader, buf []byte, least int) (n int, whole bool, err error) {
	n, err = io.ReadAtLeast(r, buf, least)
	if whole = err == io.EOF || err == io.ErrUnexpectedEOF; whole {
		err = nil
	}
	return n, whole, err
}

// pieces reads pieces of a file, one at a time. A piece that stays in the processor's
// cache is searched as fast as a mapped one, and a file that is cut short meanwhile
// raises no fault. Each goroutine needs one of its own.
type pieces struct {
	fd  int
	buf []byte
}

// view gives f the n bytes at an offset, less where the file ends before. f must not keep them.
func (p *pieces) view(off int64, n int, f func(data []byte)) error {
	if len(p.buf) < n {
		p.buf = make([]byte, n)
	}
	got, err := fdReader{p.fd}.ReadAt(p.buf[:n], off)
	if err != nil && (err != io.EOF || got == 0) {
		return err
	}
	f(p.buf[:got])
	return nil
}
