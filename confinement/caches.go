package confinement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session/sandbox"
)

var (
	// homeCaches are what tools keep below the home directory and can make anew.
	homeCaches = strings.Fields(`.cache go/pkg .npm .node-gyp .yarn .pnpm-store .local/share/pnpm .bun/install/cache .deno
		.cargo/registry .cargo/git .gradle .m2 .ivy2 .sbt .konan .ccache .nuget .composer/cache .gem .bundle .pub-cache
		.cabal .stack .mix .hex .conan .conan2 .nimble .julia .terraform.d/plugin-cache .local/share/virtualenvs .local/share/uv`)

	// cacheVars are variables that name such a directory elsewhere.
	cacheVars = strings.Fields(`XDG_CACHE_HOME GOCACHE GOMODCACHE GOPATH CARGO_HOME npm_config_cache PNPM_HOME YARN_CACHE_FOLDER PIP_CACHE_DIR UV_CACHE_DIR
		CCACHE_DIR SCCACHE_DIR GRADLE_USER_HOME MAVEN_USER_HOME COMPOSER_HOME NUGET_PACKAGES BUNDLE_PATH GEM_HOME DENO_DIR PUB_CACHE STACK_ROOT`)

	// privateCaches are where caches go that cannot be layers, below a directory of
	// their own.
	privateCaches = map[string]string{"GOCACHE": "go-build", "XDG_CACHE_HOME": "xdg", "npm_config_cache": "npm", "PIP_CACHE_DIR": "pip",
		"YARN_CACHE_FOLDER": "yarn", "UV_CACHE_DIR": "uv", "CCACHE_DIR": "ccache", "GRADLE_USER_HOME": "gradle", "PYTHONPYCACHEPREFIX": "pycache"}
)

// layers are the home directory and the caches that lie elsewhere. What commands
// change in them stays between themselves. Instead is where caches go that cannot be
// layers.
func (c *Confinement) layers() (layers []sandbox.Layer, instead string) {
	layers = c.cacheDirs()
	if len(layers) == 0 || c.opts.StateDir == "" {
		return nil, ""
	}
	base, err := c.privateDir(layers)
	if err == nil {
		instead = filepath.Join(base, "instead")
		err = makePrivate(instead)
	}
	if err != nil {
		return nil, ""
	}
	for i := range layers {
		layers[i].Upper = filepath.Join(base, shortHash(layers[i].Dir))
	}
	return layers, instead
}

// cacheDirs are the layers without a place for what is changed.
func (c *Confinement) cacheDirs() (layers []sandbox.Layer) {
	usable := func(dir string) bool { return filepath.IsAbs(dir) && isDir(dir) && !isBelow(dir, c.workspace.Roots) }
	if home := filepath.Clean(c.workspace.Home); home != "/" && usable(home) {
		layer := sandbox.Layer{Dir: home}
		for _, name := range homeCaches {
			if dir := filepath.Join(home, name); name == ".cache" || isDir(dir) {
				layer.Always = append(layer.Always, dir)
			}
		}
		layers = append(layers, layer)
	}
	for _, entry := range c.opts.Environ {
		name, dir, _ := strings.Cut(entry, "=")
		if !slices.Contains(cacheVars, name) || !usable(dir) {
			continue
		}
		dir = filepath.Clean(dir)
		if len(layers) > 0 && registry.Below(dir, layers[0].Dir) {
			layers[0].Always = append(layers[0].Always, dir)
		} else if !slices.ContainsFunc(layers, func(l sandbox.Layer) bool { return registry.Below(dir, l.Dir) || registry.Below(l.Dir, dir) }) {
			layers = append(layers, sandbox.Layer{Dir: dir, Always: []string{dir}})
		}
	}
	return layers
}

// privateDir is a directory for what this workspace changes in caches. It is locked:
// who works in the same workspace at the same time gets another.
func (c *Confinement) privateDir(layers []sandbox.Layer) (string, error) {
	base := filepath.Join(c.opts.StateDir, "caches")
	if isBelow(base, c.workspace.Roots) || slices.ContainsFunc(layers, func(l sandbox.Layer) bool { return registry.Below(base, l.Dir) }) {
		base = fmt.Sprintf("/var/tmp/agentbash-%d", os.Geteuid())
	}
	if err := makePrivate(base); err != nil {
		return "", err
	}
	pruneCaches(base)
	for slot := range 100 {
		dir := filepath.Join(base, fmt.Sprintf("%s-%d", shortHash(c.workspace.Dir), slot))
		if err := makePrivate(dir); err != nil {
			return "", err
		}
		if lock := lockDir(dir); lock != nil {
			c.locks = append(c.locks, lock)
			now := time.Now()
			os.Chtimes(dir, now, now)
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s: too many work here at once", base)
}

// makePrivate makes a directory that only this user can look into, and takes no
// other.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if own, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || !ok || int(own.Uid) != os.Geteuid() || st.Mode().Perm() != 0o700 {
		return fmt.Errorf("%s is not a private directory", dir)
	}
	return nil
}

// lockDir locks a directory until the file is closed; nil: somebody else has.
func lockDir(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	return f
}

// keepCaches is how long caches of a workspace are kept after their last use.
const keepCaches = 30 * 24 * time.Hour

// pruneCaches removes those of workspaces where nobody works any more.
func pruneCaches(base string) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		info, err := e.Info()
		dir := filepath.Join(base, e.Name())
		if err != nil || time.Since(info.ModTime()) < keepCaches {
			continue
		}
		if lock := lockDir(dir); lock != nil {
			filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if d != nil && d.IsDir() {
					os.Chmod(path, 0o700) // some caches are read-only
				}
				return nil
			})
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// cacheEnv leads tools to private caches where there are no layers.
func cacheEnv(dir string) (env []string) {
	for name, sub := range privateCaches {
		env = append(env, name+"="+filepath.Join(dir, sub))
	}
	slices.Sort(env)
	return env
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
