// Package notes holds note and recall: what is worth remembering beyond a
// conversation, in a JSON file of the workspace.
//
// The file is .agentbash/notes.json in the repository's root, an array of
// objects with timestamp, category and content; it is made by the first note.
// Two programs may write at once. One that is no such array is kept aside under
// another name, and never written over.
package notes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Options configures Tools; nil means the defaults; copied.
type Options struct {
	// Root is the workspace. A command that runs in it or below it, and not in a
	// repository of its own, finds the notes there. "" means that only
	// repositories tell where a workspace begins.
	Root string

	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// note is an entry of the file.
type note struct {
	Timestamp string `json:"timestamp"`
	Category  string `json:"category"`
	Content   string `json:"content"`
}

const (
	defaultCategory = "general"
	file            = ".agentbash/notes.json" // in the workspace
	maxFile         = 64 << 20
	maxNote         = 1 << 20
)

// Tools returns note and recall, which are safe for concurrent use. The Metadata
// of their results are path, of the file, and notes, how many there are in it (for
// recall: that were printed).
func Tools(opts *Options) []*registry.Tool {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return []*registry.Tool{o.noteTool(), o.recallTool()}
}

func (o *Options) noteTool() *registry.Tool {
	return &registry.Tool{
		Name:     "note",
		Summary:  "remember something for later sessions",
		Kind:     registry.Write,
		Category: "memory",
		Tags:     []string{"memory", "remember", "save", "record"},
		Detail: `Adds a note, with the time, to .agentbash/notes.json of the workspace, which is made if it is not there; with --id changes
one, or removes it. recall shows them with their numbers, in this session and in later ones.`,
		Params: registry.NewParams(
			registry.Param{Name: "content", Type: registry.String, Positional: true, Stdin: true, Pattern: true, Aliases: []string{"text", "note"}, Description: "What to remember."},
			registry.Param{Name: "category", Type: registry.String, Default: defaultCategory, Aliases: []string{"tag"}, Description: "A word to find it by."},
			registry.Param{Name: "id", Type: registry.Integer, Min: registry.Float(1), Aliases: []string{"number"}, Description: "Change the note that recall shows with this number: its content, its category or both."},
			registry.Param{Name: "remove", Type: registry.Boolean, Default: false, Aliases: []string{"delete"}, Description: "Remove that note."},
		),
		Examples: []string{
			"note 'the tests need a running redis' --category setup",
			"git log --oneline -5 | note --category history",
			"note --id 2 'the tests need redis 8'",
			"note --id 2 --remove",
		},
		Check: func(k registry.Kwargs) (problems []string) {
			_, content := k["content"]
			remove, _ := k["remove"].(bool)
			if _, id := k["id"]; remove && (!id || content) {
				problems = append(problems, "--remove wants --id alone: note --id N --remove, with a number that recall shows")
			}
			return problems
		},
		Uses: func(registry.Kwargs, []registry.Use, bool) ([]registry.Use, bool) {
			return []registry.Use{{Role: registry.KeepsState, Value: file}}, true
		},
		Run: o.note,
	}
}

func (o *Options) recallTool() *registry.Tool {
	return &registry.Tool{
		Name:     "recall",
		Summary:  "show what was noted",
		Kind:     registry.ReadOnly,
		Category: "memory",
		Tags:     []string{"memory", "remember", "notes"},
		Detail:   "Prints the notes of the workspace with their numbers, the oldest first: all, those with some words, or those of one category.",
		Params: registry.NewParams(
			registry.Param{Name: "query", Type: registry.String, Positional: true, Aliases: []string{"q", "search"}, Description: "Only notes with all of these words, in any case, in their content or category."},
			registry.Param{Name: "category", Type: registry.String, Aliases: []string{"tag"}, Description: "Only notes of this category."},
			registry.Param{Name: "limit", Type: registry.Integer, Default: 20, Min: registry.Float(0), Description: "How many notes to print, the last ones; 0 prints all. JSON is of all without it."},
			registry.Param{Name: "json", Type: registry.Boolean, Default: false, Description: "Print them as a JSON array."},
		),
		Examples: []string{"recall", "recall redis", "recall --category setup", "recall --json | jq -r '.[-1].content'"},
		Run:      o.recall,
	}
}

func (o *Options) note(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	content, category, id := call.String("content"), strings.TrimSpace(call.String("category")), call.Int("id")
	partly := id > 0 && (call.Has("category") || call.Bool("remove")) // of which the content may stay
	if !partly {
		var err error
		if content, _, err = call.Input("content", maxNote); err != nil {
			return registry.ToolResult{}, err
		}
	}
	content = strings.TrimRight(content, "\n")
	switch {
	case strings.TrimSpace(content) == "" && (!partly || call.Has("content")):
		return registry.ToolResult{}, registry.Usagef("the note is empty: give its content: note 'TEXT'")
	case len(content) > maxNote:
		return registry.ToolResult{}, registry.Usagef("the note is longer than 1 MiB: write it to a file, and note where that is")
	case category == "":
		return registry.ToolResult{}, registry.Usagef("the category is empty: leave --category out for %q", defaultCategory)
	}
	path := o.file(call.Dir)
	e := edit{note: note{Timestamp: o.Now().Format(time.RFC3339), Content: content}, id: id, remove: call.Bool("remove")}
	if id == 0 || call.Has("category") {
		e.Category = category
	}
	if list, err := loadNotes(path); id > 0 && (err != nil || id > len(list)) { // before anything is made or moved
		return registry.Failure("%v", cmp.Or(err, e.missing())), nil
	}
	count, aside, err := changeNotes(ctx, path, e.apply)
	if aside != "" {
		fmt.Fprintf(call.Stderr, "%s was no list of notes and is now %s: see what is in it\n", call.Rel(path), filepath.Base(aside))
	}
	if err != nil {
		if ctx.Err() != nil {
			return registry.ToolResult{}, ctx.Err()
		}
		return registry.Failure("%v", err), nil
	}
	done, next := "noted in "+call.Rel(path), "recall shows them"
	switch {
	case e.remove:
		done, next = fmt.Sprintf("removed note %d from %s", id, call.Rel(path)), "the numbers after it are one lower"
	case id > 0:
		done = fmt.Sprintf("changed note %d in %s", id, call.Rel(path))
	}
	fmt.Fprintf(call.Stderr, "%s, which has %d now: %s\n", done, count, next)
	return notesResult("", done, path, count), nil
}

// file is where the notes of a directory are: of its repository, else of the
// workspace that it lies in, else its own.
func (o *Options) file(dir string) string {
	root := dir
	if o.Root != "" && registry.Below(dir, o.Root) {
		root = o.Root
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			root = d
			break
		}
		if d == o.Root || filepath.Dir(d) == d {
			break
		}
	}
	return filepath.Join(root, file)
}

