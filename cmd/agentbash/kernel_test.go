package main

import (
	"context"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/procblock"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session/sandbox"
)

// A confinedSetup is a home, a workspace and a place outside, and whoever listens.
type confinedSetup struct {
	t             *testing.T
	home, ws, out string
	text          *strings.Replacer
	met           atomic.Int32 // connections and datagrams that came through
}

const secretText = "the-secret-itself"

func newConfinedSetup(t *testing.T) *confinedSetup {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &confinedSetup{t: t, home: top + "/home", ws: top + "/home/ws", out: top + "/out"}
	for name, content := range map[string]string{
		p.home + "/.ssh/id_rsa": secretText, p.home + "/.bashrc": "# theirs\n", p.out + "/f": "theirs\n", p.out + "/dir/f": "theirs\n", p.home + "/notes": "theirs\n",
		p.ws + "/f": "ours\n", p.ws + "/.git/HEAD": "ref: refs/heads/main\n", p.ws + "/.git/config": "[core]\n", p.ws + "/.git/hooks/sample": "#!/bin/sh\n",
		p.ws + "/.agentbash/config.json": "{}\n", p.ws + "/.vscode/tasks.json": "{}\n", p.ws + "/.github/workflows/ci.yml": "on: push\n", p.home + "/tmp/f": "theirs\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	abstract, err := net.Listen("unix", "@agentbash-test-"+filepath.Base(filepath.Dir(top))+filepath.Base(top))
	require.NoError(t, err)
	t.Cleanup(func() { tcp.Close(); udp.Close(); abstract.Close() })
	for _, l := range []net.Listener{tcp, abstract} {
		go func() {
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				p.met.Add(1)
				conn.Close()
			}
		}()
	}
	go func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 10)); err != nil {
				return
			}
			p.met.Add(1)
		}
	}()
	p.text = strings.NewReplacer("OUT", p.out, "HOME", p.home, "WS", p.ws, "HOST", strconv.Itoa(os.Getpid()), "ABSTRACT", abstract.Addr().String()[1:],
		"TCP", port(tcp.Addr()), "UDP", port(udp.LocalAddr()))
	return p
}

func port(a net.Addr) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// open opens the configured bash in a mode, and the router to use: its own, or one
// that nobody judges commands for, so that the kernel alone holds them.
func (p *confinedSetup) open(mode policy.Mode, judged bool) *router.Router {
	b := p.newBash(mode)
	if judged {
		return b.Router()
	}
	l, env := b.Router().Launcher()
	require.Equal(p.t, mode == policy.PlanMode || mode == policy.AutoMode, l != nil)
	r, err := router.New(b.Registry(), &router.Options{Dir: p.ws, Env: env, Launcher: l})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, r.Close()) })
	return r
}

// newBash opens the configured bash in a mode, with nobody to be asked.
func (p *confinedSetup) newBash(mode policy.Mode) *configuredBash {
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.home + "/tmp", "LANG=C", "MY_TOKEN=" + secretText}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(p.t, err)
	var said strings.Builder
	a := &app{hide: procblock.Hide, in: null, out: io.Discard, err: &said, environ: environ, lookup: func(name string) (string, bool) {
		for _, e := range environ {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}}
	b, err := a.openBash(bashOptions{dir: p.ws, session: true, guard: guard.Options{Mode: mode}})
	require.NoError(p.t, err)
	require.Empty(p.t, said.String())
	p.t.Cleanup(func() { require.NoError(p.t, b.Close()); null.Close() })
	return b
}

