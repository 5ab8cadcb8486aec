package term

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/quote"
)

// Bounds of what @path puts into a prompt: more files are only named.
const (
	mostPutIn      = 20
	mostPutInChars = 200_000
)

// mention is a word that begins with @.
var mention = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)@((?:\\.|\S)+)`) })

// namedFiles are the files and directories that a prompt names with @, as they are named.
func (s *chatUI) namedFiles(prompt string) (paths []string) {
	if !s.in.terminal {
		return nil
	}
	for _, m := range mention().FindAllStringSubmatch(prompt, -1) {
		path := unescapePath(m[1])
		st, err := os.Stat(s.absolutePath(path))
		if err != nil {
			path = strings.TrimRight(path, ".,;:!?)'\"")
			st, err = os.Stat(s.absolutePath(path))
		}
		if err == nil && !slices.Contains(paths, path) && (st.IsDir() || st.Mode().IsRegular()) && !isPicture(path) {
			paths = append(paths, path)
		}
	}
	return paths[:min(len(paths), mostPutIn)]
}

func unescapePath(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) {
			i++
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

func (s *chatUI) absolutePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && s.Home != "" {
		return filepath.Join(s.Home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.dir(), path)
}

// readFiles is what follows a prompt that names files: their content, as the model's own
// read shows it, so that they count as read.
func (s *chatUI) readFiles(ctx context.Context, paths []string) string {
	var b strings.Builder
	var shown []string
	for _, path := range paths {
		if ctx.Err() != nil || b.Len() > mostPutInChars {
			break
		}
		command := "read --file_path " + quote.Word(s.absolutePath(path))
		if st, err := os.Stat(s.absolutePath(path)); err == nil && st.IsDir() {
			command = "glob '*' --path " + quote.Word(s.absolutePath(path))
		}
		out, exit := s.Runner.Run(ctx, command, chat.DefaultTimeout)
		b.WriteString("$ " + command + "\n" + strings.TrimRight(out, "\n") + "\n")
		what := outputSize(out)
		if exit != 0 {
			what = "could not be read"
		}
		shown = append(shown, "  [@"+safeLine(path)+": "+what+"]")
	}
	s.screen.rows(shown, dim)
	if b.Len() == 0 {
		return ""
	}
	return "\n\nWhat I named with @:\n" + strings.TrimRight(b.String(), "\n")
}

// filesTime is how long a list of the workspace's files is good for.
const filesTime = 5 * time.Second

// fileList is the workspace's files, listed in the background.
type fileList struct {
	mu      sync.Mutex
	names   []string
	at      time.Time
	running bool
}

// get returns the names that are known, and has them listed anew when they are old. done
// is called when they are there.
func (l *fileList) get(list func() []string, done func()) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.running && time.Since(l.at) > filesTime {
		l.running = true
		go func() {
			names := withDirectories(list())
			l.mu.Lock()
			l.names, l.at, l.running = names, time.Now(), false
			l.mu.Unlock()
			done()
		}()
	}
	return l.names
}

// withDirectories adds the directories that files lie in.
func withDirectories(files []string) (all []string) {
	seen := map[string]bool{}
	for _, f := range files {
		for dir := filepath.Dir(f); dir != "." && dir != "/" && !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			all = append(all, dir+"/")
		}
		all = append(all, f)
	}
	return all
}

// offer is what is offered while a text is typed: slash commands at its beginning, files
// after @.
func (s *chatUI) offer(text string, cursor int) completion {
	head := text[:cursor]
	if strings.HasPrefix(head, "/") && !strings.ContainsAny(head, " \n") && len(head) > 1 {
		return completion{0, bestMatches(strings.TrimPrefix(head, "/"), s.commandNames())}
	}
	m := mention().FindAllStringSubmatchIndex(head, -1)
	if len(m) == 0 || m[len(m)-1][3] != len(head) || s.Files == nil || s.Conversation == nil || strings.HasPrefix(head, "!") {
		return completion{}
	}
	from := m[len(m)-1][2]
	word := unescapePath(head[from:])
	names := s.files.get(s.Files, s.in.pokeRepaint)
	var options []string
	for _, name := range bestMatches(word, names) {
		if safeLine(name) == name && name != word {
			options = append(options, escapePath(name))
		}
	}
	return completion{from, options}
}

// mostRanked bounds the names that are compared for each key.
const mostRanked = 200

// bestMatches are the names that fit best, the best first.
func bestMatches(word string, names []string) (out []string) {
	var whole, scattered []string // hold the word, or its letters in their order
	small := strings.ToLower(word)
	for _, name := range names {
		switch lower := strings.ToLower(name); {
		case len(whole) < mostRanked && strings.Contains(lower, small):
			whole = append(whole, name)
		case len(scattered) < mostRanked && isScattered(small, lower):
			scattered = append(scattered, name)
		}
	}
	for _, m := range fuzzy.Find(word, append(whole, scattered...)) {
		if out = append(out, m.Str); len(out) == menuRows {
			break
		}
	}
	return out
}

func isScattered(word, name string) bool {
	for _, r := range word {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[i:])
		name = name[i+size:]
	}
	return true
}
