// Package notes holds note and recall: what is worth remembering beyond a
// conversation, in a JSON file of the workspace.
//
// The file is .agentbash/notes.json in the repository's root, an array of
// objects with timestamp, category and content; it is made by the first note.
// Two programs may write at once. One that is no such array is kept aside under
// another name, and never written over.
package notes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
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
		Detail: `Adds a note, with the time, to .agentbash/notes.json of the workspace, which is made if it is not there. recall shows
them, in this session and in later ones.`,
		Params: registry.NewParams(
			registry.Param{Name: "content", Type: registry.String, Required: true, Stdin: true, Pattern: true, Aliases: []string{"text", "note"}, Description: "What to remember."},
			registry.Param{Name: "category", Type: registry.String, Default: defaultCategory, Aliases: []string{"tag"}, Description: "A word to find it by."},
		),
		Examples: []string{
			"note 'the tests need a running redis' --category setup",
			"git log --oneline -5 | note --category history",
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
		Detail:   "Prints the notes of the workspace, or those of one category, the oldest first.",
		Params: registry.NewParams(
			registry.Param{Name: "category", Type: registry.String, Aliases: []string{"tag"}, Description: "Only notes of this category."},
			registry.Param{Name: "json", Type: registry.Boolean, Default: false, Description: "Print them as a JSON array."},
		),
		Examples: []string{"recall", "recall --category setup", "recall --json | jq -r '.[-1].content'"},
		Run:      o.recall,
	}
}

func (o *Options) note(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	content := call.String("content")
	if !call.Has("content") {
		data, err := io.ReadAll(io.LimitReader(call.Stdin, maxNote+1))
		if err != nil {
			return registry.ToolResult{}, err
		}
		content = string(data)
	}
	content = strings.TrimRight(content, "\n")
	category := strings.TrimSpace(call.String("category"))
	switch {
	case strings.TrimSpace(content) == "":
		return registry.ToolResult{}, registry.Usagef("the note is empty: note 'TEXT'")
	case len(content) > maxNote:
		return registry.ToolResult{}, registry.Usagef("the note is longer than 1 MiB: write it to a file, and note where that is")
	case category == "":
		return registry.ToolResult{}, registry.Usagef("the category is empty: leave --category out for %q", defaultCategory)
	}
	path := o.file(call.Dir)
	n := note{Timestamp: o.Now().Format(time.RFC3339), Category: category, Content: content}
	count, aside, err := addNote(ctx, path, n)
	if aside != "" {
		fmt.Fprintf(call.Stderr, "%s was no list of notes and is now %s: see what is in it\n", call.Rel(path), filepath.Base(aside))
	}
	if err != nil {
		if ctx.Err() != nil {
			return registry.ToolResult{}, ctx.Err()
		}
		return registry.Failure("%v", err), nil
	}
	fmt.Fprintf(call.Stderr, "noted in %s, which has %d now: recall shows them\n", call.Rel(path), count)
	return notesResult("", "noted in "+call.Rel(path), path, count), nil
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

// addNote appends a note to the file and returns how many there are now. aside is
// where a file went that could not be understood.
func addNote(ctx context.Context, path string, n note) (count int, aside string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, "", err
	}
	unlock, err := lockDir(ctx, filepath.Dir(path))
	if err != nil {
		return 0, "", fmt.Errorf("lock %s: %w", filepath.Dir(path), err)
	}
	defer unlock()
	list, err := loadNotes(path)
	var broken *brokenError
	if errors.As(err, &broken) {
		if aside, err = moveAside(path); err != nil {
			return 0, "", err
		}
		list, err = nil, nil
	}
	if err != nil {
		return 0, aside, err
	}
	one, err := encodeJSON(n)
	if err != nil {
		return 0, aside, err
	}
	list = append(list, one)
	return len(list), aside, saveNotes(path, list)
}

// loadNotes reads the file; each entry stays as it is. One that is not there has none.
func loadNotes(path string) ([]json.RawMessage, error) {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, &brokenError{path, err}
	}
	return list, nil
}

// readRegular opens without waiting for a FIFO, and refuses what is no file.
func readRegular(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %s: move it away", path, atomicfile.KindOf(st.Mode()))
	case st.Size() > maxFile:
		return nil, fmt.Errorf("%s is bigger than 64 MiB: move it away", path)
	}
	return os.ReadFile(path)
}

// brokenError says that a file is no list of notes.
type brokenError struct {
	path string
	err  error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("%s is no list of notes (%v): correct it; the next note keeps it aside under another name", e.path, e.err)
}

// moveAside gives a file a name that no other has.
func moveAside(path string) (string, error) {
	for i := 1; i < 10_000; i++ {
		aside := fmt.Sprintf("%s.broken-%d", path, i)
		err := os.Link(path, aside) // fails where the name is taken, which a rename would not
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(path)
		}
		return aside, err
	}
	return "", fmt.Errorf("%s: there are thousands of broken ones beside it: remove them", path)
}

func saveNotes(path string, list []json.RawMessage) error {
	var b bytes.Buffer
	b.WriteString("[")
	for i, one := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		if err := json.Indent(&b, one, "  ", "  "); err != nil {
			return err
		}
	}
	b.WriteString("\n]\n")
	f, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Create(nil, path, b.Bytes(), 0)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Replace(b.Bytes())
}

func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (o *Options) recall(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
	path := o.file(call.Dir)
	raw, err := loadNotes(path)
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	category, all := call.String("category"), []note{}
	var categories []string
	for i, r := range raw {
		var n note
		if err := json.Unmarshal(r, &n); err != nil {
			fmt.Fprintf(call.Stderr, "%s: entry %d is no note and is left out: %v\n", call.Rel(path), i+1, err)
			continue
		}
		if n.Category == "" {
			n.Category = defaultCategory
		}
		if !slices.Contains(categories, n.Category) {
			categories = append(categories, n.Category)
		}
		if !call.Has("category") || n.Category == category {
			all = append(all, n)
		}
	}
	switch {
	case len(all) == 0 && len(categories) == 0:
		fmt.Fprintln(call.Stderr, "nothing was noted yet: note 'TEXT' does")
	case len(all) == 0:
		fmt.Fprintf(call.Stderr, "there are no notes of the category %q: there are %s\n", category, strings.Join(categories, ", "))
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
		fmt.Fprintf(&b, "%d. [%s] %s\n   (%s)\n", i+1, n.Category, strings.ReplaceAll(n.Content, "\n", "\n   "), n.Timestamp)
	}
	return notesResult(b.String(), display, path, len(all)), nil
}

func notesResult(output, display, path string, count int) registry.ToolResult {
	res := registry.Success(output)
	res.Display, res.Metadata = display, map[string]any{"path": path, "notes": count}
	return res
}
