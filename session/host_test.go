//go:build linux

package session

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/proctable"
	"github.com/agentbash/agentbash/internal/watchdog"
)

// roleEnv makes the test binary play another part than that of the tests.
const roleEnv = "AGENTBASH_SESSION_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "host":
		playHost()
	case "confined":
		playConfinedBash()
	default:
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // under nohup(1) bash could not be ended by it
		os.Exit(m.Run())
	}
}

// playHost opens a session, leaves jobs in it and runs a command that does not
// end. It tells the mark, and then waits to be killed.
func playHost() {
	os.Unsetenv(roleEnv)
	s, err := New(&Options{Dir: os.TempDir()})
	if err != nil {
		panic(err)
	}
	jobs := `trap '' HUP; sleep 1000 & nohup sleep 1000 >/dev/null 2>&1 & (setsid sleep 1000 &)
		(trap '' TERM INT HUP; sleep 1000) & env -i bash -c 'trap "" HUP; while :; do sleep 1000; done' &`
	if s.e.mark.limitLine() != "" { // else nothing is left to know it by
		jobs += "(exec -a plain env -i setsid -f sleep 1000)"
	}
	_, err = s.Run(context.Background(), jobs, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.e.mark.id, s.e.mark.rttime)
	if os.Getenv("HOW") == "exit" {
		os.Exit(0)
	}
	s.Run(context.Background(), "setsid sleep 1000; sleep 1000", nil)
}

// TestHostDies ends the host in the ways that give it no chance to clean up.
func TestHostDies(t *testing.T) {
	for _, how := range []string{"kill", "exit", "kill group"} {
		t.Run(how, func(t *testing.T) {
			host := exec.Command("/proc/self/exe")
			temp := t.TempDir()
			host.Env = append(os.Environ(), roleEnv+"=host", "HOW="+how, "TMPDIR="+temp)
			host.Stderr = os.Stderr
			host.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := host.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, host.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			id, number, _ := strings.Cut(strings.TrimSpace(line), " ")
			rttime, err := strconv.ParseUint(number, 10, 64)
			require.NoError(t, err)
			s := &Session{e: &engine{mark: processMark{id: id, rttime: rttime}}}
			switch how {
			case "kill":
				least := 8
				if s.e.mark.limitLine() == "" {
					least = 5 // family knows no other mark
				}
				require.Eventually(t, func() bool { return len(family(s)) >= least }, waitLimit, time.Millisecond, "%v", family(s))
				require.NoError(t, host.Process.Kill())
			case "kill group":
				require.NoError(t, syscall.Kill(-host.Process.Pid, syscall.SIGKILL))
			}
			host.Wait()
			require.Eventually(t, func() bool { return len(family(s)) == 0 }, waitLimit, 5*time.Millisecond, "left: %v", family(s))
			t.Setenv("TMPDIR", temp)
			run(t, open(t, nil), "sleep 1000 &") // its output needs the private directory
			dirs, err := os.ReadDir(temp)
			require.NoError(t, err)
			require.Len(t, dirs, 1, "what the killed host left is removed")
		})
	}
}

// TestWatchdogIsReplaced kills every bash, the watchdog too.
func TestWatchdogIsReplaced(t *testing.T) {
	s := open(t, nil)
	first := watchdogPid(t)
	require.NoError(t, syscall.Kill(first, syscall.SIGTERM)) // it does not mind
	run(t, s, "exit 1")
	run(t, s, "true")
	require.Equal(t, first, watchdogPid(t))
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	<-s.e.watch.Ended()
	run(t, s, "exit 1")
	run(t, s, "true")
	require.NotEqual(t, first, watchdogPid(t))
}

func watchdogPid(t *testing.T) int {
	t.Helper()
	for _, p := range proctable.Read() {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
		if p.Parent == os.Getpid() && !p.Ended() && strings.HasPrefix(string(line), watchdog.Name+"\x00") {
			return p.PID
		}
	}
	require.Fail(t, "no watchdog")
	return 0
}
