package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// withoutLandlock, in the environment, makes the test binary a program on a
// kernel that has no Landlock and gives no namespaces: a filter answers its calls as
// such a kernel does.
const withoutLandlock = "AGENTBASH_TEST_WITHOUT_LANDLOCK"

func forgetLandlock() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{
		{Code: load, K: 0},
		{Code: equal, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: equal, K: unix.SYS_CLONE, Jf: 3},
		{Code: load, K: 16}, // its flags
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		panic(errno)
	}
}

// TestWithoutLandlock: where the kernel has none, plan and auto go by verdicts
// alone, and say so; doctor does too.
func TestWithoutLandlock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(words ...string) (string, int) {
		cmd := exec.Command(os.Args[0], words...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=" + os.Getenv("GORACE"), asProgram + "=1", withoutLandlock + "=1"}
		cmd.Dir = home
		out, err := cmd.CombinedOutput()
		require.NotNil(t, cmd.ProcessState, "%v", err)
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, mode := range []string{"plan", "auto"} {
		out, code := run("exec", "--mode", mode, "pwd | cat")
		require.Zero(t, code, out)
		require.Contains(t, out, home+"\n")
		require.Contains(t, out, "warning: the kernel cannot confine a program: it has no Landlock")
		require.Contains(t, out, "nothing else holds them")
	}
	out, code := run("exec", "--mode", "plan", "echo x | tee f")
	require.Equal(t, 126, code, out)
	require.NoFileExists(t, home+"/f")
	out, _ = run("exec", "--mode", "ask", "pwd | cat")
	require.Contains(t, out, "nobody can be asked", "where reads cannot be held, they are asked about")
	out, _ = run("doctor", "--timeout", "0.1")
	require.Contains(t, out, "note  sandbox   nothing is confined: ")
	require.Contains(t, out, "by what commands are judged to do")
}
