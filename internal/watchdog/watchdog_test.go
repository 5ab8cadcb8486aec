package watchdog

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The watchdog hits what bears the mark, and nothing else: not what stands next
// to it in /proc and does not let its environment be read (kernel threads). Its
// kill is a function here, which ends the marked process only.
func TestTheWatchdogHitsNobodyElse(t *testing.T) {
	for name, script := range map[string]string{"proc": script, "ps": strings.ReplaceAll(script, "/proc/self/stat", "/proc/none")} {
		t.Run(name, func(t *testing.T) { hitNobodyElse(t, script) })
	}
}

func hitNobodyElse(t *testing.T, script string) {
	mark := "WATCHDOG_TEST=" + rand.Text()
	marked := map[string]bool{}
	var all []string
	for range 40 { // many, so that many different neighbours follow one
		c := exec.Command("sleep", "1011")
		c.Env = append(os.Environ(), mark+".x")
		require.NoError(t, c.Start())
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		pid := strconv.Itoa(c.Process.Pid)
		marked[pid] = true
		all = append(all, pid)
	}
	shadow := "kill() { printf '%s\\n' \"${@:3}\"; builtin kill -9 " + strings.Join(all, " ") + "; }\n"
	var out bytes.Buffer
	dog := exec.Command("bash", "--noprofile", "--norc", "-c", shadow+script, Name, mark, "", "KILL")
	dog.Stdin, dog.Stdout = strings.NewReader(""), &out
	dog.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	require.NoError(t, dog.Run())
	hits := map[string]bool{}
	for _, pid := range strings.Fields(out.String()) {
		require.True(t, marked[pid], "it hits %s, which bears no mark", pid)
		hits[pid] = true
	}
	require.Equal(t, marked, hits)
}

// host starts, as a program of its own that dies by SIGKILL, a watchdog and
// processes in the ways that each of those who use one has them.
const hostEnv = "WATCHDOG_TEST_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostEnv) == "" {
		os.Exit(m.Run())
	}
	w := &Watchdog{Env: "WATCHDOG_TEST_MARK=", Limit: "Max realtime timeout      4611686018427387911 ", Kill: os.Getenv(hostEnv) == "kill"}
	if err := w.Start(); err != nil {
		panic(err)
	}
	run := func(script string, env ...string) int {
		c := exec.Command("bash", "-c", script)
		c.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			panic(err)
		}
		return c.Process.Pid
	}
	pids := []int{
		run("trap '' TERM HUP; sleep 1012 & setsid sleep 1012 & wait"),
		run("env -i sleep 1012 & wait", "WATCHDOG_TEST_MARK=1"),
		run("ulimit -S -R 4611686018427387911 && exec env -i sleep 1012"),
	}
	w.Add(pids[0])
	fmt.Println(pids[0], pids[1], pids[2], run("exec sleep 1012"))
	select {}
}

func TestWhatIsWatchedEndsWithTheProgram(t *testing.T) {
	for _, how := range []string{"kill", "term"} {
		t.Run(how, func(t *testing.T) {
			host := exec.Command("/proc/self/exe")
			host.Env = append(os.Environ(), hostEnv+"="+how)
			host.Stderr = os.Stderr
			out, err := host.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, host.Start())
			var pids [4]int
			_, err = fmt.Fscan(out, &pids[0], &pids[1], &pids[2], &pids[3])
			require.NoError(t, err)
			other := pids[3]
			t.Cleanup(func() { syscall.Kill(other, syscall.SIGKILL) })
			watched := pids[:3]
			if gone(pids[2]) { // the hard limit did not let it
				watched = pids[:2]
			}
			var all []int
			require.Eventually(t, func() bool { all = tree(watched); return len(all) >= len(watched)+3 }, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, host.Process.Kill())
			host.Wait()
			for _, pid := range all {
				require.Eventually(t, func() bool { return gone(pid) }, 30*time.Second, 5*time.Millisecond, "%d is left", pid)
			}
			require.False(t, gone(other), "what is not watched stays")
		})
	}
}

// tree are processes and their descendants.
func tree(pids []int) []int {
	all := slices.Clone(pids)
	for i := 0; i < len(all); i++ {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		for _, thread := range threads {
			b, _ := os.ReadFile(thread)
			for _, f := range strings.Fields(string(b)) {
				pid, _ := strconv.Atoi(f)
				all = append(all, pid)
			}
		}
	}
	return all
}

func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}

func TestItIsReplacedAndToldAgain(t *testing.T) {
	sleep := exec.Command("sleep", "1013")
	sleep.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, sleep.Start())
	ended := make(chan struct{})
	go func() { sleep.Wait(); close(ended) }()
	var w Watchdog
	require.NoError(t, w.Add(sleep.Process.Pid))
	first := w.Ended()
	for _, pid := range tree([]int{os.Getpid()}) {
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); strings.HasPrefix(string(line), Name+"\x00") {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	<-first
	require.NoError(t, w.Start())
	require.NotEqual(t, first, w.Ended())
	require.NoError(t, w.Close(), "what was not removed ends with it")
	<-ended
	require.NoError(t, w.Close(), "twice is fine")
	var none *Watchdog
	require.NoError(t, none.Add(1))
	none.Remove(1)
	require.NoError(t, none.Close())
}

func TestSessionZeroIsNotWatched(t *testing.T) {
	var w Watchdog
	require.NoError(t, w.Add(0))
	require.Nil(t, w.Ended())
}
