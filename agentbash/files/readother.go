package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	"github.com/agentbash/agentbash/agentbash/internal/document"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/sys/unix"
)

// readOther reads what is no text: a picture, a document, or what can only be described. done is
// false for text. size is that of the file, 0 where it is made as it is read.
func (r *request) readOther(ctx context.Context, call *registry.Call, path string, size int64, c *content) (done bool, err error) {
	head := make([]byte, min(c.size, 8000))
	n, err := c.at.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	head = head[:n]
	kind := typeOf(head)
	binary := charset.Detect(head, c.size > int64(len(head))).Binary
	if strings.HasSuffix(kind.name, " image") && (binary || kind.name == "PNG image" || kind.name == "JPEG image") {
		dimensions, how, shown := showImage(ctx, call, r.shown, io.NewSectionReader(c.at, 0, c.size), c.size)
		if !shown {
			return true, errors.New(kind.describe(r.shown, dimensions, how, size))
		}
		r.about = summary{"read " + r.shown + ", " + dimensions, map[string]any{"path": path, "first_line": 0, "lines": 0, "total_lines": 0, "truncated": false}}
		_, err := fmt.Fprintf(call.Stdout, "%s: %s, %s, %s: %s\n", r.shown, kind.name, dimensions, countNoun(int(c.size), "byte"), how)
		return true, err
	}
	d := document.Open(r.shown, head[:min(len(head), document.HeadSize)], untilDone{ctx, c.at}, c.size)
	if d == nil {
		if binary {
			return true, errors.New(kind.describe(r.shown, "", "", size))
		}
		return false, nil
	}
	next, stop := iter.Pull2(d.Pieces)
	defer stop()
	text, more, err := spoolStream(ctx, &pieceReader{ctx: ctx, r: r, call: call, next: next}, r.stopAt())
	if err != nil {
		return true, fmt.Errorf("%w: %s", err, kind.describe(r.shown, "", "", size))
	}
	defer text.close()
	if err := r.printWindow(ctx, call, text, more); err != nil {
		return true, err
	}
	r.about.metadata["path"] = path
	fmt.Fprintf(call.Stderr, "%s: shown %s: --encoding raw gives its bytes\n", r.shown, strings.ReplaceAll(d.Shown, "FILE", quote.Word(r.shown)))
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 && strings.HasPrefix(kind.name, "SQLite") {
		fmt.Fprintf(call.Stderr, "%s: what is only in %[1]s-wal is not counted\n", r.shown)
	}
	return true, nil
}

// readStream reads what is piped in.
func (r *request) readStream(ctx context.Context, call *registry.Call, in io.Reader) error {
	c, more, err := spoolStream(ctx, in, r.stopAt())
	if err != nil {
		return err
	}
	if r.encoding == autoText && c.isShown() {
		whole, _, err := spoolStream(ctx, io.MultiReader(io.NewSectionReader(c.at, 0, c.size), in), 0)
		c.close()
		if err != nil {
			return err
		}
		defer whole.close()
		_, err = r.readOther(ctx, call, r.shown, whole.size, whole)
		return err
	}
	c, more, err = r.asUTF8(ctx, call, c, in, more)
	if err != nil {
		return err
	}
	defer c.close()
	return r.printWindow(ctx, call, c, more)
}

// isShown reports whether a content is a picture or a PDF document.
func (c *content) isShown() bool {
	head := make([]byte, 8000)
	n, _ := c.at.ReadAt(head, 0)
	kind := typeOf(head[:n]).name
	return kind == "PDF document" || strings.HasSuffix(kind, " image") && charset.Detect(head[:n], true).Binary
}

// untilDone reads until a call ends: what is packed may take long to be looked through.
type untilDone struct {
	ctx context.Context
	at  io.ReaderAt
}

func (u untilDone) ReadAt(p []byte, off int64) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.at.ReadAt(p, off)
}

// pieceReader reads the text of pieces, with what is said of the pictures among them.
type pieceReader struct {
	ctx  context.Context
	r    *request
	call *registry.Call
	next func() (document.Piece, error, bool)
	left []byte
}

func (p *pieceReader) Read(b []byte) (int, error) {
	for len(p.left) == 0 {
		piece, err, ok := p.next()
		if !ok {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		if p.left = []byte(piece.Text); piece.Image != nil {
			dimensions, how, shown := showImage(p.ctx, p.call, p.r.shown+", "+piece.Name, bytes.NewReader(piece.Image), int64(len(piece.Image)))
			if !shown {
				how = "not shown"
			}
			p.left = fmt.Appendf(p.left, "(%s, %s, %s: %s)\n", typeOf(piece.Image).name, dimensions, countNoun(len(piece.Image), "byte"), how)
		}
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

// readDir lists a directory.
func (r *request) readDir(ctx context.Context, call *registry.Call, src *source) error {
	fd, err := unix.FcntlInt(uintptr(src.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	dir := os.NewFile(uintptr(fd), src.path)
	defer dir.Close()
	list, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range list {
		name := document.PlainName(e.Name())
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name+"\n")
	}
	slices.Sort(names)
	text := strings.NewReader(strings.Join(names, ""))
	if err := r.printWindow(ctx, call, &content{at: text, size: text.Size()}, false); err != nil {
		return err
	}
	r.about.metadata["path"] = src.path
	fmt.Fprintf(call.Stderr, "%s is a directory with %s\n", r.shown, map[bool]string{true: "1 entry", false: groupThousands(len(names)) + " entries"}[len(names) == 1])
	return nil
}
