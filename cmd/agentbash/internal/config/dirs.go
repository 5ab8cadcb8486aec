package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dirs are the user's directories for this program.
type Dirs struct {
	Config string // $XDG_CONFIG_HOME/agentbash
	State  string // $XDG_STATE_HOME/agentbash; made by MakeState
}

// UserDirs finds them as the XDG Base Directory Specification says: a variable
// that is unset or not absolute counts as its default below HOME. (The xdg
// module reads the process's environment and user-dirs.dirs at start-up, where
// ours comes in as a parameter and every millisecond is counted.)
func UserDirs(lookup func(string) (string, bool)) (Dirs, error) {
	home, _ := lookup("HOME")
	dir := func(variable string, below ...string) string {
		if v, _ := lookup(variable); filepath.IsAbs(v) {
			return filepath.Join(v, "agentbash")
		}
		if !filepath.IsAbs(home) {
			return ""
		}
		return filepath.Join(append(append([]string{home}, below...), "agentbash")...)
	}
	d := Dirs{Config: dir("XDG_CONFIG_HOME", ".config"), State: dir("XDG_STATE_HOME", ".local", "state")}
	if d.Config == "" || d.State == "" {
		return d, &Error{Text: "HOME is not set to an absolute path: set it, or XDG_CONFIG_HOME and XDG_STATE_HOME"}
	}
	return d, nil
}

// MakeState makes the state directory, for this user alone.
func (d Dirs) MakeState() error {
	if err := os.MkdirAll(d.State, 0o700); err != nil {
		return err
	}
	// It may stem from another program or umask.
	return os.Chmod(d.State, 0o700)
}

// projectFiles are the files that a directory's project has, the one with the
// higher rank first. root is the directory that they lie in.
type projectFile struct {
	path, root string
	shared     bool // .mcp.json, which other programs read too
}

// findProject looks for the nearest of each project file, from dir up to the
// root of its repository. Outside of a repository only dir itself counts: what
// lies in /tmp or /home is nobody's project.
func findProject(dir string) []projectFile {
	var ours, shared *projectFile
	for _, d := range projectDirs(dir) {
		if p := filepath.Join(d, ".agentbash", "config.json"); ours == nil && mayExist(p) {
			ours = &projectFile{path: p, root: d}
		}
		if p := filepath.Join(d, ".mcp.json"); shared == nil && mayExist(p) {
			shared = &projectFile{path: p, root: d, shared: true}
		}
	}
	var out []projectFile
	for _, f := range []*projectFile{ours, shared} {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// projectDirs are dir and its parents up to the one that holds .git (a directory,
// or the file of a worktree), or dir alone when none does.
func projectDirs(dir string) []string {
	var up []string
	for d := dir; ; d = filepath.Dir(d) {
		up = append(up, d)
		if mayExist(filepath.Join(d, ".git")) {
			return up
		}
		if filepath.Dir(d) == d {
			return []string{dir}
		}
	}
}

// mayExist is true for what cannot be looked at, too: reading it then says why.
func mayExist(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
