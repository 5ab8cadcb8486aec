package files

import (
	"io"

	"golang.org/x/sys/unix"
)

// pieces reads pieces of a file, one at a time. To map them would save a copy, which
// is less than a tenth of the time, but a file that is cut short meanwhile would raise a
// fault. Each goroutine needs one of its own.
type pieces struct {
	fd  int
	buf []byte
}

// view gives f the n bytes at an offset, less where the file ends before. f must not keep them.
func (p *pieces) view(off int64, n int, f func(data []byte)) error {
	if len(p.buf) < n {
		p.buf = make([]byte, n)
	}
	got := 0
	for got < n {
		k, err := retryInterrupted(func() (int, error) { return unix.Pread(p.fd, p.buf[got:n], off+int64(got)) })
		if err != nil {
			return err
		}
		if k == 0 {
			break
		}
		got += k
	}
	if got == 0 && n > 0 {
		return io.EOF
	}
	f(p.buf[:got])
	return nil
}
