package remote_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnSSH(t *testing.T) {
	n := newNear(t, `{}`)
	home := startSSHD(t, n)
	out, notes, status := n.run("", "--on", "ssh:box", "exec", "pwd; echo to-stderr >&2; exit 7")
	require.Equal(t, home+"\n", out, notes)
	require.Contains(t, notes, "to-stderr\n")
	require.Equal(t, 7, status)

	sent, err := filepath.Glob(home + "/.cache/agentbash/agentbash-*")
	require.NoError(t, err)
	require.Len(t, sent, 1)
	before, err := os.Stat(sent[0])
	require.NoError(t, err)
	dir := filepath.Join(home, "sub dir")
	require.NoError(t, os.Mkdir(dir, 0o755))
	_, notes, status = n.run("hello\n", "--on", "ssh:box"+dir, "write", "--file_path", "a.txt")
	require.Equal(t, 0, status, notes)
	out, notes, status = n.run("", "--on", "box", "--mode", "full", "read", "--file_path", dir+"/a.txt")
	require.Equal(t, 0, status, notes)
	require.Contains(t, out, "hello")
	after, err := os.Stat(sent[0])
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "the second use sends nothing")

	// The audit log is here, with the target of each command.
	out, notes, status = n.run("", "audit", "show")
	require.Equal(t, 0, status, notes)
	require.Contains(t, out, "on ssh:box: pwd; echo to-stderr >&2; exit 7")
	out, notes, status = n.run("", "audit", "verify")
	require.Equal(t, 0, status, out+notes)

	out, notes, status = n.run("", "--on", "ssh:box", "exec", "trap 'echo bye' EXIT; echo hi")
	require.Equal(t, "hi\nbye\n", out, notes)
	require.Equal(t, 0, status)
	_, notes, status = n.run("", "--on", "ssh:nowhere.invalid", "exec", "true")
	require.NotEqual(t, 0, status)
	require.Contains(t, notes, "cannot be reached")
}

// TestNothingOfNearThere looks for this side's keys in all that the far side's processes have.
func TestNothingOfNearThere(t *testing.T) {
	n := newNear(t, `{}`)
	home := startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	for _, at := range []string{"ssh:box", "exec:env HOME=" + home} {
		d := n.drive("--on", at, "exec", "--jsonl")
		require.NotContains(t, d.ask("env; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' '\\n'; grep -rl 'sk-near-secret\\|ghp_near' ~/.cache/agentbash/state").Output, "near-secret")
	}
	require.Equal(t, 0, d.ask("true").ExitCode)
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	looked := 0
	for _, path := range entries {
		line, _ := os.ReadFile(filepath.Dir(path) + "/cmdline")
		if !strings.Contains(string(line), home) {
			continue
		}
		looked++
		env, _ := os.ReadFile(path)
		require.NotContains(t, string(env)+string(line), "sk-near-secret")
		require.NotContains(t, string(env)+string(line), "ghp_near")
	}
	require.Positive(t, looked)
}

// TestSSHConfiguration has one that forwards this side's agent and a port, and has a command of its own.
func TestSSHConfiguration(t *testing.T) {
	n := newNear(t, `{}`)
	startSSHD(t, n)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	agent, err := net.Listen("unix", filepath.Join(n.home, "agent"))
	require.NoError(t, err)
	defer agent.Close()
	n.env = append(n.env, "SSH_AUTH_SOCK="+n.home+"/agent")
	ssh, err := os.ReadFile(filepath.Join(n.bin, "ssh"))
	require.NoError(t, err)
	_, client, _ := strings.Cut(string(ssh), " -F ")
	client = strings.Fields(client)[0]
	text, err := os.ReadFile(client)
	require.NoError(t, err)
	more := "IdentityAgent none\nForwardAgent " + n.home + "/agent\nExitOnForwardFailure yes\nLocalForward " + l.Addr().String() + " 127.0.0.1:1\nRemoteCommand echo no\n"
	require.NoError(t, os.WriteFile(client, append(text, more...), 0o600))
	out, notes, status := n.run("", "--on", "ssh:box", "exec", "echo agent=$SSH_AUTH_SOCK")
	require.Equal(t, "agent=\n", out, notes)
	require.Equal(t, 0, status)
}