// outside is every file that must not change, with its content.
func (p *confinedSetup) outside(mode policy.Mode) map[string]string {
	all := map[string]string{}
	require.NoError(p.t, filepath.WalkDir(filepath.Dir(p.home), func(path string, d os.DirEntry, err error) error {
		if strings.HasPrefix(path, p.home+"/.local/state") {
			return nil
		}
		if mode == policy.AutoMode && strings.HasPrefix(path, p.ws+"/") && !strings.Contains(path, "/.git/") && protected.Tree(path) == "" {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			all[path] = d.Type().String()
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	}))
	return all
}

// attacks try to get out; none may change what is outside, show the secret or
// reach a listener. Each ends within a second or so.
var attacks = []struct{ name, command string }{
	{"a file outside", "echo x >OUT/f"},
	{"a new file outside", "echo x >OUT/new; mkdir OUT/newdir; mkfifo OUT/fifo; ln -s f OUT/link; mknod OUT/dev b 8 0"},
	{"append", "echo x >>OUT/f"},
	{"empty a file", ": >OUT/f; truncate -s0 OUT/f; dd if=/dev/null of=OUT/f"},
	{"remove", "rm -f OUT/f; rm -rf OUT/dir; rmdir OUT/dir"},
	{"rename", "mv OUT/f OUT/g; mv OUT/f $TMPDIR/f; mv -T OUT/dir $TMPDIR/d; cp f OUT/f; install f OUT/f"},
	{"in place", "sed -i s/theirs/x/ OUT/f; perl -i -pe s/theirs/x/ OUT/f"},
	{"the home directory", "echo x >~/notes; echo x >~/.bashrc; echo x >>HOME/.profile; cd; echo x >notes; cd WS"},
	{"through a link", "cd $TMPDIR; ln -s OUT/f lf; ln -s OUT ld; echo x >lf; echo x >ld/f; echo x >ld/new; cd WS"},
	{"through a link in the workspace", "ln -s OUT/f lf; echo x >lf; rm -f lf"},
	{"up and out", "echo x >../notes; echo x >$TMPDIR/../../x"},
	{"a hard link", "ln OUT/f $TMPDIR/h && echo x >$TMPDIR/h; ln OUT/f h && echo x >h; rm -f h"},
	{"the root of a process", "echo x >/proc/self/root/OUT/f; echo x >/proc/HOST/root/OUT/f; echo x >/proc/self/cwd/../notes"},
	{"a descriptor of the host", "for f in /proc/HOST/fd/*; do echo x >$f; done"},
	{"in the background", "(sleep 0.05; echo x >OUT/f) & wait"},
	{"in the background, left behind", "(setsid bash -c 'sleep 0.05; echo x >OUT/f' & ); sleep 0.2"},
	{"a child bash", "bash -c 'echo x >OUT/f'; bash -ic 'echo x >OUT/f'; sh -c 'echo x >OUT/f'; echo 'echo x >OUT/f' | bash"},
	{"a clear environment", "env -i bash --norc -c 'echo x >OUT/f'; setsid -w env -i sh -c 'echo x >OUT/f'; nohup sh -c 'echo x >OUT/f'"},
	{"another program", "python3 -c 'open(\"OUT/f\", \"w\").write(\"x\")'; perl -e 'open F, \">OUT/f\"; print F 1'"},
	{"a new shell after exit", "exit 3"},
	{"after it", "echo x >OUT/f"},
	{"after exec", "exec bash -c 'echo x >OUT/f'"},
	{"a namespace of its own", "unshare -Urm sh -c 'mount --bind WS OUT; mount -t tmpfs none OUT; echo x >OUT/f'; unshare -m sh -c 'mount -t tmpfs none OUT; echo x >OUT/f'"},
	{"another root", "chroot / sh -c 'echo x >OUT/f'; unshare -r chroot / sh -c 'echo x >OUT/f'"},
	{"the kernel's own files", "echo x >/proc/sys/kernel/domainname; echo x >/proc/self/oom_score_adj; echo c >/proc/sysrq-trigger"},
	{"a secret", "cat ~/.ssh/id_rsa; cat HOME/.ssh/*; cd ~/.ssh; cat id_rsa; cd WS; (< HOME/.ssh/id_rsa cat)"},
	{"a secret through a link", "cd $TMPDIR; ln -s HOME/.ssh s; cat s/id_rsa; ln -s HOME/.ssh/id_rsa i; cat i; ln HOME/.ssh/id_rsa h; cat h; cd WS"},
	{"a secret by other ways", "cat /proc/self/root/HOME/.ssh/id_rsa; tar c -C HOME .ssh | cat; cp -r HOME/.ssh $TMPDIR/c; cat $TMPDIR/c/*; mapfile -t x <HOME/.ssh/id_rsa; echo $x; grep -r . HOME/.ssh; python3 -c 'print(open(\"HOME/.ssh/id_rsa\").read())'"},
	{"a secret moved", "mv HOME/.ssh $TMPDIR/s; mv HOME/.ssh HOME/t; cat HOME/t/id_rsa $TMPDIR/s/id_rsa"},
	{"the environment", "env; cat /proc/self/environ /proc/$PPID/environ /proc/HOST/environ; set"},
	{"tcp", "exec 3<>/dev/tcp/127.0.0.1/TCP; echo x >/dev/tcp/localhost/TCP; curl -sm1 http://127.0.0.1:TCP/"},
	{"tcp by other programs", "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", TCP))'; bash -c ': </dev/tcp/127.0.0.1/TCP'"},
	{"multipath tcp", "python3 -c 'import socket; s=socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect((\"127.0.0.1\", TCP))'"},
	{"udp", "echo x >/dev/udp/127.0.0.1/UDP; python3 -c 'import socket; socket.socket(2, 2).sendto(b\"x\", (\"127.0.0.1\", UDP))'; python3 -c 'import socket; socket.socket(2, 3, 1)'"},
	{"an abstract socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0ABSTRACT\")'"},
	{"kill the host", "kill -9 HOST; kill -STOP HOST; kill -INT HOST; bash -c 'kill -9 HOST'; kill -9 $PPID; (setsid sh -c 'kill -9 HOST')"},
	{"kill it by a descriptor", "python3 -c 'import os, signal; signal.pidfd_send_signal(os.pidfd_open(HOST), 9)'"},
	{"the host's memory", "cat /proc/HOST/maps /proc/HOST/mem; dd if=/proc/HOST/mem bs=1 count=1; exec 3<>/proc/HOST/mem"},
	{"trace the host", "python3 -c 'import ctypes; l=ctypes.CDLL(None, use_errno=True); r=l.ptrace(16, HOST, 0, 0); print(\"TRACED\" if r == 0 else \"no\")'"},
	{"trace and run", "strace -p HOST; gdb -p HOST --batch"},
	{"become another", "su -c 'echo x >OUT/f'; sudo -n sh -c 'echo x >OUT/f'; setpriv --reuid 0 sh -c 'echo x >OUT/f'"},
	{"a call from inside bash", "agent:write OUT/f x --force; echo x | agent:write OUT/f --force; agent:edit OUT/f theirs x; agent:write HOME/.bashrc x --force"},
	{"a call through a link", "ln -s OUT $TMPDIR/l2; agent:write $TMPDIR/l2/f x --force; agent:write $TMPDIR/l2/new x | cat"},
	{"a call that reads a secret", "agent:read HOME/.ssh/id_rsa | cat; agent:grep --pattern secret --path HOME/.ssh --hidden | cat; xargs agent:read <<<HOME/.ssh/id_rsa"},
	{"a background shell", "agent:bash_start 'echo x >OUT/f; cat HOME/.ssh/id_rsa' | cat; sleep 0.2; agent:bash_output bash_1 | cat"},
	{"hooks and configuration", "echo x >.git/config; echo x >.git/hooks/sample; echo x >.git/hooks/pre-commit; rm -rf .git/hooks; mv .git g; mv .git/config c; echo x >.agentbash/config.json; ln -f f .git/config; echo x >.vscode/tasks.json; mv .vscode v; rm -rf .vscode; echo x >.github/workflows/ci.yml; mv .github g"},
	{"hooks by calls", "agent:write .git/hooks/pre-commit x; agent:write .agentbash/config.json x --force | cat; agent:edit .git/config core x; agent:write .vscode/tasks.json x --force; agent:write .husky/pre-commit x; agent:edit .github/workflows/ci.yml push x"},
	{"tools alone", "write OUT/f x --force"},
	{"tools alone, a link", "write WS/../../out/new x"},
	{"reading alone", "read ~/.ssh/id_rsa"},
}

