// Package checkpoint keeps what files held before they were changed, by
// content, and a log of the changes.
//
// The directory holds the log (changes.jsonl, one change a line) and the
// contents (objects/ab/cdef..., named by their SHA-256). A change is logged
// before it is made, and voided when it was not; one that was cut off by the end of
// its process can be told by the file's own content. Old changes, and
// contents that no change needs any more, are dropped as new ones come. Processes
// that share a directory take turns by a lock.
package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/timeline"
)

// Version is what a file was. A nil *Version is a file that was not there.
type Version struct {
	Hash string      `json:"hash"` // SHA-256 of the content, hexadecimal
	Size int64       `json:"size"` // bytes
	Mode os.FileMode `json:"mode,omitempty"`
}

// VersionOf describes a content.
func VersionOf(content []byte, mode os.FileMode) *Version {
	sum := sha256.Sum256(content)
	return &Version{Hash: hex.EncodeToString(sum[:]), Size: int64(len(content)), Mode: mode}
}

// Same reports whether two versions have the same content, or are both no file.
func (v *Version) Same(o *Version) bool {
	if v == nil || o == nil {
		return v == o
	}
	return v.Hash == o.Hash
}

// Change is one change of one file.
type Change struct {
	ID       int       `json:"id"`
	Time     time.Time `json:"time"`
	Op       string    `json:"op"`   // write, edit, apply_patch, undo, redo, or remove: by something else
	Path     string    `json:"path"` // absolute, links followed
	Dir      string    `json:"dir"`  // where the command ran
	Before   *Version  `json:"before"`
	After    *Version  `json:"after"`
	To       int       `json:"to,omitempty"`       // the change before which it goes back; 0: none
	Step     int       `json:"step,omitempty"`     // the number of the first of the changes that were made as one; 0: it is alone
	Appended bool      `json:"appended,omitempty"` // what was before is the start of what is after, and not kept
	Void     int       `json:"void,omitempty"`     // the change of that number was not made
}

// NewStep is the Step of a change that begins one.
const NewStep = -1

// Store is a directory of checkpoints. It may be used by several goroutines
// and processes at once.
type Store struct {
	dir string

	MaxChanges int   // kept; 0: 2,000
	MaxBytes   int64 // of contents kept; 0: 1 GiB
}

// New returns the store in a directory, which is made when it is first needed.
func New(dir string) *Store { return &Store{dir: dir} }

func (s *Store) log() string { return filepath.Join(s.dir, "changes.jsonl") }

func (s *Store) object(hash string) string {
	return filepath.Join(s.dir, "objects", hash[:2], hash[2:])
}

// Add keeps what a file holds before a change, and after it, and logs the change; it
// sets and returns the change's number. The contents are not needed of an appended one.
func (s *Store) Add(c Change, before, after []byte) (int, error) {
	unlock, err := s.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	list, err := s.readChanges()
	if err != nil {
		return 0, err
	}
	c.ID = 1
	if n := len(list); n > 0 {
		c.ID = list[n-1].ID + 1
	}
	if c.Step == NewStep {
		c.Step = c.ID
	}
	if c.ID%64 == 0 {
		if err := s.pruneChanges(list); err != nil {
			return 0, err
		}
	}
	if c.Before != nil && !c.Appended {
		err = s.keepContent(c.Before.Hash, before)
	}
	if c.After != nil && !c.Appended && after != nil && err == nil {
		err = s.keepContent(c.After.Hash, after)
	}
	if err != nil {
		return 0, err
	}
	return c.ID, timeline.Append(s.log(), c)
}

// Void notes that a change was not made after all.
func (s *Store) Void(id int) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return timeline.Append(s.log(), Change{Void: id})
}

// List returns the changes that were made, oldest first.
func (s *Store) List() ([]Change, error) {
	all, err := s.readChanges()
	if err != nil {
		return nil, err
	}
	void := map[int]bool{}
	for _, c := range all {
		void[c.Void] = c.Void > 0
	}
	var list []Change
	for _, c := range all {
		if c.Path != "" && !void[c.ID] {
			list = append(list, c)
		}
	}
	return list, nil
}

// Content returns a content that was kept.
func (s *Store) Content(v *Version) ([]byte, error) {
	b, err := os.ReadFile(s.object(v.Hash))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("its content is no longer kept")
	}
	if err == nil && VersionOf(b, 0).Hash != v.Hash {
		err = errors.New("what was kept of it is damaged")
	}
	return b, err
}

// lock makes the directory if need be and waits for its lock.
func (s *Store) lock() (func(), error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	return atomicfile.LockPath(context.Background(), filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE)
}

// keepContent stores a content unless it is there already.
func (s *Store) keepContent(hash string, content []byte) error {
	path := s.object(hash)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(content)) {
		now := time.Now()
		return os.Chtimes(path, now, now)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, content)
}

// readChanges returns every line of the log.
func (s *Store) readChanges() ([]Change, error) {
	list, err := timeline.Read[Change](s.log())
	for i := range list {
		if list[i].Void > 0 && i > 0 {
			list[i].ID = list[i-1].ID
		}
	}
	return list, err
}
