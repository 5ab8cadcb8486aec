package audit

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tail is where the chain goes on.
type tail struct {
	seq  int64
	hash string // "": there is no record
	time string
	size int64 // of the file that it was read from
	torn bool  // a piece of a line stands at its end
}

// chainRecord numbers a record, and returns its line as the next one.
func (t *tail) chainRecord(r *Record, now time.Time) ([]byte, error) {
	r.V, r.Seq, r.Time, r.Prev = Version, t.seq+1, now.UTC().Format("2006-01-02T15:04:05.000000Z"), t.hash
	r.Back = r.Time < t.time
	line, err := r.line()
	t.seq, t.hash, t.time = r.Seq, r.Hash, r.Time
	return line, err
}

// findTail reads where the chain of a file of that size goes on, unless nobody wrote
// since we did.
func (l *Log) findTail(size int64) (err error) {
	if l.last.hash != "" && l.last.size == size {
		return nil
	}
	if l.last, err = readTail(l.file, size); err != nil || l.last.hash != "" {
		return err
	}
	before, err := asideFiles(l.dir)
	if err != nil {
		return err
	}
	if len(before) == 0 {
		l.last.hash = first
		return nil
	}
	was, err := lastOf(before[len(before)-1])
	if err != nil {
		return err
	}
	l.last.seq, l.last.hash, l.last.time = was.seq, was.hash, was.time
	return nil
}

// lastOf is the tail of a file that was put aside.
func lastOf(path string) (tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	t, err := readTail(f, st.Size())
	if err == nil && t.hash == "" {
		err = fmt.Errorf("%s holds no record: move it away", path)
	}
	return t, err
}

// readTail finds the last whole record of a file.
func readTail(f *os.File, size int64) (tail, error) {
	t := tail{size: size}
	for window := int64(64 << 10); ; window *= 4 {
		from := max(0, size-window)
		data := make([]byte, size-from)
		if _, err := f.ReadAt(data, from); err != nil && err != io.EOF {
			return t, err
		}
		t.torn = len(data) > 0 && data[len(data)-1] != '\n'
		lines := bytes.Split(data, []byte("\n"))
		if from > 0 {
			lines = lines[1:] // it begins before the window
		}
		for _, line := range slices.Backward(lines) {
			if r, whole, err := parseRecord(line); err == nil && whole {
				t.seq, t.hash, t.time = r.Seq, r.Hash, r.Time
				return t, nil
			}
		}
		if from == 0 {
			return t, nil
		}
	}
}

// asideFiles are the files that were put aside, the oldest first.
func asideFiles(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	for _, e := range entries { // sorted by name
		if strings.HasPrefix(e.Name(), "audit-") && strings.HasSuffix(e.Name(), ".jsonl") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}
