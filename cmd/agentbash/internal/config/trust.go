package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// PendingProject is a file whose tools or servers wait for approval: a project's, or,
// if Changed, any whose tools or servers run files that changed.
type PendingProject struct {
	Path    string         // absolute, symbolic links resolved
	Adds    []string       // what it would add: "mcpServers.memory runs npx -y ...", one line each
	Data    []byte         // the content that was looked at, with that of the definitions it names, and would be approved
	Files   []ExecutedFile // which it runs, as they were looked at
	Changed bool           // the file itself is trusted; Files are those that are not what they were

	runs []run
}

// Hash is the SHA-256 of all that approving these would approve, in hexadecimal.
func Hash(pending []PendingProject) string {
	h := sha256.New()
	for _, p := range pending {
		fmt.Fprintf(h, "%d %s\n%d %d\n", len(p.Path), p.Path, len(p.Data), len(p.Files))
		h.Write(p.Data)
		for _, f := range p.Files {
			fmt.Fprintf(h, "%d %s %s\n", len(f.Path), f.Path, f.Hash)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Approve records that this very content of this very file, and of those that it
// runs, may be used. It does not look at them again, which may have changed since
// they were shown. The record lies in the state directory, readable by this user alone.
func Approve(dirs Dirs, p PendingProject) error {
	if p.Data != nil {
		if err := writeApproval(dirs, p.Path, p.Data, p.Path); err != nil {
			return err
		}
	}
	for _, f := range p.Files {
		if err := f.approve(dirs); err != nil {
			return err
		}
	}
	return nil
}

// writeApproval makes the record. Its text is for the one who looks through the
// directory, and for Revoke; that it exists is what counts, so that two programs that
// approve at once cannot lose each other's.
func writeApproval(dirs Dirs, path string, data []byte, text string) error {
	if err := dirs.MakeState(); err != nil {
		return fmt.Errorf("approve %s: %w", path, err)
	}
	record := approvalPath(dirs, path, data)
	if err := os.MkdirAll(filepath.Dir(record), 0o700); err != nil {
		return fmt.Errorf("approve %s: %w", path, err)
	}
	if err := os.WriteFile(record, []byte(text+"\n"), 0o600); err != nil {
		return fmt.Errorf("approve %s: %w", path, err)
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
