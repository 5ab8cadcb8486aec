package notes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

// edit is one change of the list: a note that is added, or changed or removed by its
// number. An empty content or category stays as it was.
type edit struct {
	note
	id     int // its place in the list, the first being 1; 0: a new one
	remove bool
}

func (e *edit) missing() error {
	return fmt.Errorf("there is no note %d: recall shows those there are", e.id)
}

func (e *edit) apply(list []json.RawMessage) ([]json.RawMessage, error) {
	switch {
	case e.id > len(list):
		return nil, e.missing()
	case e.remove:
		return slices.Delete(list, e.id-1, e.id), nil
	case e.id == 0:
		one, err := encodeJSON(e.note)
		return append(list, one), err
	}
	fields := map[string]json.RawMessage{} // also those that are somebody else's
	if err := json.Unmarshal(list[e.id-1], &fields); err != nil {
		return nil, fmt.Errorf("entry %d is no note: note --id %[1]d --remove takes it out", e.id)
	}
	for key, text := range map[string]string{"timestamp": e.Timestamp, "category": e.Category, "content": e.Content} {
		if text == "" {
			continue
		}
		var err error
		if fields[key], err = encodeJSON(text); err != nil {
			return nil, err
		}
	}
	one, err := encodeJSON(fields)
	list[e.id-1] = one
	return list, err
}

// changeNotes changes the list of the file and returns how many there are now. aside is
// where a file went that could not be understood.
func changeNotes(ctx context.Context, path string, change func([]json.RawMessage) ([]json.RawMessage, error)) (count int, aside string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, "", err
	}
	unlock, err := atomicfile.LockPath(ctx, filepath.Dir(path), os.O_RDONLY) // so there is no file for it in the workspace
	if err != nil {
		return 0, "", err
	}
	defer unlock()
	list, err := loadNotes(path)
	var broken *brokenError
	if errors.As(err, &broken) {
		if aside, err = moveAside(path); err != nil {
			return 0, "", err
		}
		list, err = nil, nil
	}
	if err == nil {
		list, err = change(list)
	}
	if err != nil {
		return 0, aside, err
	}
	return len(list), aside, saveNotes(path, list)
}

// loadNotes reads the file; each entry stays as it is. One that is not there has none.
func loadNotes(path string) ([]json.RawMessage, error) {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, &brokenError{path, err}
	}
	return list, nil
}

// readRegular opens without waiting for a FIFO, and refuses what is no file.
func readRegular(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %s: move it away", path, atomicfile.KindOf(st.Mode()))
	case st.Size() > maxFile:
		return nil, fmt.Errorf("%s is bigger than 64 MiB: move it away", path)
	}
	return os.ReadFile(path)
}

// brokenError says that a file is no list of notes.
type brokenError struct {
	path string
	err  error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("%s is no list of notes (%v): correct it; the next note keeps it aside under another name", e.path, e.err)
}

// moveAside gives a file a name that no other has.
func moveAside(path string) (string, error) {
	for i := 1; i < 10_000; i++ {
		aside := fmt.Sprintf("%s.broken-%d", path, i)
		err := os.Link(path, aside) // fails where the name is taken, which a rename would not
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(path)
		}
		return aside, err
	}
	return "", fmt.Errorf("%s: there are thousands of broken ones beside it: remove them", path)
}

func saveNotes(path string, list []json.RawMessage) error {
	var b bytes.Buffer
	b.WriteString("[")
	for i, one := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		if err := json.Indent(&b, one, "  ", "  "); err != nil {
			return err
		}
	}
	b.WriteString("\n]\n")
	f, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Create(nil, path, b.Bytes(), 0)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Replace(b.Bytes())
}

func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
