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

// chatTranscript is the session that is gone on with, or the one that will be written.
type chatTranscript struct {
	writer  *transcript.Writer // nil: none is open yet
	records []transcript.Record
	moved   string // the directory that is no longer there
	unread  int
	debug   *os.File
	lazy    *lazyJournal
}

func (a *app) transcriptStore() (*transcript.Store, error) {
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return nil, err
	}
	return sessionsIn(dirs), nil
}

func sessionsIn(dirs config.Dirs) *transcript.Store {
	return &transcript.Store{Path: filepath.Join(dirs.State, "sessions"), ListWith: "agentbash sessions list --all", GoOnWith: "--no-session"}
}

// openTranscript opens the session that --continue or --resume names, and makes its
// directory the working directory where none was given. Without one of the two
// it looks at nothing.
func (a *app) openTranscript(c *chatFlags) (*chatTranscript, error) {
	p := &chatTranscript{}
	if !c.goOn && c.resume == "" || c.resume == chooseLater {
		return p, nil
	}
	st, err := a.transcriptStore()
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
	if c.fork {
		if id, err = st.Fork(id, moduleVersion()); err != nil {
			return nil, err
		}
	}
	if p.writer, p.records, p.unread, err = st.Open(id, moduleVersion()); err != nil {
		return nil, err
	}
	if c.dir == "" && c.on == "" {
		p.chooseDir(c)
	}
	return p, nil
}

// chooseDir starts where the session's shell was, or where it began.
func (p *chatTranscript) chooseDir(c *chatFlags) {
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

// tellChanges tells what is not as it was.
func (p *chatTranscript) tellChanges(a *app, b *configuredBash) {
	if p.moved != "" {
		fmt.Fprintf(a.err, "agentbash: the directory %s of the session is gone; working in %s\n", p.moved, b.Router().Dir())
	}
	if p.unread > 0 {
		fmt.Fprintf(a.err, "agentbash: %d lines of the session could not be read and are left out\n", p.unread)
	}
}

// openJournal is where the conversation is recorded; nil: nowhere.
func (p *chatTranscript) openJournal(b *configuredBash, c *chatFlags) chat.Journal {
	if c.noSession {
		return nil
	}
	if p.writer != nil {
		return p.writer
	}
	dir := b.projectDir()
	p.lazy = &lazyJournal{open: func() (*transcript.Writer, error) {
		s, err := sessionsIn(b.cfg.Dirs).Create(dir, moduleVersion())
		p.writer = s
		return s, err
	}}
	return p.lazy
}

// id is the session's, or "" while there is none.
func (p *chatTranscript) id() string {
	if p.writer == nil {
		return ""
	}
	return p.writer.ID
}

func (p *chatTranscript) close() error {
	var err error
	if p.writer != nil {
		err = p.writer.Close()
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
	writer  *transcript.Writer
	waiting []transcript.Record
}

// Append keeps the records of before the first prompt back.
func (j *lazyJournal) Append(r transcript.Record) error {
	if j.writer != nil {
		return j.writer.Append(r)
	}
	j.waiting = append(j.waiting, r)
	if r.Type != transcript.TypeUser {
		return nil
	}
	s, err := j.open()
	if err != nil {
		return err
	}
	j.writer = s
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
	if j.writer == nil {
		return nil
	}
	return j.writer.Sync()
}

// createNow makes the file now. An error comes back from the next Append.
func (j *lazyJournal) createNow() {
	s, err := j.open()
	if err != nil {
		j.open = func() (*transcript.Writer, error) { return nil, err }
		return
	}
	j.open = func() (*transcript.Writer, error) { return s, nil }
}
