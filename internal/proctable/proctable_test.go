//go:build linux

package proctable

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProcesses(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.Env = []string{"A=1", "BC=23"}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	require.Eventually(t, func() bool { return SleepsIn(pid, "pipe_read") && HasEnv(pid, "BC=23\x00") }, 5*time.Minute, time.Millisecond)
	p, ok := Stat(pid)
	require.True(t, ok)
	require.Equal(t, os.Getpid(), p.Parent)
	require.False(t, p.Ended())
	require.True(t, slices.ContainsFunc(Read(), func(q Process) bool { return q.PID == pid && q.Start == p.Start && q.Session == p.Session }))
	require.True(t, HasEnv(pid, "A="))
	require.False(t, HasEnv(pid, "C=23"), "an entry begins so")
	require.False(t, HasEnv(pid, ""))
	require.NoError(t, in.Close())
	require.Eventually(t, func() bool { p, _ := Stat(pid); return p.Ended() }, 5*time.Minute, time.Millisecond)
	cmd.Wait()
	_, ok = Stat(pid)
	require.False(t, ok)
}
