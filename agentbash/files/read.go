package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/sys/unix"
)

// lineColumns is the number of characters at which read cuts a line.
const lineColumns = 2000

// countLimit is the size in bytes up to which a file is read to its end only to
// say how many lines it has.
const countLimit = 4 << 30

func (f *files) readTool() *registry.Tool {
	return &registry.Tool{
		Name:     "read",
		Summary:  "print a file, or some lines of it; show an image",
		Kind:     registry.ReadOnly,
		Category: Category,
		Tags:     []string{"file", "cat", "view", "open", "head", "tail", "lines"},
		Detail: `Prints the file's bytes as they are. By default it stops after 2,000 lines and cuts lines at 2,000
characters; what was left out, and how to go on, is said on stderr. With --limit 0 nothing is cut. What is not UTF-8 is
printed as UTF-8, and stderr says what it was taken for; --encoding raw prints any file's bytes, a binary one's too: read x
--encoding raw > copy copies it. Images are shown to a model that takes them; PDF documents, notebooks, archives and SQLite
databases are shown as text; a directory is listed. "-" reads stdin, as do /dev/stdin, <(command) and FIFOs.`,
		Params: registry.NewParams(
			filePath(registry.ReadsFile, "The file: relative to the current directory, absolute, or ~/...; - is stdin."),
			registry.Param{Name: "more_files", Type: registry.Array, Items: &registry.Param{Type: registry.String}, Positional: true, Role: registry.ReadsFile,
				Description: "More files: each is printed after a line with its name."},
			registry.Param{Name: "offset", Type: registry.Integer, Default: 1, Aliases: []string{"start_line", "start"},
				Description: "The first line to print, counted from 1 (0 is 1 too); -N prints from the Nth line before the end."},
			registry.Param{Name: "limit", Type: registry.Integer, Default: 2000, Min: registry.Float(0), Aliases: []string{"lines", "max_lines"},
				Description: "How many lines to print; 0 prints all, and whole lines."},
			registry.Param{Name: "show_line_numbers", Type: registry.Boolean, Default: false, Short: "n",
				Aliases: []string{"line_numbers", "numbers", "showLineNumbers"}, Description: "Put \"N| \" before each line."},
			encodingParam("What the file is written in; output is UTF-8. auto finds it out, and says what it takes it for; raw changes and refuses nothing."),
			registry.Param{Name: "max_bytes", Type: registry.Integer, Min: registry.Float(1),
				Description: "Stop before the line that would make the output longer than this."},
			registry.Param{Name: "max_columns", Type: registry.Integer, Min: registry.Float(0),
				Description: "Cut lines at this many characters; 0 never does. The default is 2000, or 0 with --limit 0 or --encoding raw."},
		),
		Examples: []string{
			"read main.go",
			"read main.go --offset 120 --limit 40 --show_line_numbers",
			"read app.log --offset -50",
			"read data.json --limit 0 | jq .items",
			"read a.go b.go:40-60",
		},
		Uses: readUses,
		Run:  f.read,
	}
}

// request is what a call of read asks for.
type request struct {
	shown    string // the path as it is shown
	first    int    // 1-based; negative: from the end
	limit    int    // 0: all
	encoding string

	about summary // of what was printed
}

// read reads one file, or several with a line between them as head(1) has it.
func (f *files) read(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	paths := []string{call.String("file_path")}
	for _, p := range call.Array("more_files") {
		paths = append(paths, fmt.Sprint(p))
	}
	if len(paths) == 1 {
		return f.readPath(ctx, call, paths[0])
	}
	all := registry.ToolResult{Success: true, Display: "read " + countNoun(len(paths), "file"), Metadata: map[string]any{"files": paths}}
	for i, path := range paths {
		fmt.Fprintf(call.Stdout, "%s==> %s <==\n", strings.Repeat("\n", min(i, 1)), path)
		res, err := f.readPath(ctx, call, path)
		if ctx.Err() != nil {
			return res, err
		}
		if err == nil && !res.Success {
			err = errors.New(res.Error)
		}
		if err != nil {
			fmt.Fprintf(call.Stderr, "read: %v\n", err)
			all.Success, all.ExitStatus = false, max(all.ExitStatus, registry.ExitStatus(err))
		}
	}
	return all, nil
}

