package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/agentbash/internal/checkpoint"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

func (f *files) undoTool() *registry.Tool {
	return &registry.Tool{
		Name:     "undo",
		Summary:  "take back writes, edits and patches, or all that a turn changed",
		Kind:     registry.Write,
		Category: Category,
		Tags:     []string{"file", "restore", "revert", "checkpoint", "redo", "rewind"},
		Detail: `Gives a file the content it had before the last write, edit or patch: of all files below the current directory, or of
the file that is named. What a patch did to several files is taken back as one. Undo again goes a step further back, --redo forward again; --id goes back to before the
change of that number (--list shows them). A file that was removed is brought back. One that was changed by something else since is left alone without --force.
With --turn everything in the workspace that the last turn changed is taken back, by whatever command, but for files that git ignores; again, and it is the turn before; --turn N goes back to before turn N.`,
		Params: registry.NewParams(
			registry.Param{Name: "file_path", Type: registry.String, Positional: true, Role: registry.WritesFile, Aliases: []string{"path", "filePath", "file"},
				Description: "The file; without it, the one that was changed last below the current directory. With --turn: only this file or directory."},
			registry.Param{Name: "id", Type: registry.Integer, Min: registry.Float(1), Description: "Restore what there was before the change of this number."},
			registry.Param{Name: "redo", Type: registry.Boolean, Default: false, Description: "Go forward again: take the last undo back."},
			registry.Param{Name: "turn", Type: registry.Integer, Min: registry.Float(0), Alone: "0", Description: "Take back all that the turn of this number and later ones changed; without a number, or with 0, the last one."},
			registry.Param{Name: "list", Type: registry.Boolean, Default: false, Short: "l", Description: "List the last changes in the workspace, or with --turn the turns, and change nothing."},
			registry.Param{Name: "all", Type: registry.Boolean, Default: false, Short: "a", Description: "List the changes in other workspaces too."},
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Print what would be done, and change nothing."},
			registry.Param{Name: "force", Type: registry.Boolean, Default: false, Short: "f", Description: "Restore even if the file was changed by something else since."},
		),
		Examples: []string{"undo", "undo main.go", "undo --redo", "undo --list", "undo --id 12", "undo --turn", "undo --turn 3"},
		Check: func(k registry.Kwargs) (problems []string) {
			if _, id := k["id"]; id && k["redo"] == true {
				problems = append(problems, "--redo goes forward and --id goes back: give one of them")
			}
			return problems
		},
		Uses: func(k registry.Kwargs, uses []registry.Use, _ bool) ([]registry.Use, bool) {
			switch {
			case k["list"] == true:
				return nil, true
			case k["turn"] != nil:
				uses = []registry.Use{{Role: registry.WritesTree, Value: cmp.Or(f.opts.Workspace, ".")}}
			case uses == nil:
				uses = []registry.Use{{Role: registry.WritesTree, Value: "."}}
			}
			return addShownUses(k, uses, true)
		},
		Run: f.undo,
	}
}

// change is a checkpoint that can be voided.
type change struct {
	store *checkpoint.Store
	id    int
}

// cancel notes that the change was not made.
func (c change) cancel() {
	if c.store != nil {
		c.store.Void(c.id) // a change left standing is told by the file's content
	}
}

func (f *files) checkpointStore() *checkpoint.Store {
	if f.opts.StateDir == "" {
		return nil
	}
	return checkpoint.New(f.opts.StateDir)
}

// saveCheckpoint keeps what a file held before and after a change, nil where it is not
// there. A failure is reported and stops nothing.
func (f *files) saveCheckpoint(call *registry.Call, c checkpoint.Change, before, after []byte) change {
	s := f.checkpointStore()
	if s == nil || c.Before.Same(c.After) { // there is nothing to take back
		return change{}
	}
	c.Dir, c.Time = call.Dir, time.Now().UTC()
	id, err := s.Add(c, before, after)
	if err != nil {
		fmt.Fprintf(call.Stderr, "%s: no checkpoint was kept, so undo will not know of this: %v\n", call.Rel(c.Path), err)
		return change{}
	}
	return change{s, id}
}

