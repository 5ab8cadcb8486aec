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
	acts    map[string]func(*reader, string) act
	roles   map[string]role
	tests   map[string]lister
}

// entry is a program's part of the table.
type entry struct {
	name string // of its first program
	file string
	line int // where its text begins
	text []string
	read func() (*program, error)
}

// programs returns the table. Start-up does not wait for it.
var programs func() *table

func init() { // what the table names asks for the table itself
	programs = sync.OnceValue(func() *table { return must(readPrograms(programFiles)) })
}

// find returns a program's entry, or nil.
func (t *table) find(name string) *program {
	if e := t.entries[name]; e != nil {
		return must(e.read())
	}
	return nil
}

// must is for the table that is built in, which the tests read too.
func must[T any](read T, err error) T {
	if err != nil {
		panic(err)
	}
	return read
}

// has reports whether a list has a word.
func (t *table) has(list, word string) bool { return slices.Contains(t.lists[list], word) }

// fits reports whether a word fits one of a list's patterns.
func (t *table) fits(list, word string) bool {
	_, ok := matchAny(t.lists[list], word)
	return ok
}

// readPrograms finds the entries of a table's files.
func readPrograms(files fs.FS) (*table, error) {
	t := &table{entries: make(map[string]*entry, 1200), lists: map[string][]string{}, acts: acts(), roles: roles(), tests: tests()}
	names, err := fs.Glob(files, "programs/*.txt")
	for _, name := range names {
		b, bad := fs.ReadFile(files, name)
		err = errors.Join(err, bad, t.file(name, strings.Split(string(b), "\n")))
	}
	return t, err
}

// file splits a file into entries: the lines that are not indented begin them.
func (t *table) file(name string, lines []string) (err error) {
	var e *entry
	for n, line := range lines {
		fail := func(format string, args ...any) {
			err = errors.Join(err, fmt.Errorf("%s:%d: "+format, append([]any{name, n + 1}, args...)...))
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == ' ' {
			if e == nil {
				fail("it belongs to no command")
			} else {
				e.text = lines[e.line : n+1]
			}
			continue
		}
		e = nil
		switch words := splitWords(line); {
		case words[0] == "command" && len(words) > 1:
			own := &entry{name: unquoted(words[1]), file: name, line: n + 1}
			own.read = sync.OnceValues(func() (*program, error) { return t.readEntry(own) })
			e = own
			for _, w := range words[1:] {
				if w = unquoted(w); t.entries[w] != nil {
					fail("%s has an entry at %s:%d", w, t.entries[w].file, t.entries[w].line)
				}
				t.entries[w] = e
			}
		case words[0] == "list" && len(words) > 2:
			t.lists[words[1]] = append(t.lists[words[1]], words[2:]...)
		default:
			fail("%q is neither command NAME... nor list NAME WORD...", words[0])
		}
	}
	return err
}

// splitWords splits a line at blanks that are not in double quotes. A word in
// quotes keeps the first one, so that it is told from others.
func splitWords(line string) (out []string) {
	for line != "" {
		end := strings.IndexByte(line, ' ')
		if line[0] == '"' {
			end = 1 + strings.IndexByte(line[1:], '"')
		}
		if end < 1 {
			return append(out, line)
		}
		out = append(out, line[:end])
		line = strings.TrimLeft(strings.TrimPrefix(line[end:], `"`), " ")
	}
	return out
}

func unquoted(word string) string { return strings.TrimPrefix(word, `"`) }

// baseName is a program's name without what a version adds to it, and what a
// family of programs has in common.
func baseName(name string) string {
	t := programs()
	for _, family := range t.lists["family"] {
		pattern, base, _ := strings.Cut(family, ":")
		if _, ok := matchWord(pattern, name); ok {
			return base
		}
	}
	if base := strings.TrimRight(name, "0123456789.-"); t.has("versioned", base) {
		return base
	}
	if base, ok := strings.CutPrefix(name, "g"); ok && t.has("gnu", base) {
		return base
	}
	return name
}

// harmful reports whether a word names a command that is worth a second look
// among the arguments of another.
func harmful(word string) bool { return programs().fits("harmful", lastOf(word)) }

// matchingCommand returns a command whose name a pattern may mean, the worst
// one first.
func matchingCommand(pattern string) string {
	for _, name := range programs().lists["guess"] {
		if match(pattern, name) {
			return name
		}
	}
	return ""
}
