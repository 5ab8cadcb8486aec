package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/sys/unix"
)

// source is a regular file that is being read. Unlike an os.File it never waits:
// a file of /proc that has nothing to say now is an error.
type source struct {
	path   string // absolute, as shown
	fd     int
	stat   unix.Stat_t
	stream io.ReadCloser // nil, or it is a pipe or a FIFO, and is read by this alone
}

// openSource opens path without waiting and looks at what it got only then, so
// that nothing can be put in between. What is no regular file, nor a pipe of the
// caller's, nor a FIFO that somebody writes to is refused.
func openSource(ctx context.Context, g *gate, call *registry.Call, path string) (*source, error) {
	_, own := registry.DescriptorOf(path)
	fd, err := g.openInput(call, path)
	if own && err != nil {
		return nil, err
	}
	if denied := (*Denied)(nil); errors.As(err, &denied) {
		return nil, err
	}
	if _, loop := os.Stat(path); err == unix.ELOOP && loop == nil {
		return nil, &Denied{path, "leads through a link of /proc to whatever another process has open: name the file by its path"}
	}
	if err == unix.ENXIO { // a socket, or a device that is not there
		return nil, fmt.Errorf("%s %s: only regular files can be read", call.Rel(path), kindOf(path))
	}
	if err != nil {
		return nil, notFound(call, path, err)
	}
	s := &source{path: path, fd: fd}
	if err := unix.Fstat(fd, &s.stat); err != nil {
		s.Close()
		return nil, err
	}
	switch s.stat.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
		return s, nil
	case unix.S_IFIFO:
		if name, _ := kernelName(fd); !own && !strings.HasPrefix(name, "/") { // a link leads to a pipe of this program
			break
		}
		if s.stream, err = registry.Stream(ctx, os.NewFile(uintptr(fd), path)); err != nil {
			return nil, fmt.Errorf("%s %w", call.Rel(path), err)
		}
		return s, nil
	}
	s.Close()
	return nil, refuseSpecial(call, path)
}

// isStdin reports whether a path stands for what is piped into a call.
func isStdin(call *registry.Call, typed string) bool {
	n, own := registry.DescriptorOf(call.Path(typed))
	return typed == "-" || own && n == 0
}

func (s *source) Read(p []byte) (int, error) {
	n, err := fdReader{s.fd}.Read(p)
	return n, s.describe(err)
}

// ReadAt reads at an offset; it may be called from several goroutines.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := fdReader{s.fd}.ReadAt(p, off)
	return n, s.describe(err)
}

func (s *source) describe(err error) error {
	switch err {
	case nil, io.EOF:
		return err
	case unix.EAGAIN:
		return fmt.Errorf("%s has nothing to read now", s.path)
	}
	return &os.PathError{Op: "read", Path: s.path, Err: err}
}

// hashLimit is the size in bytes up to which read tells a file's hash.
const hashLimit = 1 << 20

func (s *source) Close() {
	if s.stream != nil {
		s.stream.Close()
		return
	}
	unix.Close(s.fd)
}

func kindOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "cannot be opened"
	}
	return atomicfile.KindOf(info.Mode())
}

// refuseSpecial says what a path leads to that is no regular file; of a directory it
// shows the first entries.
func refuseSpecial(call *registry.Call, path string) error {
	kind := kindOf(path)
	if kind != "is a directory" {
		return fmt.Errorf("%s %s: only regular files can be read", call.Rel(path), kind)
	}
	shown := call.Rel(path)
	return fmt.Errorf("%s is a directory: %s; list it with: glob '*' %s", shown, firstEntries(path, 10), shown)
}

// firstEntries lists up to n names of a directory and how many there are.
func firstEntries(dir string, n int) string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "it cannot be listed (" + err.Error() + ")"
	}
	if len(list) == 0 {
		return "it is empty"
	}
	var names []string
	for _, e := range list {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return "it holds " + nameSome(names, n)
}

// nameSome lists up to n names and how many more there are.
func nameSome(names []string, n int) string {
	text := strings.Join(names[:min(n, len(names))], ", ")
	if more := len(names) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// notFound adds to an error of open what may have been meant.
func notFound(call *registry.Call, path string, err error) error {
	shown := call.Rel(path)
	if errors.Is(err, unix.EINVAL) && strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q holds a NUL byte, which no file name can", shown)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", shown, err)
	}
	dir := filepath.Dir(path)
	list, listErr := os.ReadDir(dir)
	if listErr != nil {
		said := "nor can its directory %s be listed"
		if errors.Is(listErr, os.ErrNotExist) {
			said = "nor does its directory %s"
		}
		return fmt.Errorf("%s does not exist, "+said+": look with: glob '**/%s'", shown, call.Rel(dir), filepath.Base(path))
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if near := registry.Closest(filepath.Base(path), names, 3); near != nil {
		for i := range near {
			near[i] = call.Rel(filepath.Join(dir, near[i]))
		}
		return fmt.Errorf("%s does not exist: did you mean %s?", shown, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s does not exist: look with: glob '**/%s'", shown, filepath.Base(path))
}
