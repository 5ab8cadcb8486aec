package patch

import (
	"strconv"
	"strings"
)

// blocks reads SEARCH/REPLACE blocks. The last name that stands alone on a line before a
// block is the file's; a block without one is about the file of the block before.
func (r *reader) blocks() ([]File, error) {
	name := ""
	var f *File
	for ; r.more(); r.at++ {
		line := strings.TrimSpace(r.line())
		if !forms().blockStart.MatchString(line) {
			if word := strings.Trim(line, "#*`: "); !forms().fence.MatchString(line) && forms().path.MatchString(word) {
				name = word
			}
			continue
		}
		if f == nil || name != "" && name != f.Path {
			f = r.file(File{Path: name})
		}
		name = ""
		e, err := r.block()
		if err != nil {
			return nil, err
		}
		f.Edits = append(f.Edits, e)
	}
	return r.result()
}

// block reads one block. It stops at its last line.
func (r *reader) block() (e Edit, err error) {
	first := r.at + 1
	r.at++
	if r.more() {
		if m := forms().startLine.FindStringSubmatch(strings.TrimSpace(r.line())); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			if r.at++; r.more() && strings.Trim(r.line(), "-") == "" {
				r.at++
			}
		}
	}
	side, old, new := &e.Old, &e.Old, &e.New
	for ; r.more(); r.at++ {
		line := strings.TrimRight(r.line(), " \t")
		switch {
		case forms().blockEnd.MatchString(line) && side == new:
			return e, nil
		case forms().divider.MatchString(line) && side == old:
			side = new
		case forms().divider.MatchString(line), forms().blockStart.MatchString(line), forms().blockEnd.MatchString(line):
			r.at++
			return e, r.errorf("%s within a block: where it is a part of the text, use --old_string and --new_string", line)
		default:
			*side += r.line() + "\n"
		}
	}
	r.at = first
	return e, r.errorf("this block has no line ======= and, after it, >>>>>>> REPLACE: send all of it")
}
