package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Session is an open session file. It is used from one goroutine.
type Session struct {
	ID   string
	Path string
	Dir  string // where the session was begun

	file *os.File
	line bytes.Buffer
	json *json.Encoder
	size int64 // of the whole lines
	sick error // what the first write that did not succeed said
}

// start wraps a file that is locked and ends with a whole line.
func start(f *os.File, id, dir string, size int64) *Session {
	s := &Session{ID: id, Path: f.Name(), Dir: dir, file: f, size: size}
	s.json = json.NewEncoder(&s.line)
	s.json.SetEscapeHTML(false)
	return s
}

// Append writes one record and stamps its time, if it has none. When it
// returns, the record outlives this process. After an error the file ends with
// the record before, and every further call returns the same error.
func (s *Session) Append(r Record) error {
	if s.sick != nil {
		return s.sick
	}
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	s.line.Reset()
	if err := s.json.Encode(&r); err != nil {
		return fmt.Errorf("session %s: %w", s.ID, err)
	}
	if _, err := s.file.Write(s.line.Bytes()); err != nil {
		s.sick = fmt.Errorf("the session cannot be recorded: %w: free some space, or go on with --no-session", err)
		s.file.Truncate(s.size) // half a line in the middle would be lost for ever
		return s.sick
	}
	s.size += int64(s.line.Len())
	return nil
}

// Sync returns when every record is on the disk.
func (s *Session) Sync() error {
	if s.sick != nil {
		return s.sick
	}
	if err := s.file.Sync(); err != nil {
		s.sick = fmt.Errorf("the session cannot be recorded: %w: check the disk, or go on with --no-session", err)
	}
	return s.sick
}

// Close unlocks and closes the file.
func (s *Session) Close() error { return s.file.Close() }

// ErrInUse is a session that another program has open.
var ErrInUse = errors.New("it is open in another agentbash: end that one, or export the session")

// lock takes the file for this program alone. The kernel gives it back when the
// program ends, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
		return nil // a network file system without locks
	}
	return err
}

// syncDir makes a new name in a directory outlive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
