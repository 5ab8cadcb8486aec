package files

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// A line of the table has the names of a language and the names of its files.
// They are ripgrep's, and some more.
//
//go:embed filetypes.txt
var fileTypeTable string

// fileTypes says which names the files of a language have, for --type.
var fileTypes = sync.OnceValue(func() map[string][]string {
	types := map[string][]string{}
	var all []string
	for line := range strings.Lines(fileTypeTable) {
		names, globs, _ := strings.Cut(line, ": ")
		all = append(all, strings.Fields(globs)...)
		for name := range strings.FieldsSeq(names) {
			types[name] = strings.Fields(globs)
		}
	}
	slices.Sort(all)
	types["all"] = slices.Compact(all)
	return types
})
