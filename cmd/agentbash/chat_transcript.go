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

	create  func() (*transcript.Writer, error) // makes the file of a new one
	failed  error                              // why that could not be made
	begun   bool                               // there is a prompt
	waiting []transcript.Record                // of before it
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
	w, records, unread, err := st.Open(id, moduleVersion())
	if err != nil {
		return nil, err
	}
	p.goOnWith(w)
	p.records, p.unread = records, unread
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

// journal is where the conversation is recorded; nil: nowhere.
func (p *chatTranscript) journal(b *configuredBash, c *chatFlags) chat.Journal {
	if c.noSession {
		return nil
	}
	dir := b.projectDir()
	p.create = func() (*transcript.Writer, error) { return sessionsIn(b.cfg.Dirs).Create(dir, moduleVersion()) }
	return p
}

// createNow makes the session's file, if there is none. An error comes back from the next Append.
func (p *chatTranscript) createNow() {
	if p.writer == nil && p.failed == nil {
		p.writer, p.failed = p.create()
	}
}

// Append implements [chat.Journal]. It keeps the records of before the first prompt back, so that
// looking in and leaving again writes nothing.
func (p *chatTranscript) Append(r transcript.Record) error {
	p.waiting = append(p.waiting, r)
	if p.begun = p.begun || r.Type == transcript.TypeUser; !p.begun {
		return nil
	}
	if p.createNow(); p.failed != nil {
		return p.failed
	}
	waiting := p.waiting
	p.waiting = nil
	for _, r := range waiting {
		if err := p.writer.Append(r); err != nil {
			return err
		}
	}
	return nil
}

// Sync implements [chat.Journal].
func (p *chatTranscript) Sync() error {
	if p.writer == nil {
		return nil
	}
	return p.writer.Sync()
}

// goOnWith makes a session that was opened the one that is written.
func (p *chatTranscript) goOnWith(w *transcript.Writer) {
	p.writer, p.begun, p.waiting, p.failed = w, true, nil, nil
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