func (o *Options) recall(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
	path := o.file(call.Dir)
	raw, err := loadNotes(path)
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	category := call.String("category")
	all, numbers, categories := selectNotes(call, path, raw)
	switch {
	case len(all) == 0 && len(categories) == 0:
		fmt.Fprintln(call.Stderr, "nothing was noted yet: note 'TEXT' does")
	case len(all) == 0 && call.Has("query"):
		fmt.Fprintf(call.Stderr, "no note has %q: try fewer words, or recall alone\n", call.String("query"))
	case len(all) == 0:
		fmt.Fprintf(call.Stderr, "there are no notes of the category %q: there are %s\n", category, strings.Join(categories, ", "))
	}
	if more := len(all) - call.Int("limit"); more > 0 && call.Int("limit") > 0 && (call.Has("limit") || !call.Bool("json")) {
		all, numbers = all[more:], numbers[more:]
		fmt.Fprintf(call.Stderr, "the last %d of %d notes: recall --limit 0 shows all, recall WORDS those with these words\n", len(all), len(all)+more)
	}
	display := fmt.Sprintf("recalled %d notes", len(all))
	if len(all) == 1 {
		display = "recalled 1 note"
	}
	if call.Bool("json") {
		out, err := encodeJSON(all)
		return notesResult(string(out)+"\n", display, path, len(all)), err
	}
	var b strings.Builder
	for i, n := range all {
		fmt.Fprintf(&b, "%d. [%s] %s\n   (%s)\n", numbers[i], n.Category, strings.ReplaceAll(n.Content, "\n", "\n   "), n.Timestamp)
	}
	return notesResult(b.String(), display, path, len(all)), nil
}

// selectNotes are the notes that are asked for, with their numbers, and the categories of all.
func selectNotes(call *registry.Call, path string, raw []json.RawMessage) (list []note, numbers []int, categories []string) {
	list = []note{}
	for i, r := range raw {
		var n note
		if err := json.Unmarshal(r, &n); err != nil {
			fmt.Fprintf(call.Stderr, "%s: entry %d is no note and is left out: %v\n", call.Rel(path), i+1, err)
			continue
		}
		n.Category = cmp.Or(n.Category, defaultCategory)
		if !slices.Contains(categories, n.Category) {
			categories = append(categories, n.Category)
		}
		if (!call.Has("category") || n.Category == call.String("category")) && n.has(call.String("query")) {
			list, numbers = append(list, n), append(numbers, i+1)
		}
	}
	return list, numbers, categories
}

// has reports whether all words are in the note.
func (n note) has(words string) bool {
	text := strings.ToLower(n.Category + "\n" + n.Content)
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(text, w) })
}

func notesResult(output, display, path string, count int) registry.ToolResult {
	res := registry.Success(output)
	res.Display, res.Metadata = display, map[string]any{"path": path, "notes": count}
	return res
}
