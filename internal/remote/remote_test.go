package remote_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/testneeds"
)

// program is agentbash, as a release is built.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "agentbash-remote-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "agentbash")
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "github.com/agentbash/agentbash/cmd/agentbash")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v: %s", err, out))
		}
		return m.Run()
	}())
}

// patience ends a wait for what never comes.
const patience = 5 * time.Minute

// near is a home on this side, with programs of its own before those of PATH.
type near struct {
	t    testing.TB
	home string
	bin  string

	farHome, sshPort string // of its sshd
	env              []string
}

func newNear(t testing.TB, config string) *near {
	n := &near{t: t, home: t.TempDir(), bin: t.TempDir()}
	n.write(".config/agentbash/config.json", config)
	n.env = []string{"HOME=" + n.home, "PATH=" + n.bin + ":" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8",
		"OPENAI_API_KEY=sk-near-secret-key-0123456789", "GITHUB_TOKEN=ghp_nearnearnearnearnearnearnearnear1234"}
	return n
}

func (n *near) write(name, text string) {
	path := filepath.Join(n.home, name)
	require.NoError(n.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(n.t, os.WriteFile(path, []byte(text), 0o600))
}

// script puts a program before those of PATH.
func (n *near) script(name, text string) {
	require.NoError(n.t, os.WriteFile(filepath.Join(n.bin, name), []byte("#!/bin/bash\n"+text), 0o755))
}

func (n *near) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = n.env, n.home
	return cmd
}

// run runs agentbash to its end.
func (n *near) run(stdin string, args ...string) (stdout, stderr string, status int) {
	n.t.Helper()
	cmd := n.command(args...)
	var out, notes strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &notes
	if stdin == "" {
		cmd.Stdin = nil
	}
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		require.NoError(n.t, err)
	}
	return out.String(), notes.String(), cmd.ProcessState.ExitCode()
}

// result is what a line of exec --jsonl answers.
type result struct {
	Output   string `json:"output"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Error    string `json:"error"`
	ExitCode int    `json:"exit_code"`
	Dir      string `json:"cwd"`
	Restart  bool   `json:"restarted"`
	Running  int    `json:"running"`
	Timeout  bool   `json:"timed_out"`
	Profile  string `json:"profile"`
}

// driver is exec --jsonl.
type driver struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr string // a file
}

// notes is what it wrote on stderr.
func (d *driver) notes() string {
	text, _ := os.ReadFile(d.stderr)
	return string(text)
}

func (n *near) drive(args ...string) *driver {
	n.t.Helper()
	d := &driver{t: n.t, cmd: n.command(args...), stderr: filepath.Join(n.t.TempDir(), "stderr")}
	var err error
	d.in, err = d.cmd.StdinPipe()
	require.NoError(n.t, err)
	out, err := d.cmd.StdoutPipe()
	require.NoError(n.t, err)
	stderr, err := os.Create(d.stderr)
	require.NoError(n.t, err)
	defer stderr.Close()
	d.cmd.Stderr = stderr
	d.out = bufio.NewReaderSize(out, 1<<20)
	require.NoError(n.t, d.cmd.Start())
	stop := time.AfterFunc(patience, func() { d.cmd.Process.Kill() })
	n.t.Cleanup(func() {
		d.in.Close()
		d.cmd.Wait()
		stop.Stop()
	})
	return d
}

func (d *driver) send(command string) {
	d.t.Helper()
	line, err := json.Marshal(map[string]any{"command": command})
	require.NoError(d.t, err)
	_, err = d.in.Write(append(line, '\n'))
	require.NoError(d.t, err, d.notes())
}

func (d *driver) receive() (r result) {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	require.NoError(d.t, err, d.notes())
	require.NoError(d.t, json.Unmarshal([]byte(line), &r), line)
	return r
}

func (d *driver) ask(command string) result {
	d.t.Helper()
	d.send(command)
	return d.receive()
}

// startSSHD starts a server of one user with keys and a port of its own; `ssh box` on the near
// side reaches it, and writes the process IDs of its connections to n.home/ssh.pids. env is what
// its sessions get besides.
func startSSHD(t testing.TB, n *near) string {
	t.Helper()
	sshd := testneeds.Program(t, "/usr/sbin/sshd", "apt-get install openssh-server")
	if os.Geteuid() == 0 {
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	dir := t.TempDir()
	if n.farHome == "" {
		n.farHome = t.TempDir()
	}
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	n.sshPort = strconv.Itoa(port)
	require.NoError(t, l.Close())
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	pub, err := os.ReadFile(filepath.Join(dir, "user.pub"))
	require.NoError(t, err)
	// The far side has a home of its own, and nothing of this one's environment.
	write("keys", fmt.Sprintf(`environment="HOME=%s" %s`, n.farHome, pub))
	config := write("sshd_config", fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/keys\nPidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPermitUserEnvironment yes\nMaxStartups 1000\nPrintMotd no\n", port, dir, dir))
	cmd := exec.Command(sshd, "-D", "-e", "-f", config)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("sshd said: %s", text[max(0, len(text)-2000):])
		}
	})
	me, err := user.Current()
	require.NoError(t, err)
	client := write("ssh_config", fmt.Sprintf("Host box box2\nHostName 127.0.0.1\nPort %d\nUser %s\nIdentityFile %s/user\nIdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile %s/known\nLogLevel ERROR\nBatchMode yes\n", port, me.Username, dir, dir))
	ssh, err := exec.LookPath("ssh")
	require.NoError(t, err)
	n.script("ssh", fmt.Sprintf("echo $$ >> %s/ssh.pids\nexec %s -F %s \"$@\"\n", n.home, ssh, client))
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, patience, 10*time.Millisecond)
	return n.farHome
}

// sshPIDs are the process IDs of the connections that were made, in their order.
func (n *near) sshPIDs() []string {
	text, _ := os.ReadFile(filepath.Join(n.home, "ssh.pids"))
	return strings.Fields(string(text))
}