// TestSessionOverSSH sends a thousand commands here and there: the answers are the same.
func TestSessionOverSSH(t *testing.T) {
	n := newNear(t, `{}`)
	home := startSSHD(t, n)
	here, there := n.drive("exec", "--jsonl", "--dir", home), n.drive("--on", "ssh:box", "exec", "--jsonl")
	here.ask("export HOME=" + home)
	kinds := []func(i int) string{
		func(i int) string { return fmt.Sprintf("x%d=%d; echo $((x%d * 3))", i%7, i, i%7) },
		func(i int) string { return fmt.Sprintf("echo ${x%d-none} | tr 0-9 a-j", i%7) },
		func(i int) string { return fmt.Sprintf("(exit %d)", i%200) },
		func(i int) string { return "echo out; echo err >&2" },
		func(i int) string { return fmt.Sprintf("f() { echo \"f$1 %d\"; }; f a", i) },
		func(i int) string { return "f b; type -t f" },
		func(i int) string { return "cd /usr && pwd; cd - >/dev/null" },
		func(i int) string { return fmt.Sprintf("seq %d | tail -n 2", i) },
		func(i int) string { return fmt.Sprintf("read --file_path /etc/hostname | head -n %d", i%3) },
		func(i int) string { return "cat <<'EOF'\n$x `y` \"z\"\nEOF" },
		func(i int) string { return "printf 'a\\0b\\377c' | od -c; printf '\\303\\244\\n'" },
		func(i int) string { return "if then fi" },
		func(i int) string { return "set -o pipefail; false | true; echo $?; set +o pipefail" },
		func(i int) string { return "grep --pattern root --path /etc/passwd | wc -l" },
	}
	for i := range 1000 {
		command := kinds[i%len(kinds)](i)
		here.send(command)
		there.send(command)
		want, got := here.receive(), there.receive()
		require.Equal(t, want, got, command)
	}
}

// killed ends the newest connection.
func killTransport(t *testing.T, n *near) {
	pids := n.sshPIDs()
	pid, err := strconv.Atoi(pids[len(pids)-1])
	require.NoError(t, err)
	syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
}

// TestKilledTransport kills connections while lines are appended: each is there once.
func TestKilledTransport(t *testing.T) {
	n := newNear(t, `{}`)
	home := startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	shell := d.ask("cd; sleep 1000 & echo $$ $!").Stdout
	random, kills := rand.New(rand.NewPCG(1, 2)), 0
	var answered []string
	for i := range 200 {
		d.send(fmt.Sprintf("sleep 0.0%d; echo line-%d >> log; echo did %d", random.IntN(5), i, i))
		if kills < 50 && random.IntN(3) == 0 {
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond) // anywhere in the command's life
			killTransport(t, n)
			kills++
		}
		r := d.receive()
		require.Equal(t, fmt.Sprintf("did %d\n", i), r.Stdout, r.Output)
		answered = append(answered, fmt.Sprintf("line-%d", i))
	}
	require.Equal(t, 50, kills)
	log, err := os.ReadFile(home + "/log")
	require.NoError(t, err)
	require.Equal(t, answered, strings.Fields(string(log)))
	require.Equal(t, shell, d.ask("echo $$ $!").Stdout, "the shell is the same")
	require.Equal(t, 0, d.ask("kill %1").ExitCode, "and so are its jobs")
	require.GreaterOrEqual(t, len(n.sshPIDs()), 20)
}

// TestNearIsGone kills the near side: what it started there ends.
func TestNearIsGone(t *testing.T) {
	n := newNear(t, `{"targetKeep": 2}`)
	home := startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	pids := strings.Fields(d.ask("sleep 1000 & echo $$ $PPID $!").Stdout)
	require.Len(t, pids, 3)
	require.NoError(t, d.cmd.Process.Kill())
	killTransport(t, n)
	for _, pid := range pids {
		require.Eventually(t, func() bool { _, err := os.Stat("/proc/" + pid); return err != nil }, patience, 50*time.Millisecond)
	}
	requireNoSession(t, home)
}

// requireNoSession waits until no session is left of a home.
func requireNoSession(t *testing.T, home string) {
	t.Helper()
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(home + "/.cache/agentbash/*.sock")
		return len(left) == 0
	}, patience, 50*time.Millisecond)
}

// TestFarIsGone kills the session there: the command is said to be interrupted, and the next
// has a new shell.
func TestFarIsGone(t *testing.T) {
	n := newNear(t, `{}`)
	startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	d.ask("x=1")
	pid := strings.TrimSpace(d.ask("echo $PPID").Stdout)
	r := d.ask("echo begun; kill -9 " + pid + "; sleep 1000")
	require.Equal(t, 3, r.ExitCode)
	require.Contains(t, r.Error, "interrupted: ")
	require.Contains(t, r.Error, "look before it is sent again")
	r = d.ask("echo [$x]")
	require.Equal(t, "[]\n", r.Stdout)
	require.True(t, r.Restart)
	require.Contains(t, r.Output, "new shell")
}
