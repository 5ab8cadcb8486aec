package confinement

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/protected"
)

// A keeper looks after the protected files that are not there: a mount can only
// keep what exists. What a confined command made of them is taken out of the
// workspace when the command has ended, and said.
type keeper struct {
	dir    string // takes what was taken out
	absent []string
	hooks  []string // directories of git hooks that were not there

	parents map[string]time.Time // of all these, when they were changed last
}

// newKeeper notes what is not there in the roots of a workspace.
func newKeeper(roots []string, dir string) *keeper {
	k := &keeper{dir: dir}
	for _, root := range roots {
		git := filepath.Join(root, ".git")
		names := protected.InTree(root)
		if isDir(git) {
			names = append(names, protected.InGitDir(git)...)
			names = append(names, filepath.Join(git, "commondir"))
		} else {
			k.hooks = append(k.hooks, filepath.Join(git, "hooks"))
		}
		k.absent = append(k.absent, slices.DeleteFunc(names, exists)...)
	}
	return k
}

// isNew reports whether something is there that was not. What makes a file changes its
// directory.
func (k *keeper) isNew() bool {
	changed := false
	if k.parents == nil {
		k.parents = map[string]time.Time{}
		for _, path := range slices.Concat(k.absent, k.hooks) {
			k.parents[filepath.Dir(path)] = time.Time{}
		}
	}
	for dir, before := range k.parents {
		at := time.Unix(0, 1) // it is not there
		if st, err := os.Stat(dir); err == nil {
			at = st.ModTime()
		}
		if !at.Equal(before) || time.Since(at) < clockTick { // in the tick of a change there can be another
			changed, k.parents[dir] = true, at
		}
	}
	return changed && (slices.ContainsFunc(k.absent, exists) || slices.ContainsFunc(k.hooks, exists))
}

// clockTick is more than the times of two changes can be apart and look the same.
const clockTick = 50 * time.Millisecond

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// takeOut takes out what is there now, and says so.
func (k *keeper) takeOut() string {
	var taken, failed []string
	for _, path := range k.made() {
		if err := k.move(path); err != nil {
			failed = append(failed, fmt.Sprintf("%s (%v)", path, err))
		} else {
			taken = append(taken, path)
		}
	}
	var notes []string
	if len(taken) > 0 {
		notes = append(notes, fmt.Sprintf("note: programs outside run what %s says, so it was taken out of the workspace, to %s: have the person make it, or approve the command to run outside", strings.Join(taken, ", "), k.dir))
	}
	if len(failed) > 0 {
		notes = append(notes, fmt.Sprintf("warning: programs outside run what %s says, and it could not be taken out of the workspace", strings.Join(failed, ", ")))
	}
	return strings.Join(notes, "\n")
}

// made are the files that are there now. A repository that is new has hooks that do
// nothing, which git put there.
func (k *keeper) made() (paths []string) {
	for _, path := range k.absent {
		if exists(path) {
			paths = append(paths, path)
		}
	}
	for _, dir := range k.hooks {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".sample") {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return paths
}

// move moves a file to where nobody runs it, on another file system too.
func (k *keeper) move(path string) error {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	to, err := os.MkdirTemp(k.dir, filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	out, err := exec.Command("mv", "--", path, to).CombinedOutput()
	if err != nil && len(out) > 0 {
		return fmt.Errorf("%s", strings.TrimSpace(string(out)))
	}
	return err
}
