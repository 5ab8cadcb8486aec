package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Spec is what a confined program may do. The zero value writes nothing but its
// own temporary directory, reads everything and connects to nothing. All paths
// are absolute.
type Spec struct {
	// Write are directories below which everything may be written.
	Write []string

	// Protected are files and directories below those of Write that must not be
	// written. Where the kernel can (see Sandbox.Missing) those that exist are
	// read-only.
	Protected []string

	// Secret are files and directories that must not be read, whether they exist
	// or not. What is made after the start in a directory on the way to one, and
	// not below a directory of Write, cannot be read either.
	Secret []string

	// Connect allows the network, all of it. Without it, Ports are the TCP ports
	// that may be connected to.
	Connect bool
	Ports   []uint16

	// Sockets are Unix sockets that may be connected to where the kernel
	// restricts that (Landlock version 9).
	Sockets []string
}

// A Sandbox is a private directory and the words that start a program under a
// Spec. It may start any number of programs, one after another or at once.
// Close it when they have ended.
type Sandbox struct {
	// Argv are the words to put before a program's path and its arguments.
	Argv []string

	// Dir is the private directory. Confined programs may make and remove files
	// below Dir/tmp, open those in Dir/pipes for writing, and read the rest.
	Dir string

	// Env are entries for the environment: TMPDIR is Dir/tmp.
	Env []string

	missing []string
}

// launchWord is the first argument of this executable when it is a launcher.
const launchWord = "agentbash:confined"

// order is what a launcher is told.
type order struct {
	Spec
	Dir      string
	Reads    bool // secrets are kept
	Mount    bool // protect what exists by mounts
	Landlock int  // the version that was promised
}

// Open makes the directory of a sandbox. On a kernel that cannot confine what a
// Spec must have confined, files above all, it returns an error that wraps
// ErrUnsupported.
func Open(spec Spec) (*Sandbox, error) {
	k := Kernel()
	if k.Landlock < 1 {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, k.Why)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("sandbox: find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "agentbash-sandbox-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: private directory: %w", err)
	}
	s := &Sandbox{Dir: dir, Env: []string{"TMPDIR=" + filepath.Join(dir, "tmp")}}
	for _, sub := range []string{"tmp", "pipes"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			s.Close()
			return nil, fmt.Errorf("sandbox: private directory: %w", err)
		}
	}
	o := order{Spec: spec, Dir: dir, Reads: len(spec.Secret) > 0, Mount: k.Mounts && len(spec.Protected) > 0, Landlock: k.Landlock}
	for _, list := range []*[]string{&o.Write, &o.Protected, &o.Secret, &o.Sockets} {
		*list = slices.Clone(*list)
		for i, p := range *list {
			if !filepath.IsAbs(p) {
				s.Close()
				return nil, fmt.Errorf("sandbox: %s is not an absolute path", p)
			}
			(*list)[i] = resolveLinks(p)
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s.Argv = []string{self, launchWord, string(text)}
	s.missing = missingSupport(k, o)
	return s, nil
}

// Missing says what this kernel does not do of what was asked for and a kernel
// of today does, a line each for a person to read. What hardly any does,
// Support.Lines tells.
func (s *Sandbox) Missing() []string { return slices.Clone(s.missing) }

// Close removes the directory.
func (s *Sandbox) Close() error { return os.RemoveAll(s.Dir) }

// resolveLinks follows the links of a path as far as it exists.
func resolveLinks(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(r, rest)
		}
		if p == "/" {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}
