// Package patch reads the forms in which changes of files are sent: SEARCH/REPLACE
// blocks, unified diffs, and the form that begins with *** Begin Patch. All of them
// become the same list; nothing is looked for in a file here.
package patch

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// File is what a patch does with one file, in the order in which it was written.
type File struct {
	Path   string // as it was written; "" where the form names none
	To     string // where the file is moved; "" stays
	Add    bool   // it must not be there yet; its content is that of the edits
	Delete bool
	Edits  []Edit
}

// Edit replaces whole lines by others. Without old ones it adds lines.
type Edit struct {
	Old, New string   // each line with its \n, but for a last one that is said to have none
	After    []string // lines that stand somewhere before it, one after the other
	Line     int      // where it starts by its own account, counted from 1; 0: it does not say
	AtEnd    bool     // it ends where the file does
	Ordered  bool     // it comes after the edit before it
}

// Form is how patches look, for messages.
const Form = `SEARCH/REPLACE blocks (<<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE), a unified diff (--- a/FILE, +++ b/FILE, @@), or *** Begin Patch, *** Update File: FILE, @@, lines that start with a space, - or +, *** End Patch`

// patterns are the lines that have a meaning.
type patterns struct{ blockStart, divider, blockEnd, startLine, path, hunk, fence *regexp.Regexp }

var forms = sync.OnceValue(func() patterns {
	return patterns{
		blockStart: regexp.MustCompile(`^[<-]{5,9} ?(?:SEARCH|ORIGINAL)>?$`),
		divider:    regexp.MustCompile(`^={5,9}$`),
		blockEnd:   regexp.MustCompile(`^[>+]{5,9} ?(?:REPLACE|UPDATED)$`),
		startLine:  regexp.MustCompile(`^:start_line:\s*(\d+)$`),
		path:       regexp.MustCompile(`^[^\s:;,()<>"'{}=]*[./][^\s:;,()<>"'{}=]*[^\s:;,()<>"'{}=./]$|^\.?[A-Za-z][\w.-]*$`),
		hunk:       regexp.MustCompile(`^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@| \.\.\. @@|$)`),
		fence:      regexp.MustCompile("^(?:```+|~~~+)[\\w+.-]*$"),
	}
})

// Parse reads a patch in any of the forms.
func Parse(text string) ([]File, error) {
	r := newReader(unwrap(text))
	for _, line := range r.lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case isMarker(trimmed):
			return r.envelope()
		case forms().blockStart.MatchString(trimmed):
			return r.blocks()
		case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"):
			return r.unified()
		}
	}
	return nil, fmt.Errorf("this is no patch: send %s; a whole content goes to write", Form)
}

// unwrap takes a patch out of the JSON object and the here-document in which some send it.
func unwrap(text string) string {
	var call struct {
		Input, Patch, PatchText string
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Unmarshal([]byte(text), &call) == nil {
		text = call.Input + call.Patch + call.PatchText
	}
	return strings.TrimPrefix(text, "\ufeff")
}

// reader goes through the lines of a patch.
type reader struct {
	lines []string
	at    int
	files []File
}

func newReader(text string) *reader {
	r := &reader{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for len(r.lines) > 0 && strings.TrimSpace(r.lines[len(r.lines)-1]) == "" {
		r.lines = r.lines[:len(r.lines)-1]
	}
	return r
}

func (r *reader) more() bool { return r.at < len(r.lines) }

func (r *reader) line() string { return r.lines[r.at] }

// errorf is an error about the line before the reader's place.
func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %s", r.at, fmt.Sprintf(format, args...))
}

// file begins the next file.
func (r *reader) file(f File) *File {
	r.files = append(r.files, f)
	return &r.files[len(r.files)-1]
}

// result is what was read.
func (r *reader) result() ([]File, error) {
	for _, f := range r.files {
		if f.To == "" && !f.Add && !f.Delete && len(f.Edits) == 0 {
			return nil, fmt.Errorf("the patch says nothing that is to change in %s: send at least one hunk", f.Path)
		}
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("the patch is empty: send %s", Form)
	}
	return r.files, nil
}

// change reads the lines that begin a hunk, and its own, up to the next one or to where
// ends says.
func (r *reader) change(ends func() bool) (e Edit, err error) {
	e.Ordered = true
	for ; r.more() && strings.HasPrefix(r.line(), "@@"); r.at++ {
		m := forms().hunk.FindStringSubmatch(r.line())
		if m == nil {
			anchor := strings.TrimSuffix(strings.TrimRight(r.line()[2:], " "), " @@")
			if anchor = strings.TrimPrefix(anchor, " "); anchor != "" {
				e.After = append(e.After, anchor)
			}
			continue
		}
		if e.Line, _ = strconv.Atoi(m[1]); m[2] == "0" { // after that line
			e.Line++
		}
	}
	err = r.hunk(&e, func() bool { return strings.HasPrefix(r.line(), "@@") || ends() })
	return e, err
}

// hunk reads the lines of a change, up to one that stop knows.
func (r *reader) hunk(e *Edit, stop func() bool) error {
	var old, new []string
	for ; r.more() && !stop(); r.at++ {
		line := r.line()
		if line == "" { // the blank of an empty line is easily lost
			line = " "
		}
		switch text := line[1:] + "\n"; line[0] {
		case ' ':
			old, new = append(old, text), append(new, text)
		case '-':
			old = append(old, text)
		case '+':
			new = append(new, text)
		case '\\':
			before := " "
			if r.at > 0 && r.lines[r.at-1] != "" {
				before = r.lines[r.at-1][:1]
			}
			if before != "+" {
				e.AtEnd = len(old) > 0
				openEnd(old)
			}
			if before != "-" {
				openEnd(new)
			}
		default:
			r.at++
			return r.errorf("%.60q starts neither with a space (a line that stays) nor with - or +: put the one that is meant before it", line)
		}
	}
	for end := r.at; end > 0 && r.lines[end-1] == "" && len(old) > 0 && len(new) > 0; end-- { // what parts it from the next one
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	e.Old, e.New = strings.Join(old, ""), strings.Join(new, "")
	open := func(line string) bool { return !strings.HasSuffix(line, "\n") }
	if slices.ContainsFunc(old[:max(len(old)-1, 0)], open) || slices.ContainsFunc(new[:max(len(new)-1, 0)], open) {
		return r.errorf("only a last line has no newline at the end of file: leave that out above")
	}
	return nil
}

// openEnd takes the end of line off the last line.
func openEnd(lines []string) {
	if n := len(lines); n > 0 {
		lines[n-1] = strings.TrimSuffix(lines[n-1], "\n")
	}
}
