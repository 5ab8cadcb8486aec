package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/patch"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

func (f *files) editTool() *registry.Tool {
	oldParam := registry.Param{Name: "old_string", Type: registry.String, Positional: true, Pattern: true, Aliases: []string{"old_str", "oldString", "old", "old_text", "find", "search"},
		Description: "The text to replace, as it stands in the file; it must occur once."}
	newParam := registry.Param{Name: "new_string", Type: registry.String, Positional: true, Pattern: true, Aliases: []string{"new_str", "newString", "new", "insert_text", "new_text", "replace", "replacement"},
		Description: "The text to put in its place, taken literally; '' deletes."}
	allParam := registry.Param{Name: "replace_all", Type: registry.Boolean, Default: false, Aliases: []string{"replaceAll", "all"},
		Description: "Replace every occurrence."}
	one := []registry.Param{oldParam, newParam, allParam}
	one[0].Required, one[1].Required = true, true
	return &registry.Tool{
		Name:     "edit",
		Summary:  "replace text in a file, by --old_string and --new_string or a patch on stdin",
		Kind:     registry.Write,
		Category: Category,
		Tags:     []string{"file", "replace", "change", "patch", "str_replace"},
		Detail: `Replaces old_string by new_string, both taken literally; long texts are best given on stdin, as SEARCH/REPLACE blocks, a
unified diff or in the form of apply_patch (which changes several files). The old text must occur exactly once, unless --replace_all or
--count says otherwise. It is looked for as it is; then with other ends of lines, blanks before them, typographic quotes and blanks, or,
for whole lines, with another indentation, to which the new text is fitted; then without line numbers that were copied with it, or
escaped once less. Whatever was not exact is reported; --strict takes only what is. Nothing else in the file changes, a byte at most.
Several edits are done together or not at all. Prints a unified diff.`,
		Params: registry.NewParams(
			filePath(registry.WritesFile, "The file to change: relative to the current directory, absolute, or ~/..."),
			oldParam, newParam, allParam,
			registry.Param{Name: "count", Type: registry.Integer, Min: registry.Float(1), Aliases: []string{"expected_replacements"},
				Description: "How many occurrences there must be; all of them are replaced, and any other number is an error."},
			registry.Param{Name: "edits", Type: registry.Array, Items: &registry.Param{Type: registry.Object, Props: registry.NewParams(one...)},
				Description: "Several edits, each on the result of the one before; instead of old_string and new_string."},
			registry.Param{Name: "insert_line", Type: registry.Integer, Min: registry.Float(0), Aliases: []string{"insertLine"},
				Description: "Insert new_string, or what is on stdin, as lines after the line of this number; 0: before the first."},
			registry.Param{Name: "patch", Type: registry.String, Stdin: true, Aliases: []string{"diff"},
				Description: "SEARCH/REPLACE blocks or a unified diff of this file; instead of old_string and new_string."},
			registry.Param{Name: "strict", Type: registry.Boolean, Default: false, Description: "Take only an exact match, and write new_string's bytes as they are, placeholders such as '... existing code ...' too."},
			registry.Param{Name: "expected_hash", Type: registry.String,
				Description: "Edit only if the file's SHA-256 starts with this (8 hexadecimal digits or more)."},
			encodingParam("What the file is written in, and stays in; auto refuses an edit that is not the same in all that it may be."),
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Print the diff, and change nothing."},
		),
		Examples: []string{
			"edit main.go 'fmt.Println(x)' 'log.Print(x)'",
			"edit main.go <<'EOF'\n<<<<<<< SEARCH\n\told()\n=======\n\tnew()\n>>>>>>> REPLACE\nEOF",
			"edit main.go --old_string oldName --new_string newName --replace_all",
			`edit a.txt --edits '[{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]'`,
		},
		Check: checkEdit,
		Uses:  addShownUses,
		Run:   f.edit,
	}
}

// editWays are the parameters that say all that is to change, and what they leave no place for.
var editWays = []struct {
	name     string
	excludes []string
	problem  string
}{
	{"edits", []string{"old_string", "new_string", "replace_all", "count"},
		"--edits excludes --old_string, --new_string, --replace_all and --count: put them into its elements"},
	{"insert_line", []string{"old_string", "edits", "patch", "replace_all", "count"},
		"--insert_line takes the text as --new_string, and nothing to replace: leave --old_string, --edits, --patch, --replace_all and --count out"},
	{"patch", []string{"old_string", "new_string", "edits", "replace_all", "count"},
		"--patch says all that is to change: leave --old_string, --new_string, --edits, --replace_all and --count out"},
}

// checkEdit sees that there is one way to say what to replace.
func checkEdit(k registry.Kwargs) []string {
	has := func(name string) bool { v, ok := k[name]; return ok && v != false }
	problems, other := checkHash(k), false
	for _, way := range editWays {
		other = other || has(way.name)
		if has(way.name) && slices.ContainsFunc(way.excludes, has) {
			problems = append(problems, way.problem)
			break
		}
	}
	switch several := has("replace_all") || has("count"); {
	case other:
	case has("old_string") && !has("new_string"):
		problems = append(problems, "missing --new_string: write --new_string TEXT ('' deletes the old text)")
	case !has("old_string") && (has("new_string") || several):
		problems = append(problems, "missing --old_string: write --old_string TEXT")
	}
	if has("replace_all") && has("count") {
		problems = append(problems, "--count replaces them all, and checks how many they are: leave --replace_all out")
	}
	return problems
}

