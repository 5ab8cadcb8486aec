package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/agentbash/agentbash/agentbash/internal/checkpoint"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

// fileChange is what becomes of one file.
type fileChange struct {
	path, shown string           // with links followed; as it is shown
	file        *atomicfile.File // as it was found; nil: it was not there
	was, is     []byte
	there       bool        // it is to be there
	mode        os.FileMode // of a file that is made; 0: the usual one
	known       bool        // what it was had been read
	appended    bool        // what it was stays, at its start
	from        string      // the file that it was, where it is moved; as it is shown

	to      int                // the change before which this goes back; 0: none
	removed *checkpoint.Change // that something else made before, and this takes back; nil: there is none
}

// openChange opens a file to be changed as it is now, which may be missing; real is its path with links followed.
func openChange(g *gate, call *registry.Call, path, real string) (*fileChange, error) {
	c := &fileChange{path: real, shown: call.Rel(path), known: true}
	var err error
	if c.file, err = openTarget(g, call, path); errors.Is(err, os.ErrNotExist) {
		return c, g.mayWrite(real)
	}
	if err != nil {
		return nil, err
	}
	if c.was, err = c.file.Content(changeLimit); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// changes reports whether there is anything to be done.
func (c *fileChange) changes() bool {
	return c.there != (c.file != nil) || c.there && !bytes.Equal(c.was, c.is)
}

func (c *fileChange) close() {
	if c.file != nil {
		c.file.Close()
	}
}

// versions are what a checkpoint says of the file before and after.
func (c *fileChange) versions() (before, after *checkpoint.Version) {
	mode := c.mode
	if c.file != nil {
		mode = c.file.Mode()
		before = checkpoint.VersionOf(c.was, mode)
	}
	if c.there {
		after = checkpoint.VersionOf(c.is, mode)
	}
	return before, after
}

// put makes one change.
func (c *fileChange) put(g *gate) error {
	switch {
	case c.appended:
		return c.file.Append(c.is[len(c.was):])
	case c.there && c.file != nil:
		return c.file.Replace(c.is)
	}
	dir, err := g.openParent(c.path, c.there)
	switch {
	case err != nil:
		return err
	case !c.there:
		return atomicfile.Remove(dir, c.path)
	}
	if err = atomicfile.Create(dir, c.path, c.is, c.mode); errors.Is(err, os.ErrExist) {
		return errors.New("it was made by another program meanwhile: read it first")
	}
	return err
}

// takeBack undoes a change that was made.
func (c *fileChange) takeBack(g *gate) error {
	back := fileChange{path: c.path, is: c.was, there: c.file != nil}
	switch {
	case c.there && c.file != nil:
		file, err := g.openFile(c.path)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Replace(c.was)
	case c.file != nil:
		back.mode = c.file.Mode()
	}
	return back.put(g)
}

// commit makes changes, all of them or none: one step for undo. The gate is that of files which are made or removed.
func (f *files) commit(call *registry.Call, g *gate, op string, list []*fileChange) error {
	step := 0
	if len(list) > 1 {
		step = checkpoint.NewStep
	}
	var made []change
	for i, c := range list {
		before, after := c.versions()
		if c.removed != nil {
			c.to = f.saveCheckpoint(call, *c.removed, c.is, nil).id
		}
		mark := f.saveCheckpoint(call, checkpoint.Change{Op: op, Path: c.path, Before: before, After: after, Step: step, To: c.to, Appended: c.appended}, c.was, c.is)
		if made = append(made, mark); step == checkpoint.NewStep && mark.id > 0 {
			step = mark.id
		}
		err := c.put(g)
		if err == nil {
			continue
		}
		err = fmt.Errorf("%s: %w", c.shown, unwrapPath(err))
		if i > 0 {
			err = fmt.Errorf("%w: nothing was changed", err)
		}
		mark.cancel()
		for j, done := range slices.Backward(list[:i]) {
			if back := done.takeBack(g); back != nil {
				return fmt.Errorf("%w; %s could not be changed back: %w", err, done.shown, unwrapPath(back))
			}
			made[j].cancel()
		}
		return err
	}
	for _, c := range list {
		if c.known {
			f.rememberFile(c.path, c.is)
		}
	}
	return nil
}

// lockFiles waits until no other call changes any of the files, and returns what
// unlocks them.
func (f *files) lockFiles(paths []string) (done func()) {
	slices.Sort(paths)
	var unlock []func()
	for _, path := range slices.Compact(paths) {
		unlock = append(unlock, f.lockFile(path))
	}
	return func() {
		for _, one := range unlock {
			one()
		}
	}
}
