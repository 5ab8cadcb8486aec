package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/patch"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

func (f *files) patchTool() *registry.Tool {
	return &registry.Tool{
		Name:     "apply_patch",
		Summary:  "change, add, delete and move several files by a patch on stdin",
		Kind:     registry.Write,
		Category: Category,
		Tags:     []string{"file", "patch", "diff", "edit", "move", "delete"},
		Detail: `The patch is *** Begin Patch, then for each file *** Update File: PATH (with *** Move to: PATH on the next line to
move it), *** Add File: PATH (each line after a +) or *** Delete File: PATH, then *** End Patch. What changes in a file stands after a line
@@, or @@ LINE with a line that stands somewhere before it: lines that stay after a space, lines that go after -, lines that come
after +. A unified diff, of git too, and SEARCH/REPLACE blocks with the file's name on the line before do as well. All of it is done or
nothing, and undo takes all of it back. Old lines are looked for as edit does. From stdin a patch changes files below the current directory.`,
		Params: registry.NewParams(
			registry.Param{Name: "patch", Type: registry.String, Required: true, Stdin: true, Pattern: true, Aliases: []string{"input", "patch_text", "patchText", "diff"},
				Description: "The patch."},
			registry.Param{Name: "strict", Type: registry.Boolean, Default: false, Description: "Take only old lines that stand there exactly, and write placeholders such as '... existing code ...' too."},
			encodingParam("What the files that change are written in, and stay in; auto refuses an edit that is not the same in all that one may be."),
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Print what would change, and change nothing."},
		),
		Examples: []string{
			"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: main.go\n@@ func main() {\n-\told()\n+\tnew()\n*** Add File: docs/new.md\n+# New\n*** End Patch\nEOF",
			"git diff HEAD~1 | apply_patch --dry_run",
		},
		Uses: patchUses,
		Run:  f.applyPatch,
	}
}

// patchUses are the files that a patch names, or, where it comes from stdin, those below the
// current directory, to which it keeps.
func patchUses(k registry.Kwargs, _ []registry.Use, _ bool) (uses []registry.Use, known bool) {
	text, given := k["patch"].(string)
	if !given {
		return addShownUses(k, []registry.Use{{Role: registry.WritesTree, Value: "."}}, true)
	}
	list, _ := patch.Parse(text)
	for _, path := range pathsIn(list) {
		uses = append(uses, registry.Use{Role: registry.WritesFile, Value: path})
	}
	return addShownUses(k, uses, true)
}

