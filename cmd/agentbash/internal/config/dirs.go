package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dirs are the user's directories for this program.
type Dirs struct {
	Home   string // "": the user has none
	Config string // $XDG_CONFIG_HOME/agentbash
	State  string // $XDG_STATE_HOME/agentbash; made by MakeState

	Temporary bool // State is among the temporary files, for nothing else can be written
}

// UserDirs finds them as the XDG Base Directory Specification says: a variable
// that is unset or not absolute counts as its default below HOME, and HOME as what
// the system knows. (The xdg module reads the process's environment and user-dirs.dirs
// at start-up, where ours comes in as a parameter and every millisecond is counted.)
// Where there is no home, or none that can be written, as in a container with a
// read-only root, a private directory among the temporary files takes its place.
func UserDirs(lookup func(string) (string, bool)) (Dirs, error) {
	home, _ := lookup("HOME")
	if !filepath.IsAbs(home) {
		if u, err := user.Current(); err == nil {
			home = u.HomeDir // "" or no path of its own for a number that no user has
		}
	}
	dir := func(variable string, below ...string) string {
		if v, _ := lookup(variable); filepath.IsAbs(v) {
			return filepath.Join(v, "agentbash")
		}
		if !filepath.IsAbs(home) {
			return ""
		}
		return filepath.Join(append(append([]string{home}, below...), "agentbash")...)
	}
	d := Dirs{Home: home, Config: dir("XDG_CONFIG_HOME", ".config"), State: dir("XDG_STATE_HOME", ".local", "state")}
	if d.Config != "" && canMake(d.State) {
		return d, nil
	}
	temp, err := privateTemp(lookup)
	if err != nil {
		return d, &Error{Text: fmt.Sprintf("no directory for the state: HOME (%s) cannot be written, and %v: set XDG_STATE_HOME to a directory that can", cmp.Or(home, "not set"), err)}
	}
	if d.Config == "" {
		d.Config = filepath.Join(temp, "config")
	}
	d.State = filepath.Join(temp, "state")
	d.Temporary = true
	return d, nil
}

// canMake reports whether a directory can be written, or made.
func canMake(dir string) bool {
	if dir == "" {
		return false
	}
	for {
		err := unix.Access(dir, unix.W_OK|unix.X_OK)
		if err != unix.ENOENT {
			return err == nil
		}
		dir = filepath.Dir(dir)
	}
}

// privateTemp is the path of this user's own directory among the temporary files. It may not be
// there yet; whatever else is there is an error.
func privateTemp(lookup func(string) (string, bool)) (string, error) {
	parent, _ := lookup("TMPDIR")
	if !filepath.IsAbs(parent) {
		parent = "/tmp"
	}
	dir := filepath.Join(parent, fmt.Sprintf("agentbash-user-%d", os.Geteuid()))
	st, err := os.Lstat(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case err == nil && (!st.IsDir() || st.Mode().Perm()&0o077 != 0 || st.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid())):
		return "", fmt.Errorf("%s is not a directory of this user alone", dir)
	case !canMake(dir):
		return "", fmt.Errorf("%s cannot be written either", parent)
	}
	return dir, nil
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
	return !isMissing(err)
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
