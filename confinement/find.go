package confinement

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/protected"
)

// FindWorkspace returns the workspace for work that begins in dir, an absolute
// path. It looks at the file system once: later changes are not seen.
func FindWorkspace(dir string, opts *WorkspaceOptions) Workspace {
	o := WorkspaceOptions{}
	if opts != nil {
		o = *opts
	}
	home := o.Home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if !filepath.IsAbs(o.Temp) {
		o.Temp = os.TempDir()
	}
	w := Workspace{Dir: dir, Home: home, Roots: withReal(dir), Scratch: withReal(o.Temp)}
	if root := Repository(dir); root != dir && root != "/" && root != filepath.Clean(home) {
		w.Roots = append(w.Roots, withReal(root)...)
	}
	for _, dir := range slices.Concat(o.Own, o.Protect) {
		w.Protected = append(w.Protected, withReal(dir)...)
	}
	for _, dir := range o.Write {
		w.Roots = append(w.Roots, withReal(atHome(dir, home))...)
	}
	if common := commonGit(dir); common != "" {
		w.Roots = append(w.Roots, common)
	}
	for _, root := range w.Roots {
		w.Protected = append(w.Protected, gitOwn(root)...)
		w.Protected = append(w.Protected, onlyLinks(protected.InTree(root))...)
	}
	if filepath.IsAbs(home) {
		w.Protected = append(w.Protected, protected.Startup(home)...)
		w.Secrets = protected.Secrets(home)
	}
	if os.Geteuid() == 0 {
		w.Secrets = append(w.Secrets, protected.SystemSecrets()...)
	}
	for _, s := range o.Secrets {
		if off, ok := strings.CutPrefix(s, "!"); ok {
			off = atHome(off, home)
			w.Secrets = slices.DeleteFunc(w.Secrets, func(have string) bool { return have == off })
			continue
		}
		w.Secrets = append(w.Secrets, atHome(s, home))
	}
	return w
}

// gitOwn are the files of the repositories in a root that git runs, there or not.
func gitOwn(root string) (paths []string) {
	if st, err := os.Lstat(filepath.Join(root, ".git")); err == nil && !st.IsDir() {
		paths = append(paths, filepath.Join(root, ".git"))
	}
	for _, dir := range []string{root, filepath.Join(root, ".git")} {
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			paths = append(paths, protected.InGitDir(dir)...)
			paths = append(paths, gitLinked(dir)...)
		}
	}
	return paths
}

// gitLinked are those files of the work trees and submodules of a repository, which
// are below its git directory.
func gitLinked(git string) (paths []string) {
	trees, _ := os.ReadDir(filepath.Join(git, "worktrees"))
	for _, e := range trees {
		dir := filepath.Join(git, "worktrees", e.Name())
		paths = append(paths, filepath.Join(dir, "commondir"), filepath.Join(dir, "config.worktree"))
	}
	filepath.WalkDir(filepath.Join(git, "modules"), func(dir string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
			return nil // a part of its name
		}
		paths = slices.Concat(paths, protected.InGitDir(dir), []string{filepath.Join(dir, "commondir")}, gitLinked(dir))
		return filepath.SkipDir
	})
	return paths
}

// onlyLinks are those of the paths that lead elsewhere. Who knows the others by their
// names does not know what they lead to.
func onlyLinks(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		st, err := os.Lstat(path)
		return err != nil || st.Mode()&os.ModeSymlink == 0
	})
}

// atHome makes a path of a config file absolute.
func atHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = home + rest
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(home, path)
	}
	return filepath.Clean(path)
}

// commonGit is the directory of a repository of which dir is a work tree, when
// it lies elsewhere; "" when there is none.
func commonGit(dir string) string {
	link := filepath.Join(Repository(dir), ".git")
	if st, err := os.Lstat(link); err != nil || !st.Mode().IsRegular() {
		return "" // a FIFO would never end
	}
	text, err := os.ReadFile(link)
	if err != nil {
		return ""
	}
	own, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok || !filepath.IsAbs(own) {
		return ""
	}
	// A file .git is easily written; the repository must know of it.
	if back, err := os.ReadFile(filepath.Join(own, "gitdir")); err != nil || resolveLinks(strings.TrimSpace(string(back))) != resolveLinks(link) {
		return ""
	}
	common, err := os.ReadFile(filepath.Join(own, "commondir"))
	if err != nil {
		return ""
	}
	at := strings.TrimSpace(string(common))
	if !filepath.IsAbs(at) {
		at = filepath.Join(own, at)
	}
	return filepath.Clean(at)
}

// resolveLinks follows the links of a path that exists.
func resolveLinks(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}
