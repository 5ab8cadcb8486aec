package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

func (f *files) editTool() *registry.Tool {
	oldParam := registry.Param{Name: "old_string", Type: registry.String, Positional: true, Pattern: true, Aliases: []string{"old_str", "oldString", "old"},
		Description: "The text to replace, as it stands in the file; it must occur once."}
	newParam := registry.Param{Name: "new_string", Type: registry.String, Positional: true, Pattern: true, Aliases: []string{"new_str", "newString", "new"},
		Description: "The text to put in its place, taken literally; '' deletes."}
	allParam := registry.Param{Name: "replace_all", Type: registry.Boolean, Default: false, Aliases: []string{"replaceAll", "all"},
		Description: "Replace every occurrence."}
	one := []registry.Param{oldParam, newParam, allParam}
	one[0].Required, one[1].Required = true, true
	return &registry.Tool{
		Name:     "edit",
		Summary:  "replace an exact piece of text in a file",
		Kind:     registry.Write,
		Category: category,
		Tags:     []string{"file", "replace", "change", "patch", "str_replace"},
		Detail: `Replaces old_string by new_string, both taken literally. The old text must occur exactly once, unless --replace_all or
--count says otherwise. It is looked for as it is; then with \n and \r\n taken as the same (new lines get the file's ending);
then, for whole lines that occur once, with another indentation, to which the new text is fitted. The last is reported, and
--strict turns both off. Nothing else in the file changes, a byte at most. Several edits of one file are done together or not at all:
--edits '[{"old_string": "a", "new_string": "b"}, ...]'. Prints a unified diff.`,
		Params: registry.NewParams(
			filePath(registry.WritesFile, "The file to change: relative to the current directory, absolute, or ~/..."),
			oldParam, newParam, allParam,
			registry.Param{Name: "count", Type: registry.Integer, Min: registry.Float(1), Aliases: []string{"expected_replacements"},
				Description: "How many occurrences there must be; all of them are replaced, and any other number is an error."},
			registry.Param{Name: "edits", Type: registry.Array, Items: &registry.Param{Type: registry.Object, Props: registry.NewParams(one...)},
				Description: "Several edits, each on the result of the one before; instead of old_string and new_string."},
			registry.Param{Name: "strict", Type: registry.Boolean, Default: false, Description: "Take only an exact match, and write new_string's bytes as they are."},
			registry.Param{Name: "expected_hash", Type: registry.String,
				Description: "Edit only if the file's SHA-256 starts with this (8 hexadecimal digits or more)."},
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Print the diff, and change nothing."},
		),
		Examples: []string{
			"edit main.go 'fmt.Println(x)' 'log.Print(x)'",
			"edit main.go --old_string oldName --new_string newName --replace_all",
			`edit a.txt --edits '[{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]'`,
		},
		Check: checkEdit,
		Uses:  addShownUses,
		Run:   f.edit,
	}
}

// checkEdit sees that there is one way to say what to replace.
func checkEdit(k registry.Kwargs) []string {
	_, hasOld := k["old_string"]
	_, hasNew := k["new_string"]
	_, hasEdits := k["edits"]
	problems := checkHash(k)
	switch {
	case hasEdits && (hasOld || hasNew || k["replace_all"] == true || k["count"] != nil):
		problems = append(problems, "--edits excludes --old_string, --new_string, --replace_all and --count: put them into its elements")
	case hasEdits:
	case !hasOld:
		problems = append(problems, "missing --old_string: write --old_string TEXT")
	case !hasNew:
		problems = append(problems, "missing --new_string: write --new_string TEXT ('' deletes the old text)")
	}
	if k["replace_all"] == true && k["count"] != nil {
		problems = append(problems, "--count replaces them all, and checks how many they are: leave --replace_all out")
	}
	return problems
}

// replacement is one edit to be made.
type replacement struct {
	old, new string
	all      bool
	count    int // 0: not checked
}