func (f *files) edit(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	if call.String("file_path") == "" {
		return finishRun(registry.Usagef("file_path is empty: name a file"))
	}
	path := call.Path(call.String("file_path"))
	list, err := replacementsOf(call, path)
	if err != nil {
		return finishRun(err)
	}
	defer f.lockFile(turnName(path))()
	file, err := openTarget(f.newGate(ctx), call, path)
	if errors.Is(err, os.ErrNotExist) {
		return finishRun(notFound(call, path, err))
	}
	if err != nil {
		return finishRun(err)
	}
	defer file.Close()
	return doneWith(f.applyEdits(ctx, call, path, file, list))
}

// replacementsOf reads the call's edits.
func replacementsOf(call *registry.Call, path string) ([]replacement, error) {
	switch {
	case call.Has("edits"):
		return listedReplacements(call.Array("edits"))
	case call.Has("insert_line"):
		text := call.String("new_string")
		if !call.Has("new_string") {
			all, err := readStdin(call, "--new_string TEXT")
			if err != nil {
				return nil, err
			}
			text = string(all)
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		r := replacement{new: text, hunk: &patch.Edit{New: text, Line: call.Int("insert_line") + 1}}
		return []replacement{r}, r.checkTexts()
	case call.Has("old_string"):
		r := replacement{old: call.String("old_string"), new: call.String("new_string"), all: call.Bool("replace_all"), count: call.Int("count")}
		return []replacement{r}, r.checkTexts()
	}
	files, err := readPatch(call)
	if err != nil {
		return nil, err
	}
	var list []replacement
	for _, p := range files {
		other := strings.ContainsAny(p.Path, "./") && call.Path(p.Path) != path && !strings.HasSuffix(path, "/"+filepath.Clean(p.Path))
		if other || p.Add || p.Delete || p.To != "" {
			return nil, fmt.Errorf("edit only changes what is in %s, and the patch does something with %s: send it to apply_patch", call.Rel(path), cmp.Or(p.Path, "another file"))
		}
		list = append(list, replacementsFrom(p.Edits)...)
	}
	return list, nil
}

func listedReplacements(edits []any) (list []replacement, err error) {
	for i, e := range edits {
		m, _ := e.(map[string]any)
		r := replacement{}
		r.old, _ = m["old_string"].(string)
		r.new, _ = m["new_string"].(string)
		r.all, _ = m["replace_all"].(bool)
		if err := r.checkTexts(); err != nil {
			return nil, fmt.Errorf("edits[%d]: %w", i, err)
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, registry.Usagef("edits is empty: give at least one")
	}
	return list, nil
}

// readPatch reads the patch of a call, from its parameter or stdin.
func readPatch(call *registry.Call) ([]patch.File, error) {
	text := call.String("patch")
	if !call.Has("patch") {
		b, err := readStdin(call, "--old_string TEXT --new_string TEXT, or a patch on stdin ("+call.Tool.Name+" --help shows one)")
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	return patch.Parse(text)
}

// readStdin reads what a call is given on stdin instead of by a parameter.
func readStdin(call *registry.Call, missing string) ([]byte, error) {
	if call.Stdin == nil {
		return nil, registry.Usagef("what to change is missing: write %s", missing)
	}
	text, err := io.ReadAll(io.LimitReader(call.Stdin, changeLimit))
	if err != nil {
		return nil, fmt.Errorf("reading stdin: %w: nothing was changed", err)
	}
	return text, nil
}

// replacementsFrom are the edits of a patch.
func replacementsFrom(edits []patch.Edit) (list []replacement) {
	for i := range edits {
		list = append(list, replacement{old: edits[i].Old, new: edits[i].New, hunk: &edits[i]})
	}
	return list
}

func (r replacement) checkTexts() error {
	if r.old == "" && r.hunk == nil {
		return errors.New("old_string is empty: give the text to replace, or use write to make a whole file")
	}
	if r.old == r.new {
		return errors.New("old_string and new_string are the same: there is nothing to change")
	}
	return nil
}

// applyEdits makes the edits of a file that is open, all of them or none.
func (f *files) applyEdits(ctx context.Context, call *registry.Call, path string, file *atomicfile.File, list []replacement) (about summary, err error) {
	shown := call.Rel(path)
	old, err := file.Content(changeLimit)
	if err != nil {
		return about, err
	}
	if err := expectHash(call, shown, old); err != nil {
		return about, err
	}
	e, err := applyReplacements(old, list, call, shown)
	if err != nil {
		return about, err
	}
	known := true // what is there now is what was read
	if !call.Has("expected_hash") {
		if known, err = f.checkEdited(shown, file, old, &e); err != nil {
			return about, err
		}
	}
	e.printNotes(call, shown)
	diff := diffFor(call)(shown, e.before, e.after)
	if e.count > len(list) { // where a header may have a time, patch(1) reads no further
		diff = strings.Replace(diff, "\n+++ "+shown+"\n", "\n+++ "+shown+"\t"+countNoun(e.count, "replacement")+"\n", 1)
	}
	facts := contentFacts(file.Path, e.content, hashOf(e.content))
	facts["replacements"], facts["dry_run"] = e.count, call.Bool("dry_run")
	about = summary{dryRun(call) + "edited " + shown + ", " + countNoun(e.count, "replacement"), facts}
	if call.Bool("dry_run") {
		io.WriteString(call.Stdout, diff)
		fmt.Fprintf(call.Stderr, "dry run: %s is as it was\n", shown)
		return about, nil
	}
	if err := ctx.Err(); err != nil {
		return about, err
	}
	c := &fileChange{path: file.Path, shown: shown, file: file, was: old, is: e.content, there: true, known: known}
	if err := f.commit(call, nil, "edit", []*fileChange{c}); err != nil {
		return about, err
	}
	_, err = io.WriteString(call.Stdout, diff)
	return about, err
}
