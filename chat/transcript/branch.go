package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

// Fork makes a session that begins as another one stands, and returns its ID. The
// other may be open; it stays what it is.
func (st *Store) Fork(id, program string) (string, error) {
	e, data, err := st.readSession(id)
	if err != nil {
		return "", err
	}
	lines, _ := splitLines(data)
	head, _ := decodeLines(lines[:min(1, len(lines))])
	if err := checkHead(head); err != nil {
		return "", fmt.Errorf("session %s: %w", e.ID, err)
	}
	lines = lines[1:]
	for i, line := range lines {
		lines[i] = append(line[:len(line):len(line)], '\n')
	}
	head[0].Parent, head[0].Program, head[0].Time = e.ID, program, time.Time{}
	s, err := st.create(filepath.Dir(e.Path), head[0], lines)
	if err != nil {
		return "", err
	}
	if title, err := os.ReadFile(titlePath(e.Path)); err == nil {
		err = os.WriteFile(titlePath(s.Path), title, 0o600)
		return s.ID, errors.Join(err, s.Close())
	}
	return s.ID, s.Close()
}

// titlePath is where the title of a session is kept that a person gave it.
func titlePath(path string) string { return strings.TrimSuffix(path, suffix) + ".title" }

// Rename gives a session a title in the place of its first prompt.
func (st *Store) Rename(id, title string) (Entry, error) {
	e, err := st.Find(id)
	if err != nil {
		return e, err
	}
	return e, atomicfile.Write(titlePath(e.Path), []byte(strings.Join(strings.Fields(title), " ")))
}

// Point is a prompt to before which a session can be taken back, by a record of
// [TypeRewind] with its To.
type Point struct {
	To   int
	Time time.Time
	Text string // as it was typed
}

// Points are the prompts of a session that stand, the first one first.
func (st *Store) Points(id string) ([]Point, error) {
	_, data, err := st.readSession(id)
	if err != nil {
		return nil, err
	}
	var out []Point
	lines, _ := splitLines(data)
	for _, i := range standing(lines) {
		if typeOf(lines[i]) != TypeUser {
			continue
		}
		if r, _ := decodeLines(lines[i : i+1]); len(r) == 1 {
			out = append(out, Point{i, r[0].Time, r[0].Prompt()})
		}
	}
	return out, nil
}
