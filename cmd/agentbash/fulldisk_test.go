//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestFullStateDirectory: with no room for state what frees space still runs, in
// every mode, and the record says what it misses.
func TestFullStateDirectory(t *testing.T) {
	for _, mode := range []string{"full", "auto"} {
		t.Run(mode, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			err := unix.Mount("tmpfs", state, "tmpfs", 0, "size=1m")
			if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
				t.Skipf("a disk that fills up needs the right to mount: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, unix.Unmount(state, 0)) })
			run := func(stdin string, words ...string) (stdout, stderr string) {
				cmd := exec.Command(os.Args[0], words...)
				var out, notes bytes.Buffer
				cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, &notes
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + state, "GORACE=" + os.Getenv("GORACE"), asProgram + "=1"}
				require.NoError(t, cmd.Run(), notes.String())
				return out.String(), notes.String()
			}
			run("", "exec", "true")
			for _, size := range []int{4096, 1} {
				f, err := os.OpenFile(filepath.Join(state, "fill"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
				require.NoError(t, err)
				for err == nil {
					_, err = f.Write(make([]byte, size))
				}
				require.ErrorIs(t, err, unix.ENOSPC)
				require.NoError(t, f.Close())
			}
			var lines strings.Builder
			for n := range 1200 {
				fmt.Fprintf(&lines, "{\"command\": \"echo %d\"}\n", n)
			}
			out, notes := run(lines.String(), "exec", "--jsonl", "--mode", mode)
			require.Equal(t, 1200, strings.Count(out, `"success":true`))
			require.Contains(t, notes, "no space left on device")
			rm := "rm " + filepath.Join(state, "fill")
			if mode == "full" {
				run("", "exec", "--mode", mode, rm)
				require.NoFileExists(t, filepath.Join(state, "fill"))
			}
			out, _ = run("", "audit", "verify", "--json")
			var rep struct {
				OK   bool
				Lost int
			}
			require.NoError(t, json.Unmarshal([]byte(out), &rep))
			require.True(t, rep.OK, out)
			require.Positive(t, rep.Lost)
		})
	}
}
