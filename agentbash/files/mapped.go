package files

import (
	"io"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// mapped reads pieces of a file by mapping them, which saves a copy, one piece at a time, which
// bounds the memory. A file that is cut short while a piece of it is mapped
// raises a fault (SIGBUS) in whoever looks at it; the piece is then read instead.
// Each goroutine needs one of its own.
type mapped struct {
	fd  int
	buf []byte // for pieces that cannot be mapped
}

// view gives f the n bytes at an offset, less where the file ends before. f may
// be called a second time, and must start over then; it must not keep the bytes.
func (m *mapped) view(off int64, n int, f func(data []byte)) error {
	page := int64(unix.Getpagesize())
	skip := int(off % page)
	data, err := unix.Mmap(m.fd, off-int64(skip), n+skip, unix.PROT_READ, unix.MAP_SHARED)
	if err == nil {
		ok := withoutFault(func() { f(data[skip:]) })
		unix.Munmap(data)
		if ok {
			return nil
		}
	}
	return m.copied(off, n, f)
}

// withoutFault calls f and reports whether it got through without a fault.
func withoutFault(f func()) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if fault, isFault := p.(interface{ Addr() uintptr }); isFault && fault != nil {
			ok = false
		} else if p != nil {
			panic(p)
		}
	}()
	f()
	return true
}

// copied is view by reading.
func (m *mapped) copied(off int64, n int, f func(data []byte)) error {
	if len(m.buf) < n {
		m.buf = make([]byte, n)
	}
	got := 0
	for got < n {
		k, err := retryInterrupted(func() (int, error) { return unix.Pread(m.fd, m.buf[got:n], off+int64(got)) })
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
	f(m.buf[:got])
	return nil
}
