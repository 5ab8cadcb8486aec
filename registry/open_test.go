package registry

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openPath opens a path in a directory of its own and reads all of it.
func openPath(ctx context.Context, c *Call, path string) (string, error) {
	r, err := c.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func ownCall(t *testing.T) *Call {
	return &Call{Dir: t.TempDir(), Descriptor: func(n int) (*os.File, error) { return ProcessDescriptor("self", n) }}
}

func TestOpen(t *testing.T) {
	c := ownCall(t)
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "f"), []byte("text"), 0o644))
	text, err := openPath(t.Context(), c, "f")
	require.NoError(t, err)
	require.Equal(t, "text", text)

	text, err = openPath(t.Context(), c, os.DevNull)
	require.NoError(t, err)
	require.Empty(t, text)

	_, err = openPath(t.Context(), c, "none")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = openPath(t.Context(), c, ".")
	require.EqualError(t, err, ". is a directory: only files, pipes and FIFOs can be read")
	_, err = openPath(t.Context(), c, "/dev/zero")
	require.EqualError(t, err, "/dev/zero is a character device: only files, pipes and FIFOs can be read")
}

func TestOpenDescriptors(t *testing.T) {
	c := ownCall(t)
	c.Stdin = strings.NewReader("piped")
	text, err := openPath(t.Context(), c, "/dev/stdin")
	require.NoError(t, err)
	require.Equal(t, "piped", text)

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	name := func(f *os.File) string {
		pipe, err := f.SyscallConn()
		require.NoError(t, err)
		var n uintptr
		require.NoError(t, pipe.Control(func(fd uintptr) { n = fd }))
		return fmt.Sprint("/dev/fd/", n)
	}
	_, err = openPath(t.Context(), c, name(w))
	require.ErrorContains(t, err, "is not open to be read")
	_, err = w.WriteString("through a pipe")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	text, err = openPath(t.Context(), c, strings.Replace(name(r), "/dev", "/proc/self", 1))
	require.NoError(t, err)
	require.Equal(t, "through a pipe", text)

	_, err = openPath(t.Context(), c, "/dev/fd/987")
	require.EqualError(t, err, "descriptor 987 is not open")
	_, err = openPath(t.Context(), &Call{Dir: "/"}, "/dev/stdin")
	require.EqualError(t, err, "descriptor 0 is not open: nothing is piped in")
}

func TestOpenFIFO(t *testing.T) {
	c := ownCall(t)
	path := filepath.Join(c.Dir, "fifo")
	require.NoError(t, unix.Mkfifo(path, 0o600))

	_, err := openPath(t.Context(), c, "fifo")
	require.EqualError(t, err, "fifo is a FIFO that nobody writes to: start the program that writes it first")

	go os.WriteFile(path, []byte("written"), 0)
	text, err := openPath(t.Context(), c, "fifo")
	require.NoError(t, err)
	require.Equal(t, "written", text)

	go os.WriteFile(path, nil, 0)
	text, err = openPath(t.Context(), c, "fifo")
	require.NoError(t, err)
	require.Empty(t, text)
}

// TestOpenSlowFIFO: who writes only after a FIFO was given up if nobody had opened it
// is waited for, and the end of the context ends that.
func TestOpenSlowFIFO(t *testing.T) {
	c := ownCall(t)
	path := filepath.Join(c.Dir, "fifo")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer w.Close()
	r, err := c.Open(t.Context(), "fifo") // returns after two seconds without a byte
	require.NoError(t, err)
	defer r.Close()
	_, err = w.WriteString("late")
	require.NoError(t, err)
	text := make([]byte, 4)
	_, err = io.ReadFull(r, text)
	require.NoError(t, err)
	require.Equal(t, "late", string(text))

	ctx, cancel := context.WithCancel(t.Context())
	more, err := c.Open(ctx, "fifo")
	require.NoError(t, err)
	defer more.Close()
	cancel()
	_, err = more.Read(text)
	require.ErrorIs(t, err, context.Canceled)
	_, err = c.Open(ctx, "fifo")
	require.ErrorIs(t, err, context.Canceled)
}