func (f *files) readPath(ctx context.Context, call *registry.Call, path string) (registry.ToolResult, error) {
	r := request{first: call.Int("offset"), limit: call.Int("limit"), encoding: call.String("encoding")}
	if r.first == 0 {
		r.first = 1
	}
	if r.encoding == rawBytes && !call.Has("limit") {
		r.limit = 0
	}
	if isStdin(call, path) {
		r.shown = "stdin"
		if call.Stdin == nil {
			return finishRun(errors.New("there is nothing on stdin: pipe something in, or name a file"))
		}
		err := r.readStream(ctx, call, call.Stdin)
		return doneWith(r.about, err)
	}
	if path == "" {
		return finishRun(registry.Usagef("file_path is empty: name a file"))
	}
	src, err := openSource(ctx, f.newGate(ctx), call, call.Path(path))
	if name, first, last := lineRange(path); err != nil && name != "" && !call.Has("offset") && !call.Has("limit") {
		denied := (*Denied)(nil)
		switch part, partErr := openSource(ctx, f.newGate(ctx), call, call.Path(name)); {
		case errors.As(partErr, &denied):
			err = partErr
		case partErr == nil:
			src, err, path = part, nil, name
			if r.first = first; last >= first {
				r.limit = last - first + 1
			}
		}
	}
	if err != nil {
		return finishRun(adviseLines(call, path, err))
	}
	defer src.Close()
	r.shown = call.Rel(call.Path(path))
	switch {
	case src.stream != nil:
		err = r.readStream(ctx, call, src.stream)
	case src.stat.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = r.readDir(ctx, call, src)
	default:
		err = f.readSource(ctx, call, &r, src)
	}
	res, err := doneWith(r.about, err)
	if res.Success && r.about.metadata["first_line"] != nil {
		res.Rest = r.rest
	}
	return res, err
}

// rest says how to go on after so many lines of what was printed.
func (r *request) rest(lines int) string {
	m := r.about.metadata
	first := m["first_line"].(int)
	of := "more"
	if total, ok := m["total_lines"].(int); ok {
		of = groupThousands(total)
	}
	last := first + lines - 1
	return fmt.Sprintf("%s: lines %d-%d of %s: go on with read --file_path %s --offset %d", r.shown, first, last, of, quote.Word(r.shown), last+1)
}

// stopAt is the number of lines after which nothing more is needed, or 0.
func (r *request) stopAt() int {
	if r.first < 0 || r.limit == 0 {
		return 0
	}
	return r.first - 1 + r.limit
}

// detectSize is how much of a file is looked at to find out what it is written in, in bytes.
const detectSize = hashLimit

// asUTF8 is a content as UTF-8; more of it may follow in rest. It takes c.
func (r *request) asUTF8(ctx context.Context, call *registry.Call, c *content, rest io.Reader, more bool) (*content, bool, error) {
	e := charset.ByName(r.encoding)
	if r.encoding == autoText {
		head := make([]byte, min(c.size, detectSize))
		n, err := c.at.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		g := charset.Detect(head[:n], more || c.size > detectSize)
		if e = g.Best(); e != nil {
			r.noteEncoding(call, g, hasMark(e, head))
		}
	}
	if e == nil {
		return c, more, nil
	}
	defer c.close()
	stopAt := 0
	if rest != nil {
		stopAt = r.stopAt()
	} else {
		rest = strings.NewReader("")
	}
	return spoolStream(ctx, e.Reader(io.MultiReader(io.NewSectionReader(c.at, 0, c.size), rest)), stopAt)
}

// noteEncoding says what a file is taken for that is not UTF-8.
func (r *request) noteEncoding(call *registry.Call, g charset.Guess, marked bool) {
	guess := ""
	switch others := g.Others(); {
	case others != "":
		guess = " by a guess (it may be " + others + ": --encoding NAME)"
	case !marked:
		guess = " by its bytes"
	}
	fmt.Fprintf(call.Stderr, "%s: shown as UTF-8, the file is %s%s: --encoding raw gives its bytes\n", r.shown, g.Best().Name, guess)
}

func (f *files) readSource(ctx context.Context, call *registry.Call, r *request, src *source) error {
	c, more, err := &content{at: src, size: src.stat.Size, close: func() {}}, false, error(nil)
	var all []byte // of a file that is not big
	switch {
	case c.size == 0: // made as it is read, as in /proc
		c, more, err = spoolStream(ctx, src, r.stopAt())
	case c.size <= hashLimit:
		all = make([]byte, c.size)
		var n int
		if n, err = src.ReadAt(all, 0); err == io.EOF { // it was made shorter
			err = nil
		}
		all = all[:n]
		c.at, c.size = bytes.NewReader(all), int64(n)
	}
	if err != nil {
		return err
	}
	if r.encoding == autoText {
		if done, err := r.readOther(ctx, call, src.path, src.stat.Size, c); done || err != nil {
			return err
		}
	}
	var rest io.Reader
	if more {
		rest = src
	}
	raw := c
	if c, more, err = r.asUTF8(ctx, call, c, rest, more); err != nil {
		return err
	}
	defer c.close()
	if err := r.printWindow(ctx, call, c, more); err != nil {
		return err
	}
	r.about.metadata["path"] = src.path
	if len(all) > 0 {
		r.about.metadata["sha256"] = hashOf(all)
	}
	if real, err := atomicfile.Resolve(src.path); err == nil {
		f.rememberState(real, fileState{stat: stampOf(&src.stat), print: c.index.print, whole: c.index.whole && c.size <= printLimit && c == raw && src.stat.Size > 0})
	}
	return nil
}