// pathsIn are the files that a patch names.
func pathsIn(list []patch.File) (paths []string) {
	for _, p := range list {
		paths = append(paths, p.Path, p.To)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// patchRun is one run of apply_patch.
type patchRun struct {
	*files
	call   *registry.Call
	gate   *gate
	list   []*fileChange // in the order in which they came up
	byPath map[string]*fileChange
	count  int // places that changed
}

func (f *files) applyPatch(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	list, err := readPatch(call)
	if err != nil {
		return finishRun(err)
	}
	r := patchRun{files: f, call: call, gate: f.newGate(ctx), byPath: map[string]*fileChange{}}
	defer func() {
		for _, c := range r.list {
			c.close()
		}
	}()
	paths := pathsIn(list)
	for i := range paths {
		paths[i] = turnName(call.Path(paths[i]))
	}
	defer f.lockFiles(paths)()
	for _, p := range list {
		if err := r.plan(p); err != nil {
			if len(list) > 1 && registry.ExitStatus(err) == 1 {
				err = fmt.Errorf("%w; nothing was changed in any file", err)
			}
			return finishRun(err)
		}
	}
	return doneWith(r.finish(ctx))
}

// open finds a file that the patch names, as the patch has left it so far.
func (r *patchRun) open(typed string) (*fileChange, error) {
	if typed == "" {
		return nil, errors.New("the patch does not say which file it is about: put *** Update File: PATH, --- a/PATH and +++ b/PATH, or the path on a line before the block")
	}
	path := r.call.Path(typed)
	real, err := atomicfile.Resolve(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.call.Rel(path), unwrapPath(err))
	}
	if c := r.byPath[real]; c != nil {
		return c, nil
	}
	c, err := openChange(r.gate, r.call, path, real)
	if err != nil {
		return nil, err
	}
	if r.list, r.byPath[real] = append(r.list, c), c; c.file != nil {
		c.there, c.mode, c.is = true, c.file.Mode(), c.was
	}
	if !r.call.Has("patch") && !registry.Below(path, r.call.Path(".")) {
		return nil, fmt.Errorf("%s is not below %s, to which a patch on stdin keeps: cd to a directory that holds all files, and name them from there", c.shown, r.call.Dir)
	}
	return c, nil
}

// plan makes what the patch says of one file, in memory.
func (r *patchRun) plan(p patch.File) error {
	c, err := r.open(p.Path)
	if err != nil {
		return err
	}
	add := p.Add || !c.there && len(p.Edits) == 1 && p.Edits[0].Old == "" && p.To == ""
	switch {
	case add && c.there:
		return fmt.Errorf("%s exists: give the lines that change (*** Update File: %s), or delete it first in the same patch", c.shown, p.Path)
	case add:
		c.there = true
		for _, e := range p.Edits {
			c.is = append(c.is, e.New...)
		}
		return r.moveTo(c, p.To)
	case !c.there:
		return notFound(r.call, r.call.Path(p.Path), os.ErrNotExist)
	}
	var e edited
	if len(p.Edits) > 0 {
		if e, err = applyReplacements(c.is, replacementsFrom(p.Edits), r.call, c.shown); err != nil {
			return err
		}
		e.printNotes(r.call, c.shown)
		r.count += e.count
	}
	if c.file != nil {
		if c.known, err = r.checkEdited(c.shown, c.file, c.was, &e); err != nil {
			return err
		}
	}
	if p.Delete {
		if len(p.Edits) > 0 && len(e.content) > 0 {
			return fmt.Errorf("%s holds more than the lines that the patch deletes it with: read it, and use *** Delete File: %s", c.shown, p.Path)
		}
		c.there, c.is = false, nil
		return nil
	}
	if len(p.Edits) > 0 {
		c.is = e.content
	}
	return r.moveTo(c, p.To)
}

// moveTo moves a file, if to names where.
func (r *patchRun) moveTo(c *fileChange, to string) error {
	if to == "" {
		return nil
	}
	d, err := r.open(to)
	switch {
	case err != nil:
		return err
	case d.there:
		return fmt.Errorf("%s exists: delete it first in the same patch, or move %s elsewhere", d.shown, c.shown)
	}
	d.there, d.is, d.mode, d.from = true, c.is, c.mode, c.shown
	c.there, c.is = false, nil
	return nil
}

// finish makes the changes and reports them.
func (r *patchRun) finish(ctx context.Context) (about summary, err error) {
	var list []*fileChange
	var paths []string
	moved := map[string]*fileChange{}
	for _, c := range r.list {
		if c.changes() {
			list, paths = append(list, c), append(paths, c.path)
		}
		if c.from != "" {
			moved[c.from] = c
		}
	}
	if len(list) == 0 {
		return about, errors.New("the patch leaves all files as they are: there is nothing to change")
	}
	dry, diff := r.call.Bool("dry_run"), diffFor(r.call)
	var report strings.Builder
	for _, c := range list {
		switch to := moved[c.shown]; {
		case to != nil && !c.there:
			fmt.Fprintf(&report, "moved %s to %s\n%s", c.shown, to.shown, diff(to.shown, c.was, to.is))
		case !c.there:
			fmt.Fprintf(&report, "removed %s: %s\n", c.shown, countNoun(countLines(c.was), "line"))
		case c.from != "":
		case c.file == nil:
			fmt.Fprintf(&report, "created %s: %s\n", c.shown, describeContent(c.is, hashOf(c.is)))
		default:
			report.WriteString(diff(c.shown, c.was, c.is))
		}
	}
	about = summary{dryRun(r.call) + "patched " + countNoun(len(list), "file"), map[string]any{"files": paths, "replacements": r.count, "dry_run": dry}}
	if dry {
		fmt.Fprintln(r.call.Stderr, "dry run: nothing was changed")
	} else if err = ctx.Err(); err == nil {
		err = r.commit(r.call, r.gate, "apply_patch", list)
	}
	if err == nil {
		_, err = io.WriteString(r.call.Stdout, report.String())
	}
	return about, err
}