// TestKernelHolds runs the attacks in each mode that is confined, held by the
// kernel and the tools' own rules alone and with the judgement of commands; and
// in mode ask, where nobody is there to say yes.
func TestKernelHolds(t *testing.T) {
	if k := sandbox.Kernel(); k.Landlock < 6 || !k.Filter {
		t.Skipf("SKIP: this kernel cannot confine enough: Landlock version %d %s, filters %v", k.Landlock, k.Why, k.Filter)
	}
	for _, program := range []string{"python3", "perl", "curl", "unshare", "setpriv"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, "the attacks need it")
	}
	for _, row := range []struct {
		mode   policy.Mode
		judged bool
	}{{policy.PlanMode, false}, {policy.PlanMode, true}, {policy.AutoMode, false}, {policy.AutoMode, true}, {policy.AskMode, true}} {
		name := string(row.mode)
		if row.judged {
			name += ", judged"
		}
		t.Run(name, func(t *testing.T) {
			p := newConfinedSetup(t)
			r := p.open(row.mode, row.judged)
			before := p.outside(row.mode)
			for _, a := range attacks {
				if a.name == "hooks and configuration" && !sandbox.Kernel().Mounts && row.mode == policy.AutoMode && !row.judged {
					continue // by verdict only
				}
				text := p.text.Replace(a.command)
				res := r.Run(context.Background(), text, &router.RunOptions{Timeout: waitLimit})
				said := res.Stdout + res.Stderr + res.Output
				require.NotContains(t, said, secretText, "%s: %s", a.name, text)
				require.NotContains(t, said, "TRACED", "%s: %s", a.name, text)
				require.False(t, res.TimedOut, "%s: %s: %s", a.name, text, said)
				require.Equal(t, before, p.outside(row.mode), "%s: %s\n%s", a.name, text, said)
				require.Zero(t, p.met.Load(), "%s: %s", a.name, text)
			}
			if row.judged {
				r = p.open(row.mode, true) // after all that, the judge trusts no name in the first
			}
			res := r.Run(context.Background(), "echo one | cat; cat f | wc -l", nil)
			require.Equal(t, "one\n1\n", res.Stdout, res.Stderr)
			if row.judged {
				return
			}
			res = r.Run(context.Background(), "echo x >$TMPDIR/t && cat $TMPDIR/t; mkdir d && echo y >d/new && mv d/new n && ln n m && cat m", nil)
			if row.mode == policy.AutoMode {
				require.Equal(t, "x\ny\n", res.Stdout, res.Stderr)
			} else {
				require.Equal(t, "x\n", res.Stdout, res.Stderr)
			}
		})
	}
}

