//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// refused, in the environment, makes the test binary a program whose kernel, or
// whose container, does not have the calls that it names: "landlock memfd", with
// "EPERM" before what is refused in that way.
const refused = "AGENTBASH_TEST_REFUSED"

// noUserNamespaces is no call: it refuses clone with CLONE_NEWUSER.
const noUserNamespaces = "namespaces"

var refusable = map[string][]uint32{
	"landlock":   {unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF},
	"memfd":      {unix.SYS_MEMFD_CREATE},
	"pidfd":      {unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD},
	"pidfd_send": {unix.SYS_PIDFD_SEND_SIGNAL},
	"openat2":    {unix.SYS_OPENAT2},
	"statx":      {unix.SYS_STATX},
	"clone3":     {unix.SYS_CLONE3},
	"renameat2":  {unix.SYS_RENAMEAT2},
	"prlimit":    {unix.SYS_PRLIMIT64},
	"linux418":   {unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_OPENAT2, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_CLONE3, unix.SYS_FACCESSAT2, unix.SYS_CLOSE_RANGE, unix.SYS_OPEN_TREE},
}

// refuseCalls puts a filter on this process, and all that it starts.
func refuseCalls(names []string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{{Code: load, K: 0}}
	errno := unix.ENOSYS
	for _, name := range names {
		switch name {
		case "EPERM":
			errno = unix.EPERM
		case noUserNamespaces:
			program = append(program, unix.SockFilter{Code: equal, K: unix.SYS_CLONE, Jf: 4},
				unix.SockFilter{Code: load, K: 16}, // its flags
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1},
				unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
				unix.SockFilter{Code: load, K: 0})
		default:
			for _, number := range refusable[name] {
				program = append(program, unix.SockFilter{Code: equal, K: number, Jf: 1}, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
			}
		}
	}
	program = append(program, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		panic(errno)
	}
}

// asRefused is the program, in a directory of its own, whose kernel lacks something.
func asRefused(t *testing.T, lacks string, words ...string) *exec.Cmd {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], words...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=" + os.Getenv("GORACE"), asProgram + "=1", refused + "=" + lacks}
	cmd.Dir = dir
	return cmd
}

// TestRefusedCalls: what an older kernel has not, or a container's filter refuses,
// is done in another way.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	for _, lacks := range []string{
		"landlock", "landlock namespaces", "memfd", "EPERM memfd", "memfd namespaces", "memfd landlock namespaces",
		"pidfd", "EPERM pidfd", "pidfd namespaces", "pidfd landlock namespaces", "pidfd_send", "EPERM pidfd_send",
		"openat2", "EPERM openat2", "openat2 landlock namespaces", "EPERM openat2 landlock namespaces",
		"statx", "clone3", "renameat2", "prlimit", "linux418", "linux418 namespaces",
	} {
		for _, mode := range []string{"auto", "full"} {
			t.Run(strings.ReplaceAll(lacks, " ", ",")+"/"+mode, func(t *testing.T) {
				t.Parallel()
				lackingSession(t, lacks, mode)
			})
		}
	}
}

// lackingSession runs commands of each kind, one that is ended at its limit and one that goes on.
func lackingSession(t *testing.T, lacks, mode string) {
	cmd := asRefused(t, lacks, "exec", "--jsonl", "--mode", mode)
	long := strings.Repeat("x", 5000)
	var in bytes.Buffer
	steps := []struct {
		command string
		timeout int
		stdout  string
		status  int
	}{
		{"v=1; cd /; cd - >/dev/null; echo one", 0, "one\n", 0},
		{"write f --content 'a b'; read f | tr a-z A-Z", 0, "A B", 0},
		{"read --file_path f", 0, "a b", 0},
		{"sleep 1000; echo not ended", 1, "", 124},
		{"sleep 1001; echo goes on", 1, "", 124},
		{"echo $((v + 1)); : " + long, 0, "2\n", 0},
		{"mkdir -p d/e; edit --file_path f --old_string a --new_string c >/dev/null; cat f; (exit 3)", 0, "c b", 3},
	}
	for _, s := range steps {
		line := map[string]any{"command": s.command}
		if s.timeout > 0 {
			line["timeout"], line["kill"] = s.timeout, strings.HasPrefix(s.command, "sleep 1000")
		}
		require.NoError(t, json.NewEncoder(&in).Encode(line))
	}
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	results := json.NewDecoder(bytes.NewReader(out))
	for _, s := range steps {
		var r struct {
			Stdout   string
			Output   string
			ExitCode int  `json:"exit_code"`
			TimedOut bool `json:"timed_out"`
			Duration int  `json:"duration_ms"`
		}
		require.NoError(t, results.Decode(&r), "%.60s\n%s%s", s.command, out, &stderr)
		require.Contains(t, r.Stdout, s.stdout, "%.60s\n%s%s", s.command, r.Output, &stderr)
		require.Equal(t, s.timeout > 0, r.TimedOut, r.Output)
		require.Less(t, r.Duration, 120_000, "the limit of a second did not hold")
		if !r.TimedOut {
			require.Equal(t, s.status, r.ExitCode, "%.60s\n%s%s", s.command, r.Output, &stderr)
		}
	}
}

// TestRefusedCallsAndSIGTERM: the program, and what it runs, end when it is told to.
func TestRefusedCallsAndSIGTERM(t *testing.T) {
	t.Parallel()
	for _, lacks := range []string{"landlock", "memfd", "pidfd", "EPERM pidfd", "EPERM pidfd_send", "pidfd landlock namespaces", "openat2", "linux418"} {
		for _, mode := range []string{"auto", "full"} {
			t.Run(strings.ReplaceAll(lacks, " ", ",")+"/"+mode, func(t *testing.T) {
				t.Parallel()
				cmd := asRefused(t, lacks, "exec", "--mode", mode, "echo there >began; exec sleep 1000")
				require.NoError(t, unix.Mkfifo(cmd.Dir+"/began", 0o600))
				require.NoError(t, cmd.Start())
				began, err := os.ReadFile(cmd.Dir + "/began")
				require.NoError(t, err)
				require.Equal(t, "there\n", string(began))
				require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-ended:
				case <-time.After(2 * time.Minute):
					cmd.Process.Kill()
					t.Fatal("SIGTERM does not end the program")
				}
			})
		}
	}
}

// TestWithoutLandlock: where the kernel has none, plan and auto go by verdicts
// alone, and say so; doctor does too.
func TestWithoutLandlock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(words ...string) (string, int) {
		cmd := asRefused(t, "landlock "+noUserNamespaces, words...)
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
