//go:build linux

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
	"golang.org/x/sys/unix"

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
	memory        []byte       // that is shared
	environ       []string     // further variables
}

const secretText = "the-secret-itself"

func newConfinedSetup(t *testing.T) *confinedSetup {
	// Not in a temporary directory, if that can be: those are not even seen inside.
	top, err := os.MkdirTemp("/srv", "agentbash-test-")
	if err != nil {
		top, err = filepath.EvalSymlinks(t.TempDir())
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(top)) })
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
	path, err := net.Listen("unix", p.home+"/s")
	require.NoError(t, err)
	t.Cleanup(func() { tcp.Close(); udp.Close(); abstract.Close(); path.Close() })
	for _, l := range []net.Listener{tcp, abstract, path} {
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
		"TCP", port(tcp.Addr()), "UDP", port(udp.LocalAddr()), "SHM", strconv.Itoa(p.shareMemory()), "TTY", p.openTerminal())
	return p
}

// shareMemory makes shared memory of System V with something in it, and returns its
// key.
func (p *confinedSetup) shareMemory() (key int) {
	key = 0x41420000 | os.Getpid()&0xffff
	id, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|0o600)
	require.NoError(p.t, err)
	p.memory, err = unix.SysvShmAttach(id, 0, 0)
	require.NoError(p.t, err)
	copy(p.memory, secretText)
	p.t.Cleanup(func() {
		unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		unix.SysvShmDetach(p.memory)
	})
	return key
}

// openTerminal opens a terminal on which everything that is written counts.
func (p *confinedSetup) openTerminal() string {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(p.t, err)
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(p.t, err)
	require.NoError(p.t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { slave.Close(); master.Close() })
	go func() {
		for b := make([]byte, 100); ; {
			if n, err := master.Read(b); err != nil {
				return
			} else if n > 0 {
				p.met.Add(1)
			}
		}
	}()
	return slave.Name()
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
	r, err := router.New(b.Registry(), &router.Options{Dir: p.ws, Confiner: b.Confinement()})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, r.Close()) })
	return r
}

// newBash opens the configured bash in a mode, with nobody to be asked.
func (p *confinedSetup) newBash(mode policy.Mode) *configuredBash {
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.home + "/tmp", "XDG_STATE_HOME=" + filepath.Dir(p.home) + "/state", "LANG=C", "MY_TOKEN=" + secretText}
	environ = append(environ, p.environ...)
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
	if os.Getenv(withoutNamespaces) == "" {
		require.Empty(p.t, said.String())
	}
	p.t.Cleanup(func() { require.NoError(p.t, b.Close()); null.Close() })
	return b
}

