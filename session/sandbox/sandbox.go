package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/pseudotty"
	"github.com/agentbash/agentbash/internal/tempdir"
)

// Spec is what a sandbox holds its programs to. The zero value writes nothing but
// its own temporary directory, reads everything and connects to nothing. All paths
// are absolute, and a directory stands for all that is below it.
type Spec struct {
	// Write is the workspace: directories below which everything may be written
	// while the sandbox is writable.
	Write []string

	// Protected are files and directories below those of Write that must not be
	// written: those that exist when a program is started.
	Protected []string

	// Texts are what is shown instead of files of Protected, by their paths, where
	// there are namespaces.
	Texts map[string]string

	// Secret are files and directories that must not be read.
	Secret []string

	// Keep are directories that stay to be seen, and not to be written, although
	// what they lie in is covered: by the private temporary directory, or by Cover.
	Keep  []string
	Cover []string

	// Layers are directories that are shown as they are and take changes, which
	// reach nobody else: programs have their caches there.
	Layers []Layer

	// Instead is a directory that may be written in each profile where layers cannot
	// be had: caches can be put there. "" is none.
	Instead string

	// Listen, when set, gets what listens inside for connections to the outside,
	// each time that the inside is made. Without it, and where there is no inside
	// of its own (see Sandbox.Switches), there is no network.
	Listen func(Listeners)

	// Connect allows the network, all of it.
	Connect bool
}

// A Layer keeps what is changed in Dir in Upper, which does not lie below Dir.
// Directories of Always, which lie below Dir, are made if need be and take changes in
// each profile; the rest takes them while the workspace can be written.
type Layer struct {
	Dir, Upper string
	Always     []string
}

// Listeners are sockets in a network of the sandbox's own that is connected to
// nothing. Whoever gets them closes them.
type Listeners struct {
	Proxy       net.Listener   // on ProxyAddr
	DNS         net.PacketConn // on port 53 of 127.0.0.1
	Transparent []net.Listener // on every address, ports 22, 80 and 443
}

// ProxyAddr is where Listeners.Proxy listens.
const ProxyAddr = "127.0.0.1:3128"

// Profile says what a sandbox lets its programs write.
type Profile int

// The profiles.
const (
	Read      Profile = iota // nothing but the private directories
	Workspace                // what Spec.Write says too
)

// A Sandbox holds the programs that it starts to a Spec. It is safe for concurrent
// use. Close it when they have ended, or to end them.
type Sandbox struct {
	// Dir is the private directory. Programs may make and remove files below
	// Dir/tmp, which is their temporary directory, open those in Dir/pipes for
	// writing, and read the rest.
	Dir string

	// Env are entries for the environment: where the temporary directory is.
	Env []string

	own     *tempdir.Dir
	spec    Spec
	profile Profile
	kernel  Support
	why     string            // there is no world
	texts   map[string]string // files with Spec.Texts

	mu    sync.Mutex // guards what follows
	world *world     // nil: there is none now, or none can be had
}

// Open makes a sandbox whose programs are held to a profile at first. Where the
// kernel gives no namespaces, that profile is theirs for good. On a kernel that
// cannot hold a program to it, files above all, it returns an error that wraps
// ErrUnsupported.
func Open(spec Spec, profile Profile) (_ *Sandbox, err error) {
	s := &Sandbox{spec: spec, profile: profile, kernel: Kernel()}
	if s.own, err = tempdir.Make(resolveLinks(plainTemp()), ".agentbash-"); err != nil {
		return nil, fmt.Errorf("sandbox: private directory: %w", err)
	}
	s.Dir = s.own.Path
	defer func() {
		if err != nil {
			s.own.Remove()
		}
	}()
	if err := s.fillDir(); err != nil {
		return nil, fmt.Errorf("sandbox: private directory: %w", err)
	}
	for _, list := range []*[]string{&s.spec.Write, &s.spec.Protected, &s.spec.Secret, &s.spec.Keep, &s.spec.Cover} {
		if *list, err = resolveAll(*list); err != nil {
			return nil, err
		}
	}
	s.texts = map[string]string{}
	for path, text := range spec.Texts {
		file := filepath.Join(s.Dir, fmt.Sprintf("text-%d", len(s.texts)))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		s.texts[resolveLinks(path)] = file
	}
	s.spec.Write = outermost(s.spec.Write)
	s.spec.Layers = slices.Clone(s.spec.Layers)
	for i := range s.spec.Layers {
		l := &s.spec.Layers[i]
		if l.Always, err = resolveAll(l.Always); err != nil {
			return nil, err
		}
		l.Dir, l.Upper = resolveLinks(l.Dir), resolveLinks(l.Upper)
	}
	if s.world, err = openWorld(s.worldOrder()); err == nil {
		s.Env = []string{"TMPDIR=" + s.world.temp}
		s.listen()
		return s, nil
	}
	s.why, s.world = err.Error(), nil
	s.Env = []string{"TMPDIR=" + filepath.Join(s.Dir, "tmp")}
	if s.kernel.Landlock < 1 {
		return nil, fmt.Errorf("%w: %s; %s", ErrUnsupported, s.kernel.Why, s.why)
	}
	return s, nil
}

