package term

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAProgramThatFloodsOrHangsIsEnded(t *testing.T) {
	out, err := CommandOutput(context.Background(), exec.Command("echo", "a line"), waitLimit, 100)
	require.NoError(t, err)
	require.Equal(t, "a line\n", string(out))
	out, err = CommandOutput(context.Background(), exec.Command("yes"), waitLimit, 1000)
	require.ErrorContains(t, err, "it writes more than 1,000 bytes")
	require.LessOrEqual(t, len(out), 1000)
	_, err = CommandOutput(context.Background(), exec.Command("no-such-program"), waitLimit, 1000)
	require.ErrorIs(t, err, exec.ErrNotFound)

	// What it has started ends too, also where the one who asks has gone.
	left := filepath.Join(t.TempDir(), "left")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for data, _ := os.ReadFile(left); !strings.HasSuffix(string(data), "\n"); data, _ = os.ReadFile(left) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err = CommandOutput(ctx, exec.Command("sh", "-c", "sleep 1000 & echo $! > \"$1\"; wait", "sh", left), waitLimit, 1000)
	require.Error(t, err)
	data, err := os.ReadFile(left)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ") || syscall.Kill(pid, 0) != nil
	}, waitLimit, time.Millisecond)
	_, err = CommandOutput(context.Background(), exec.Command("sleep", "1000"), time.Millisecond, 1000)
	require.ErrorContains(t, err, "killed")
}
