package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/openat"
	"github.com/agentbash/agentbash/internal/syscalls"
	"golang.org/x/sys/unix"
)

// DescriptorOf is the number of the descriptor of the caller's that an absolute path
// names (/dev/stdin, /dev/fd/N, /proc/self/fd/N).
func DescriptorOf(path string) (n int, ok bool) {
	for i, name := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if path == name {
			return i, true
		}
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		if number, below := strings.CutPrefix(path, dir); below {
			n, err := strconv.ParseUint(number, 10, 31)
			return int(n), err == nil
		}
	}
	return 0, false
}

// ProcessDescriptor opens what a process, by its number or "self", has open to be
// read as a descriptor: a file from its start, a pipe where it is. It never waits;
// see Stream.
func ProcessDescriptor(process string, n int) (*os.File, error) {
	const flagsOfOpen = os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
	switch {
	case syscalls.OpensOthers:
	case process == "self":
		return os.OpenFile(fmt.Sprint(syscalls.Descriptors, "/", n), flagsOfOpen, 0)
	default:
		return nil, fmt.Errorf("descriptor %d of the command cannot be had on this system: pipe it in, or write it to a file first", n)
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/%s/fdinfo/%d", process, n))
	if err != nil {
		return nil, fmt.Errorf("descriptor %d is not open", n)
	}
	_, rest, _ := strings.Cut(string(info), "flags:")
	line, _, _ := strings.Cut(rest, "\n")
	flags, err := strconv.ParseUint(strings.TrimSpace(line), 8, 64)
	if err != nil || flags&unix.O_ACCMODE == unix.O_WRONLY || flags&openat.SearchOnly != 0 {
		return nil, fmt.Errorf("descriptor %d is not open to be read", n)
	}
	f, err := os.OpenFile(fmt.Sprintf("/proc/%s/fd/%d", process, n), flagsOfOpen, 0)
	if errors.Is(err, unix.ENXIO) {
		return nil, fmt.Errorf("descriptor %d is a socket: only files and pipes can be read", n)
	}
	return f, err
}

// Open opens what the caller names by a path, to be read: a file, a FIFO, or one of
// its own descriptors, as far as MayRead lets it. Reading ends with ctx.
func (c *Call) Open(ctx context.Context, typed string) (io.ReadCloser, error) {
	path := c.Path(typed)
	n, own := DescriptorOf(path)
	if own && n == 0 && c.Stdin != nil {
		return io.NopCloser(c.Stdin), nil
	}
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0) }
	if own {
		open = func() (*os.File, error) { return c.OpenDescriptor(n) }
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	if c.MayRead != nil {
		if err := c.MayRead(ctx, f); err != nil {
			f.Close()
			return nil, err
		}
	}
	r, err := Stream(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("%s %w", typed, err)
	}
	return r, nil
}

// OpenDescriptor opens a descriptor of the caller's, to be read.
func (c *Call) OpenDescriptor(n int) (*os.File, error) {
	if c.Descriptor == nil {
		return nil, fmt.Errorf("descriptor %d is not open: nothing is piped in", n)
	}
	return c.Descriptor(n)
}

// writerTime is how long a FIFO may have nobody who writes to it.
const writerTime = 2 * time.Second

// Stream is a file that was opened with O_NONBLOCK, as what is read from it in order.
// A FIFO that nobody opens to write to is an error after two seconds; a slow writer
// is waited for until ctx ends. It takes the file, also with an error, which says
// what the file is.
func Stream(ctx context.Context, f *os.File) (io.ReadCloser, error) {
	st, err := f.Stat()
	if err == nil && (st.Mode().IsRegular() || isNull(st)) {
		return f, nil
	}
	s := &stream{ctx: ctx, file: f}
	switch {
	case err != nil:
	case st.Mode()&os.ModeNamedPipe == 0:
		err = fmt.Errorf("%s: only files, pipes and FIFOs can be read", atomicfile.KindOf(st.Mode()))
	default:
		err = s.awaitWriter()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// isNull reports whether a file is the null device, which is empty.
func isNull(st os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(st, null)
}

// stream reads a pipe until a context ends.
type stream struct {
	ctx  context.Context
	file *os.File
	head []byte // was read already
	stop func() bool
}

// awaitWriter waits for a writer. Of one that writes nothing the kernel tells nobody, but when read.
func (s *stream) awaitWriter() error {
	pipe, err := s.file.SyscallConn()
	if err != nil {
		return err
	}
	s.endWith(time.Now().Add(writerTime))
	err = pipe.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
	s.stop()
	if errors.Is(err, os.ErrDeadlineExceeded) && s.ctx.Err() == nil {
		head := make([]byte, 1)
		n := 0
		pipe.Control(func(fd uintptr) { n, err = unix.Read(int(fd), head) })
		switch {
		case n > 0:
			s.head, err = head, nil
		case errors.Is(err, unix.EAGAIN):
			err = nil
		case err == nil:
			err = errors.New("is a FIFO that nobody writes to: start the program that writes it first")
		}
	}
	if err == nil {
		s.endWith(time.Time{})
	}
	return s.cause(err)
}

// endWith ends reading at a time, and when the context ends.
func (s *stream) endWith(at time.Time) {
	s.file.SetReadDeadline(at)
	s.stop = context.AfterFunc(s.ctx, func() { s.file.SetReadDeadline(time.Unix(1, 0)) })
}

// cause is why reading failed.
func (s *stream) cause(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) && s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

func (s *stream) Read(p []byte) (int, error) {
	if len(s.head) > 0 && len(p) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	n, err := s.file.Read(p)
	return n, s.cause(err)
}

func (s *stream) Close() error {
	s.stop()
	return s.file.Close()
}
