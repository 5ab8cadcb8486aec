package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/agentbash/internal/checkpoint"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/timeline"
	"github.com/agentbash/agentbash/registry"
)

// past is what is known of earlier changes, to find those that are to be taken back.
type past struct {
	call  *registry.Call
	dir   string // the current directory, without links
	named string // the file that is meant, without links; "": those below dir
	list  []checkpoint.Change
	files map[string]*history // by path
}

// history is the changes of one file, and what can be undone and redone of them, the next
// one first.
type history struct {
	changes    []*checkpoint.Change
	undo, redo []int
}

// back is a file that is to be given what it held before a change, or after it if it
// was removed since.
type back struct {
	path    string
	change  *checkpoint.Change
	latest  *checkpoint.Change // of the file
	removed bool
}

// version is what the file held then; nil: it was not there.
func (b *back) version() *checkpoint.Version {
	if b.removed {
		return b.change.After
	}
	return b.change.Before
}

func newPast(call *registry.Call, list []checkpoint.Change, named string) (*past, error) {
	p := &past{call: call, named: named, list: list, files: map[string]*history{}}
	for i := range list {
		c := &list[i]
		h := p.files[c.Path]
		if h == nil {
			h = &history{}
			p.files[c.Path] = h
		}
		h.changes = append(h.changes, c)
	}
	for _, h := range p.files {
		h.replay()
	}
	var err error
	p.dir, err = atomicfile.Resolve(call.Dir)
	return p, err
}

func (h *history) replay() {
	var steps []timeline.Step
	for _, c := range h.changes {
		steps = append(steps, timeline.Step{ID: c.ID, To: c.To})
	}
	h.undo, h.redo = timeline.Replay(steps)
}

func (h *history) latest() *checkpoint.Change { return h.changes[len(h.changes)-1] }

// next is the change that an undo goes back to before, or a redo; 0: there is none.
func (p *past) next(h *history) int {
	ids := h.undo
	if p.call.Bool("redo") {
		ids = h.redo
	}
	return append(slices.Clone(ids), 0, 0)[0]
}

func (p *past) inScope(path string) bool {
	return p.named != "" && path == p.named || p.named == "" && registry.Below(path, p.dir)
}

// choose finds the change that is meant, with those that were made as one with it if no
// file is named.
func (p *past) choose() ([]back, error) {
	if id := p.call.Int("id"); id != 0 {
		i := slices.IndexFunc(p.list, func(c checkpoint.Change) bool { return c.ID == id && (p.named == "" || c.Path == p.named) })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no change %d: undo --list shows those that are kept", id)
		case !p.inScope(p.list[i].Path):
			return nil, fmt.Errorf("change %d is of %s, which is not below %s: name the file too", id, p.list[i].Path, p.call.Dir)
		}
		return p.stepOf(&p.list[i])
	}
	for {
		id, of := 0, (*history)(nil)
		for path, h := range p.files {
			if n := p.next(h); n > id && p.inScope(path) {
				id, of = n, h
			}
		}
		if of == nil {
			return nil, p.nothing()
		}
		latest := of.latest()
		now, err := versionNow(latest.Path)
		switch {
		case err == nil && now == nil && latest.After != nil && !p.call.Bool("redo"):
			return []back{{path: latest.Path, change: latest, latest: latest, removed: true}}, nil
		case err == nil && now.Same(latest.Before) && !now.Same(latest.After):
			// It was not made, its process having been killed, or was taken back by something else.
			if of.changes = of.changes[:len(of.changes)-1]; len(of.changes) == 0 {
				delete(p.files, latest.Path)
			}
			of.replay()
		default:
			return p.stepOf(p.byID(id))
		}
	}
}

func (p *past) byID(id int) *checkpoint.Change {
	return &p.list[slices.IndexFunc(p.list, func(c checkpoint.Change) bool { return c.ID == id })]
}

// nothing says why there is nothing to be done.
func (p *past) nothing() error {
	redo := p.call.Bool("redo")
	switch {
	case p.named != "" && p.files[p.named] == nil:
		return fmt.Errorf("no change of %s is kept: undo --list shows those of write, edit and patches that are, undo --turn takes back what other commands did", p.call.String("file_path"))
	case redo:
		return errors.New("nothing was undone that could be done again: undo --list shows the changes")
	case p.named != "":
		return fmt.Errorf("all changes of %s that are kept were taken back: undo --redo goes forward again", p.call.String("file_path"))
	case slices.ContainsFunc(p.list, func(c checkpoint.Change) bool { return p.inScope(c.Path) }):
		return fmt.Errorf("all changes below %s that are kept were taken back: undo --redo goes forward again", p.call.Dir)
	case len(p.list) > 0:
		return fmt.Errorf("nothing was changed below %s; the last change was of %s: undo that by its path", p.call.Dir, p.list[len(p.list)-1].Path)
	}
	return errors.New("nothing was changed yet: there is nothing to undo")
}

// stepOf are a change and those that were made as one with it, all of them below the
// current directory; without those that were taken back by themselves.
func (p *past) stepOf(c *checkpoint.Change) (step []back, err error) {
	for i := range p.list {
		other := &p.list[i]
		h := p.files[other.Path]
		switch {
		case other != c && (c.Step == 0 || other.Step != c.Step || p.named != ""):
		case other != c && !p.call.Has("id") && (h == nil || p.next(h) != other.ID):
		case p.named == "" && !p.inScope(other.Path):
			return nil, fmt.Errorf("%s %d changed %s too, which is not below %s: undo it from a directory that holds both, or name one file", c.Op, c.Step, other.Path, p.call.Dir)
		default:
			step = append(step, back{path: other.Path, change: other, latest: h.latest()})
		}
	}
	return step, nil
}

// resolveMissing follows the links of a path of which the end may be gone, directories
// too.
func resolveMissing(path string) (string, error) {
	dir := filepath.Dir(path)
	if _, err := os.Lstat(dir); dir == path || !errors.Is(err, os.ErrNotExist) {
		return atomicfile.Resolve(path)
	}
	dir, err := resolveMissing(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}
