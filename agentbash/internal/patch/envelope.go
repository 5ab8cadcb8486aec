package patch

import (
	"fmt"
	"strings"
)

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	deleteFile = "*** Delete File:"
	updateFile = "*** Update File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

// isMarker reports whether a line, without the blanks around it, begins a patch or a file.
func isMarker(line string) bool {
	for _, m := range []string{beginPatch, addFile, deleteFile, updateFile} {
		if strings.HasPrefix(line, m) {
			return true
		}
	}
	return false
}

// envelope reads what stands between *** Begin Patch and *** End Patch.
func (r *reader) envelope() ([]File, error) {
	ended := false
	for ; r.more(); r.at++ {
		line := strings.TrimSpace(r.line())
		var err error
		switch {
		case line == endPatch:
			ended = true
			continue
		case strings.HasPrefix(line, addFile):
			err = r.added(after(line, addFile))
		case strings.HasPrefix(line, deleteFile):
			r.file(File{Path: after(line, deleteFile), Delete: true})
		case strings.HasPrefix(line, updateFile):
			err = r.updated(after(line, updateFile))
		case strings.HasPrefix(line, "***") && line != beginPatch:
			r.at++
			err = r.errorf("%q is not known: write *** Add File: PATH, *** Delete File: PATH, *** Update File: PATH or *** End Patch", line)
		case !strings.HasPrefix(line, "***"):
			continue
		}
		if ended = false; err != nil {
			return nil, err
		}
	}
	if !ended {
		return nil, fmt.Errorf("the patch does not end with the line %s, so it may have been cut off: send all of it", endPatch)
	}
	return r.result()
}

func after(line, marker string) string { return strings.TrimSpace(strings.TrimPrefix(line, marker)) }

// endsFile reports whether the reader is at a line that ends what is said of a file.
func (r *reader) endsFile() bool {
	line := r.line()
	trimmed := strings.TrimSpace(line)
	return strings.HasPrefix(trimmed, "***") && (line == trimmed || isMarker(trimmed) || trimmed == endPatch || trimmed == endOfFile)
}

// added reads the lines of a file that is made. It stops at its last line.
func (r *reader) added(path string) error {
	f := r.file(File{Path: path, Add: true})
	var text []string
	for r.at++; r.more() && !r.endsFile(); r.at++ {
		line, ok := strings.CutPrefix(r.line(), "+")
		if !ok && strings.TrimSpace(line) != "" {
			r.at++
			return r.errorf("%.60q: every line of a file that is added starts with +", line)
		}
		text = append(text, line)
	}
	r.at--
	for end := r.at; len(text) > 0 && r.lines[end] == ""; end-- {
		text = text[:len(text)-1]
	}
	if len(text) > 0 {
		f.Edits = []Edit{{New: strings.Join(text, "\n") + "\n"}}
	}
	return nil
}

// updated reads the changes of a file. It stops at its last line.
func (r *reader) updated(path string) error {
	f := r.file(File{Path: path})
	r.at++
	if r.more() && strings.HasPrefix(strings.TrimSpace(r.line()), moveTo) {
		f.To = after(strings.TrimSpace(r.line()), moveTo)
		r.at++
	}
	for r.more() && !r.endsFile() {
		start := r.at
		e, err := r.change(r.endsFile)
		if err != nil {
			return err
		}
		if r.more() && strings.TrimSpace(r.line()) == endOfFile {
			e.AtEnd = true
			r.at++
		}
		if e.Old == "" && len(e.After) == 0 {
			e.AtEnd = true
		}
		if e.Old+e.New != "" {
			f.Edits = append(f.Edits, e)
		} else if strings.HasPrefix(r.lines[start], "@@") {
			return r.errorf("there is nothing under this @@: give the lines that are there (with a space or - before them) and those that come (with +)")
		}
	}
	r.at--
	return nil
}