// TestAttacksWork runs attacks where nothing holds them: each does its harm, in
// a directory of its own, so that the test before shows something.
func TestAttacksWork(t *testing.T) {
	t.Parallel()
	works := []string{"a file outside", "append", "rename", "in place", "the home directory", "through a link", "a hard link",
		"in the background", "in the background, left behind", "a child bash", "a clear environment", "another program",
		"a secret", "a secret through a link", "a secret by other ways", "tcp", "tcp by other programs", "udp", "an abstract socket",
		"a call from inside bash", "a call through a link", "a call that reads a secret", "a background shell", "hooks and configuration", "hooks by calls"}
	for _, a := range attacks {
		if !slices.Contains(works, a.name) {
			continue
		}
		p := newConfinedSetup(t)
		r := p.open(policy.FullMode, false)
		before := p.outside(policy.PlanMode)
		res := r.Run(context.Background(), p.text.Replace(a.command), nil)
		require.Eventually(t, func() bool {
			return strings.Contains(res.Stdout, secretText) || p.met.Load() > 0 || !maps.Equal(before, p.outside(policy.PlanMode))
		}, waitLimit, 5*time.Millisecond, "%s: %s", a.name, res.Output)
	}
}

// asNobody is set in the process that runs TestKernelHolds without being root.
const asNobody = "AGENTBASH_TEST_AS_NOBODY"

// TestKernelHoldsForOthers runs TestKernelHolds as a user who is not root.
func TestKernelHoldsForOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		require.Empty(t, os.Getenv(asNobody))
		return // TestKernelHolds itself did
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	program := filepath.Join(dir, "agentbash.test")
	// Not by this process: a test beside it that starts a program would keep the
	// new one open for writing, and it could not be executed (ETXTBSY).
	require.NoError(t, exec.Command("cp", os.Args[0], program).Run())
	require.NoError(t, os.Chmod(program, 0o755))
	tmp := filepath.Join(dir, "tmp")
	require.NoError(t, os.Mkdir(tmp, 0o700))
	const nobody = 65534
	require.NoError(t, os.Chown(tmp, nobody, nobody))
	cmd := exec.Command(program, "-test.run=^TestKernelHolds$", "-test.v")
	cmd.Dir, cmd.Env = tmp, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "TMPDIR=" + tmp, asNobody + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestKernelHolds/auto")
}
