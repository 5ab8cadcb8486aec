//go:build linux

package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// landlocked reports whether the kernel can confine a process as far as the
// tests need it: file access, and signals (version 6).
func landlocked() bool {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && version >= 6
}

// confine writes a script that is a bash in a Landlock domain of its own. From
// there the descriptors of the host cannot be opened, no signal reaches a
// process outside, no program can be run but bash, and no file written but
// below dir.
func confine(t testing.TB, dir string) (shell string) {
	t.Helper()
	shell = filepath.Join(t.TempDir(), "confined")
	script := "#!/bin/sh\n" + roleEnv + "=confined CONFINED_TO='" + dir + "' exec '" + os.Args[0] + "' \"$@\"\n"
	require.NoError(t, os.WriteFile(shell, []byte(script), 0o700))
	return shell
}

// The kernel's structures, from linux/landlock.h.
type (
	landlockRuleset struct{ fs, net, scoped uint64 }
	landlockBeneath struct {
		access uint64
		parent int32
	}
)

const landlockScopeSignal = 1 << 1

// playConfinedBash becomes that bash.
func playConfinedBash() {
	runtime.LockOSThread()
	dir := os.Getenv("CONFINED_TO")
	os.Unsetenv(roleEnv)
	os.Unsetenv("CONFINED_TO")
	bash, err := exec.LookPath("/bin/bash")
	check(err)
	const write = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	set := landlockRuleset{fs: write | unix.LANDLOCK_ACCESS_FS_EXECUTE, scoped: landlockScopeSignal}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&set)), unsafe.Sizeof(set), 0)
	if errno != 0 {
		panic(errno)
	}
	allow := func(path string, access uint64) {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		check(err)
		rule := landlockBeneath{access, int32(fd)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			panic(path + ": " + errno.Error())
		}
	}
	allow(bash, unix.LANDLOCK_ACCESS_FS_EXECUTE)
	for _, loader := range []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"} {
		if _, err := os.Stat(loader); err == nil {
			allow(loader, unix.LANDLOCK_ACCESS_FS_EXECUTE)
		}
	}
	allow(dir, write)
	allow("/dev/null", unix.LANDLOCK_ACCESS_FS_WRITE_FILE|unix.LANDLOCK_ACCESS_FS_TRUNCATE)
	check(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		panic(errno)
	}
	check(unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: 8 << 30, Max: 8 << 30}))
	panic(syscall.Exec(bash, append([]string{"bash"}, os.Args[1:]...), os.Environ()))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
