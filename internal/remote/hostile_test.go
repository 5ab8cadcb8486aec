package remote_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGreetings has connections that say too much, or nothing more, before the program runs.
func TestGreetings(t *testing.T) {
	n := newNear(t, `{}`)
	for target, want := range map[string]string{
		`exec:sh -c 'exec tr -d "\\n" </dev/zero'`:   "its login prints too much",
		`exec:sh -c 'yes'`:                           "its login prints too much",
		`exec:sh -c 'exec >&- <&-; exec sleep 1000'`: "cannot be reached",
	} {
		cmd := n.command("--on", target, "exec", "true")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, target)
		require.Contains(t, string(out), want, target)
	}
}

// TestManyNotesOfAConnection has one that writes more on its stderr than is of use.
func TestManyNotesOfAConnection(t *testing.T) {
	n := newNear(t, `{}`)
	cmd := n.command("--on", `exec:sh -c 'head -c 500000000 /dev/zero >&2; exec "$@"' sh`, "exec", "echo hi")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "hi\n", string(out))
	require.Less(t, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, int64(400<<10), "KiB")
}

// TestMaskThere has commands make files as that machine does, and the program's be its user's own.
func TestMaskThere(t *testing.T) {
	n := newNear(t, `{}`)
	for _, mask := range []string{"0022", "0007"} {
		out, notes, _ := n.run("", "--on", `exec:sh -c 'umask `+mask+`; exec "$@"' sh`, "exec", "umask")
		require.Equal(t, mask+"\n", out, notes)
	}
}

// TestTooLargeMessage has a value that is more than a message holds: the session goes on.
func TestTooLargeMessage(t *testing.T) {
	n := newNear(t, nearTools(t, ""))
	d := n.drive("--on", "exec:env", "exec", "--jsonl")
	r := d.ask("x=5; head -c 40000000 /dev/zero | tr '\\0' '\"' | field:local:upper --text@=-")
	require.Contains(t, r.Output, "too much for one message", r.Output[:min(2000, len(r.Output))])
	require.Equal(t, "5\n", d.ask("echo $x").Stdout, strings.TrimSpace(d.notes()))
}
