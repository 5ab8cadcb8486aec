// Package snapshot keeps what the files of a workspace were before the turns of an
// agent, so that a turn can be taken back whole: what programs changed, too.
//
// A [Store] has a git object store and an index of its own, in the program's state:
// nothing of the user's repository is read but its exclude file, nothing is written,
// and no repository is needed. A second snapshot costs only what changed. Files that
// git ignores are left out, and so are big ones and those that cannot be read; of
// nested repositories the files are kept, and not what .git holds. Beside the trees
// that git makes there is a list of what git does not know: permissions and empty
// directories.
//
// Going back takes a snapshot of what is there first, so nothing is lost by it, and
// it can itself be gone back from. The log of snapshots says what belongs to
// which session. Old snapshots are dropped as new ones come.
package snapshot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/timeline"
)

// Options configures Open; nil means the defaults; copied.
type Options struct {
	Session func() string // whose snapshots are taken and gone back to; nil: those of all, for a person
	Home    string        // the user's home directory, which is too much to be kept; "" is unknown
	Environ []string      // for git

	Slow     func(string)  // is told that a snapshot takes seconds, before it is taken; nil: nobody is
	MaxFiles int           // of a workspace, more are not kept; 0: 100,000
	MaxBytes int64         // of a workspace; 0: 2 GiB
	MaxFile  int64         // a bigger file is left out; 0: 64 MiB
	MaxAge   time.Duration // of a snapshot; 0: seven days
	MaxCount int           // of the snapshots of a workspace; 0: 200
}

// Entry is a snapshot, as the log has it.
type Entry struct {
	ID      int       `json:"id"`
	Session string    `json:"session,omitempty"`
	Turn    int       `json:"turn,omitempty"` // which one of the session that changed something; 0: it was taken to go back
	Time    time.Time `json:"time"`
	To      int       `json:"to,omitempty"`      // of one that was taken to go back: to the one of this number
	Reached *state    `json:"reached,omitempty"` // by that
	Skipped string    `json:"skipped,omitempty"` // why there is none
	Left    []string  `json:"left,omitempty"`    // files that were left out
	Added   int64     `json:"added,omitempty"`   // bytes that were not in the one before, at most
	state
}

// state is what the files were, by git's names for it.
type state struct {
	Tree  string `json:"tree,omitempty"`
	Modes string `json:"modes,omitempty"`
}

// Store keeps the snapshots of one workspace. It may be used by several goroutines and
// processes at once.
type Store struct {
	root, dir string
	opts      Options

	mu     sync.Mutex // is held with the lock, of which goroutines know nothing
	tooBig string     // why nothing is kept, in this process: to look again takes as long
}

// Open returns the store of a workspace below a directory for all of them. Both are made
// and looked at when they are first needed.
func Open(root, dir string, opts *Options) *Store {
	s := &Store{}
	if opts != nil {
		s.opts = *opts
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if real, err := filepath.EvalSymlinks(s.opts.Home); err == nil && s.opts.Home != "" {
		s.opts.Home = real
	}
	sum := sha256.Sum256([]byte(root))
	s.root, s.dir = root, filepath.Join(dir, hex.EncodeToString(sum[:8]))
	o := &s.opts
	o.MaxFiles, o.MaxCount = cmp.Or(o.MaxFiles, 100_000), cmp.Or(o.MaxCount, 200)
	o.MaxBytes, o.MaxFile = cmp.Or(o.MaxBytes, 2<<30), cmp.Or(o.MaxFile, 64<<20)
	o.MaxAge = cmp.Or(o.MaxAge, 7*24*time.Hour)
	return s
}

// Root is the workspace.
func (s *Store) Root() string { return s.root }

// Take takes the snapshot with which a turn begins. What cannot be kept is no error: the
// log says why.
func (s *Store) Take(ctx context.Context) (Entry, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return Entry{}, err
	}
	e := s.next(all)
	e.Turn = 1
	for _, old := range s.ofSession(all) {
		e.Turn = max(e.Turn, old.Turn+1)
	}
	if err := s.capture(ctx, &e); err != nil {
		if ctx.Err() != nil {
			return Entry{}, ctx.Err()
		}
		e.Skipped = err.Error()
	}
	if err := timeline.Append(s.log(), e); err != nil {
		return Entry{}, err
	}
	return e, s.prune(ctx, append(all, e))
}

