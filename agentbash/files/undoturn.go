package files

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/agentbash/internal/document"
	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/agentbash/agentbash/registry"
)

// mostShown bounds how many files of a turn are named.
const mostShown = 200

// undoTurn goes back to before a turn, or forward again.
func (f *files) undoTurn(ctx context.Context, call *registry.Call) (about summary, err error) {
	s := f.opts.Snapshots
	if s == nil {
		return about, errors.New("no snapshots of turns are kept here: undo alone takes back writes and edits")
	}
	if call.Bool("list") {
		return listTurns(call, s)
	}
	g := f.newGate(ctx)
	b := snapshot.Back{Turn: call.Int("turn"), Redo: call.Bool("redo"), DryRun: call.Bool("dry_run"), May: g.mayWrite}
	if word := call.String("file_path"); word != "" {
		if b.Path, err = pathBelow(call, s.Root(), word); err != nil {
			return about, err
		}
	}
	done, err := s.GoBack(ctx, b)
	if err != nil {
		return about, err
	}
	files := printTurn(call, s.Root(), done)
	if len(files) == 0 {
		return about, errors.New("nothing differs from what it was before " + nameTurn(done.Entry) + ": there is nothing to restore")
	}
	if !b.DryRun {
		next := "undo --turn --redo"
		if b.Redo {
			next = "undo --turn"
		}
		if b.Path != "" {
			next = "undo --turn"
		}
		fmt.Fprintf(call.Stderr, "as before %s; %s takes this back\n", nameTurn(done.Entry), next)
	}
	return summary{fmt.Sprintf("%srestored %s, as before %s", dryRun(call), countNoun(len(files), "file"), nameTurn(done.Entry)),
		map[string]any{"turn": done.Entry.Turn, "files": files, "dry_run": b.DryRun}}, nil
}

// nameTurn names a snapshot.
func nameTurn(e snapshot.Entry) string {
	at := e.Time.Local().Format(time.DateTime)
	if e.Turn == 0 {
		return "the undo of " + at
	}
	return fmt.Sprintf("turn %d (%s)", e.Turn, at)
}

// pathBelow is a path relative to the workspace.
func pathBelow(call *registry.Call, root, path string) (string, error) {
	real, err := resolveMissing(filepath.Dir(call.Path(path)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, filepath.Join(real, filepath.Base(call.Path(path))))
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the workspace %s, of which snapshots are kept", path, root)
	}
	if rel == "." {
		return "", nil
	}
	return rel, nil
}

// printTurn says what was done, or would be, to which files, and returns their paths.
func printTurn(call *registry.Call, root string, done snapshot.Done) (files []string) {
	would := ""
	if call.Bool("dry_run") {
		would = "would be "
	}
	for i, c := range done.Changes {
		path := filepath.Join(root, c.Path)
		shown := shownIn(call, root, c.Path)
		if files = append(files, path); i < mostShown {
			fmt.Fprintf(call.Stdout, "%s: %s%s\n", shown, would, c.Kind)
		}
	}
	if more := len(files) - mostShown; more > 0 {
		fmt.Fprintf(call.Stderr, "and %d more\n", more)
	}
	for _, c := range done.Kept[:min(len(done.Kept), mostShown)] {
		fmt.Fprintf(call.Stderr, "%s was left as it is: %v\n", call.Rel(filepath.Join(root, c.Path)), c.Why)
	}
	if len(done.Ignored) > 0 {
		var names []string
		for _, path := range done.Ignored {
			names = append(names, document.PlainName(shownIn(call, root, path)))
		}
		fmt.Fprintf(call.Stderr, "what git ignores is in no snapshot, and stays as it is: %s\n", nameSome(names, 5))
	}
	return files
}

// shownIn is a path of the workspace as it is shown; a slash at its end stays.
func shownIn(call *registry.Call, root, path string) string {
	shown := call.Rel(filepath.Join(root, path))
	if strings.HasSuffix(path, "/") {
		shown += "/"
	}
	return shown
}

// listTurns prints the turns to before which undo can go back, the last one first.
func listTurns(call *registry.Call, s *snapshot.Store) (about summary, err error) {
	list, err := s.List()
	list = slices.DeleteFunc(list, func(e snapshot.Entry) bool { return e.Turn == 0 })
	if len(list) == 0 {
		fmt.Fprintln(call.Stderr, "no turn was kept yet")
	}
	for i, e := range slices.Backward(list) {
		if i < len(list)-mostListed {
			fmt.Fprintf(call.Stderr, "the last %d of %d turns\n", mostListed, len(list))
			break
		}
		what := "kept, but for what git ignores"
		switch {
		case e.Skipped != "":
			what = "not kept: " + e.Skipped
		case len(e.Left) > 0:
			what += " and " + countNoun(len(e.Left), "file") + " too big or not readable"
		}
		fmt.Fprintf(call.Stdout, "%d\t%s\t%s\n", e.Turn, e.Time.Local().Format(time.DateTime), what)
	}
	return summary{countNoun(len(list), "turn"), map[string]any{"turns": len(list)}}, err
}
