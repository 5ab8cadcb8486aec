//go:build !portable

package sandbox

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A world is the inside of a sandbox: namespaces of their own, with an init that
// starts programs in them. Host and init talk over a socket, one request and one
// answer at a time; when the socket is closed, init ends, and with it everything
// inside.
type world struct {
	ctl       int
	init      *exec.Cmd
	temp      string // where the private temporary directory is inside
	missing   []string
	listeners Listeners
}

// worldOrder is what init is told at first.
type worldOrder struct {
	Spec
	Dir     string
	Dirs    []string          // of the spec and further ones, which Dir/tmp covers
	Sockets []string          // Unix sockets of the host, which are covered
	Network bool              // somebody listens
	Shown   map[string]string // files that are shown instead of protected ones
	Writes  bool
	Program order // for what is started
}

var errWorldEnded = errors.New("the sandbox has ended")

// initWord is the first argument of this executable when it is an init.
const initWord = "agentbash:init"

func (s *Sandbox) worldOrder() worldOrder {
	o := worldOrder{Spec: s.spec, Dir: s.Dir, Writes: s.profile == Workspace}
	o.Sockets = slices.DeleteFunc(hostSockets(), func(path string) bool { return holdsAny(s.spec.Keep, path) }) // those are for programs
	o.Network, o.Shown, o.Texts = s.spec.Listen != nil, s.texts, nil
	o.Dirs = s.tempDirs()
	return o
}

// tempDirs are the directories that Dir/tmp covers, /tmp first.
func (s *Sandbox) tempDirs() (dirs []string) {
	for _, dir := range []string{"/tmp", "/var/tmp", resolveLinks(os.TempDir())} {
		if st, err := os.Stat(dir); err == nil && st.IsDir() && filepath.IsAbs(dir) && !holdsAny(s.spec.Write, dir) {
			dirs = append(dirs, dir)
		}
	}
	return outermost(dirs)
}

// holdsAny reports whether one of dirs is path or above it.
func holdsAny(dirs []string, path string) bool {
	for _, d := range dirs {
		if isBelow(path, d) {
			return true
		}
	}
	return false
}

// hostSockets are the Unix sockets with a path.
func hostSockets() (paths []string) {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	dirs := sync.OnceValue(workingDirs)
	lines := socketLine().FindAllSubmatchIndex(text, -1)
	for i, at := range lines {
		end := len(text)
		if i+1 < len(lines) {
			end = lines[i+1][0]
		}
		// The path is as it is, and may have lines of its own.
		switch path := strings.TrimSuffix(string(text[at[1]:end]), "\n"); {
		case path == "" || path[0] == '@':
		case path[0] == '/':
			paths = append(paths, path)
		default: // of some process's directory
			for _, dir := range dirs() {
				paths = append(paths, filepath.Join(dir, path))
			}
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		st, err := os.Stat(path)
		return err != nil || st.Mode()&os.ModeSocket == 0
	})
}

// workingDirs are the directories that processes work in.
func workingDirs() (dirs []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// socketLine is what comes before a path in /proc/net/unix, proc_pid_net(5).
var socketLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +[0-9]+ ?`)
})

// openWorld starts an init and waits until everything is in place.
func openWorld(o worldOrder) (_ *world, err error) {
	if slices.Contains(o.Write, "/") {
		return nil, errors.New("the workspace is the whole file system")
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	w := &world{ctl: pair[0]}
	theirs := os.NewFile(uintptr(pair[1]), "ctl")
	defer func() {
		theirs.Close()
		if err != nil {
			w.close()
		}
	}()
	text, err := memoryFile(o)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	w.init = exec.Command("/proc/self/exe", initWord)
	w.init.Env, w.init.Dir = []string{"PATH=/usr/bin:/bin", "GOMAXPROCS=2", "GOGC=off"}, "/"
	w.init.ExtraFiles = []*os.File{theirs, text}
	w.init.SysProcAttr = cloneAttr()
	if err := w.init.Start(); err != nil {
		w.init = nil
		return nil, fmt.Errorf("no namespaces for this user: %w", err)
	}
	theirs.Close()
	a, fds, err := w.receive()
	if err != nil {
		return nil, err
	}
	w.temp, w.missing = a.Temp, a.Missing
	return w, w.takeListeners(fds)
}

// cloneAttr asks for the namespaces. Root keeps all users, another user itself, with
// the capabilities that init needs inside and nowhere else.
func cloneAttr() *syscall.SysProcAttr {
	at := &syscall.SysProcAttr{Setsid: true,
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC}
	if os.Geteuid() == 0 {
		all := []syscall.SysProcIDMap{{Size: min(1<<32-1, math.MaxInt)}}
		at.UidMappings, at.GidMappings, at.GidMappingsEnableSetgroups = all, all, true
		return at
	}
	at.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	at.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	at.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE}
	return at
}

// ask sends a request with files and waits for the answer.
func (w *world) ask(r request, files ...*os.File) (answer, []int, error) {
	r.Files = len(files)
	text, err := memoryFile(r)
	if err != nil {
		return answer{}, nil, err
	}
	defer text.Close()
	fds := []int{int(text.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	if err := unix.Sendmsg(w.ctl, []byte{'r'}, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL); err != nil {
		return answer{}, nil, errWorldEnded
	}
	return w.receive()
}

// receive takes one answer and the descriptors that come with it.
func (w *world) receive() (a answer, fds []int, err error) {
	text, fds, err := receiveMessage(w.ctl)
	if err != nil || len(text) == 0 {
		return a, nil, errWorldEnded
	}
	if err := decode(text, &a); err != nil {
		return a, fds, fmt.Errorf("answer of init: %w", err)
	}
	if a.Err != "" {
		err = errors.New(a.Err)
		if a.Busy {
			err = fmt.Errorf("%w: %s", ErrBusy, a.Err)
		}
	}
	return a, fds, err
}

func (w *world) takeListeners(fds []int) error {
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		defer f.Close()
		if i == 1 {
			c, err := net.FilePacketConn(f)
			if err != nil {
				return err
			}
			w.listeners.DNS = c
			continue
		}
		l, err := net.FileListener(f)
		if err != nil {
			return err
		}
		if i == 0 {
			w.listeners.Proxy = l
		} else {
			w.listeners.Transparent = append(w.listeners.Transparent, l)
		}
	}
	return nil
}

func (w *world) setProfile(p Profile) error {
	_, _, err := w.ask(request{Do: "profile", Profile: p})
	return err
}

func (w *world) idle() bool {
	_, _, err := w.ask(request{Do: "idle"})
	return err == nil
}

func (w *world) protect() error {
	_, _, err := w.ask(request{Do: "protect"})
	return err
}

// close ends all that is inside, and init. It does not wait until the kernel has taken
// the namespaces apart, which takes longer than to make them.
func (w *world) close() {
	if w.init == nil {
		unix.Close(w.ctl)
		return
	}
	w.ask(request{Do: "end"})
	unix.Close(w.ctl)
	w.init.Process.Kill()
	go w.init.Wait()
}
