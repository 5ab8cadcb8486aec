package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// Options configures Tool.
type Options struct {
	// Dirs are where the skills of a working directory are, as Find wants them;
	// nil means Subdirs.
	Dirs func(dir string) []string

	// Person says that a person gives the commands, who may start all skills.
	Person bool
}

func (o *Options) dirs(dir string) []string {
	if o == nil || o.Dirs == nil {
		return Subdirs(dir)
	}
	return o.Dirs(dir)
}

// Tool returns skill, which is safe for concurrent use. The Metadata of its
// results are name and path, of the skill's folder, or skills, how many are listed.
func Tool(opts *Options) *registry.Tool {
	var told sync.Map // problems that were reported
	return &registry.Tool{
		Name:     "skill",
		Summary:  "print the instructions for a special task; without a name, list them",
		Kind:     registry.ReadOnly,
		Category: "skills",
		Tags:     []string{"get_skill", "instructions", "howto", "guide", "SKILL.md"},
		Detail: `Skills are folders with a SKILL.md in .agents/skills, .claude/skills and .agentbash/skills of the project, and in the user's
own. Prints all of one, and first the path of its folder, from where the scripts and files that it names are run and read. The arguments stand where
it says $ARGUMENTS, else at its end.`,
		Params: registry.NewParams(
			registry.Param{Name: "name", Type: registry.String, Positional: true, Aliases: []string{"skill_name", "skill"}, Description: "Which one. Without a name, they are listed."},
			registry.Param{Name: "arguments", Type: registry.String, Positional: true, Aliases: []string{"args"}, Description: "What the skill is to be used on, in quotes."},
		),
		Examples: []string{"skill", "skill pdf", "skill review 'the last commit'"},
		Run: func(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
			found, problems := Find(opts.dirs(call.Dir))
			person := opts != nil && opts.Person
			if call.Has("name") {
				return printSkill(found, problems, person, call)
			}
			for _, p := range problems {
				if _, again := told.LoadOrStore(p.Error(), true); !again {
					fmt.Fprintln(call.Stderr, p)
				}
			}
			if !person {
				found = slices.DeleteFunc(found, func(s Skill) bool { return s.PersonOnly })
			}
			return listSkills(found, call), nil
		},
	}
}

func listSkills(found []Skill, call *registry.Call) registry.ToolResult {
	if len(found) == 0 {
		fmt.Fprintln(call.Stderr, "there are no skills: one is a folder with a SKILL.md in .agents/skills")
	}
	var b strings.Builder
	for _, s := range found {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Description)
	}
	res := registry.Success(b.String())
	res.Listing = true
	res.Display, res.Metadata = fmt.Sprintf("%d skills", len(found)), map[string]any{"skills": len(found)}
	if len(found) == 1 {
		res.Display = "1 skill"
	}
	return res
}

func printSkill(found []Skill, problems []error, person bool, call *registry.Call) (registry.ToolResult, error) {
	name := call.String("name")
	var names []string
	for _, s := range found {
		if s.Name == name || filepath.Base(s.Dir) == name {
			if s.PersonOnly && !person {
				return registry.Failure("only the person starts the skill %s: with /%[1]s in the chat, or agentbash skill %[1]s in a terminal", name), nil
			}
			if s.Allowed != "" {
				fmt.Fprintf(call.Stderr, "its author wants these tools to be allowed, which rules of the person do: %s\n", s.Allowed)
			}
			res := registry.Success(s.Text(call.String("arguments")))
			res.Display, res.Metadata = "skill "+s.Name, map[string]any{"name": s.Name, "path": s.Dir}
			return res, s.files(call)
		}
		if person || !s.PersonOnly {
			names = append(names, s.Name)
		}
	}
	for _, err := range problems {
		if p := (*Problem)(nil); errors.As(err, &p) && filepath.Base(p.Dir) == name {
			return registry.Failure("%v", err), nil
		}
	}
	switch near := registry.Closest(name, names, 1); {
	case len(names) == 0:
		return registry.Failure("there is no skill %q, and no other: one is a folder with a SKILL.md in .agents/skills", name), nil
	case len(near) > 0:
		return registry.Failure("there is no skill %q: did you mean %s? There are: %s", name, near[0], strings.Join(names, ", ")), nil
	}
	return registry.Failure("there is no skill %q: there are %s", name, strings.Join(names, ", ")), nil
}

// Text is the skill as it is printed for arguments: its folder, and its instructions.
func (s Skill) Text(arguments string) string {
	body := strings.ToValidUTF8(string(s.body), "\ufffd")
	filled := strings.NewReplacer("$ARGUMENTS", arguments, "${CLAUDE_SKILL_DIR}", s.Dir).Replace(body)
	if arguments != "" && !strings.Contains(body, "$ARGUMENTS") {
		filled += "\n\nARGUMENTS: " + arguments
	}
	if filled != "" && !strings.HasSuffix(filled, "\n") {
		filled += "\n"
	}
	return fmt.Sprintf("Skill %s. Paths in it start from its folder: %s\n\n%s", s.Name, s.Dir, filled)
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
