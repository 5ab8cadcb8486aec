package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/router/policy"
)

// places are the directories and files that count for what may be touched.
type places struct {
	roots, scratch, protected, secrets []string
}

// placesOf finds them for work that is judged against world.
func (w *world) placesOf(world policy.World) places {
	c, home := w.cfg.Confine, world.Home
	p := places{roots: slices.Clone(world.Roots), scratch: world.Scratch, protected: slices.Clone(world.Protected)}
	for _, dir := range c.Workspace {
		p.roots = append(p.roots, withReal(atHome(dir, home))...)
	}
	if common := commonGit(world.Dir); common != "" {
		p.roots = append(p.roots, common)
	}
	for _, root := range p.roots {
		p.protected = append(p.protected, gitOwn(root)...)
		p.protected = append(p.protected, links(protected.InTree(root))...)
	}
	if filepath.IsAbs(home) {
		p.protected = append(p.protected, protected.Startup(home)...)
		p.secrets = protected.Secrets(home)
	}
	if os.Geteuid() == 0 {
		p.secrets = append(p.secrets, protected.SystemSecrets()...)
	}
	p.secrets = append(p.secrets, filepath.Join(w.cfg.Dirs.State, "field", "tokens"))
	for _, s := range c.Secrets {
		if off, ok := strings.CutPrefix(s, "!"); ok {
			off = atHome(off, home)
			p.secrets = slices.DeleteFunc(p.secrets, func(have string) bool { return have == off })
			continue
		}
		p.secrets = append(p.secrets, atHome(s, home))
	}
	return p
}

// gitOwn are the files of the repositories in a root that git runs, there or not.
func gitOwn(root string) (paths []string) {
	if st, err := os.Lstat(filepath.Join(root, ".git")); err == nil && !st.IsDir() {
		paths = append(paths, filepath.Join(root, ".git"))
	}
	for _, dir := range []string{root, filepath.Join(root, ".git")} {
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			paths = append(paths, protected.InGitDir(dir)...)
		}
	}
	return paths
}

// links are those of the paths that lead elsewhere. Who knows the others by their
// names does not know what they lead to.
func links(paths []string) []string {
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
	link := filepath.Join(projectRoot(dir), ".git")
	text, err := os.ReadFile(link)
	if err != nil {
		return ""
	}
	own, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok || !filepath.IsAbs(own) {
		return ""
	}
	// A file .git is easily written; the repository must know of it.
	if back, err := os.ReadFile(filepath.Join(own, "gitdir")); err != nil || real(strings.TrimSpace(string(back))) != real(link) {
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

// real follows the links of a path that exists.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// access is what the tools may touch.
func (p places) access() *agentbash.Access {
	return &agentbash.Access{Write: append(slices.Clone(p.roots), p.scratch...), Protected: p.protected, Secret: p.secrets}
}
