package policy

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// The table of programs; programs/README.md says how it is written.
//
//go:embed programs/*.txt
var programFiles embed.FS

// table is what is known of programs. Its entries are read when they are asked
// for, so that the first line does not wait for all of them.
type table struct {
	entries map[string]*entry
	lists   map[string][]string // words of a kind: variables, settings of git
	code    map[string]func(*usage)
	acts    map[string]func(*usage)
	tests   map[string]func(*usage, *test) []found
}

// entry is a program's part of the table.
type entry struct {
	name  string // of its first program
	order int
	where string // FILE:LINE
	text  string
	once  sync.Once
	p     *program
	err   error
}

// programs returns the table. Start-up does not wait for it.
func programs() *table {
	programTable.once.Do(func() { programTable.table, programTable.err = readPrograms(programFiles) })
	if programTable.err != nil {
		panic(programTable.err) // the tests read it too
	}
	return programTable.table
}

var programTable struct {
	once  sync.Once
	table *table
	err   error
}

// find returns a program's entry, or nil.
func (t *table) find(name string) *program {
	e := t.entries[name]
	if e == nil {
		return nil
	}
	if e.once.Do(func() { e.p, e.err = t.readEntry(e) }); e.err != nil {
		panic(e.err)
	}
	return e.p
}

// has reports whether a list has a word.
func (t *table) has(list, word string) bool { return slices.Contains(t.lists[list], word) }

// fits reports whether a word fits one of a list's patterns.
func (t *table) fits(list, word string) bool {
	return slices.ContainsFunc(t.lists[list], func(p string) bool { _, ok := matchWord(p, word); return ok })
}

// readPrograms finds the entries of a table's files.
func readPrograms(files fs.FS) (*table, error) {
	t := &table{entries: make(map[string]*entry, 1200), lists: map[string][]string{}, code: codes(), acts: acts(), tests: tests()}
	names, err := fs.Glob(files, "programs/*.txt")
	for _, name := range names {
		b, bad := fs.ReadFile(files, name)
		err = errors.Join(err, bad, t.file(name, string(b)))
	}
	return t, err
}

// file splits a file into entries: the lines that are not indented begin them.
func (t *table) file(name, text string) (err error) {
	var e *entry
	begin := 0
	fail := func(line int, format string, args ...any) {
		err = errors.Join(err, fmt.Errorf("%s:%d: "+format, append([]any{name, line}, args...)...))
	}
	for n, at := 1, 0; at < len(text); n++ {
		line, rest, _ := strings.Cut(text[at:], "\n")
		from := at
		at = len(text) - len(rest)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == ' ' {
			if e == nil {
				fail(n, "it belongs to no command")
			} else {
				e.text = text[begin:at]
			}
			continue
		}
		e = nil
		words := splitWords(nil, line)
		switch {
		case words[0] == "command" && len(words) > 1:
			begin = from
			e = &entry{name: unquoted(words[1]), order: len(t.entries), where: fmt.Sprintf("%s:%d", name, n), text: line}
			for _, w := range words[1:] {
				if w = unquoted(w); t.entries[w] != nil {
					fail(n, "%s has an entry at %s", w, t.entries[w].where)
				}
				t.entries[w] = e
			}
		case words[0] == "list" && len(words) > 2:
			t.lists[words[1]] = append(t.lists[words[1]], words[2:]...)
		default:
			fail(n, "%q is neither command NAME... nor list NAME WORD...", words[0])
		}
	}
	return err
}

// splitWords splits a line at blanks that are not in double quotes. A word in
// quotes keeps the first one, so that it is told from others.
func splitWords(out []string, line string) []string {
	for line != "" {
		end := strings.IndexByte(line, ' ')
		if line[0] == '"' {
			if end = strings.IndexByte(line[1:], '"'); end >= 0 {
				out = append(out, line[:end+1])
				line = strings.TrimLeft(line[end+2:], " ")
				if strings.HasPrefix(line, ":") { // a pattern in quotes ends the tests
					out, line = append(out, ":"), strings.TrimLeft(line[1:], " ")
				}
				continue
			}
		}
		if end < 0 {
			return append(out, line)
		}
		out = append(out, line[:end])
		line = strings.TrimLeft(line[end:], " ")
	}
	return out
}

func unquoted(word string) string { return strings.TrimPrefix(word, `"`) }
