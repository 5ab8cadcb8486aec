package policy

import (
	"embed"
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

// table is what is known of programs. Entries are read when they are asked for: nobody waits for all of them.
type table struct {
	entries map[string]*entry
	lists   map[string][]string // words of a kind: variables, settings of git
	acts    map[string]func(*reader, string) act
	roles   map[string]role
	tests   map[string]lister
}

// entry is a program's part of the table.
type entry struct {
	file string
	line int // where its text begins
	text []string
	read func() *program
}

// programs returns the table. Start-up does not wait for it.
var programs func() *table

func init() { // what the table names asks for the table itself
	programs = sync.OnceValue(func() *table { return readPrograms(programFiles) })
}

// find returns a program's entry, or nil.
func (t *table) find(name string) *program {
	if e := t.entries[name]; e != nil {
		return e.read()
	}
	return nil
}

// fault stops at what is wrong with the table, which is built in: the tests read all of it.
func fault(file string, line int, format string, args ...any) {
	panic(fmt.Sprintf("%s:%d: "+format, append([]any{file, line}, args...)...))
}

// has reports whether a list has a word.
func (t *table) has(list, word string) bool { return slices.Contains(t.lists[list], word) }

// fits reports whether a word fits one of a list's patterns.
func (t *table) fits(list, word string) bool {
	_, ok := matchAny(t.lists[list], word)
	return ok
}

// readPrograms finds the entries of a table's files.
func readPrograms(files fs.FS) *table {
	t := &table{entries: make(map[string]*entry, 1200), lists: map[string][]string{}, acts: acts(), roles: roles(), tests: tests()}
	names, _ := fs.Glob(files, "programs/*.txt") // the pattern is right
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		t.file(name, strings.Split(string(b), "\n"))
	}
	return t
}

// file splits a file into entries: the lines that are not indented begin them.
func (t *table) file(name string, lines []string) {
	var e *entry
	for n, line := range lines {
		switch kind, rest, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#':
		case kind == "" && e == nil:
			fault(name, n+1, "it belongs to no command")
		case kind == "":
			e.text = lines[e.line : n+1]
		case kind == "command":
			names := splitWords(rest)
			own := &entry{file: name, line: n + 1}
			own.read = sync.OnceValue(func() *program { return t.readEntry(own) })
			e = own
			for _, w := range names {
				if w = unquoted(w); t.entries[w] != nil {
					fault(name, n+1, "%s has an entry at %s:%d", w, t.entries[w].file, t.entries[w].line)
				}
				t.entries[w] = e
			}
		case kind == "list":
			words := splitWords(rest)
			e, t.lists[words[0]] = nil, append(t.lists[words[0]], words[1:]...)
		default:
			fault(name, n+1, "%q is neither command NAME... nor list NAME WORD...", kind)
		}
	}
}

// splitWords splits a line at blanks that are not in double quotes. A quoted word keeps its first quote.
func splitWords(line string) (out []string) {
	for i, piece := range strings.Split(" "+line, ` "`) {
		if i > 0 {
			quoted, after, _ := strings.Cut(piece, `"`)
			out, piece = append(out, `"`+quoted), after
		}
		out = append(out, strings.Fields(piece)...)
	}
	return out
}

func unquoted(word string) string { return strings.TrimPrefix(word, `"`) }

// baseName is a program's name without its version, or the name of its family.
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
	return name
}

// harmful reports whether a word names a command that is worth a second look among another's arguments.
func harmful(word string) bool { return programs().fits("harmful", lastOf(word)) }
