package term

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// mostPrompt bounds a command's file, in bytes.
const mostPrompt = 256 << 10

// userCommand is a slash command of the user's: a markdown file whose text is the prompt,
// or a skill.
type userCommand struct {
	name, path string
	files      fs.FS
	file       string // in files
	trust      Trust
	skill      *Skill // nil: it is a file
}

// Skill is a prompt that is found elsewhere.
type Skill struct {
	Name, About string
	Text        func(arguments string) string
}

// CommandDir is a directory of commands.
type CommandDir struct {
	Path  string
	Files fs.FS // those that the program brings; nil: what is at Path

	// Trust is asked before a command is used that somebody else may have written
	// (a project's). nil: they are the user's own.
	Trust Trust
}

// Trust remembers which texts a person has seen and wants to use.
type Trust interface {
	Trusted(path string, data []byte) bool
	Trust(path string, data []byte) error
}

// ownCommands are the files NAME.md of the directories; in a directory below,
// dir/NAME.md is dir:NAME. The first of a name counts. They are looked for when
// they are needed, so that they cost nothing at start and can be edited.
func (s *chatUI) ownCommands() (list []userCommand) {
	seen := map[string]bool{}
	for _, dir := range s.CommandDirs {
		files := dir.Files
		if files == nil {
			files = os.DirFS(dir.Path)
		}
		for _, pattern := range []string{"*.md", "*/*.md"} {
			found, _ := fs.Glob(files, pattern)
			for _, f := range found {
				name := strings.ReplaceAll(strings.TrimSuffix(f, ".md"), "/", ":")
				if seen[name] || safeLine(name) != name || strings.Contains(name, " ") {
					continue
				}
				seen[name] = true
				list = append(list, userCommand{name: name, path: filepath.Join(dir.Path, f), files: files, file: f, trust: dir.Trust})
			}
		}
	}
	if s.Skills == nil {
		return list
	}
	for _, k := range s.Skills() {
		if !seen[k.Name] && safeLine(k.Name) == k.Name {
			list = append(list, userCommand{name: k.Name, skill: &k})
		}
	}
	return list
}

// read returns the description and the prompt. The description stands between two
// lines of --- at the top, after "description:".
func (c userCommand) read() (about, prompt string, err error) {
	f, err := c.files.Open(c.file)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPrompt+1))
	if err != nil {
		return "", "", err
	}
	if len(data) > mostPrompt {
		return "", "", fmt.Errorf("/%s: %s is over %s bytes: make it shorter", c.name, c.path, groupThousands(mostPrompt))
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if head, body, ok := strings.Cut(rest, "\n---\n"); ok {
			text = body
			for line := range strings.Lines(head) {
				if v, ok := strings.CutPrefix(line, "description:"); ok {
					about = strings.Trim(strings.TrimSpace(v), `"'`)
				}
			}
		}
	}
	return about, strings.TrimSpace(text), nil
}

func (c userCommand) about() string {
	if c.skill != nil {
		return clipColumns(safeLine(c.skill.About), 70)
	}
	about, prompt, err := c.read()
	switch {
	case err != nil:
		return err.Error()
	case about == "":
		about, _, _ = strings.Cut(prompt, "\n")
	}
	return clipColumns(safeLine(about), 70)
}

// confirmUse asks for a project's command: the first time it is shown, and typing
// it again means that it may be used.
func (s *chatUI) confirmUse(c userCommand) (bool, error) {
	if c.skill != nil {
		return true, nil // what the model may read without a question
	}
	_, text, err := c.read()
	if err != nil || c.trust == nil || c.trust.Trusted(c.path, []byte(text)) {
		return err == nil, err
	}
	if mark := c.path + "\n" + text; s.seen != mark {
		s.seen = mark
		s.screen.showAnswer(text)
		s.screen.note("/" + c.name + " comes from this project (" + c.path + ") and was not used before: if the text above is good, type it again")
		return false, nil
	}
	s.seen = ""
	return true, c.trust.Trust(c.path, []byte(text))
}

var argumentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(ARGUMENTS|[1-9])\b`) })

// prompt is what is sent: $ARGUMENTS is what was typed after the name, $1 to $9 its words;
// it follows the text where the text does not name it.
func (c userCommand) prompt(args string) (string, error) {
	if c.skill != nil {
		return c.skill.Text(args), nil
	}
	_, text, err := c.read()
	switch {
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("/%s: %s is empty: write the prompt into it", c.name, c.path)
	case argumentName().MatchString(text):
		words := strings.Fields(args)
		return argumentName().ReplaceAllStringFunc(text, func(name string) string {
			switch n := int(name[1] - '0'); {
			case name == "$ARGUMENTS":
				return args
			case n <= len(words):
				return words[n-1]
			}
			return ""
		}), nil
	case args != "":
		return text + "\n\n" + args, nil
	}
	return text, nil
}
