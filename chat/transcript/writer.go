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

// Writer adds records to a session. It is used from one goroutine.
type Writer struct {
	ID   string
	Path string
	Dir  string // where the session was begun

	file   *os.File
	line   bytes.Buffer
	json   *json.Encoder
	size   int64  // of the whole lines
	orGoOn string // as Store.orGoOn
	sick   error  // what the first write that did not succeed said
}

// newWriter wraps a file that is locked and ends with a whole line.
func newWriter(f *os.File, id, dir string, size int64, orGoOn string) *Writer {
	w := &Writer{ID: id, Path: f.Name(), Dir: dir, file: f, size: size, orGoOn: orGoOn}
	w.json = json.NewEncoder(&w.line)
	w.json.SetEscapeHTML(false)
	return w
}

// Append writes one record and stamps its time, if it has none. When it
// returns, the record outlives this process. After an error the file ends with
// the record before, and every further call returns the same error.
func (w *Writer) Append(r Record) error {
	if w.sick != nil {
		return w.sick
	}
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	w.line.Reset()
	if err := w.json.Encode(&r); err != nil {
		return fmt.Errorf("session %s: %w", w.ID, err)
	}
	return w.write([][]byte{w.line.Bytes()})
}

// write writes lines, whole or not at all.
func (w *Writer) write(lines [][]byte) error {
	data := bytes.Join(lines, nil)
	if _, err := w.file.Write(data); err != nil {
		w.sick = fmt.Errorf("the session cannot be recorded: %w: free some space%s", err, w.orGoOn)
		w.file.Truncate(w.size) // half a line in the middle would be lost for ever
		return w.sick
	}
	w.size += int64(len(data))
	return nil
}

// Sync returns when every record is on the disk.
func (w *Writer) Sync() error {
	if w.sick != nil {
		return w.sick
	}
	if err := w.file.Sync(); err != nil {
		w.sick = fmt.Errorf("the session cannot be recorded: %w: check the disk%s", err, w.orGoOn)
	}
	return w.sick
}

// Close unlocks and closes the file.
func (w *Writer) Close() error { return w.file.Close() }

// ErrInUse is a session that another program has open.
var ErrInUse = errors.New("it is open in another agentbash: end that one, or export the session")

// lockFile takes the file for this program alone. The kernel gives it back when the
// program ends, however it ends.
func lockFile(f *os.File) error {
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
