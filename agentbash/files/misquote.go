package files

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/agentbash/internal/patch"
)

// misquote is a slip of who copied an old text, and the replacement without it.
type misquote struct {
	note   string
	repair func(replacement) (replacement, bool) // ok is false where it was not made
}

var misquotes = sync.OnceValue(func() []misquote {
	return []misquote{
		{"the line numbers before the lines of old_string were left out", replacement.withoutNumbers},
		{`old_string was escaped once too often: its \n, \" and their like were taken for what they stand for, in new_string too`, replacement.unescaped},
	}
})

var (
	lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*(\d+)(\| |\||→|\t|: |:|- |$)`) })
	escapes    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\\\[nrt\"'`$\\\\]") })
)

// withoutNumbers takes what read, cat -n and grep -n put before a line ("12| ", "12:", a
// tab, ...) off every line. The numbers go up one by one, and the lines are whole.
func (r replacement) withoutNumbers() (replacement, bool) {
	lines := strings.Split(strings.TrimSuffix(r.old, "\n"), "\n")
	before, sep := 0, ""
	for i, line := range lines {
		m := lineNumber().FindStringSubmatch(line)
		if m == nil {
			return r, false
		}
		n, _ := strconv.Atoi(m[1])
		lines[i] = line[len(m[0]):]
		if i == 0 {
			before, sep = n-1, m[2]
		}
		empty := lines[i] == "" && strings.HasPrefix(sep, m[2]) // an empty line may have lost its blanks
		if n != before+1 || sep == "" || m[2] != sep && !empty {
			return r, false
		}
		before = n
	}
	new := strings.Split(r.new, "\n")
	for i, line := range new {
		switch m := lineNumber().FindStringSubmatch(line); {
		case m == nil || m[2] != sep:
		case i > 0 && new[0] == strings.Split(r.new, "\n")[0]:
			return r, false // a number that may be a part of the text
		default:
			new[i] = line[len(m[0]):]
		}
	}
	old := strings.Join(lines, "\n") + r.old[len(strings.TrimSuffix(r.old, "\n")):]
	if r.hunk == nil {
		r.hunk = &patch.Edit{Old: old}
	}
	r.old, r.new = old, strings.Join(new, "\n")
	return r, true
}

// unescaped makes characters of what a string literal writes with a backslash. The new
// text is escaped in the same way, or it cannot be told how.
func (r replacement) unescaped() (replacement, bool) {
	kinds := escapes().FindAllString(r.old, -1)
	for _, kind := range escapes().FindAllString(r.new, -1) {
		if !slices.Contains(kinds, kind) {
			return r, false
		}
	}
	r.old, r.new = unescapeText(r.old), unescapeText(r.new)
	return r, kinds != nil
}

func unescapeText(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, "'", "\\`", "`", `\$`, "$", `\\`, `\`).Replace(text)
}