func (f *files) undo(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	if call.Has("turn") {
		return doneWith(f.undoTurn(ctx, call))
	}
	s := f.checkpointStore()
	if s == nil {
		return finishRun(errors.New("no checkpoints are kept here: there is nothing to undo"))
	}
	list, err := s.List()
	if err != nil {
		return finishRun(err)
	}
	named := ""
	if call.Has("file_path") {
		if named, err = resolveMissing(call.Path(call.String("file_path"))); err != nil {
			return finishRun(err)
		}
	}
	if call.Bool("list") {
		n, err := f.listChanges(call, list, named)
		return doneWith(summary{countNoun(n, "change"), map[string]any{"changes": n}}, err)
	}
	p, err := newPast(call, list, named)
	if err != nil {
		return finishRun(err)
	}
	step, err := p.choose()
	if err != nil {
		return finishRun(err)
	}
	return doneWith(f.restore(ctx, call, s, step))
}

// versionNow describes what a file holds; nil when it is not there.
func versionNow(path string) (*checkpoint.Version, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return checkpoint.VersionOf(content, 0), nil
}

// mostListed bounds how many changes are listed.
const mostListed = 50

// listChanges prints the changes, the last one first: of a file, else of the workspace.
func (f *files) listChanges(call *registry.Call, list []checkpoint.Change, named string) (int, error) {
	workspace, err := atomicfile.Resolve(f.workspace(call.Dir))
	all := len(list)
	list = slices.DeleteFunc(list, func(c checkpoint.Change) bool {
		return named != "" && c.Path != named || named == "" && !call.Bool("all") && !registry.Below(c.Path, workspace)
	})
	switch {
	case len(list) > 0:
	case all == 0:
		fmt.Fprintln(call.Stderr, "nothing was changed yet")
	case named != "":
		fmt.Fprintf(call.Stderr, "no change of %s is kept: undo --list shows those that are\n", call.String("file_path"))
	default:
		fmt.Fprintf(call.Stderr, "nothing was changed in this workspace: --all lists %s elsewhere\n", countNoun(all, "change"))
	}
	for i, c := range slices.Backward(list) {
		if i < len(list)-mostListed {
			fmt.Fprintf(call.Stderr, "the last %d of %d changes: name a file for its own\n", mostListed, len(list))
			break
		}
		what := fmt.Sprintf("%s -> %s", sizeText(c.Before), sizeText(c.After))
		fmt.Fprintf(call.Stdout, "%d\t%s\t%s\t%s\t%s\n", c.ID, c.Time.Local().Format(time.DateTime), c.Op, call.Rel(c.Path), what)
	}
	return len(list), err
}

// workspace is where a directory's changes belong to.
func (f *files) workspace(dir string) string {
	if registry.Below(dir, f.opts.Workspace) {
		return f.opts.Workspace
	}
	return dir
}

func sizeText(v *checkpoint.Version) string {
	if v == nil {
		return "no file"
	}
	return countNoun(int(v.Size), "byte")
}

