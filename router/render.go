package router

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// streams are a command's two outputs while it runs.
type streams struct {
	out, err *capture
	dir      string // where the whole output is kept
	file     string // its name
}

func (r *Router) newStreams(o *RunOptions) *streams {
	s := &streams{dir: r.dir, file: fmt.Sprintf("output-%d-%d.txt", os.Getpid(), r.nextFile.Add(1))}
	path := filepath.Join(s.dir, s.file)
	s.out = &capture{path: path, tee: o.Stdout}
	s.err = &capture{path: path + ".stderr", tee: o.Stderr}
	return s
}

// render fills in a result's texts from its streams. headOnly keeps the
// beginning of a cut output, else a fifth of it is head and the rest tail.
func (r *Router) render(res *Result, s *streams, headOnly bool) {
	s.out.close()
	s.err.close()
	out, outWhole := s.out.kept()
	notes, notesWhole := s.err.kept()
	res.Stdout, res.Stderr = string(out), string(notes)

	b := body{streams: s, max: r.opts.MaxChars, headOnly: headOnly, tool: res.toolName()}
	b.add(s.out, out, outWhole)
	if len(notes) > 0 {
		if b.total > 0 && !bytes.HasSuffix(s.out.end(1), []byte("\n")) {
			b.text("\n")
		}
		b.text("[stderr]\n")
		b.add(s.err, notes, notesWhole)
	}
	res.Output = b.cut()
	res.Truncated, res.FullOutput = b.truncated || !outWhole || !notesWhole, b.path
	for _, line := range res.statusLines() {
		if res.Output != "" && !strings.HasSuffix(res.Output, "\n") {
			res.Output += "\n"
		}
		res.Output += line
	}
	if res.Output == "" {
		res.Output = "(no output)"
	}
	for _, secret := range r.opts.Secrets {
		if len(secret) >= 8 {
			res.Output = strings.ReplaceAll(res.Output, secret, "[redacted]")
		}
	}
}

func (res *Result) toolName() string {
	if res.Layer == Native {
		return "bash"
	}
	return res.Name
}

// statusLines are what a model has to know beside the text.
func (res *Result) statusLines() []string {
	var lines []string
	if res.ExitCode != 0 {
		lines = append(lines, fmt.Sprintf("[exit code: %d]", res.ExitCode))
	}
	if res.TimedOut {
		lines = append(lines, fmt.Sprintf("[timed out after %s]", seconds(res.limit)))
	}
	if res.Canceled {
		lines = append(lines, "[interrupted by the user]")
	}
	if res.Restarted {
		lines = append(lines, "[the shell had ended: this ran in a new one, with the old directory and environment]")
	}
	if res.Background != "" {
		lines = append(lines, "[a background process goes on; what it writes goes to "+res.Background+"]")
	}
	return lines
}

// body is the text of a result before it is cut: stdout, then stderr.
type body struct {
	streams   *streams
	tool      string
	max       int
	headOnly  bool
	parts     []part
	total     int64 // characters
	binary    bool
	truncated bool
	path      string // of the file that holds the whole
}

type part struct {
	text []byte   // all of it, or its head
	from *capture // set when text is not all
}

func (b *body) text(s string) {
	b.parts = append(b.parts, part{text: []byte(s)})
	b.total += int64(len(s))
}

// add appends a stream; a binary one is described and kept in the file.
func (b *body) add(c *capture, head []byte, whole bool) {
	if isBinary(head) {
		b.binary = true
		b.keep()
		b.text(fmt.Sprintf("(binary output: %d bytes, kept in %s)\n", c.total, b.path))
		return
	}
	p := part{text: head}
	if !whole {
		p.from = c
	}
	b.parts = append(b.parts, p)
	b.total += c.chars
}

// cut returns what a model sees.
func (b *body) cut() string {
	if b.total <= int64(b.max) {
		var all strings.Builder
		for _, p := range b.parts {
			all.Write(p.text)
		}
		return Safe(all.String())
	}
	b.truncated = true
	b.keep()
	headMax := b.max / 5
	if b.headOnly {
		headMax = b.max
	}
	head := atLineEnd(firstChars(b.first(headMax*utf8.UTFMax), headMax))
	hint := fmt.Sprintf("<system_hint type=\"tool_output_omitted\" tool=%q reason=\"too_long\" actual_chars=\"%d\" max_chars=\"%d\" full_output=%q>%s</system_hint>",
		b.tool, b.total, b.max, b.path, b.advice(strings.Count(head, "\n")))
	if b.headOnly {
		return Safe(ended(head)) + hint
	}
	tail := atLineStart(lastChars(b.last((b.max-headMax)*utf8.UTFMax), b.max-headMax))
	return Safe(ended(head)) + hint + "\n" + Safe(tail)
}

// advice says how to see what was left out.
func (b *body) advice(lines int) string {
	if b.path == "" {
		return "the whole output could not be kept: run the command again with a filter such as | head or | grep"
	}
	return fmt.Sprintf("the rest follows after line %d: read --file_path %s --offset %d --limit 200, or search it: grep --pattern TEXT --path %s",
		lines, b.path, lines+1, b.path)
}

// first returns at least the first n bytes of the body, if it has so many.
func (b *body) first(n int) string {
	var s strings.Builder
	for _, p := range b.parts {
		if s.Len() >= n {
			break
		}
		s.Write(p.text[:min(len(p.text), n)])
		if p.from != nil {
			break
		}
	}
	return s.String()
}

// last returns at least the last n bytes of the body, if it has so many.
func (b *body) last(n int) string {
	var rev [][]byte
	size := 0
	for i := len(b.parts) - 1; i >= 0 && size < n; i-- {
		text := b.parts[i].text
		if b.parts[i].from != nil {
			text = b.parts[i].from.end(n)
		}
		text = text[max(0, len(text)-(n-size)):]
		rev, size = append(rev, text), size+len(text)
	}
	var s strings.Builder
	for i := len(rev) - 1; i >= 0; i-- {
		s.Write(rev[i])
	}
	return s.String()
}

// keep writes the whole output to its file, once.
func (b *body) keep() {
	if b.path != "" {
		return
	}
	path := filepath.Join(b.streams.dir, b.streams.file)
	if err := b.streams.writeFile(path); err == nil {
		b.path = path
	}
}

// writeFile completes the file that a large stdout has begun.
func (s *streams) writeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.out.file == nil {
		f.Write(s.out.head)
	}
	if s.err.total == 0 {
		return f.Sync()
	}
	fmt.Fprint(f, "\n[stderr]\n")
	if s.err.file == nil {
		_, err = f.Write(s.err.head)
		return err
	}
	more, err := os.Open(s.err.path)
	if err != nil {
		return err
	}
	defer more.Close()
	defer os.Remove(s.err.path)
	_, err = f.ReadFrom(more)
	return err
}

// firstChars returns the first n characters of s.
func firstChars(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastChars returns the last n characters of s.
func lastChars(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// atLineEnd cuts back to the last line end, unless that would cost half of the text.
func atLineEnd(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		return s[:i+1]
	}
	return s
}

// atLineStart cuts forward to a line's start, unless that would cost half of the text.
func atLineStart(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		return s[i+1:]
	}
	return s
}

func ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}
