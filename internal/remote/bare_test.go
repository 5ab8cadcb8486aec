package remote_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// warning is a line of what is missed, where all works.
var warning = regexp.MustCompile(`(?m)^agentbash: warning: .*\n`)

// TestBareContainers runs the program itself in containers that lack something: a command, a tool and a
// turn with a model each work, or one sentence says what to do.
func TestBareContainers(t *testing.T) {
	const anonymous = "--unshare-user --uid 65534 --gid 65534 --unsetenv HOME"
	for _, c := range []struct{ name, options, exec, read string }{
		{"nothing lacks", "", "", ""},
		{"no HOME", "--unsetenv HOME", "", ""},
		{"a HOME of nobody", "--setenv HOME /nonexistent", "", ""},
		{"a read-only home", "--ro-bind ROOT/root /root", "", ""},
		{"a read-only root", "--remount-ro / --tmpfs /tmp", "", ""},
		{"nothing that can be written", "--remount-ro /", "set XDG_STATE_HOME to a directory that can", "set XDG_STATE_HOME to a directory that can"},
		{"a user without an entry", anonymous, "", ""},
		{"a user without an entry and a read-only root", anonymous + " --remount-ro / --tmpfs /tmp", "", ""},
		{"no /dev/shm", "--remount-ro /dev", "", ""},
		{"noexec /tmp", "--unshare-user --uid 0 --cap-add CAP_SYS_ADMIN --unsetenv HOME --remount-ro / --tmpfs /tmp /bin/sh -c 'mount -o remount,noexec,bind /tmp && exec \"$@\"' sh", "", ""},
		{"no /proc", "--tmpfs /proc", "there is no /proc/self/fd here", ""},
		{"no /dev", "--tmpfs /dev", "there is no /dev/null here", ""},
		{"none of these", anonymous + " --tmpfs /proc --tmpfs /dev --remount-ro / --tmpfs /tmp", "there is no /proc/self/fd here", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, target := bareRoot(t)
			require.NoError(t, os.Link(program, filepath.Join(root, "bin/agentbash")))
			require.NoError(t, os.WriteFile(root+"/etc/hostname", []byte("bare\n"), 0o644))
			require.NoError(t, os.Mkdir(fmt.Sprintf("%s/tmp/agentbash-user-%d", root, os.Geteuid()), 0o700)) // of an earlier run
			server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
				{ToolCalls: []modelserver.ToolCall{{Command: "echo $((6*7))"}}},
				{Text: "Done.", Expect: modelserver.Expectations{{Contains: []string{cmp.Or(c.exec, "42")}}}}}}, nil)
			require.NoError(t, err)
			run := func(args ...string) (string, string, int) {
				argv := strings.TrimPrefix(target, "exec:") + " --clearenv --setenv PATH /bin --setenv HOME /root --unsetenv PWD " +
					strings.ReplaceAll(c.options, "ROOT", root) + ` /bin/agentbash "$@"`
				cmd := exec.Command("sh", append([]string{"-c", argv, "sh"}, args...)...)
				var out, notes strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &notes
				if err := cmd.Run(); cmd.ProcessState == nil {
					require.NoError(t, err)
				}
				require.NotContains(t, notes.String(), "goroutine ")
				return out.String(), notes.String(), cmd.ProcessState.ExitCode()
			}
			check := func(want, says string, args ...string) {
				out, notes, status := run(args...)
				notes = warning.ReplaceAllString(notes, "")
				if says != "" {
					require.NotZero(t, status)
					require.Contains(t, notes, says)
					require.Equal(t, 1, strings.Count(notes, "\n"), notes)
					return
				}
				require.Zero(t, status, notes)
				require.Equal(t, want, out, notes)
			}
			check("42\n", c.exec, "exec", "echo $((6*7))")
			check("bare\n", c.read, "read", "--file_path", "/etc/hostname")
			check("Done.\n", c.read, "-p", "go", "--model", "m", "--base-url", server.BaseURL, "--mode", "full")
			if err := server.Close(); c.read == "" {
				require.NoError(t, err)
			}
		})
	}
}
