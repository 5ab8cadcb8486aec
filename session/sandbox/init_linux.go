//go:build !portable

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/internal/pseudotty"
	"golang.org/x/sys/unix"
)

// Descriptors that init is started with.
const (
	initCtl   = 3
	initOrder = 4
)

// An inside is what init knows.
type inside struct {
	worldOrder
	layout

	since int // the number of a process when the workspace became writable

	watch *watch

	mu       sync.Mutex    // guards what follows, and protected; held while a program is started, so that it is not reaped before it is known
	running  map[int]int   // where the status of a program goes
	children chan struct{} // one is there
}

// runInit is pid 1 of a world. It returns only an error.
func runInit() error {
	if os.Getpid() != 1 {
		return errors.New("sandbox: this is for the first process of a namespace")
	}
	unix.CloseOnExec(initCtl)
	fail := func(err error) error {
		sendAnswer(answer{Err: err.Error()})
		return err
	}
	in := &inside{running: map[int]int{}, children: make(chan struct{}, 1), watch: openWatch()}
	text, err := readMemory(initOrder)
	if err == nil {
		err = decode(text, &in.worldOrder)
	}
	if err != nil {
		return fail(fmt.Errorf("order: %w", err))
	}
	// What runs inside is nobody who could look into init.
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	signal.Notify(make(chan os.Signal, 1)) // and drop them: what is ignored here would be for programs too
	if in.layout, err = layOutFiles(&in.worldOrder); err != nil {
		return fail(err)
	}
	in.watch.add(maps.Keys(in.protected))
	in.watch.add(slices.Values(in.Secret))
	in.coverAgain(slices.AppendSeq(slices.Clone(in.Secret), maps.Keys(in.protected))) // exchanged before the watch
	fds, err := openNetwork(in.Network)
	if err != nil {
		return fail(fmt.Errorf("network: %w", err))
	}
	if err := sendAnswer(answer{Temp: in.temp, Missing: in.missing}, fds...); err != nil {
		return err
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	in.since = lastPid()
	go in.reapChildren()
	go in.watchProtected()
	for {
		text, fds, err := receiveMessage(initCtl)
		if err != nil || len(text) == 0 {
			return io.EOF // the host has closed, or is gone
		}
		a, back := in.serve(fds)
		for _, fd := range fds {
			unix.Close(fd)
		}
		err = sendAnswer(a, back...)
		for _, fd := range back {
			unix.Close(fd)
		}
		if err != nil {
			return err
		}
	}
}

// readMemory reads a file that memoryFile made, whatever its offset is.
func readMemory(fd int) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	b := make([]byte, st.Size)
	n, err := unix.Pread(fd, b, 0)
	if err == nil && n != len(b) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func sendAnswer(a answer, fds ...int) error {
	text, err := encode(a)
	if err != nil {
		return err
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	return unix.Sendmsg(initCtl, text, rights, nil, unix.MSG_NOSIGNAL)
}

// serve does what a request wants. The first descriptor is the request itself.
func (in *inside) serve(fds []int) (a answer, back []int) {
	var r request
	err := errors.New("no request")
	if len(fds) > 0 {
		var text []byte
		if text, err = readMemory(fds[0]); err == nil {
			err = decode(text, &r)
		}
	}
	if err == nil && len(fds) != 1+r.Files {
		err = errors.New("descriptors are missing")
	}
	if err == nil {
		switch r.Do {
		case "profile":
			err = in.setProfile(r.Profile)
		case "protect":
			in.mu.Lock()
			err = in.protectPaths(&in.worldOrder)
			in.watch.add(maps.Keys(in.protected))
			in.mu.Unlock()
		case "idle":
			if in.othersRun(1) {
				err = unix.EBUSY
			}
		case "end":
			endAll()
		case "terminal":
			var control, terminal *os.File
			if control, terminal, err = pseudotty.Open(r.Columns, r.Rows); err == nil {
				defer control.Close()
				defer terminal.Close()
				back, err = dupAll(control, terminal)
			}
		case "start":
			var pidfd int
			if pidfd, err = in.start(&r, fds[1:]); err == nil {
				back = []int{pidfd}
			}
		default:
			err = fmt.Errorf("unknown request %q", r.Do)
		}
	}
	if err != nil {
		a = answer{Err: err.Error(), Busy: errors.Is(err, unix.EBUSY)}
	}
	return a, back
}

// dupAll copies the descriptors of files.
func dupAll(files ...*os.File) (fds []int, err error) {
	for _, f := range files {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return fds, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// start starts a program.
func (in *inside) start(r *request, fds []int) (pidfd int, err error) {
	status, err := unix.Dup(fds[3])
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(status)
	// What a thread gives up, what it starts does not have; the thread ends with this.
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		pidfd, err = in.startConfined(r, fds, status)
	}()
	<-done
	if err != nil {
		unix.Close(status)
		return -1, err
	}
	return pidfd, nil
}

func (in *inside) startConfined(r *request, fds []int, status int) (pidfd int, err error) {
	path, err := lookPath(r.Path)
	if err != nil {
		return -1, err
	}
	if r.Apart {
		err = in.setApart(r.Profile)
	}
	if err == nil {
		err = confineThread(in.Program)
	}
	if err != nil {
		return -1, err
	}
	attr := &syscall.ProcAttr{Dir: nearestDir(r.Dir), Env: r.Env, Files: []uintptr{uintptr(fds[0]), uintptr(fds[1]), uintptr(fds[2])},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: r.Terminal, PidFD: &pidfd}}
	in.mu.Lock()
	defer in.mu.Unlock()
	pid, err := syscall.ForkExec(path, r.Argv, attr)
	if err != nil {
		return -1, &os.PathError{Op: "start", Path: r.Path, Err: err}
	}
	in.running[pid] = status
	select {
	case in.children <- struct{}{}:
	default:
	}
	return pidfd, nil
}

// setApart gives this thread mounts of its own, with a profile that stays.
func (in *inside) setApart(p Profile) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	for _, m := range in.switched {
		if err := switchMount(unix.AT_FDCWD, m.path, p == Workspace); err != nil {
			return err
		}
	}
	return nil
}

// setProfile changes the profile. What was started while the workspace could be
// written keeps it from being made read-only as long as it runs.
func (in *inside) setProfile(p Profile) error {
	if p == Workspace {
		in.since = lastPid()
	} else if in.othersRun(in.since) {
		return fmt.Errorf("a process in the background: %w", unix.EBUSY)
	}
	return in.setWritable(p == Workspace)
}

// othersRun reports whether a process runs that was started after one, other than a
// program that was started from outside: a shell.
func (in *inside) othersRun(after int) bool {
	names, _ := os.ReadDir("/proc")
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range names {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid <= after {
			continue
		}
		if _, known := in.running[pid]; !known && !isZombie(pid) {
			return true
		}
	}
	return false
}

func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(text, ')')
	return err != nil || i+2 >= len(text) || text[i+2] == 'Z' || text[i+2] == 'X'
}

