package agentbash_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

var soak = flag.Int("soak", 3000, "how many commands TestSoak runs")

// TestSoak runs many commands the whole way, of which one in a thousand outlives its limit, and looks at what
// is left: only the logs of those.
func TestSoak(t *testing.T) {
	state := t.TempDir()
	b := openBash(t, &agentbash.Options{Dir: t.TempDir(), Mode: policy.FullMode, StateDir: state})
	run := func(command string, o *router.RunOptions) router.Result {
		return b.Run(context.Background(), command, o)
	}
	run("n=0", nil)
	went, told := 0, 0
	var before leftovers
	for i := range *soak {
		if i == *soak/2 {
			run("until [[ $(bash_start) != *running* ]]; do sleep 0.01; done", &router.RunOptions{Timeout: router.MaxTimeout})
			before = countLeftovers(t)
		}
		if i%1000 != 999 {
			require.Equal(t, "x\n", run("((++n)); echo x", nil).Stdout)
			continue
		}
		went++
		res := run("echo a; (sleep 0.1; echo b) & sleep 0.05; wait", &router.RunOptions{Timeout: 10 * time.Millisecond})
		id, n := strconv.Itoa(went), strconv.Itoa(i+1-went)
		require.Equal(t, went, res.Running)
		if slices.Contains(res.Lost, "what was last set before it") {
			told++
			run("n="+n, nil)
		}
		require.Equal(t, n+"\n", run("echo $n", nil).Stdout, "no command was lost, none ran twice")
		res = run("bash_output "+id+" --wait exit", nil)
		require.Contains(t, res.Stdout+"a\n", "b\n", "%+v", res)
	}
	after := countLeftovers(t)
	require.LessOrEqual(t, after.fds, before.fds)
	require.LessOrEqual(t, after.children, before.children)
	require.Less(t, after.heap, before.heap+2<<20)
	files, err := exec.Command("find", state, "-type", "f", "!", "-name", "background-*.log").Output()
	require.NoError(t, err)
	require.Empty(t, string(files))
	t.Logf("%d commands, %d went on, of %d what was set last was lost, as was said; %+v, then %+v", *soak, went, told, before, after)
}

// leftovers are what a program has of descriptors, child processes and memory.
type leftovers struct {
	fds, children int
	heap          uint64
}

func countLeftovers(t *testing.T) (l leftovers) {
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	l.fds = len(fds)
	out, err := exec.Command("ps", "-o", "pid=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	require.NoError(t, err)
	l.children = strings.Count(string(out), "\n")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	l.heap = m.HeapAlloc
	return l
}