func (f *files) edit(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	if call.String("file_path") == "" {
		return finishRun(registry.Usagef("file_path is empty: name a file"))
	}
	list, err := parseReplacements(call)
	if err != nil {
		return finishRun(err)
	}
	path := call.Path(call.String("file_path"))
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

// parseReplacements reads the call's edits.
func parseReplacements(call *registry.Call) ([]replacement, error) {
	if !call.Has("edits") {
		r := replacement{call.String("old_string"), call.String("new_string"), call.Bool("replace_all"), call.Int("count")}
		return []replacement{r}, r.checkTexts()
	}
	var list []replacement
	for i, e := range call.Array("edits") {
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

func (r replacement) checkTexts() error {
	if r.old == "" {
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
	if r, known := f.lookUpState(file.Path); known && !call.Has("expected_hash") && r.changed(stampOfFile(file), old) {
		return about, fmt.Errorf("%s changed since it was read: read it again, and edit what it holds now", shown)
	}
	content, count, notes, err := applyReplacements(old, list, call.Bool("strict"), shown)
	if err != nil {
		return about, err
	}
	for _, note := range notes {
		fmt.Fprintf(call.Stderr, "%s: %s\n", shown, note)
	}
	facts := contentFacts(file.Path, content, hashOf(content))
	facts["replacements"], facts["dry_run"] = count, call.Bool("dry_run")
	about = summary{dryRun(call) + "edited " + shown + ", " + countNoun(count, "replacement"), facts}
	report := unifiedDiff(shown, old, content)
	if call.Bool("dry_run") {
		io.WriteString(call.Stdout, report)
		fmt.Fprintf(call.Stderr, "dry run: %s is as it was\n", shown)
		return about, nil
	}
	if err := ctx.Err(); err != nil {
		return about, err
	}
	if err := f.replaceContent(call, "edit", file, old, content, false); err != nil {
		return about, fmt.Errorf("%s: %w", shown, unwrapPath(err))
	}
	_, err = io.WriteString(call.Stdout, report)
	return about, err
}

// applyReplacements returns a content with the edits made, each on the result of the one
// before, how many places they changed, and what has to be said of them.
func applyReplacements(old []byte, list []replacement, strict bool, shown string) (content []byte, count int, notes []string, err error) {
	c := codecFor(old, list)
	text, err := c.decode(old)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("%s: %w", shown, err)
	}
	for i, r := range list {
		places, note := findReplacement(text, r, strict)
		if err := r.placesError(text, places, shown, strict); err != nil {
			if len(list) > 1 {
				err = fmt.Errorf("edits[%d]: %w (no edit was made)", i, err)
			}
			return nil, 0, nil, err
		}
		if size := sizeAfter(text, places); size > changeLimit {
			return nil, 0, nil, fmt.Errorf("%s would have %s, more than can be changed at once (%s)", shown, countNoun(size, "byte"), countNoun(changeLimit, "byte"))
		}
		if note != "" {
			notes = append(notes, note)
		}
		count += len(places)
		text = replacePlaces(text, places)
	}
	content, err = c.encode(text)
	if err == nil && bytes.Equal(content, old) {
		err = fmt.Errorf("%s: the edits leave the file as it is: there is nothing to change", shown)
	}
	return content, count, notes, err
}

// placesError says why the places of a replacement do not do.
func (r replacement) placesError(text string, places []located, shown string, strict bool) error {
	n := len(places)
	switch {
	case n == 0:
		return errors.New(diagnoseMismatch(text, r, shown, strict))
	case r.count > 0 && n != r.count:
		return fmt.Errorf("old_string occurs %s in %s (%s), not %d: nothing was changed", countTimes(n), shown, lineNumbers(text, places, 10), r.count)
	case n > 1 && !r.all && r.count == 0:
		return fmt.Errorf("old_string occurs %s in %s (%s): add surrounding lines, or pass --replace_all", countTimes(n), shown, lineNumbers(text, places, 10))
	}
	return nil
}

func countTimes(n int) string {
	if n == 1 {
		return "once"
	}
	return groupThousands(n) + " times"
}
