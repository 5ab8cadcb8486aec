package patch

import (
	"strconv"
	"strings"
)

// unified reads a unified diff, as git and diff make it. The numbers in its hunks are
// hints, for models cannot count.
func (r *reader) unified() ([]File, error) {
	var f *File
	named := true // by names that are not git's
	for r.more() {
		line := r.line()
		body := strings.HasPrefix(line, "@@") || f != nil && line != "" && strings.Contains(" +-", line[:1])
		r.at++
		switch {
		case r.atNames(r.at - 1):
			if named || f == nil {
				f = r.file(File{})
			}
			f.name(line[4:], r.line()[4:])
			r.at, named = r.at+1, true
		case strings.HasPrefix(line, "diff --git "):
			f, named = r.file(File{}), false
			if words := strings.Fields(line); len(words) == 4 { // names with blanks in them come again
				f.name(words[2], words[3])
			}
		case f != nil && f.readHeader(line):
		case strings.HasPrefix(line, "old mode "):
			return nil, r.errorf("a mode is changed with chmod: leave this out")
		case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
			return nil, r.errorf("a binary file cannot be patched: write it in another way")
		case line == "-- " && r.at+1 >= len(r.lines): // the end of a mail
		case body:
			if f == nil {
				f = r.file(File{})
			}
			r.at--
			e, err := r.change(r.endsHunk)
			if err != nil {
				return nil, err
			}
			if e.Old+e.New == "" {
				return nil, r.errorf("there is nothing under this @@: give the lines that stay, go and come")
			}
			f.Edits = append(f.Edits, e)
		}
	}
	return r.result()
}

// readHeader reads a line that git writes before the hunks of a file; false: it is none.
func (f *File) readHeader(line string) bool {
	switch {
	case strings.HasPrefix(line, "rename to "):
		f.To = unquote(line[len("rename to "):])
	case strings.HasPrefix(line, "rename from "):
		f.Path = unquote(line[len("rename from "):])
	case strings.HasPrefix(line, "new file mode "):
		f.Add, f.To = true, ""
	case strings.HasPrefix(line, "deleted file mode "):
		f.Delete, f.To = true, ""
	default:
		return false
	}
	return true
}

// atNames reports whether the two lines from a place on name the files that are compared.
func (r *reader) atNames(at int) bool {
	return at+1 < len(r.lines) && strings.HasPrefix(r.lines[at], "--- ") && strings.HasPrefix(r.lines[at+1], "+++ ")
}

func (r *reader) endsHunk() bool {
	line := r.line()
	names := r.atNames(r.at) && (r.at+2 == len(r.lines) || strings.HasPrefix(r.lines[r.at+2], "@@"))
	return names || strings.HasPrefix(line, "diff --git ") || line == "-- " && r.at+2 >= len(r.lines) || forms().fence.MatchString(line)
}

// name gives a file the names of the two that are compared, without what git or diff
// put around them.
func (f *File) name(from, to string) {
	from, to = unquote(from), unquote(to)
	old, ours := strings.CutPrefix(from, "a/")
	new, theirs := strings.CutPrefix(to, "b/")
	if (ours || from == devNull) && (theirs || to == devNull) {
		from, to = old, new
	}
	f.Path, f.To = from, ""
	switch {
	case from == devNull:
		f.Path, f.Add = to, true
	case to == devNull:
		f.Delete = true
	case to != from:
		f.To = to
	}
}

const devNull = "/dev/null"

func unquote(name string) string {
	name, _, _ = strings.Cut(name, "\t")
	name = strings.TrimSpace(name)
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}
