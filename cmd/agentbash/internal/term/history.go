package term

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	historyLines = 2000    // the most that are recalled
	historyBytes = 1 << 20 // of the end of the file, which is all that is read
)

// loadHistory reads the lines of earlier sessions, the oldest first. Each line of
// the file is a JSON string, since a text may have several lines; what is not one
// (a write was cut off) is left out. A file that is not there is an empty one.
func loadHistory(path string) ([]string, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > historyBytes {
		if _, err := f.Seek(-historyBytes, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, historyBytes))
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range bytes.Lines(data) {
		var text string
		if json.Unmarshal(line, &text) == nil && (len(out) == 0 || out[len(out)-1] != text) {
			out = append(out, text)
		}
	}
	return out[max(0, len(out)-historyLines):], nil
}

// saveHistory appends a line, readable by this user alone: what is typed may
// hold what nobody else is to see. Two sessions may append at once.
func saveHistory(path, text string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep the history: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(text)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(line) + "\n")
	return errors.Join(err, f.Close())
}
