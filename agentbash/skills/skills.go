// Package skills finds instructions for special tasks, and holds the tool skill,
// which prints one.
//
// A skill is a folder with a file SKILL.md that begins with YAML front matter
// between lines of ---, with a name and a description (https://agentskills.io). The
// descriptions are for a system prompt; the rest is printed when it is needed, with
// the folder's path, since a skill may bring scripts, which are run as any others are.
package skills

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agentbash/agentbash/internal/safetext"
)

// File is what makes a folder a skill.
const File = "SKILL.md"

// maxSkill bounds a SKILL.md, in bytes.
const maxSkill = 1 << 20

// maxName bounds a name, in characters: that of the standard.
const maxName = 64

// Skill is one skill that Find found.
type Skill struct {
	Name        string
	Description string // in one line
	Dir         string // its folder, absolute if what it was found in is
	PersonOnly  bool   // only the person starts it
	Allowed     string // the tools that its author wants to be allowed; "": none
	body        []byte // after the front matter
}

// Subdirs are where the skills of a directory are, the nearest last.
func Subdirs(dir string) []string {
	return []string{filepath.Join(dir, ".agents", "skills"), filepath.Join(dir, ".claude", "skills"), filepath.Join(dir, ".agentbash", "skills")}
}

// Problem is what is wrong with a skill. One that has no description, or cannot be read, is
// not found.
type Problem struct {
	Dir string // the skill's folder
	err error
}

func (p *Problem) Error() string { return "skill " + filepath.Join(p.Dir, File) + ": " + p.err.Error() }

// Find looks for skills in directories that hold their folders, the nearest
// last: of two with a name it wins. They come by name.
func Find(dirs []string) (found []Skill, problems []error) {
	seen := map[string]bool{}
	for i := len(dirs) - 1; i >= 0; i-- {
		entries, err := os.ReadDir(dirs[i])
		if err != nil {
			continue // there is none, mostly
		}
		for _, e := range entries {
			dir := filepath.Join(dirs[i], e.Name())
			s, err := loadSkill(dir)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				problems = append(problems, &Problem{dir, err})
			case !seen[s.Name]:
				seen[s.Name] = true
				found = append(found, *s)
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found, problems
}

// loadSkill reads a skill's file.
func loadSkill(dir string) (*Skill, error) {
	path := filepath.Join(dir, File)
	st, err := os.Stat(path)
	switch {
	case err != nil && (errors.Is(err, fs.ErrNotExist) || !isDir(dir)):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no file: make it one, or move it away")
	case st.Size() > maxSkill:
		return nil, errors.New("it is longer than 1 MiB: put what is not always needed in files beside it")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	head, body, ok := frontMatter(data)
	if !ok {
		return nil, errors.New("it has no front matter: begin it with a line ---, name: and description:, and a line ---")
	}
	meta, err := readHead(head)
	if err != nil {
		return nil, fmt.Errorf("its front matter is no YAML: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	s := &Skill{Name: strings.Join(shownWords(meta.Name), "-"), Description: strings.Join(shownWords(meta.Description), " "),
		Dir: dir, PersonOnly: meta.PersonOnly, Allowed: strings.Join(shownWords(strings.Join(meta.Allowed, " ")), " "), body: body}
	if s.Name == "" {
		s.Name = filepath.Base(dir)
	}
	if utf8.RuneCountInString(s.Name) > maxName {
		return nil, fmt.Errorf("its name has more than %d characters: give it a short one", maxName)
	}
	if s.Description == "" {
		return nil, errors.New("its front matter has no description: say in a line when it is to be used")
	}
	return s, nil
}

// shownWords are the words of a text that goes into prompts and listings.
func shownWords(text string) []string { return strings.Fields(safetext.Clean(text)) }

// meta is what is used of the front matter.
type meta struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	PersonOnly  bool   `yaml:"disable-model-invocation"`
	Allowed     words  `yaml:"allowed-tools"`
}

// words is a list, or a text with its parts.
type words []string

func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]string)(w))
	}
	*w = words{n.Value}
	return nil
}

// readHead reads the front matter. Many people write a colon in a description
// that is not quoted, which is no YAML: then lines of key: value are taken.
func readHead(head []byte) (m meta, err error) {
	if err = yaml.Unmarshal(head, &m); err == nil {
		return m, nil
	}
	m = meta{}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key {
		case "name":
			m.Name = value
		case "description":
			m.Description = value
		case "allowed-tools":
			m.Allowed = words{value}
		case "disable-model-invocation":
			m.PersonOnly = value == "true"
		}
	}
	if m.Description == "" || strings.ContainsAny(m.Description[:1], "|>[{") {
		return meta{}, err
	}
	return m, nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// frontMatter splits a file at the two lines of ---.
func frontMatter(data []byte) (head, body []byte, ok bool) {
	text := bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(bytes.TrimRight(first, " \t")) != "---" {
		return nil, text, false
	}
	at := 0
	for line := range bytes.Lines(rest) {
		next := at + len(line)
		if string(bytes.TrimRight(line, " \t\n")) == "---" {
			return rest[:at], bytes.TrimLeft(rest[next:], "\n"), true
		}
		at = next
	}
	return nil, text, false
}