// lastPid is the number that was given out last.
func lastPid() int {
	text, err := os.ReadFile("/proc/loadavg") // proc(5): the last field
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(text[bytes.LastIndexByte(text, ' ')+1:])))
	return n
}

// endAll ends every process but this one, and waits for that, but not for ever: one may
// hang in the kernel.
func endAll() {
	for end := time.Now().Add(time.Second); unix.Kill(-1, unix.SIGKILL) != unix.ESRCH && time.Now().Before(end); {
		time.Sleep(50 * time.Microsecond) // until reapChildren has seen them
	}
}

// nearestDir is a directory, or the nearest one above it that is there.
func nearestDir(dir string) string {
	for dir != "" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
	}
	return "/"
}

// reapChildren reaps what ends, orphans too, and tells how programs ended.
func (in *inside) reapChildren() {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == unix.ECHILD {
			<-in.children
			continue
		}
		if err != nil {
			continue
		}
		in.mu.Lock()
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if fd, ok := in.running[pid]; ok && err == nil {
			unix.Write(fd, binary.NativeEndian.AppendUint32(nil, uint32(ws)))
			unix.Close(fd)
			delete(in.running, pid)
		}
		in.mu.Unlock()
	}
}

// lookPath finds a program as exec.Command does, among what is to be seen inside.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	return path, err
}
