package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
)

// past is the session that is gone on with, or the one that will be written.
type past struct {
	session *transcript.Writer // nil: none is open yet
	records []transcript.Record
	moved   string // the directory that is no longer there
	unread  int
	debug   *os.File
	lazy    *lazyJournal
}

func (a *app) store() (*transcript.Store, error) {
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return nil, err
	}
	return sessionsIn(dirs), nil
}

func sessionsIn(dirs config.Dirs) *transcript.Store {
	return &transcript.Store{Path: filepath.Join(dirs.State, "sessions"), ListWith: "agentbash sessions list --all", GoOnWith: "--no-session"}
}

// past opens the session that --continue or --resume names, and makes its
// directory the working directory where none was given. Without one of the two
// it looks at nothing.
func (a *app) past(c *chatFlags) (*past, error) {
	p := &past{}
	if !c.goOn && c.resume == "" {
		return p, nil
	}
	st, err := a.store()
	if err != nil {
		return nil, err
	}
	id := c.resume
	if c.goOn {
		dir, err := workDir(c.dir)
		if err != nil {
			return nil, err
		}
		last, err := st.Latest(dir)
		if err != nil {
			return nil, err
		}
		id = last.ID
	}
	if p.session, p.records, p.unread, err = st.Open(id, moduleVersion()); err != nil {
		return nil, err
	}
	if c.dir == "" {
		p.enter(c)
	}
	return p, nil
}

// enter starts where the session's shell was, or where it began.
func (p *past) enter(c *chatFlags) {
	for i := len(p.records) - 1; i >= 0; i-- {
		dir := p.records[i].Dir
		if dir == "" {
			continue
		}
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			c.dir = dir
			return
		}
		if p.moved == "" {
			p.moved = dir
		}
	}
}

// note tells what is not as it was.
func (p *past) note(a *app, w *world) {
	if p.moved != "" {
		fmt.Fprintf(a.err, "agentbash: the directory %s of the session is gone; working in %s\n", p.moved, w.Router().Dir())
	}
	if p.unread > 0 {
		fmt.Fprintf(a.err, "agentbash: %d lines of the session could not be read and are left out\n", p.unread)
	}
}

// journal is where the conversation is recorded; nil: nowhere.
func (p *past) journal(w *world, c *chatFlags) chat.Journal {
	if c.noSession {
		return nil
	}
	if p.session != nil {
		return p.session
	}
	dir := w.Router().Dir()
	p.lazy = &lazyJournal{open: func() (*transcript.Writer, error) {
		s, err := sessionsIn(w.cfg.Dirs).Create(dir, moduleVersion())
		p.session = s
		return s, err
	}}
	return p.lazy
}

// id is the session's, or "" while there is none.
func (p *past) id() string {
	if p.session == nil {
		return ""
	}
	return p.session.ID
}

func (p *past) close() error {
	var err error
	if p.session != nil {
		err = p.session.Close()
	}
	if p.debug != nil {
		err = errors.Join(err, p.debug.Close())
	}
	return err
}

// lazyJournal makes the session's file when there is something to remember, so
// that looking in and leaving again writes nothing.
type lazyJournal struct {
	open    func() (*transcript.Writer, error)
	session *transcript.Writer
	waiting []transcript.Record
}

// Append keeps the records of before the first prompt back.
func (j *lazyJournal) Append(r transcript.Record) error {
	if j.session != nil {
		return j.session.Append(r)
	}
	j.waiting = append(j.waiting, r)
	if r.Type != transcript.TypeUser {
		return nil
	}
	s, err := j.open()
	if err != nil {
		return err
	}
	j.session = s
	for _, r := range j.waiting {
		if err := s.Append(r); err != nil {
			return err
		}
	}
	j.waiting = nil
	return nil
}

// Sync syncs the file, if there is one.
func (j *lazyJournal) Sync() error {
	if j.session == nil {
		return nil
	}
	return j.session.Sync()
}

// begin makes the file now. An error comes back from the next Append.
func (j *lazyJournal) begin() {
	s, err := j.open()
	if err != nil {
		j.open = func() (*transcript.Writer, error) { return nil, err }
		return
	}
	j.open = func() (*transcript.Writer, error) { return s, nil }
}
