package term

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// completion is what the text from a position up to the cursor may become.
type completion struct {
	from    int
	options []string // sorted
}

// mostOptions bounds how many files of a directory are offered.
const mostOptions = 500

// complete offers slash commands at the beginning, files after @ and, where the
// text is a command, everywhere, and the names of tools.
func (s *chatUI) complete(text string, cursor int) completion {
	head := text[:cursor]
	from := 1 + strings.LastIndexFunc(head, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("|;&($`", r) })
	word := head[from:]
	command := s.Conversation == nil || strings.HasPrefix(text, "!")
	if from == 0 && strings.HasPrefix(word, "!") {
		from, word = 1, word[1:]
	}
	if c, ok := s.completeArgument(head, from, word); ok {
		return c
	}
	switch {
	case from == 0 && strings.HasPrefix(word, "/"):
		if options := startingWith(s.commandNames(), word); len(options) > 0 {
			return completion{from, options}
		}
	case strings.HasPrefix(word, "@"):
		return completion{from + 1, s.filePaths(word[1:])}
	}
	var options []string
	if s.Names != nil && word != "" {
		options = startingWith(s.Names(), word)
	}
	if command {
		options = append(options, s.filePaths(word)...)
	}
	return completion{from, options}
}

// completeArgument offers what may stand after a slash command.
func (s *chatUI) completeArgument(head string, from int, word string) (completion, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(head[:from], " "), "/")
	if !ok {
		return completion{}, false
	}
	for _, c := range s.commands() {
		if c.Name == name && c.Complete != nil {
			return completion{from, startingWith(c.Complete(), word)}, true
		}
	}
	return completion{}, false
}

func startingWith(names []string, prefix string) (out []string) {
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// filePaths are the paths that a path may become. Hidden ones want their dot.
func (s *chatUI) filePaths(word string) (out []string) {
	word = strings.ReplaceAll(word, `\`, "")
	dir, base := filepath.Split(word)
	at := s.absolutePath(dir)
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil // nothing to offer; the command will say why
	}
	for _, e := range entries {
		name := e.Name()
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".")
		if !strings.HasPrefix(name, base) || hidden || safeLine(name) != name {
			continue
		}
		if st, err := os.Stat(filepath.Join(at, name)); err == nil && st.IsDir() {
			name += "/"
		}
		if out = append(out, escapePath(dir+name)); len(out) == mostOptions {
			break
		}
	}
	return out
}

// escapePath is a path as bash wants it.
func escapePath(path string) string {
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(" '\"\\$`&|;<>()*?[]{}!#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func commonPrefix(options []string) string {
	common := options[0]
	for _, o := range options[1:] {
		for !strings.HasPrefix(o, common) {
			r := []rune(common)
			common = string(r[:len(r)-1])
		}
	}
	return common
}

// inColumns sets options side by side, as ls does, in at most a number of rows.
func inColumns(options []string, width, height int) string {
	widest := 0
	for _, o := range options {
		widest = max(widest, textColumns(o)+2)
	}
	perRow := max(1, (width-1)/max(widest, 1))
	var b strings.Builder
	for i, o := range options {
		if i/perRow == height-1 && len(options) > height*perRow {
			fmt.Fprintf(&b, "... %d more\n", len(options)-i)
			break
		}
		b.WriteString(clipColumns(o, max(width-1, 4)))
		if (i+1)%perRow == 0 || i+1 == len(options) {
			b.WriteByte('\n')
		} else {
			b.WriteString(strings.Repeat(" ", widest-textColumns(o)))
		}
	}
	return b.String()
}
