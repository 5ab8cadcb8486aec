// Package skills finds instructions for special tasks, and holds the tool skill,
// which prints one.
//
// A skill is a folder with a file SKILL.md that begins with YAML front matter
// between lines of ---, with a name and a description (the Agent Skills
// convention). The descriptions are for a system prompt; the rest is printed
// when it is needed, with the folder's path, since a skill may bring scripts,
// which are run as any others are.
package skills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"go.yaml.in/yaml/v3"
)

// File is what makes a folder a skill.
const File = "SKILL.md"

// maxSkill bounds a SKILL.md, in bytes.
const maxSkill = 1 << 20

// Skill is one skill that Find found.
type Skill struct {
	Name        string
	Description string // in one line; may be empty
	Dir         string // its folder, absolute if what it was found in is
	body        []byte // after the front matter
}

// Find looks for skills in directories that hold their folders, the nearest
// last: of two with a name it wins. They come by name. What is wrong with one
// is among the problems; it is found all the same if it can be read.
func Find(dirs []string) (found []Skill, problems []error) {
	seen := map[string]bool{}
	for i := len(dirs) - 1; i >= 0; i-- {
		entries, err := os.ReadDir(dirs[i])
		if err != nil {
			continue // there is none, mostly
		}
		for _, e := range entries {
			s, err := loadSkill(filepath.Join(dirs[i], e.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				problems = append(problems, err)
			}
			if s != nil && !seen[s.Name] {
				seen[s.Name] = true
				found = append(found, *s)
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found, problems
}

// loadSkill reads a skill's file. With an error there may be a skill nevertheless.
func loadSkill(dir string) (*Skill, error) {
	path := filepath.Join(dir, File)
	st, err := os.Stat(path)
	switch {
	case err != nil:
		if errors.Is(err, fs.ErrNotExist) || !isDir(dir) {
			return nil, fs.ErrNotExist
		}
		return nil, fmt.Errorf("skill %w", err)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("skill %s: it is no file: make it one, or move it away", path)
	case st.Size() > maxSkill:
		return nil, fmt.Errorf("skill %s: it is longer than 1 MiB: put what is not always needed in files beside it", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("skill %w", err)
	}
	s := &Skill{Name: filepath.Base(dir), Dir: dir}
	head, body, ok := frontMatter(data)
	if s.body = body; !ok {
		return s, fmt.Errorf("skill %s: it has no front matter: begin it with a line ---, name: and description:, and a line ---", path)
	}
	meta, err := readHead(head)
	if err != nil {
		return s, fmt.Errorf("skill %s: its front matter is no YAML: %s", path, strings.Join(strings.Fields(err.Error()), " "))
	}
	if meta.Name = strings.TrimSpace(meta.Name); meta.Name != "" {
		s.Name = strings.Join(strings.Fields(meta.Name), "-")
	}
	if s.Description = strings.Join(strings.Fields(meta.Description), " "); s.Description == "" {
		return s, fmt.Errorf("skill %s: its front matter has no description: say in a line when it is to be used", path)
	}
	return s, nil
}

// meta is what is used of the front matter.
type meta struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
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
	for at := 0; at < len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		next := at + len(line)
		if more {
			next++
		}
		if string(bytes.TrimRight(line, " \t")) == "---" {
			return rest[:at], bytes.TrimLeft(rest[next:], "\n"), true
		}
		at = next
	}
	return nil, text, false
}

// Options configures Tool.
type Options struct {
	// Dirs are where the skills of a working directory are, as Find wants them;
	// nil means .claude/skills and .agentbash/skills in it.
	Dirs func(dir string) []string
}

func (o *Options) dirs(dir string) []string {
	if o == nil || o.Dirs == nil {
		return []string{filepath.Join(dir, ".claude", "skills"), filepath.Join(dir, ".agentbash", "skills")}
	}
	return o.Dirs(dir)
}

// Tool returns skill, which is safe for concurrent use. The Metadata of its
// results are name and path, of the skill's folder, or skills, how many are listed.
func Tool(opts *Options) *registry.Tool {
	return &registry.Tool{
		Name:     "skill",
		Summary:  "print the instructions for a special task; without a name, list them",
		Kind:     registry.ReadOnly,
		Category: "skills",
		Tags:     []string{"get_skill", "instructions", "howto", "guide", "SKILL.md"},
		Detail: `Skills are folders with a SKILL.md in .agentbash/skills and .claude/skills of the project, and in the user's own. Prints all
of one, and first the path of its folder, from where the scripts and files that it names are run and read.`,
		Params: registry.NewParams(
			registry.Param{Name: "name", Type: registry.String, Positional: true, Aliases: []string{"skill_name", "skill"}, Description: "Which one. Without a name, they are listed."},
		),
		Examples: []string{"skill", "skill pdf"},
		Run: func(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
			return runSkill(opts.dirs(call.Dir), call)
		},
	}
}

func runSkill(dirs []string, call *registry.Call) (registry.ToolResult, error) {
	found, problems := Find(dirs)
	name := call.String("name")
	if !call.Has("name") {
		for _, p := range problems {
			fmt.Fprintln(call.Stderr, p)
		}
		if len(found) == 0 {
			fmt.Fprintln(call.Stderr, "there are no skills: one is a folder with a SKILL.md in .agentbash/skills")
		}
		var b strings.Builder
		for _, s := range found {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Description)
		}
		res := registry.Success(b.String())
		res.Display, res.Metadata = fmt.Sprintf("%d skills", len(found)), map[string]any{"skills": len(found)}
		if len(found) == 1 {
			res.Display = "1 skill"
		}
		return res, nil
	}
	var names []string
	for _, s := range found {
		if s.Name == name || filepath.Base(s.Dir) == name {
			res := registry.Success(s.String())
			res.Display, res.Metadata = "skill "+s.Name, map[string]any{"name": s.Name, "path": s.Dir}
			return res, s.files(call)
		}
		names = append(names, s.Name)
	}
	switch near := registry.Closest(name, names, 1); {
	case len(names) == 0:
		return registry.Failure("there is no skill %q, and no other: one is a folder with a SKILL.md in .agentbash/skills", name), nil
	case len(near) > 0:
		return registry.Failure("there is no skill %q: did you mean %s? There are: %s", name, near[0], strings.Join(names, ", ")), nil
	}
	return registry.Failure("there is no skill %q: there are %s", name, strings.Join(names, ", ")), nil
}

// String is the skill as it is printed.
func (s Skill) String() string {
	text := strings.ToValidUTF8(string(s.body), "\ufffd")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fmt.Sprintf("Skill %s. Paths in it start from its folder: %s\n\n%s", s.Name, s.Dir, text)
}

// maxFiles bounds how many of a skill's other files are named.
const maxFiles = 50

// files says what else is in the folder.
func (s Skill) files(call *registry.Call) error {
	var names []string
	dir, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be looked into is not named
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != dir:
			return fs.SkipDir
		case d.IsDir() || path == filepath.Join(dir, File):
			return nil
		case len(names) == maxFiles:
			names = append(names, "...")
			return fs.SkipAll
		}
		rel, err := filepath.Rel(dir, path)
		names = append(names, rel)
		return err
	})
	if len(names) > 0 {
		fmt.Fprintf(call.Stderr, "with it come: %s\n", strings.Join(names, ", "))
	}
	return err
}
