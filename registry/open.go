package registry

import (
	"context"
	"io"
	"os"
)

// Open opens what the caller names by a path, to be read: a file, a FIFO, or one of
// its own descriptors (/dev/stdin, /dev/fd/N).
func (c *Call) Open(ctx context.Context, typed string) (io.ReadCloser, error) {
	return os.Open(c.Path(typed))
}
