package remote_test

import (
	"fmt"
	"os"
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

// TestCutConnections has connections that break after any number of bytes, in both directions:
// each line is appended once.
func TestCutConnections(t *testing.T) {
	far := t.TempDir()
	n := newNear(t, `{}`)
	_, notes, status := n.run("", "--on", "exec:env HOME="+far, "exec", "true") // the program is there
	require.Equal(t, 0, status, notes)
	n.script("cut", `exec python3 -c '
import os, random, subprocess, sys, threading
with open(sys.argv[1], "a+") as log:
    log.write("x")
    log.flush()
    random.seed(log.tell())
    most = [30000 if log.tell() == 1 else int(10 ** random.uniform(2.6, 4.4)) for _ in "io"]
far = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
def copy(source, to, left):
    while data := os.read(source, min(left, 65536)):
        left -= to.write(data)
        if left == 0:
            break
    far.kill()
    os._exit(1)
threading.Thread(target=copy, args=(0, far.stdin, most[0])).start()
copy(far.stdout.fileno(), os.fdopen(1, "wb", 0), most[1])
' "$@"`)
	d := n.drive("--on", "exec:cut "+n.home+"/connections env HOME="+far, "exec", "--jsonl")
	var want []string
	for i := range 40 {
		r := d.ask(fmt.Sprintf("echo line-%d >> log; echo did %d; head -c %d /dev/zero | tr '\\0' x >&2", i, i, i*307%3000))
		require.Equal(t, fmt.Sprintf("did %d\n", i), r.Stdout, r.Output)
		require.Len(t, r.Stderr, i*307%3000)
		want = append(want, fmt.Sprintf("line-%d", i))
	}
	log, err := os.ReadFile(far + "/log")
	require.NoError(t, err)
	require.Equal(t, want, strings.Fields(string(log)))
	cuts, err := os.ReadFile(n.home + "/connections")
	require.NoError(t, err)
	require.Greater(t, len(cuts), 10)
}
