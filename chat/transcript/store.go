package transcript

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Store is the directory of all sessions. Its methods are safe for concurrent
// use, since the file system is the only state.
type Store struct {
	Path string // made when the first session is

	// What errors advise the person who reads them; "" leaves it out.
	ListWith string // shows the sessions, such as "agentbash sessions list --all"
	GoOnWith string // does without a session, such as "--no-session"
}

// orGoOn is the other way out of an error that keeps sessions from being written.
func (st *Store) orGoOn() string {
	if st.GoOnWith == "" {
		return ""
	}
	return ", or go on with " + st.GoOnWith
}

// UsageError is a request that cannot be met as it was put: an ID that is
// unknown or stands for several sessions. Its exit status is 2.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// ExitStatus is that of a usage error.
func (e *UsageError) ExitStatus() int { return 2 }

const suffix = ".jsonl"

// Create begins a session of the project that dir belongs to. The caller closes it.
func (st *Store) Create(dir, program string) (*Writer, error) {
	return st.create(filepath.Join(st.Path, projectName(dir)), Record{Type: TypeSession, V: Version, Dir: dir, Program: program}, nil)
}

// create makes a file with its first line, and with more lines after it.
func (st *Store) create(folder string, head Record, rest [][]byte) (*Writer, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("sessions: %w: make it writable%s", err, st.orGoOn())
	}
	for {
		id := newID(time.Now())
		f, err := os.OpenFile(filepath.Join(folder, id+suffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sessions: %w: make it writable%s", err, st.orGoOn())
		}
		s := newWriter(f, id, head.Dir, 0, st.orGoOn())
		head.ID = id
		err = errors.Join(lockFile(f), s.Append(head), s.write(rest), syncDir(folder))
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return s, nil
	}
}

// Open goes on with a session and returns the records that matter to that: not
// what was shortened away, and not the pieces of whole replies. A torn last line is
// cut off; lines in the middle that cannot be read are left where they are and
// counted. The caller closes the session.
func (st *Store) Open(id, program string) (s *Writer, records []Record, unread int, err error) {
	e, err := st.Find(id)
	if err != nil {
		return nil, nil, 0, err
	}
	f, err := os.OpenFile(e.Path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("session %s: %w", e.ID, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("session %s: %w", e.ID, err), f.Close())
		}
	}()
	if err := lockFile(f); err != nil {
		return nil, nil, 0, err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, 0, err
	}
	lines, whole := splitLines(data)
	records, unread = decodeLines(livingLines(withoutRewound(lines)))
	if err := checkHead(records); err != nil {
		return nil, nil, 0, err
	}
	if whole < len(data) {
		if err := f.Truncate(int64(whole)); err != nil {
			return nil, nil, 0, err
		}
	}
	s = newWriter(f, e.ID, records[0].Dir, int64(whole), st.orGoOn())
	return s, records, unread, nil
}

// readSession finds a session and reads its file.
func (st *Store) readSession(id string) (Entry, []byte, error) {
	e, err := st.Find(id)
	if err != nil {
		return e, nil, err
	}
	data, err := os.ReadFile(e.Path)
	if err != nil {
		err = fmt.Errorf("session %s: %w", e.ID, err)
	}
	return e, data, err
}

// Read returns what is in a session, without opening it for more.
func (st *Store) Read(id string) (Entry, []Record, error) {
	e, err := st.Find(id)
	if err != nil {
		return e, nil, err
	}
	records, err := ReadFile(e.Path)
	return e, records, err
}

// ReadFile returns the records of a file, wherever it lies.
func ReadFile(path string) ([]Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	records, _, _ := decodeRecords(data)
	if err := checkHead(records); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return records, nil
}

func checkHead(records []Record) error {
	switch {
	case len(records) == 0 || records[0].Type != TypeSession:
		return errors.New("it is no session: its first line is not of type session")
	case records[0].V > Version:
		return fmt.Errorf("it was written by a later version (format %d, this program knows %d): update agentbash", records[0].V, Version)
	}
	return nil
}

// Entry is a session by what its file's name and times tell.
type Entry struct {
	ID       string
	Path     string
	Project  string // the name of its directory
	Modified time.Time
	Size     int64
}

