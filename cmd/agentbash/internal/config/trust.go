package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// PendingProject is a project file whose tools or servers wait for approval.
type PendingProject struct {
	Path string   // absolute, symbolic links resolved
	Adds []string // what it would add: "mcpServers.memory runs npx -y ...", one line each
	Data []byte   // the content that was looked at, with that of the definitions it names, and would be approved
}

// Approve records that this very content of this very file may be used. It
// does not look at the file again, which may have changed since it was shown.
// The record lies in the state directory, readable by this user alone.
func Approve(dirs Dirs, p PendingProject) error {
	if err := dirs.MakeState(); err != nil {
		return fmt.Errorf("approve %s: %w", p.Path, err)
	}
	path := approvalPath(dirs, p.Path, p.Data)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("approve %s: %w", p.Path, err)
	}
	// The content of the record is for the one who looks through the directory,
	// and for Revoke; that it exists is what counts, so that two programs that
	// approve at once cannot lose each other's.
	if err := os.WriteFile(path, []byte(p.Path+"\n"), 0o600); err != nil {
		return fmt.Errorf("approve %s: %w", p.Path, err)
	}
	return nil
}

// Revoke takes back every approval of a file and reports how many there were.
func Revoke(dirs Dirs, path string) (n int, err error) {
	path = resolveLinks(path)
	dir := filepath.Join(dirs.State, "trusted")
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("revoke %s: %w", path, err)
	}
	for _, e := range entries {
		record := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(record)
		if err != nil || strings.TrimSuffix(string(data), "\n") != path {
			continue
		}
		if err := os.Remove(record); err != nil {
			return n, fmt.Errorf("revoke %s: %w", path, err)
		}
		n++
	}
	return n, nil
}

func isApproved(dirs Dirs, path string, data []byte) bool {
	_, err := os.Stat(approvalPath(dirs, path, data))
	return err == nil
}

// approvalPath is the record's path: the file's path counts too, since the same
// text in another place runs that place's programs.
func approvalPath(dirs Dirs, path string, data []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n", len(path), path)
	h.Write(data)
	return filepath.Join(dirs.State, "trusted", hex.EncodeToString(h.Sum(nil)))
}

// resolveLinks is the absolute path without symbolic links, or as far as it goes.
func resolveLinks(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}