// plainTemp is the system's directory for temporary files, or /tmp where that could not
// be named to a shell without quotes.
func plainTemp() string {
	dir := os.TempDir()
	if st, err := os.Stat(dir); err != nil || !st.IsDir() || !filepath.IsAbs(dir) || strings.ContainsAny(dir, " \t\n'\"\\$`&;|<>()*?[]{}~!#,:") {
		return "/tmp"
	}
	return dir
}

// fillDir makes what is in the private directory: what it says of name servers is for
// who has listeners, and the empty file stands where a secret is.
func (s *Sandbox) fillDir() error {
	for _, sub := range []string{"tmp", "pipes"} {
		if err := os.Mkdir(filepath.Join(s.Dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "resolv.conf"), []byte("nameserver 127.0.0.1\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.Dir, "empty"), nil, 0)
}

// Switches reports whether SetProfile can change the profile of what runs: there
// are namespaces. Otherwise programs keep the profile that Open was told.
func (s *Sandbox) Switches() bool { return s.why == "" }

// Temps are the directories that show Dir/tmp inside: programs know them by name.
func (s *Sandbox) Temps() []string {
	if s.why != "" {
		return nil
	}
	return s.tempDirs()
}

// ErrBusy is wrapped by SetProfile's error while something that may write the
// workspace runs on: the wider profile still holds.
var ErrBusy = errors.New("a program in the background works in the workspace")

// SetProfile changes the profile of all that was and will be started, but by
// StartApart.
func (s *Sandbox) SetProfile(p Profile) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == s.profile {
		return nil
	}
	if s.why != "" {
		return ErrUnsupported
	}
	if s.world != nil {
		if err := s.world.setProfile(p); err != nil {
			return err
		}
	}
	s.profile = p
	return nil
}

// Profile is the one that holds.
func (s *Sandbox) Profile() Profile {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.profile
}

// Start starts a command inside, in a session of its own. Its Path, Args, Env and
// Dir count; Stdin, Stdout and Stderr, which are files or nil; and nothing else.
// A directory that is not to be seen inside is replaced by the nearest above it
// that is.
func (s *Sandbox) Start(cmd *exec.Cmd) (*Process, error) { return s.start(cmd, false, 0) }

// StartApart is Start for a program that keeps its profile, whatever SetProfile makes
// of the others. Where there are no namespaces, it is that of Open.
func (s *Sandbox) StartApart(cmd *exec.Cmd, p Profile) (*Process, error) {
	return s.start(cmd, true, p)
}

func (s *Sandbox) start(cmd *exec.Cmd, apart bool, profile Profile) (p *Process, err error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != "" {
		return s.startAlone(cmd)
	}
	return p, s.inWorld(func(w *world) (err error) {
		p, err = w.start(cmd, apart, profile)
		return err
	})
}

// OpenTerminal opens a terminal for a program that is started inside, as
// pseudotty.Open does. It is the program's controlling one if that is its stdin and its
// SysProcAttr says so (Setctty).
func (s *Sandbox) OpenTerminal(columns, rows int) (control, terminal *os.File, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != "" {
		return pseudotty.Open(columns, rows)
	}
	return control, terminal, s.inWorld(func(w *world) (err error) {
		control, terminal, err = w.openTerminal(columns, rows)
		return err
	})
}

// inWorld does something in the world, which is made again if something has ended it.
func (s *Sandbox) inWorld(do func(*world) error) error {
	if s.world != nil {
		err := do(s.world)
		if err == nil || !errors.Is(err, errWorldEnded) {
			return err
		}
		s.world.close()
		s.world = nil
	}
	w, err := openWorld(s.worldOrder())
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	s.world = w
	s.listen()
	return do(w)
}

func (s *Sandbox) listen() {
	if s.spec.Listen != nil {
		s.spec.Listen(s.world.listeners)
	}
}

// Protect makes those of Spec.Protected read-only that have been made since. It does
// nothing where there are no namespaces.
func (s *Sandbox) Protect() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world == nil {
		return nil
	}
	return s.world.protect()
}

// Idle reports whether nothing runs inside but what Start started and has been read
// by nobody else: no background process. Where there are no namespaces, it cannot
// be told, and is true.
func (s *Sandbox) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world == nil || s.world.idle()
}

// Missing says what this machine does not do of what was asked for, a line each for
// a person to read.
func (s *Sandbox) Missing() []string {
	if s.why != "" {
		return missingSupport(s.kernel, s.spec.Connect, s.why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world == nil {
		return nil
	}
	return slices.Clone(s.world.missing)
}

// Close ends all that was started, where there are namespaces, and removes the
// directory.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world != nil {
		s.world.close()
		s.world = nil
	}
	return s.own.Remove()
}

func resolveAll(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return nil, fmt.Errorf("sandbox: %s is not an absolute path", p)
		}
		if p = resolveLinks(p); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// outermost are the paths that lie below none of the others.
func outermost(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(paths, func(above string) bool { return above != p && isBelow(p, above) })
	})
}

// isBelow reports whether a path is a directory or lies below it.
func isBelow(path, dir string) bool {
	return path == dir || holdsPath(dir, []string{path})
}

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