// outside is every file that must not change, with its content.
func (p *confinedSetup) outside(mode policy.Mode) map[string]string {
	all := map[string]string{}
	require.NoError(p.t, filepath.WalkDir(filepath.Dir(p.home), func(path string, d os.DirEntry, err error) error {
		if strings.HasPrefix(path, filepath.Dir(p.home)+"/state") {
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
	{"fast open", `python3 -c 'import socket; socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", TCP)); socket.socket().sendmsg([b"x"], [], 0x20000000, ("127.0.0.1", TCP)); socket.socket(socket.AF_INET6).sendto(b"x", 0x20000000, ("::ffff:127.0.0.1", TCP))'`},
	{"a socket with a path", `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("HOME/s")'; cd HOME; python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("s")'; cd WS`},
	{"limits of the host", `python3 -c 'import resource; resource.prlimit(HOST, resource.RLIMIT_CORE, (0, 0)); print("TRACED")'; prlimit --pid HOST --core=0 && echo TRACED`},
	{"priorities of the host", `renice -n 19 -p HOST && echo TRACED; taskset -p 1 HOST && echo TRACED; chrt -b -p 0 HOST && echo TRACED; ionice -c 3 -p HOST && echo TRACED; python3 -c 'import os; os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0)); import ctypes; print("asked")'`},
	{"shared memory", `python3 -c 'import ctypes; l=ctypes.CDLL(None); l.shmat.restype=ctypes.c_void_p; i=l.shmget(SHM, 0, 0); a=l.shmat(i, None, 0); print(i, ctypes.string_at(a, 20)); ctypes.memset(a, 65, 8)'; ipcrm -M SHM`},
	{"keys", `python3 -c 'import ctypes; l=ctypes.CDLL(None); print("TRACED" if l.syscall(248, b"user", b"agentbash-test", b"x", 1, -4) >= 0 or l.syscall(250, 0, -4, 1) >= 0 else "no")'`},
	{"another terminal", `echo x >TTY; stty -echo <TTY; python3 -c 'import os; os.write(os.open("TTY", os.O_RDWR|os.O_NOCTTY), b"x")'`},
	{"devices", "cat /dev/kmsg | head -c1; head -c1 /dev/mem /dev/port; ls /dev/vda /dev/sda && echo TRACED"},
	{"what the host's programs would run", "for f in .husky/pre-commit .envrc .mcp.json .idea/x .claude/settings.json .codex/config.toml .devcontainer.json .git/commondir; do mkdir -p ${f%/*}; echo x >$f; done"},
	{"new files beside them", "echo x >.github/workflows/new.yml; echo x >.git/hooks/post-checkout; echo x >.vscode/new"},
	{"later, in the background", "(sleep 0.05; mkdir .husky; echo x >.husky/pre-commit; exec sleep 0.3) & sleep 0.2; true"},
	{"a call from inside bash", "agent:write OUT/f x --force; echo x | agent:write OUT/f --force; agent:edit OUT/f theirs x; agent:write HOME/.bashrc x --force"},
	{"a call through a link", "ln -s OUT $TMPDIR/l2; agent:write $TMPDIR/l2/f x --force; agent:write $TMPDIR/l2/new x | cat"},
	{"a call that reads a secret", "agent:read HOME/.ssh/id_rsa | cat; agent:grep --pattern secret --path HOME/.ssh --hidden | cat; xargs agent:read <<<HOME/.ssh/id_rsa"},
	{"a background shell", "agent:bash_start 'echo x >OUT/f; cat HOME/.ssh/id_rsa' | cat; sleep 0.2; agent:bash_output bash_1 | cat"},
	{"hooks and configuration", "echo x >.git/config; echo x >.git/hooks/sample; echo x >.git/hooks/pre-commit; rm -rf .git/hooks; mv .git g; mv .git/config c; echo x >.agentbash/config.json; ln -f f .git/config; echo x >.vscode/tasks.json; mv .vscode v; rm -rf .vscode; echo x >.github/workflows/ci.yml; mv .github g"},
	{"modes and times", "chmod 600 OUT/f && echo TRACED; touch -d 2001-01-01 OUT/f && echo TRACED; chgrp $(id -g) OUT/f && echo TRACED; setfattr -n user.x -v x OUT/f && echo TRACED; chattr +d OUT/f && echo TRACED"},
	{"hooks by calls", "agent:write .git/hooks/pre-commit x; agent:write .agentbash/config.json x --force | cat; agent:edit .git/config core x; agent:write .vscode/tasks.json x --force; agent:write .husky/pre-commit x; agent:edit .github/workflows/ci.yml push x"},
	{"tools alone", "write OUT/f x --force"},
	{"tools alone, a link", "write WS/../../out/new x"},
	{"reading alone", "read ~/.ssh/id_rsa"},
}

// needsNamespaces are those that nothing else holds.
var needsNamespaces = []string{"hooks and configuration", "new files beside them", "a socket with a path", "another terminal"}

// needsMore are those that nothing holds in the workspace profile without namespaces,
// where the verdict does not see them.
var needsMore = []string{"a socket with a path", "modes and times"}

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
				if os.Getenv(withoutNamespaces) != "" && (slices.Contains(needsNamespaces, a.name) || row.mode == policy.AutoMode && slices.Contains(needsMore, a.name)) {
					continue // by verdict only, if at all
				}
				text := p.text.Replace(a.command)
				res := r.Run(context.Background(), text, &router.RunOptions{Timeout: waitLimit})
				said := res.Stdout + res.Stderr + res.Output
				require.NotContains(t, said, secretText, "%s: %s", a.name, text)
				require.NotContains(t, said, "TRACED", "%s: %s", a.name, text)
				require.False(t, res.TimedOut, "%s: %s: %s", a.name, text, said)
				require.Equal(t, before, p.outside(row.mode), "%s: %s\n%s", a.name, text, said)
				require.Zero(t, p.met.Load(), "%s: %s\n%s", a.name, text, said)
				require.Equal(t, secretText, string(p.memory[:len(secretText)]), "%s: %s", a.name, text)
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

// Variables that are set in the process that runs TestKernelHolds as another user, or
// where there are no namespaces.
const (
	asNobody          = "AGENTBASH_TEST_AS_NOBODY"
	withoutNamespaces = "AGENTBASH_TEST_WITHOUT_NAMESPACES"
)

// TestKernelHoldsForOthers runs the attacks as a user who is not root, and as both
// where the kernel gives no namespaces.
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
	const nobody = 65534
	refused := []string{"unshare", "--user", "--map-root-user", "sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" "$@"`}
	for name, row := range map[string]struct {
		dir    string // a short one, for sockets
		uid    uint32
		before []string
	}{"another user": {"a", nobody, nil}, "another user, no namespaces": {"b", nobody, refused}, "no namespaces": {"c", 0, refused}} {
		t.Run(name, func(t *testing.T) {
			tmp := filepath.Join(dir, row.dir)
			require.NoError(t, os.Mkdir(tmp, 0o700))
			require.NoError(t, os.Chown(tmp, int(row.uid), int(row.uid)))
			tests := "^(TestKernelHolds|TestHostileLines|TestHostileRepositories)$"
			if row.before != nil {
				tests = "^(TestKernelHolds|TestHostileLines)$"
			}
			words := append(slices.Clone(row.before), program, "-test.run="+tests, "-test.v")
			cmd := exec.Command(words[0], words[1:]...)
			cmd.Dir, cmd.Env = tmp, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "TMPDIR=" + tmp, asNobody + "=1", "GORACE=" + os.Getenv("GORACE")}
			if row.before != nil {
				cmd.Env = append(cmd.Env, withoutNamespaces+"=1")
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: row.uid, Gid: row.uid}}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "--- PASS: TestKernelHolds/auto")
		})
	}
}
