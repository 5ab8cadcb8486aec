package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agentbash/agentbash/registry"
)

// Run is what is known of the run with a key. Its file is locked until Close, so that two
// do not work under one key.
type Run struct {
	Session string          // in which the work was begun; "": it was not
	Dir     string          // where it was begun
	Commit  string          // the repository's then; "": nobody asked for a patch
	Result  json.RawMessage // of the finished run; nil: it is not finished
	Patch   []byte          // of the finished run

	file *os.File
}

// runLine is a line of a run's file: each adds to those before it.
type runLine struct {
	Key     string          `json:"key,omitempty"`
	Prompt  string          `json:"prompt,omitempty"` // its hash
	Session string          `json:"session,omitempty"`
	Dir     string          `json:"dir,omitempty"`
	Commit  string          `json:"commit,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Patch   []byte          `json:"patch,omitempty"`
}

// ErrBusy says that another process works under the key, and will tell the result.
var ErrBusy = errors.New("goes on in another process")

// OpenRun opens the run with a key in a directory, which is made; it may have been begun
// before, with the same prompt. The caller closes it.
func OpenRun(dir, key, prompt string) (r *Run, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("run %s: %w", key, err)
	}
	path := filepath.Join(dir, hash(key)+".jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", key, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, fmt.Errorf("run %s %w: wait for that one, or give another --run-key", key, ErrBusy)
	case err != nil && !errors.Is(err, syscall.ENOTSUP) && !errors.Is(err, syscall.ENOLCK): // a network file system without locks
		return nil, fmt.Errorf("run %s: %w", key, err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", key, err)
	}
	r = &Run{file: f}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if len(whole) < len(data) { // a write that was killed
		if err := f.Truncate(int64(len(whole))); err != nil {
			return nil, fmt.Errorf("run %s: %w", key, err)
		}
	}
	if len(whole) == 0 {
		return r, r.append(runLine{Key: key, Prompt: hash(prompt)})
	}
	var all runLine
	for line := range bytes.Lines(whole) {
		if err := json.Unmarshal(line, &all); err != nil {
			return nil, fmt.Errorf("run %s: %s: %w: remove that file to begin anew", key, path, err)
		}
	}
	if all.Prompt != hash(prompt) {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("the run key %s belongs to another prompt: give another --run-key, or remove %s to begin anew", key, path)}}
	}
	r.Session, r.Dir, r.Commit, r.Result, r.Patch = all.Session, all.Dir, all.Commit, all.Result, all.Patch
	return r, nil
}

// Begin notes where the work is done, before any of it is.
func (r *Run) Begin(session, dir, commit string) error {
	if r.Session != "" {
		return nil
	}
	return r.append(runLine{Session: session, Dir: dir, Commit: commit})
}

// Finish notes what came of it: it is not done again.
func (r *Run) Finish(result json.RawMessage, patch []byte) error {
	return r.append(runLine{Result: result, Patch: patch})
}

func (r *Run) append(l runLine) error {
	data, err := json.Marshal(l)
	if err == nil {
		_, err = r.file.Write(append(data, '\n'))
	}
	if err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("the run cannot be recorded: %w: make room for %s", err, r.file.Name())
	}
	return nil
}

// Close lets others have the run.
func (r *Run) Close() error { return r.file.Close() }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
