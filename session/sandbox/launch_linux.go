package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// init is where a launcher ends: main's other packages are not needed for what
// it does, and a shell that is started again must not wait for them.
func init() {
	if len(os.Args) > 3 && os.Args[1] == launchWord {
		fmt.Fprintln(os.Stderr, launchProgram(os.Args[2], os.Args[3:]))
		os.Exit(exitDenied)
	}
}

// exitDenied is the exit status of a launcher that could not keep its promise.
const exitDenied = 126

// launchProgram confines this process and makes it the program of argv. It returns
// only an error.
func launchProgram(text string, argv []string) error {
	runtime.LockOSThread() // what is given up is given up by this thread, which execs
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("sandbox: order: %w", err)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if o.Mount {
		if err := protectPaths(o); err != nil {
			return fmt.Errorf("sandbox: protect files: %w", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("sandbox: drop capabilities: %w", err)
	}
	if err := restrictProcess(o); err != nil {
		return fmt.Errorf("sandbox: landlock: %w", err)
	}
	if !o.Connect {
		if err := filterSockets(len(o.Ports) > 0 || o.Landlock >= 4); err != nil {
			return fmt.Errorf("sandbox: seccomp: %w", err)
		}
	}
	words := append([]string{filepath.Base(path)}, argv[1:]...)
	return fmt.Errorf("sandbox: start %s: %w", path, syscall.Exec(path, words, os.Environ()))
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
