package walk

// slots gathers what a directory comes to: its files in batches, and its
// subdirectories between them.
type slots[T any] struct {
	*walker[T]
	worker int
	dir    *Dir
	list   []*slot[T]
	files  []Entry
}

// listSlots lists a directory's slots.
func (w *walker[T]) listSlots(l *lister, worker int, s *slot[T]) ([]*slot[T], error) {
	d := s.dir
	if d == nil {
		var err error
		if d, err = openDir(&w.handles, s.parent, s.name); err != nil {
			return nil, err
		}
	}
	defer d.release()
	entries, err := l.read(d)
	if err != nil {
		return nil, err
	}
	s.scope.readRules(w.o, d, entries)
	if w.handles.open.Load() > openDirs {
		d.closeFD()
	}
	out := slots[T]{walker: w, worker: worker, dir: d}
	l.path = append(append(l.path[:0], d.Path...), '/')
	if d.Path == "/" {
		l.path = l.path[:1]
	}
	base := len(l.path)
	for i := range entries {
		e := &entries[i]
		if e.Name == ".git" && !s.namesGit() {
			continue
		}
		l.path = append(l.path[:base], e.Name...)
		c := s.scope.choose(w.o, e, l.path)
		if c.deliver {
			out.file(*e)
		}
		if c.enter {
			out.subdirectory(e.Name, c.child)
		}
	}
	out.flush()
	return out.list, nil
}

// namesGit reports whether a pattern asks for .git by its name.
func (s *slot[T]) namesGit() bool {
	return s.scope.include != nil && (s.scope.include.Enter(".git", false) != nil || s.scope.include.Match(".git", false))
}

func (o *slots[T]) file(e Entry) {
	o.files = append(o.files, e)
	if len(o.files) == batchSize && !o.o.Inline {
		o.flush()
	}
}

func (o *slots[T]) subdirectory(name string, sc scope) {
	o.flush()
	o.dir.retain()
	o.list = append(o.list, &slot[T]{parent: o.dir, name: name, scope: sc})
}

// flush makes a slot of the files so far.
func (o *slots[T]) flush() {
	if len(o.files) == 0 {
		return
	}
	b := &Batch{Dir: o.dir, Entries: o.files}
	o.files = nil
	s := &slot[T]{batch: b}
	if o.o.Inline {
		s.value, s.done, s.batch = o.Work(o.worker, b), true, nil
	} else {
		o.dir.retain()
	}
	o.list = append(o.list, s)
}
