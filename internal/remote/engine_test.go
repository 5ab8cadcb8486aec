package remote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bareRoot is a root file system with busybox and a static bash, and the argv of bubblewrap
// that runs in it. In it there is no program of this machine.
func bareRoot(t *testing.T, more ...string) (root, target string) {
	t.Helper()
	root = t.TempDir()
	for _, dir := range []string{"bin", "tmp", "root", "proc", "dev", "etc", "var/tmp"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for from, to := range map[string]string{"busybox": "busybox", "bash-static": "bash"} {
		path, err := exec.LookPath(from)
		require.NoError(t, err, "apt-get install busybox-static bash-static")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", to), data, 0o755))
	}
	for _, name := range strings.Fields("sh id uname mkdir chmod rm head gzip wc mv find cat ls ps sleep env hostname tr seq grep sed touch") {
		require.NoError(t, os.Symlink("busybox", filepath.Join(root, "bin", name)))
	}
	argv := append([]string{"bwrap", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--setenv", "PATH", "/bin", "--setenv", "HOME", "/root", "--chdir", "/"}, more...)
	_, err := exec.LookPath("bwrap")
	require.NoError(t, err, "apt-get install bubblewrap")
	return root, "exec:" + strings.Join(argv, " ")
}

func TestBareRoot(t *testing.T) {
	root, target := bareRoot(t)
	n := newNear(t, nearTools(t, ""))
	d := n.drive("--on", target, "exec", "--jsonl")
	require.Equal(t, "/root\n", d.ask("pwd").Stdout)
	require.Equal(t, "busybox\n", d.ask("ls /bin | grep busybox; which git").Stdout)
	require.Equal(t, 0, d.ask("printf 'a\\nb\\n' | write --file_path /tmp/x --content 'far'; x=5").ExitCode)
	require.Equal(t, "5 far\n", d.ask("echo $x $(cat /tmp/x)").Stdout)
	require.FileExists(t, root+"/tmp/x")
	require.Equal(t, "HI\n", d.ask("field:local:upper --text hi | head -n 1").Stdout)
	r := d.ask("bash_start --command 'sleep 1000'")
	require.Equal(t, 0, r.ExitCode, r.Output)
	require.Contains(t, d.ask("bash_output 1").Output, "running")
}

// TestBareRootWhereNothingIsWritable has no place for the program.
func TestBareRootWhereNothingIsWritable(t *testing.T) {
	root, target := bareRoot(t)
	n := newNear(t, `{}`)
	_, notes, status := n.run("", "--on", strings.Replace(target, "--bind "+root, "--ro-bind "+root, 1)+" --ro-bind "+root+"/tmp /dev/shm", "exec", "true")
	require.Equal(t, 1, status)
	require.Contains(t, notes, "there is no directory there in which programs can be put and run")
	require.NoError(t, os.Remove(root+"/bin/bash"))
	_, notes, status = n.run("", "--on", target, "exec", "true")
	require.NotEqual(t, 0, status)
	require.Contains(t, notes, "bash", notes)
}

// TestFullDiskThere has no room for the program.
func TestFullDiskThere(t *testing.T) {
	_, target := bareRoot(t, "--size", "4000000", "--tmpfs", "/root")
	_, notes, status := newNear(t, `{}`).run("", "--on", target, "exec", "true")
	require.Equal(t, 1, status)
	require.Contains(t, notes, "the program did not arrive whole in /root/.cache/agentbash: ")
	require.Contains(t, notes, "No space left on device: make room there, or set XDG_CACHE_HOME there to another directory")
}

// TestNoHomeThere has a home directory that is not there, or none: it is not made.
func TestNoHomeThere(t *testing.T) {
	root, target := bareRoot(t)
	n := newNear(t, `{}`)
	for _, home := range []string{" --setenv HOME /absent/x", " --unsetenv HOME"} {
		out, notes, status := n.run("", "--on", target+home, "exec", "pwd; ls -d /absent /nowhere /agentbash")
		require.Equal(t, "/\n", out, notes)
		require.Equal(t, 1, status)
	}
	kept, err := filepath.Glob(root + "/var/tmp/agentbash-*/agentbash-*")
	require.NoError(t, err)
	require.Len(t, kept, 1)
}

// TestOtherArchitecture has a machine say that it is another: the program for it is taken from
// the state directory.
func TestOtherArchitecture(t *testing.T) {
	far, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(bin+"/uname", []byte("#!/bin/sh\n[ \"$1\" = -s ] && echo Linux || echo aarch64\n"), 0o755))
	n := newNear(t, `{}`)
	target := "exec:env HOME=" + far + " PATH=" + bin + ":" + os.Getenv("PATH")
	_, notes, status := n.run("", "--on", target, "exec", "true")
	require.Equal(t, 1, status)
	require.Contains(t, notes, "it is Linux aarch64, and there is no program for that here: put agentbash-OS-ARCH")
	data, err := os.ReadFile(program)
	require.NoError(t, err)
	n.write(".local/state/agentbash/agentbash-linux-arm64", string(data)+"\n") // it runs here, and has a hash of its own
	out, notes, status := n.run("", "--on", target, "exec", "echo $HOME")
	require.Equal(t, 0, status, notes)
	require.Equal(t, far+"\n", out)
	sent, err := filepath.Glob(far + "/.cache/agentbash/agentbash-*")
	require.NoError(t, err)
	require.Len(t, sent, 1)
}

// TestEngines records how docker, podman and kubectl are called, and runs what they are given.
func TestEngines(t *testing.T) {
	for target, want := range map[string][]string{
		"docker:db":          {"docker", "exec", "-i", "db", "sh", "-c"},
		"podman:db":          {"podman", "exec", "-i", "db", "sh", "-c"},
		"kubectl:pod-1":      {"kubectl", "exec", "-i", "pod-1", "--", "sh", "-c"},
		"kubectl:pod-1/side": {"kubectl", "exec", "-i", "pod-1", "-c", "side", "--", "sh", "-c"},
	} {
		t.Run(target, func(t *testing.T) {
			n := newNear(t, `{}`)
			far := t.TempDir()
			n.script(want[0], `printf '%s\0' "${0##*/}" "$@" > `+n.home+`/argv
while [ "$1" != sh ]; do shift; done
exec env -i PATH="$PATH" HOME=`+far+` "$@"`)
			out, notes, status := n.run("", "--on", target, "exec", "echo $HOME")
			require.Equal(t, 0, status, notes)
			require.Equal(t, far+"\n", out)
			argv, err := os.ReadFile(n.home + "/argv")
			require.NoError(t, err)
			got := strings.Split(strings.TrimSuffix(string(argv), "\x00"), "\x00")
			require.Equal(t, want, got[:len(got)-1])
			require.NotContains(t, string(argv), "near-secret")
			out, notes, status = n.run("", "--on", target, "exec", "--dir", "/usr", "pwd")
			require.Equal(t, "/usr\n", out, notes)
			require.Equal(t, 0, status)
		})
	}
	n := newNear(t, `{"targets": {"web1": "docker:db"}}`)
	for _, wrong := range []string{"ssh:", "docker:", "nope:x", "ssh:-oProxyCommand=touch", "docker:-it", "exec:"} {
		_, notes, status := n.run("", "--on", wrong, "exec", "true")
		require.NotEqual(t, 0, status)
		require.Contains(t, notes, "web1", wrong)
	}
}

// TestConfinedThere has commands there try what the profile does not allow.
func TestConfinedThere(t *testing.T) {
	n := newNear(t, `{}`)
	own, err := os.UserHomeDir() // what is below /tmp is the sandbox's own
	require.NoError(t, err)
	n.farHome, err = os.MkdirTemp(own, ".agentbash-test-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(n.farHome) })
	home := startSSHD(t, n)
	require.NoError(t, os.MkdirAll(home+"/project/.git", 0o755))
	require.NoError(t, os.MkdirAll(home+"/.ssh", 0o700))
	require.NoError(t, os.WriteFile(home+"/.ssh/id_rsa", []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nsecretsecret\n"), 0o600))
	require.NoError(t, os.WriteFile(home+"/outside", nil, 0o644))
	d := n.drive("--on", "ssh:box"+home+"/project", "exec", "--jsonl", "--mode", "auto")
	r := d.ask("touch inside; echo $?")
	require.Equal(t, "0\n", r.Stdout, r.Output)
	require.Equal(t, "workspace", r.Profile)
	for _, attack := range []string{
		"python3 -c 'open(\"" + home + "/outside\", \"w\").write(\"x\")'",
		"python3 -c 'print(open(\"" + home + "/.ssh/id_rsa\").read())'",
		"python3 -c 'import os; os.makedirs(\".git/hooks\", exist_ok=True); open(\".git/hooks/pre-commit\", \"w\").write(\"x\")'",
		"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", " + n.sshPort + "), 2); print(\"reached\")'",
		"python3 -c 'import glob, socket; s = socket.socket(socket.AF_UNIX); s.connect(glob.glob(\"" + home + "/.cache/agentbash/*.sock\")[0]); print(\"reached\")'",
		"python3 -c 'import os; os.kill(os.getppid(), 9); [os.kill(int(p), 0) for p in os.listdir(\"/proc\") if p.isdigit() and \"ke\" + \"ep\" in open(f\"/proc/{p}/cmdline\").read() and print(\"seen\")]'; exit 5",
		"python3 -c 'import os; os.system(\"mount -t tmpfs none /mnt\") and exit(1)'",
	} {
		r := d.ask(attack) // a write to the home directory may go to a copy of it
		for _, got := range []string{"secretsecret", "reached", "seen"} {
			require.NotContains(t, r.Stdout, got, attack)
		}
	}
	data, err := os.ReadFile(home + "/outside")
	require.NoError(t, err)
	require.Empty(t, data)
	require.NoFileExists(t, home+"/project/.git/hooks/pre-commit")
}
