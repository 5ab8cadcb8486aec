package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// killedHost starts a stubborn server under a watchdog, says who it is, and waits to be killed.
func killedHost(args []string) {
	self, _ := os.Executable()
	c := mcp.NewClient(mcp.Spec{Command: &mcp.Command{
		Name: self, Args: args, Dir: os.TempDir(), Env: []string{"MCP_TEST_ROLE=server", "PATH=" + os.Getenv("PATH")},
	}}, &mcp.Options{Watchdog: &mcp.Watchdog{}})
	_, err := c.Call(context.Background(), mcp.Call{Tool: "count"})
	fmt.Println("ready", err)
	select {}
}

func TestKilledHostLeavesNoServer(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	host := exec.Command(self, "stubborn", "child")
	host.Env = append(os.Environ(), "MCP_TEST_ROLE=host")
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready <nil>\n", line)
	family := descendants(t, host.Process.Pid)
	require.GreaterOrEqual(t, len(family), 3, "the server, its child and the watchdog")

	require.NoError(t, host.Process.Kill())
	host.Wait()
	for _, pid := range family {
		require.Eventually(t, func() bool { return dead(pid) }, waitLimit, 20*time.Millisecond, "process %d is left", pid)
	}
}

// dead reports whether a process is gone or a zombie that nobody has reaped yet.
func dead(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(b), ") Z ")
}

func descendants(t testing.TB, root int) []int {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid=,ppid=").Output()
	require.NoError(t, err)
	children := map[int][]int{}
	for _, line := range strings.Split(string(out), "\n") {
		var pid, ppid int
		if n, _ := fmt.Sscan(line, &pid, &ppid); n == 2 {
			children[ppid] = append(children[ppid], pid)
		}
	}
	var all []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		all = append(all, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

func TestWatchdogEndsWithItsServers(t *testing.T) {
	watch := &mcp.Watchdog{}
	c := mcp.NewClient(fake(t), &mcp.Options{Watchdog: watch})
	_, err := c.Call(t.Context(), mcp.Call{Tool: "count"})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, watch.Close())
	require.NoError(t, watch.Close(), "twice is fine")
}