// List returns the snapshots of the session, the oldest first.
func (s *Store) List() ([]Entry, error) {
	all, err := s.read()
	return s.ofSession(all), err
}

func (s *Store) next(all []Entry) Entry {
	e := Entry{ID: 1, Time: time.Now().UTC()}
	if len(all) > 0 {
		e.ID = all[len(all)-1].ID + 1
	}
	if s.opts.Session != nil {
		e.Session = s.opts.Session()
	}
	return e
}

func (s *Store) ofSession(all []Entry) []Entry {
	if s.opts.Session == nil {
		return all
	}
	session := s.opts.Session()
	return slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return e.Session != session })
}

// lock makes the directory if need be and waits for its lock.
func (s *Store) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := atomicfile.LockPath(ctx, filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	os.Remove(s.index() + ".lock") // of a git that was killed: nobody else is here
	return func() { s.mu.Unlock(); unlock() }, nil
}

func (s *Store) log() string    { return filepath.Join(s.dir, "snapshots.jsonl") }
func (s *Store) index() string  { return filepath.Join(s.dir, "index") }
func (s *Store) pruned() string { return filepath.Join(filepath.Dir(s.dir), "pruned") } // shows when all stores were looked at

// read returns the log.
func (s *Store) read() (all []Entry, err error) {
	list, err := timeline.Read[Entry](s.log())
	for _, e := range list {
		if n := len(all); n > 0 && all[n-1].ID == e.ID { // what it led to is known
			all = all[:n-1]
		}
		all = append(all, e)
	}
	return all, err
}

// slack is how many snapshots beyond the limit are kept so that git need not look
// through its objects each time, and pruneEvery how long those that are too old. For the
// same reason there may be twice the bytes.
const (
	slack      = 20
	pruneEvery = 24 * time.Hour
)

// prune drops old snapshots, and the stores of workspaces in which nothing happens any
// more. The lock is held.
func (s *Store) prune(ctx context.Context, all []Entry) error {
	st, err := os.Stat(s.pruned())
	due := err == nil && time.Since(st.ModTime()) > pruneEvery
	if err != nil || due {
		if err := os.WriteFile(s.pruned(), nil, 0o600); err != nil {
			return err
		}
	}
	if due {
		if err := s.dropUnused(); err != nil {
			return err
		}
	}
	from, later, total := len(all), int64(0), int64(0) // later: bytes that came after the first that is kept
	for i, e := range slices.Backward(all) {
		if from == i+1 && len(all)-from < s.opts.MaxCount && later <= s.opts.MaxBytes && time.Since(e.Time) < s.opts.MaxAge {
			from, later = i, later+e.Added
		}
		total += e.Added
	}
	if from == 0 || from < slack && total <= 2*s.opts.MaxBytes && time.Since(all[0].Time) < s.opts.MaxAge+pruneEvery {
		return nil
	}
	all = all[from:]
	if err := atomicfile.Write(s.log(), timeline.Encode(all)); err != nil {
		return err
	}
	args := []string{"prune", "--expire=now", "--"}
	for _, e := range all {
		if e.Tree != "" {
			args = append(args, e.Tree, e.Modes)
		}
	}
	_, err = s.git(ctx, nil, args...)
	return err
}

// dropUnused removes the stores that have only snapshots that are too old.
func (s *Store) dropUnused() error {
	stores, err := filepath.Glob(filepath.Join(filepath.Dir(s.dir), "*", filepath.Base(s.log())))
	for _, log := range stores {
		if st, err := os.Stat(log); err == nil && time.Since(st.ModTime()) > s.opts.MaxAge {
			if err := os.RemoveAll(filepath.Dir(log)); err != nil {
				return err
			}
		}
	}
	return err
}