// restore gives files what they held, all of them or none.
func (f *files) restore(ctx context.Context, call *registry.Call, s *checkpoint.Store, step []back) (about summary, err error) {
	var paths, reports []string
	for _, b := range step {
		paths = append(paths, b.path)
	}
	defer f.lockFiles(slices.Clone(paths))()
	g := f.newGate(ctx)
	var todo []*fileChange
	defer func() {
		for _, c := range todo {
			c.close()
		}
	}()
	op := "undo"
	if call.Bool("redo") {
		op = "redo"
	}
	for i := range step {
		c, err := findContent(g, call, s, &step[i])
		if err != nil {
			return about, err
		}
		if !c.changes() {
			c.close()
			continue
		}
		todo = append(todo, c)
		reports = append(reports, fmt.Sprintf("%s: %s\n%s", c.shown, step[i].report(c, op, len(step) > 1), Diff(c.shown, c.was, c.is)))
	}
	first := &step[0]
	if len(todo) == 0 {
		return about, fmt.Errorf("%s holds what it held before change %d: there is nothing to %s", call.Rel(first.path), first.change.ID, op)
	}
	about = first.summary(call, todo, paths)
	if call.Bool("dry_run") {
		fmt.Fprintf(call.Stdout, "would be %s", strings.Join(reports, "would be "))
		return about, nil
	}
	if err := ctx.Err(); err != nil {
		return about, err
	}
	if err := f.commit(call, g, op, todo); err != nil {
		return about, err
	}
	_, err = io.WriteString(call.Stdout, strings.Join(reports, ""))
	return about, err
}

// report says what became of a file.
func (b *back) report(c *fileChange, op string, several bool) string {
	verb, next := "as it was", map[string]string{"undo": "undo --redo", "redo": "undo"}[op]
	switch {
	case !c.there:
		verb = "removed, as it was"
	case b.removed:
		verb = "brought back, as it was after"
	}
	if !b.removed {
		verb += " before"
	}
	if !several {
		next = strings.TrimSuffix("undo "+quote.Word(c.shown)+strings.TrimPrefix(next, "undo"), " ")
	}
	return fmt.Sprintf("%s %s %d (%s takes this back)", verb, b.change.Op, b.change.ID, next)
}

// summary is that of a restored file, and of those that were restored with it.
func (b *back) summary(call *registry.Call, todo []*fileChange, paths []string) summary {
	facts := map[string]any{"path": b.path, "change": b.change.ID, "removed": !todo[0].there, "dry_run": call.Bool("dry_run")}
	verb, what, when := "restored", todo[0].shown, "before"
	if !todo[0].there {
		verb = "removed"
	}
	if b.removed {
		when = "after"
	}
	if len(paths) > 1 {
		verb, what = "restored", countNoun(len(paths), "file")
		facts = map[string]any{"files": paths, "change": b.change.ID, "dry_run": call.Bool("dry_run")}
	}
	return summary{fmt.Sprintf("%s%s %s, as %s %s %d", dryRun(call), verb, what, when, b.change.Op, b.change.ID), facts}
}

// findContent finds what a file is to hold.
func findContent(g *gate, call *registry.Call, s *checkpoint.Store, b *back) (*fileChange, error) {
	v := b.version()
	c, err := openChange(g, call, b.path, b.path)
	if err != nil {
		return nil, err
	}
	c.there, c.to = v != nil, b.change.ID
	if c.there {
		c.mode = v.Mode
	}
	now, _ := c.versions()
	if b.removed {
		c.removed = &checkpoint.Change{Op: "remove", Path: b.path, Before: v}
	} else if now != nil && !now.Same(b.latest.After) && !now.Same(v) && !call.Bool("force") {
		err = fmt.Errorf("%s was changed by something else since the last %s: look at it, and pass --force to restore it all the same", c.shown, b.latest.Op)
	}
	if err == nil {
		if c.is, err = contentOf(s, b, c.was); err != nil {
			err = fmt.Errorf("%s: %w", c.shown, err)
		}
	}
	if err != nil {
		c.close()
	}
	return c, err
}

// contentOf is the content that a file is to have, nil for none.
func contentOf(s *checkpoint.Store, b *back, now []byte) ([]byte, error) {
	v := b.version()
	switch {
	case v == nil:
		return nil, nil
	case b.removed && b.change.Appended:
		return nil, errors.New("it was removed, and what it held after something was appended was not kept")
	case b.change.Appended && int64(len(now)) >= v.Size:
		if start := bytes.Clone(now[:v.Size]); checkpoint.VersionOf(start, 0).Same(v) {
			return start, nil
		}
	}
	return s.Content(v)
}
