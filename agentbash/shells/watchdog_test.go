package shells

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The watchdog hits what bears the mark, and nothing else: not what stands next
// to it in /proc and does not let its environment be read (kernel threads). Its
// kill is a function here, which ends the marked process only.
func TestTheWatchdogHitsNobodyElse(t *testing.T) {
	mark := markVar + "=" + randomID(16)
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
	shadow := "kill() { printf '%s\\n' \"${@:2}\"; builtin kill -9 " + strings.Join(all, " ") + "; }\n"
	var out bytes.Buffer
	dog := exec.Command("bash", "--noprofile", "--norc", "-c", shadow+watchScript, "watchdog", mark)
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
