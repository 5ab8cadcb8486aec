package walk

import (
	"context"
	"runtime"
	"sync"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/agentbash/agentbash/agentbash/internal/ignore"
	"github.com/agentbash/agentbash/agentbash/internal/panicgroup"
)

// Options says what a walk visits. The zero value visits what is neither
// hidden nor ignored nor in a .git.
type Options struct {
	Hidden bool // visit names that start with a dot
	All    bool // visit what is ignored

	// Skipped turns the choice around: only what Hidden and All leave out is visited.
	Skipped bool

	Include  *glob.Pattern // nil: everything
	Exclude  *glob.Pattern // entries that match it are left out, and what is below them; nil: none
	Names    *glob.Pattern // what a file's name must match as well; nil: anything
	NotNames *glob.Pattern // what it must not match; nil: nothing

	// Rules leave out entries too, if no rules in the tree say otherwise. All does not
	// hold for them. They are relative to RulesDir.
	Rules    []*ignore.Rules
	RulesDir string

	Dirs  bool // deliver directories that match Include, not files
	Links bool // deliver symbolic links too

	// Inline runs the work where the directory is listed: for work that costs
	// less than handing it over.
	Inline bool

	Workers int // 0: one per processor
}

// Entry is a file that was found.
type Entry struct {
	Name string
	Type Type
}

// Type is what a directory's listing says of an entry.
type Type uint8

// The types that are told apart.
const (
	Other Type = iota
	File
	Directory
	Link
	unknown // until it was asked for
)

// Batch is some files of one directory, in order.
type Batch struct {
	Dir     *Dir
	Entries []Entry
}

// batchSize is the number of files that are handed over at once.
const batchSize = 32

// Client is what a walk is for.
type Client[T any] struct {
	// Work is called from several goroutines, each with its own number from 0.
	Work func(worker int, b *Batch) T

	// Emit is given what Work returned, in order, from one goroutine at a time.
	// When it returns false the walk ends.
	Emit func(T) bool

	// Weigh says how many bytes of memory a value holds until it was emitted;
	// nil: none worth counting. When much waits, the walk waits too.
	Weigh func(T) int

	// Failed is given directories that cannot be read, from any goroutine. It may be nil.
	Failed func(path string, err error)
}

// maxWaiting is how many bytes may wait to be emitted.
const maxWaiting = 16 << 20

// Walk visits the tree below root, an absolute path to a directory. The error
// is ctx's, or the root's own.
func Walk[T any](ctx context.Context, root string, o *Options, client Client[T]) error {
	w := &walker[T]{Client: client, ctx: ctx, o: o}
	top, err := openDir(&w.handles, nil, root)
	if err != nil {
		return err
	}
	w.wake.L = &w.mu
	w.head = &slot[T]{dir: top, scope: topScope(o, root)}
	w.stack = []*slot[T]{w.head}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var c panicgroup.Group
	for i := range workers {
		c.Go(func() { w.run(i) }, w.stop)
	}
	c.Wait()
	for _, s := range w.stack { // the walk was cut short
		if !s.taken {
			s.release()
		}
	}
	return ctx.Err()
}

// slot is a piece of the walk: a directory to be listed, or files to be worked
// on. The slots form a list in the order of delivery.
type slot[T any] struct {
	next   *slot[T]
	parent *Dir // of the directory to be listed; nil: dir is open already
	name   string
	dir    *Dir
	scope  scope
	batch  *Batch // the files; nil: a directory
	value  T
	taken  bool // by a worker
	done   bool
	empty  bool // there is no value to deliver
}

// release gives back the directory that the slot was kept open for.
func (s *slot[T]) release() {
	switch {
	case s.batch != nil:
		s.batch.Dir.release()
	case s.parent != nil:
		s.parent.release()
	}
}

type walker[T any] struct {
	Client[T]
	ctx     context.Context
	o       *Options
	handles handles

	mu       sync.Mutex
	wake     sync.Cond // there is work, or the walk ended
	stack    []*slot[T]
	active   int
	head     *slot[T] // the first slot that was not delivered
	waiting  int      // bytes that slots hold that are done and not delivered
	emitting bool
	stopped  bool
}

// run takes slots until there are none.
func (w *walker[T]) run(worker int) {
	l := newLister()
	for s := w.nextSlot(); s != nil; s = w.nextSlot() {
		var children []*slot[T]
		if s.batch != nil {
			s.value = w.Work(worker, s.batch)
		} else {
			var err error
			if children, err = w.listSlots(l, worker, s); err != nil && w.Failed != nil {
				w.Failed(s.path(), err)
			}
			s.empty = true
		}
		s.release()
		w.finishSlot(s, children)
	}
}

// stop ends the walk before it is done.
func (w *walker[T]) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.wake.Broadcast()
}

// nextSlot returns the next slot to be worked on, or nil when the walk is over.
// The top of the stack is what comes soonest in the order, nearly, which keeps
// little waiting for its delivery; when much waits all the same, only the very next is taken.
func (w *walker[T]) nextSlot() *slot[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.stopped {
		for n := len(w.stack); n > 0 && w.stack[n-1].taken; n = len(w.stack) {
			w.stack = w.stack[:n-1]
		}
		n := len(w.stack)
		switch {
		case n == 0 && w.active == 0:
			return nil
		case n > 0 && w.waiting < maxWaiting:
			return w.claimSlot(w.stack[n-1])
		case n > 0 && !w.head.taken && !w.head.done:
			return w.claimSlot(w.head)
		}
		w.wake.Wait()
	}
	return nil
}

func (w *walker[T]) claimSlot(s *slot[T]) *slot[T] {
	s.taken = true
	w.active++
	return s
}

// finishSlot puts a directory's slots behind its own and delivers what is ready.
func (w *walker[T]) finishSlot(s *slot[T], children []*slot[T]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active--
	last := s.next
	for i := len(children) - 1; i >= 0; i-- {
		children[i].next = last
		last = children[i]
		if !last.done {
			w.stack = append(w.stack, last)
		}
	}
	s.next, s.done = last, true
	if s.batch != nil && w.Weigh != nil {
		w.waiting += w.Weigh(s.value)
	}
	if len(children) > 1 || w.active == 0 || w.waiting >= maxWaiting {
		w.wake.Broadcast()
	}
	if w.ctx.Err() != nil {
		w.stopped = true
	}
	if !w.emitting {
		w.emitting = true
		w.deliverReady()
		w.emitting = false
	}
	if w.stopped {
		w.wake.Broadcast()
	}
}

// deliverReady gives Emit what is done, in order.
func (w *walker[T]) deliverReady() {
	for w.head != nil && w.head.done && !w.stopped {
		s := w.head
		w.head = s.next
		if s.empty {
			continue
		}
		weight := 0
		if s.batch != nil && w.Weigh != nil {
			weight = w.Weigh(s.value)
		}
		more := w.emitUnlocked(s.value)
		if w.waiting -= weight; weight > 0 {
			w.wake.Broadcast()
		}
		if !more {
			w.stopped = true
		}
	}
}

func (w *walker[T]) emitUnlocked(value T) bool {
	w.mu.Unlock()
	defer w.mu.Lock()
	return w.Emit(value)
}

// path is the absolute path of the directory that the slot lists.
func (s *slot[T]) path() string {
	if s.parent == nil {
		return s.dir.Path
	}
	return joinName(s.parent.Path, s.name)
}