// printWindow writes the window that was asked for, and then says what was left out.
func (r *request) printWindow(ctx context.Context, call *registry.Call, c *content, more bool) error {
	stopAt := 0
	if c.size > countLimit {
		stopAt = r.stopAt()
	}
	if err := c.buildIndex(ctx, stopAt); err != nil {
		return err
	}
	total := c.index.total()
	known := c.index.whole && !more
	first := r.first
	if first < 0 {
		first = max(total+first+1, 1)
	}
	r.about = summary{"read " + r.shown + ", empty", map[string]any{"path": r.shown, "first_line": 0, "lines": 0, "total_lines": 0, "truncated": false}}
	if total == 0 {
		fmt.Fprintf(call.Stderr, "%s is empty\n", r.shown)
		return nil
	}
	if first > total {
		return fmt.Errorf("%s has %s: there is no line %s", r.shown, countNoun(total, "line"), groupThousands(first))
	}
	w := newLineWriter(call.Stdout)
	w.number, w.left, w.maxBytes, w.columns = first, -1, call.Int("max_bytes"), r.columns(call)
	last := total
	if r.limit > 0 {
		w.left = r.limit
		last = min(total, first+r.limit-1)
	}
	if call.Bool("show_line_numbers") {
		w.width = len(fmt.Sprint(last))
	}
	if err := c.copyLines(ctx, w, first); err != nil {
		return err
	}
	r.printNotes(call, w, first, total, known)
	r.summarize(w, first, total, known)
	return nil
}

// summarize notes what was printed.
func (r *request) summarize(w *lineWriter, first, total int, known bool) {
	lines := max(w.lastWhole-first+1, 0)
	whole := known && lines == total
	m := r.about.metadata
	m["first_line"], m["lines"], m["total_lines"], m["truncated"] = first, lines, total, !whole || w.cut > 0
	of := groupThousands(total)
	if !known {
		delete(m, "total_lines")
		of = "more than " + of
	}
	switch {
	case whole:
		r.about.display = fmt.Sprintf("read %s, %s", r.shown, countNoun(lines, "line"))
	case lines == 1 || w.midLine && lines == 0:
		r.about.display = fmt.Sprintf("read %s, line %s of %s", r.shown, groupThousands(first), of)
	default:
		r.about.display = fmt.Sprintf("read %s, lines %s-%s of %s", r.shown, groupThousands(first), groupThousands(w.lastWhole), of)
	}
}

func (r *request) columns(call *registry.Call) int {
	switch {
	case call.Has("max_columns"):
		return call.Int("max_columns")
	case r.limit == 0 || r.encoding == rawBytes:
		return 0
	}
	return lineColumns
}

// copyLines feeds the content to w from a line on, until w has enough.
func (c *content) copyLines(ctx context.Context, w *lineWriter, first int) error {
	at, err := c.lineStart(first)
	if err != nil || at < 0 {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		want := int64(len(buf))
		if c.index.whole {
			want = min(want, c.index.scanned-at) // what was added since is not part of it
		}
		n, err := c.at.ReadAt(buf[:want], at)
		at += int64(n)
		wants, writeErr := w.write(buf[:n])
		if writeErr != nil {
			return writeErr
		}
		if err != nil && err != io.EOF {
			return err
		}
		if !wants || err == io.EOF || n == 0 {
			return w.close()
		}
	}
}

// printNotes says what the output does not show.
func (r *request) printNotes(call *registry.Call, w *lineWriter, first, total int, known bool) {
	of := "of " + groupThousands(total)
	if !known {
		of = "of more than " + groupThousands(total)
	}
	switch {
	case w.midLine:
		fmt.Fprintf(call.Stderr, "%s: only the start of line %d %s fits in --max_bytes %d\n", r.shown, first, of, w.maxBytes)
	case w.lastWhole < total || !known:
		fmt.Fprintf(call.Stderr, "%s: lines %d-%d %s: go on with --offset %d\n", r.shown, first, w.lastWhole, of, w.lastWhole+1)
	}
	if w.cut > 0 {
		fmt.Fprintf(call.Stderr, "%s: %s cut at %s characters, line %d first: --max_columns 0 shows whole lines\n",
			r.shown, countNoun(w.cut, "line"), groupThousands(w.columns), w.firstCut)
	}
	if w.invalid > 0 && r.encoding != rawBytes {
		fmt.Fprintf(call.Stderr, "%s: line %d is not UTF-8; its bytes are printed as they are: --encoding %s reads all as that\n", r.shown, w.invalid, w.looksLike)
	}
}
