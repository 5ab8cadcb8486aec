//go:build !portable

package sandbox

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// init is where a launcher and an init end: main's other packages are not needed
// for what they do, and a shell that is started again must not wait for them.
func init() {
	var err error
	switch {
	case len(os.Args) > 3 && os.Args[1] == launchWord:
		err = launchProgram(os.Args[2], os.Args[3:])
	case len(os.Args) == 2 && os.Args[1] == initWord:
		err = runInit()
	default:
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(exitDenied)
}

// launchWord is the first argument of this executable when it is a launcher.
const launchWord = "agentbash:confined"

// exitDenied is the exit status of a launcher that could not keep its promise.
const exitDenied = 126

// order is what a launcher is told.
type order struct {
	Write    []string // directories that may be written
	Pipes    string   // the directory in which files may be opened for writing
	Sockets  []string // directories of Unix sockets that may be connected to
	Secret   []string // what Landlock keeps from being read
	Connect  bool     // the network is not restricted here
	Still    bool     // no file's mode, owner, times or attributes are changed
	World    bool     // there are namespaces: what they hold is not held again
	Landlock int      // the version that was promised; 0: none
}

// argv are the words before a program's own that start it through a launcher.
func (o order) argv(self string) ([]string, error) {
	text, err := encode(o)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return []string{self, launchWord, base64.StdEncoding.EncodeToString(text)}, nil
}

// launchProgram confines this process and makes it the program of argv. It returns
// only an error.
func launchProgram(text string, argv []string) error {
	runtime.LockOSThread() // what is given up is given up by this thread, which execs
	var o order
	b, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = decode(b, &o)
	}
	if err != nil {
		return fmt.Errorf("sandbox: order: %w", err)
	}
	path, err := lookPath(argv[0])
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if err := confineThread(o); err != nil {
		return err
	}
	words := append([]string{filepath.Base(path)}, argv[1:]...)
	return fmt.Errorf("sandbox: start %s: %w", path, syscall.Exec(path, words, os.Environ()))
}

// confineThread gives up what an order says, for this thread and what it starts.
func confineThread(o order) error {
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("sandbox: drop capabilities: %w", err)
	}
	if o.Landlock > 0 {
		if err := restrictThread(o); err != nil {
			return fmt.Errorf("sandbox: landlock: %w", err)
		}
	}
	if err := filterCalls(o); err != nil {
		return fmt.Errorf("sandbox: seccomp: %w", err)
	}
	return nil
}

// dropCapabilities empties the five sets and sets no_new_privs, without which
// an exec by root would fill them again.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return err
	}
	for c := uintptr(0); c <= 63; c++ {
		// Who may not shrink the bounding set has nothing that exec could give.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL || err == unix.EPERM {
			break
		} else if err != nil {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