// List returns the sessions, the one that was last written first. dir limits it
// to those of one project; "" is all. No file is read.
func (st *Store) List(dir string) ([]Entry, error) {
	folders := []string{projectName(dir)}
	if dir == "" {
		names, err := os.ReadDir(st.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		folders = folders[:0]
		for _, n := range names {
			if n.IsDir() {
				folders = append(folders, n.Name())
			}
		}
	}
	var out []Entry
	for _, folder := range folders {
		names, err := os.ReadDir(filepath.Join(st.Path, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, n := range names {
			id, ok := strings.CutSuffix(n.Name(), suffix)
			info, err := n.Info()
			if !ok || err != nil || !info.Mode().IsRegular() {
				continue
			}
			out = append(out, Entry{ID: id, Path: filepath.Join(st.Path, folder, n.Name()), Project: folder, Modified: info.ModTime(), Size: info.Size()})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out, nil
}

// Find returns the session with an ID, or with the only one that begins so.
func (st *Store) Find(id string) (Entry, error) {
	all, err := st.List("")
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	for _, e := range all {
		if e.ID == id {
			return e, nil
		}
		if id != "" && strings.HasPrefix(e.ID, id) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		text := fmt.Sprintf("there is no session %q", id)
		if st.ListWith != "" {
			text += ": " + st.ListWith + " shows them"
		}
		return Entry{}, &UsageError{text}
	case 1:
		return found[0], nil
	}
	return Entry{}, &UsageError{fmt.Sprintf("%d sessions begin with %q: type more of the ID", len(found), id)}
}

// Latest returns the session of a project that was last written.
func (st *Store) Latest(dir string) (Entry, error) {
	list, err := st.List(dir)
	if err != nil {
		return Entry{}, err
	}
	if len(list) == 0 {
		text := "there is no session of " + dir + " yet: start one"
		if st.ListWith != "" {
			text += ", or see " + st.ListWith
		}
		return Entry{}, &UsageError{text}
	}
	return list[0], nil
}

// Delete removes a session that no program has open.
func (st *Store) Delete(id string) (Entry, error) {
	e, err := st.Find(id)
	if err != nil {
		return e, err
	}
	f, err := os.OpenFile(e.Path, os.O_RDWR, 0)
	if err == nil {
		defer f.Close()
		if err = lockFile(f); err == nil {
			err = os.Remove(e.Path)
		}
	}
	if err != nil {
		return e, fmt.Errorf("session %s: %w", e.ID, err)
	}
	os.Remove(titlePath(e.Path))
	os.Remove(filepath.Dir(e.Path)) // succeeds when it was the last one
	return e, nil
}

// newID sorts by time and is short enough to type the beginning of.
func newID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// projectName is the directory name of a project: readable, and with a hash
// since different paths can read the same.
func projectName(dir string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.Trim(dir, "/"))
	clean = strings.TrimLeft(clean, ".")
	if len(clean) > 80 {
		clean = clean[len(clean)-80:]
	}
	h := fnv.New32a()
	io.WriteString(h, dir)
	return fmt.Sprintf("%s-%08x", clean, h.Sum32())
}

// Heading is what the first lines of a session tell.
type Heading struct{ Dir, Title string }

// headSize is how much of a file Head reads where the first prompt is in it: a list of
// sessions should not cost what is in them.
const headSize = 64 << 10

// Head reads the beginning of a session's file.
func Head(path string) (Heading, error) {
	f, err := os.Open(path)
	if err != nil {
		return Heading{}, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	data, err := io.ReadAll(io.LimitReader(in, headSize))
	if err != nil {
		return Heading{}, err
	}
	records, whole, _ := decodeRecords(data)
	if err := checkHead(records); err != nil {
		return Heading{}, fmt.Errorf("%s: %w", path, err)
	}
	title, err := os.ReadFile(titlePath(path))
	if !errors.Is(err, fs.ErrNotExist) {
		return Heading{records[0].Dir, string(title)}, err
	}
	isPrompt := func(r Record) bool { return r.Type == TypeUser }
	for line := data[whole:]; !slices.ContainsFunc(records, isPrompt); line = nil {
		rest, err := in.ReadBytes('\n')
		if err != nil {
			break // there is no prompt yet
		}
		if line = append(line, rest...); typeOf(line) == TypeUser {
			prompt, _ := decodeLines([][]byte{line})
			records = append(records, prompt...)
		}
	}
	first := Title(records)
	return Heading{records[0].Dir, strings.ToValidUTF8(first[:min(len(first), headSize)], "")}, nil
}
