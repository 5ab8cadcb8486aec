package confinement

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/registry"
)

// A keeper looks after the protected files that no mount keeps: a mount is only on
// what exists, and on no link. What a confined command made of them is taken out of the
// workspace when the command has ended, and said.
type keeper struct {
	roots        []string   // without links, what lies in another last
	further      []string   // protected files with names of their own
	dir          string     // takes what was taken out
	found        []standing // what no mount keeps
	repositories []string   // git directories that were not there

	parents map[string]time.Time // of all these, when they were changed last
}

// standing is what stands for a protected file: nothing, it, or the link at or above
// it that leads elsewhere.
type standing struct {
	path  string
	at    string // path itself, or the link; "" is nothing
	link  string // where the link leads
	leads bool   // to something
	dir   bool   // it is a directory
}

// newKeeper notes what is there, and what is not, in the roots of a workspace.
// Further are other protected files.
func newKeeper(roots, further []string, dir string) *keeper {
	k := &keeper{dir: dir}
	for _, root := range roots {
		k.roots = append(k.roots, resolveLinks(root))
	}
	slices.SortStableFunc(k.roots, func(a, b string) int { return len(a) - len(b) })
	k.roots = slices.Compact(k.roots)
	for _, path := range further {
		path = filepath.Join(resolveLinks(filepath.Dir(path)), filepath.Base(path))
		if isBelow(path, k.roots) && !slices.Contains(k.roots, path) {
			k.further = append(k.further, path)
		}
	}
	k.note()
	return k
}

// note notes what is there now.
func (k *keeper) note() {
	k.found, k.repositories, k.parents = nil, nil, map[string]time.Time{}
	for _, path := range k.further {
		if s := k.look(path); s.at != path || s.link != "" {
			k.found = append(k.found, s)
		}
	}
	for _, root := range k.roots {
		git := filepath.Join(root, ".git")
		names := append(protected.InTree(root), git)
		if isDir(git) {
			names = append(names, protected.InGitDir(git)...)
			names = append(names, filepath.Join(git, "commondir"))
		} else {
			k.repositories = append(k.repositories, git)
		}
		for _, path := range names {
			if s := k.look(path); s.at != path || s.link != "" || path == git {
				k.found = append(k.found, s)
			}
		}
	}
}

// look looks at what stands for a file, and follows no link on the way there: it may
// lead to what is not the workspace's.
func (k *keeper) look(path string) (s standing) {
	s.path = path
	at := k.rootOf(path)
	for name := range strings.SplitSeq(strings.TrimPrefix(path, at+"/"), "/") {
		at = filepath.Join(at, name)
		st, err := os.Lstat(at)
		if err != nil {
			return standing{path: path}
		}
		s.dir = st.IsDir()
		if st.Mode()&os.ModeSymlink != 0 {
			s.at, s.leads = at, exists(path)
			s.link, _ = os.Readlink(at)
			return s
		}
	}
	s.at = path
	return s
}

// rootOf is the outermost root that a path lies in.
func (k *keeper) rootOf(path string) string {
	return k.roots[slices.IndexFunc(k.roots, func(root string) bool { return registry.Below(path, root) })]
}

// isNew reports whether something is there that was not.
func (k *keeper) isNew() bool {
	if !k.isChanged() {
		return false
	}
	changed := func(was standing) bool { is := k.look(was.path); return is != was && is.at != "" }
	return slices.ContainsFunc(k.found, changed) || slices.ContainsFunc(k.repositories, exists)
}

// isChanged reports whether there can be something new: what makes a file changes its
// directory.
func (k *keeper) isChanged() (changed bool) {
	if len(k.parents) == 0 {
		for _, s := range k.found {
			k.parents[filepath.Dir(s.path)] = time.Time{}
			if s.link != "" {
				k.parents[filepath.Dir(resolveLinks(s.at))] = time.Time{}
				k.parents[filepath.Dir(s.at)] = time.Time{}
			}
		}
		for _, path := range k.repositories {
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
	return changed
}

// clockTick is more than the times of two changes can be apart and look the same.
const clockTick = 50 * time.Millisecond

// exists follows the links of a path.
func exists(path string) bool {
	_, err := os.Stat(path)
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

// made are the files and links that are there now. A repository that is new may have hooks
// that do nothing, which git put there, and a configuration that leads to no program.
func (k *keeper) made() (paths []string) {
	for _, was := range k.found {
		is := k.look(was.path)
		empty := is.at != is.path && !is.leads || filepath.Base(is.at) == ".git" && is.dir
		if is != was && is.at != "" && !empty && !slices.Contains(paths, is.at) {
			paths = append(paths, is.at)
		}
	}
	for _, git := range k.repositories {
		if is := k.look(git); is.at != git || !is.dir {
			continue // nothing, or a link, which was found above
		}
		hooks := filepath.Join(git, "hooks")
		if is := k.look(hooks); is.at == hooks && !is.dir {
			paths = append(paths, hooks)
		}
		entries, _ := os.ReadDir(hooks)
		for _, e := range entries {
			if path := filepath.Join(hooks, e.Name()); !strings.HasSuffix(path, ".sample") && !slices.Contains(paths, hooks) {
				paths = append(paths, path)
			}
		}
		if path := filepath.Join(git, "commondir"); k.look(path).at != "" {
			paths = append(paths, path)
		}
		if path := filepath.Join(git, "config"); k.look(path).at != "" && !isPlainConfig(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// plainConfig is a line of a repository's configuration that leads git to no program
// and no other file.
var plainConfig = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(\[(core|user|init|(remote|branch) "[^"\\]*")\]|(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks` +
		`|autocrlf|eol|name|email|url|pushurl|fetch|merge|remote|rebase|defaultbranch)\s*=[^"\\]*|)\s*$`)
})

// isPlainConfig reports whether a configuration has such lines alone.
func isPlainConfig(path string) bool {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool { return !plainConfig().MatchString(line) })
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
	// By its directory as it is now, in the workspace: a program inside may put a link there.
	root := k.rootOf(path)
	in, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	from, err := os.OpenInRoot(root, in)
	if err != nil {
		return err
	}
	defer from.Close()
	program := "/bin/mv" // PATH may lead to what a confined program wrote
	if _, err := os.Stat(program); err != nil {
		program = "mv"
	}
	mv := exec.Command(program, "--", "/proc/self/fd/3/"+filepath.Base(path), to)
	mv.ExtraFiles = []*os.File{from}
	out, err := mv.CombinedOutput()
	if err != nil && len(out) > 0 {
		return fmt.Errorf("%s", strings.TrimSpace(string(out)))
	}
	return err
}
