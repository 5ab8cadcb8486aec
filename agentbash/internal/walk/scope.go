package walk

import (
	"os"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/agentbash/agentbash/agentbash/internal/ignore"
	"golang.org/x/sys/unix"
)

// scope is what is known of a directory that is to be listed.
type scope struct {
	rules     *ignore.Dir // those of the directory itself are added when it is listed
	rulesRead bool        // they are there already
	include   *glob.State
	exclude   *glob.State
	leftOut   bool // the directory is below something hidden or ignored
}

func topScope(o *Options, root string) scope {
	s := scope{rulesRead: true}
	if !o.All {
		s.rules = ignore.NewDir(root)
	}
	if o.Rules != nil {
		s.rules = s.rules.With(o.RulesDir, o.Rules...)
	}
	if o.Include != nil {
		s.include = o.Include.Start()
	}
	if o.Exclude != nil {
		s.exclude = o.Exclude.Start()
	}
	return s
}

// readRules adds the directory's own rules to those that hold above it.
func (s *scope) readRules(o *Options, d *Dir, entries []Entry) {
	if s.rulesRead || o.All || s.leftOut {
		return
	}
	s.rules = s.rules.Enter(d.Path, func(name string) bool { return hasEntry(entries, name) }, func(name string) []byte {
		flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK
		if name == ignore.GitIgnore {
			flags |= unix.O_NOFOLLOW // as git does
		}
		fd, err := d.Open(name, flags)
		if err != nil {
			return nil
		}
		f := os.NewFile(uintptr(fd), name)
		defer f.Close()
		return ignore.ReadFile(f)
	})
}

func hasEntry(sorted []Entry, name string) bool {
	_, ok := slices.BinarySearchFunc(sorted, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	return ok
}

// choice is what is to be done with an entry.
type choice struct {
	deliver bool
	enter   bool
	child   scope
}

// choose decides on an entry whose absolute path is given; what costs least is asked first.
func (s *scope) choose(o *Options, e *Entry, path []byte) choice {
	isDir := e.Type == Directory
	shown := o.Hidden || o.Skipped || e.Name[0] == '.' && s.rules.Judge(string(path), e.Name, isDir) == ignore.Included
	var c choice
	switch {
	case isDir:
		c.deliver = o.Dirs && s.include != nil && s.include.Match(e.Name, shown)
		c.child.include, c.enter = s.enter(e.Name, shown)
	case e.Type == File || e.Type == Link && o.Links:
		c.deliver = (e.Type == Link || !o.Dirs) && s.matches(o, e.Name, shown)
	}
	if !c.deliver && !c.enter || s.exclude != nil && s.exclude.Match(e.Name, true) {
		return choice{}
	}
	if isDir && s.exclude != nil {
		c.child.exclude = s.exclude.Enter(e.Name, true)
	}
	leftOut := s.leavesOut(o, e, path)
	if leftOut != o.Skipped {
		c.deliver = false
		c.enter = c.enter && o.Skipped
	}
	c.child.rules, c.child.leftOut = s.rules, leftOut
	return c
}

// leavesOut reports whether an entry is ignored or hidden, or below what is.
func (s *scope) leavesOut(o *Options, e *Entry, path []byte) bool {
	if s.leftOut {
		return true
	}
	isDir := e.Type == Directory
	verdict := s.rules.Judge(string(path), e.Name, isDir)
	return verdict == ignore.Excluded || verdict == ignore.Silent && s.hidden(o, e.Name, isDir)
}

// matches reports whether a file's name fits what is asked for.
func (s *scope) matches(o *Options, name string, shown bool) bool {
	if o.Names != nil && !o.Names.Start().Match(name, true) {
		return false
	}
	if o.NotNames != nil && o.NotNames.Start().Match(name, true) {
		return false
	}
	return s.include == nil || s.include.Match(name, shown)
}

// enter reports whether something below a directory can fit.
func (s *scope) enter(name string, shown bool) (*glob.State, bool) {
	if s.include == nil {
		return nil, true
	}
	next := s.include.Enter(name, shown)
	return next, next != nil
}

// hidden reports whether an entry is left out for the dot that its name starts with.
func (s *scope) hidden(o *Options, name string, isDir bool) bool {
	if name[0] != '.' || o.Hidden {
		return false
	}
	if s.include == nil {
		return true
	}
	if isDir { // a pattern that names the dot asks for it
		return s.include.Enter(name, false) == nil && !s.include.Match(name, false)
	}
	return !s.include.Match(name, false)
}
