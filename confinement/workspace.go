package confinement

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/router/policy"
)

// A Workspace lists the directories and files that commands may or may not touch.
// Paths are absolute and stand for all that is below them; where symbolic links
// lead to a directory, both names are in the list.
type Workspace struct {
	Dir       string   // where the work begins
	Home      string   // the user's home directory; "" is unknown
	Roots     []string // may be written: Dir, its repository, and what the options add
	Scratch   []string // may be written and emptied: the temporary directory
	Protected []string // what programs run by themselves, and this one's own: not changed unasked
	Secrets   []string // keys, passwords, histories: not read unasked
}

// WorkspaceOptions configures FindWorkspace; nil means the defaults.
type WorkspaceOptions struct {
	Home string // "" is the user's
	Temp string // the temporary directory; "", and what is not absolute, is the system's

	// Own are the directories of the program's own configuration and state,
	// which are protected.
	Own []string

	// Protect are further files that are protected, absolute: what the program runs
	// by itself.
	Protect []string

	// Write are more directories to be written, Secrets more files and
	// directories to be kept, relative to Home or absolute; "~/" is Home too. A
	// secret "!PATH" takes one off the list.
	Write   []string
	Secrets []string
}

// World returns the workspace as package policy judges commands against it.
func (w Workspace) World() policy.World {
	return policy.World{Dir: w.Dir, Home: w.Home, Roots: w.Roots, Scratch: w.Scratch, Protected: w.Protected, Secrets: w.Secrets}
}

// Access returns what file tools may touch.
func (w Workspace) Access() *files.Access {
	return &files.Access{Write: append(slices.Clone(w.Roots), w.Scratch...), Protected: w.Protected, Secret: w.Secrets}
}

// Repository is the root of the git work tree that a directory lies in, or the
// directory itself.
func Repository(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}

// withReal are a directory and, if it is another, what its symbolic links lead to.
func withReal(dir string) []string {
	if real := resolveLinks(dir); real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}
