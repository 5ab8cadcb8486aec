package files

import (
	"bytes"
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
		Summary:  "take back the last write, edit or patch",
		Kind:     registry.Write,
		Category: category,
		Tags:     []string{"file", "restore", "revert", "checkpoint"},
		Detail: `Gives a file the content it had before the last write, edit or undo: of all files below the current directory, or of
the file that is named. What a patch did to several files is taken back as one. An undo is a change too, so undo again takes it back; --id goes further back, to before the change of that number
(--list shows them). A file that was changed by something else since is left alone without --force.`,
		Params: registry.NewParams(
			registry.Param{Name: "file_path", Type: registry.String, Positional: true, Role: registry.WritesFile, Aliases: []string{"path", "filePath", "file"},
				Description: "The file; without it, the one that was changed last below the current directory."},
			registry.Param{Name: "id", Type: registry.Integer, Min: registry.Float(1), Description: "Restore what there was before the change of this number."},
			registry.Param{Name: "list", Type: registry.Boolean, Default: false, Short: "l", Description: "List the last changes, and change nothing."},
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Print the diff, and change nothing."},
			registry.Param{Name: "force", Type: registry.Boolean, Default: false, Short: "f", Description: "Restore even if the file was changed by something else since."},
		),
		Examples: []string{"undo", "undo main.go", "undo --list", "undo --id 12"},
		Uses: func(k registry.Kwargs, uses []registry.Use, _ bool) ([]registry.Use, bool) {
			if k["list"] == true {
				return nil, true
			}
			if uses == nil {
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

// saveCheckpoint keeps what a change does away with: nil for a file that was or
// will not be there. A failure is reported and stops nothing.
func (f *files) saveCheckpoint(call *registry.Call, c checkpoint.Change, before []byte) change {
	s := f.checkpointStore()
	if s == nil {
		return change{}
	}
	c.Dir, c.Time = call.Dir, time.Now().UTC()
	id, err := s.Add(c, before)
	if err != nil {
		fmt.Fprintf(call.Stderr, "%s: no checkpoint was kept, so undo will not know of this: %v\n", call.Rel(c.Path), err)
		return change{}
	}
	return change{s, id}
}

func (f *files) undo(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	s := f.checkpointStore()
	if s == nil {
		return finishRun(errors.New("no checkpoints are kept here: there is nothing to undo"))
	}
	list, err := s.List()
	if err != nil {
		return finishRun(err)
	}
	if call.Has("file_path") {
		real, err := resolveLinks(call.Path(call.String("file_path")))
		if err != nil {
			return finishRun(err)
		}
		list = changesOf(list, real)
	}
	if call.Bool("list") {
		listChanges(call, list)
		return doneWith(summary{countNoun(len(list), "change"), map[string]any{"changes": len(list)}}, nil)
	}
	c, err := chooseChange(call, list)
	if err != nil {
		return finishRun(err)
	}
	step, err := stepOf(call, list, c)
	if err != nil {
		return finishRun(err)
	}
	return doneWith(f.restore(ctx, call, s, list, step))
}

// stepOf are the changes that were made as one with a change, if no file is named. All
// of them are below the current directory.
func stepOf(call *registry.Call, list []checkpoint.Change, c *checkpoint.Change) (step []*checkpoint.Change, err error) {
	if c.Step == 0 || call.Has("file_path") {
		return []*checkpoint.Change{c}, nil
	}
	dir, err := resolveLinks(call.Dir)
	for i := range list {
		other := &list[i]
		switch {
		case other.Step != c.Step:
		case !registry.Below(other.Path, dir):
			return nil, fmt.Errorf("%s %d changed %s too, which is not below %s: undo it from a directory that holds both, or name one file", c.Op, c.Step, other.Path, call.Dir)
		default:
			step = append(step, other)
		}
	}
	return step, err
}

func changesOf(list []checkpoint.Change, path string) []checkpoint.Change {
	var out []checkpoint.Change
	for _, c := range list {
		if c.Path == path {
			out = append(out, c)
		}
	}
	return out
}

// chooseChange finds the change that is meant: of the file that is named, else of
// those below the current directory.
func chooseChange(call *registry.Call, list []checkpoint.Change) (*checkpoint.Change, error) {
	named, wanted := call.Has("file_path"), call.Int("id")
	dir, err := resolveLinks(call.Dir)
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		switch inside := named || registry.Below(c.Path, dir); {
		case wanted != 0 && c.ID == wanted && inside:
			return c, nil
		case wanted != 0 && c.ID == wanted:
			return nil, fmt.Errorf("change %d is of %s, which is not below %s: name the file too", wanted, c.Path, call.Dir)
		case wanted == 0 && inside && tookEffect(c, list[i+1:]):
			return c, nil
		}
	}
	switch {
	case wanted != 0:
		return nil, fmt.Errorf("there is no change %d: undo --list shows those that are kept", wanted)
	case named:
		return nil, fmt.Errorf("no change of %s is kept: undo --list shows those that are", call.String("file_path"))
	case len(list) > 0:
		return nil, fmt.Errorf("nothing was changed below %s; the last change was of %s: undo that by its path", call.Dir, list[len(list)-1].Path)
	}
	return nil, errors.New("nothing was changed yet: there is nothing to undo")
}

// tookEffect reports whether a change was made: the last one of a file was not
// if the file still holds what it held before, its process having been killed.
func tookEffect(c *checkpoint.Change, later []checkpoint.Change) bool {
	if changesOf(later, c.Path) != nil {
		return true
	}
	now, err := versionNow(c.Path)
	return err != nil || !now.Same(c.Before) || now.Same(c.After)
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

// listChanges prints the changes, the last one first.
func listChanges(call *registry.Call, list []checkpoint.Change) {
	if len(list) == 0 {
		fmt.Fprintln(call.Stderr, "nothing was changed yet")
	}
	for i := len(list) - 1; i >= 0 && i >= len(list)-50; i-- {
		c := &list[i]
		what := fmt.Sprintf("%s -> %s", sizeText(c.Before), sizeText(c.After))
		fmt.Fprintf(call.Stdout, "%d\t%s\t%s\t%s\t%s\n", c.ID, c.Time.Local().Format(time.DateTime), c.Op, call.Rel(c.Path), what)
	}
}

func sizeText(v *checkpoint.Version) string {
	if v == nil {
		return "no file"
	}
	return countNoun(int(v.Size), "byte")
}

// restore gives files what they held before the changes of a step, all of them or none;
// list is all changes.
func (f *files) restore(ctx context.Context, call *registry.Call, s *checkpoint.Store, list []checkpoint.Change, step []*checkpoint.Change) (about summary, err error) {
	var paths, reports []string
	for _, c := range step {
		paths = append(paths, c.Path)
	}
	defer f.lockFiles(slices.Clone(paths))()
	g := f.newGate(ctx)
	var back []*fileChange
	defer func() {
		for _, b := range back {
			b.close()
		}
	}()
	for _, c := range step {
		b, err := findBefore(g, call, s, changesOf(list, c.Path), c)
		if err != nil {
			return about, err
		}
		if back = append(back, b); !b.changes() {
			continue
		}
		verb := "as it was"
		if !b.there {
			verb = "removed, as it was"
		}
		takeBack := "undo takes"
		if len(step) == 1 {
			takeBack = "undo " + quote.Word(b.shown) + " takes"
		}
		reports = append(reports, fmt.Sprintf("%s: %s before %s %d (%s this back)\n%s", b.shown, verb, c.Op, c.ID, takeBack, unifiedDiff(b.shown, b.was, b.is)))
	}
	todo := slices.DeleteFunc(slices.Clone(back), func(b *fileChange) bool { return !b.changes() })
	c, first := step[0], back[0]
	if len(todo) == 0 {
		return about, fmt.Errorf("%s holds what it held before change %d: there is nothing to undo", first.shown, c.ID)
	}
	about = restoredSummary(call, c, back, paths)
	if call.Bool("dry_run") {
		fmt.Fprintf(call.Stdout, "would be %s", strings.Join(reports, "would be "))
		return about, nil
	}
	if err := ctx.Err(); err != nil {
		return about, err
	}
	if err := f.commit(call, g, "undo", todo); err != nil {
		return about, err
	}
	_, err = io.WriteString(call.Stdout, strings.Join(reports, ""))
	return about, err
}

// restoredSummary is the summary of an undo of a change, and of those that were made with it.
func restoredSummary(call *registry.Call, c *checkpoint.Change, back []*fileChange, paths []string) summary {
	facts := map[string]any{"path": c.Path, "change": c.ID, "removed": c.Before == nil, "dry_run": call.Bool("dry_run")}
	verb, what := "restored", back[0].shown
	if c.Before == nil {
		verb = "removed"
	}
	if len(back) > 1 {
		verb, what = "restored", countNoun(len(back), "file")
		facts = map[string]any{"files": paths, "change": c.ID, "dry_run": call.Bool("dry_run")}
	}
	return summary{fmt.Sprintf("%s%s %s, as before %s %d", dryRun(call), verb, what, c.Op, c.ID), facts}
}

// findBefore finds what a file held before a change; list is its changes.
func findBefore(g *gate, call *registry.Call, s *checkpoint.Store, list []checkpoint.Change, c *checkpoint.Change) (*fileChange, error) {
	b := &fileChange{path: c.Path, shown: call.Rel(c.Path), there: c.Before != nil, known: true}
	err := g.mayWrite(c.Path)
	if err != nil {
		return nil, err
	}
	if b.file, b.was, err = openForUndo(g, call, c.Path); err != nil {
		return nil, err
	}
	if b.there {
		b.mode = c.Before.Mode
	}
	now, _ := b.versions()
	latest := &list[len(list)-1]
	if !tookEffect(latest, nil) && len(list) > 1 {
		latest = &list[len(list)-2]
	}
	switch {
	case !now.Same(latest.After) && !now.Same(c.Before) && !call.Bool("force"):
		err = fmt.Errorf("%s was changed by something else since the last %s: look at it, and pass --force to restore it all the same", b.shown, latest.Op)
	default:
		if b.is, err = contentBefore(s, c, b.was); err != nil {
			err = fmt.Errorf("%s: %w", b.shown, err)
		}
	}
	if err != nil {
		b.close()
	}
	return b, err
}

// openForUndo opens the file as it is now, if it is there.
func openForUndo(g *gate, call *registry.Call, path string) (*atomicfile.File, []byte, error) {
	file, err := openTarget(g, call, path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	old, err := file.Content(changeLimit)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, old, nil
}

// contentBefore is the content that a file had before a change, nil for none.
func contentBefore(s *checkpoint.Store, c *checkpoint.Change, now []byte) ([]byte, error) {
	switch {
	case c.Before == nil:
		return nil, nil
	case !c.Appended:
		return s.Content(c.Before)
	}
	if int64(len(now)) >= c.Before.Size {
		if start := bytes.Clone(now[:c.Before.Size]); checkpoint.VersionOf(start, 0).Same(c.Before) {
			return start, nil
		}
	}
	return nil, errors.New("what was there before something was appended is not its start any more, and was not kept")
}
