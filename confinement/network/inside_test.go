//go:build linux

package network

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// portVar is set in a process that is to be inside: the transparent listener's port.
const portVar = "NETWORK_TEST_PORT"

func TestMain(m *testing.M) {
	if port := os.Getenv(portVar); port != "" {
		fmt.Fprintln(os.Stderr, goInside(port))
		os.Exit(125)
	}
	os.Exit(m.Run())
}

// goInside is in new namespaces of users, mounts and networks. It makes the listeners,
// sends them out by descriptor 3 and becomes the program that is named.
func goInside(port string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	// The C library knows no IPv4 where 127.0.0.1 is the only address (AI_ADDRCONFIG).
	second, err := unix.NewIfreq("lo:1")
	if err != nil {
		return err
	}
	if err := second.SetInet4Addr([]byte{127, 127, 255, 254}); err != nil {
		return err
	}
	resolv := filepath.Join(os.Getenv("HOME"), "resolv.conf")
	if err := errors.Join(unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo), unix.IoctlIfreq(fd, unix.SIOCSIFADDR, second), os.WriteFile(resolv, []byte("nameserver 127.0.0.1\n"), 0o644),
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount(resolv, "/etc/resolv.conf", "", unix.MS_BIND, "")); err != nil {
		return err
	}
	var fds []int
	for _, at := range []string{"127.0.0.1:3128", "0.0.0.0:" + port} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			return err
		}
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			return err
		}
		fds = append(fds, int(f.Fd()))
	}
	c, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		return err
	}
	f, err := c.(*net.UDPConn).File()
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Sendmsg(3, []byte{1}, unix.UnixRights(append(fds, int(f.Fd()))...), nil, 0), unix.Close(3), os.Unsetenv(portVar)); err != nil {
		return err
	}
	shell, err := exec.LookPath(os.Args[0])
	if err != nil {
		return err
	}
	return unix.Exec(shell, os.Args, os.Environ())
}

// runInside runs a command line inside, with the proxy at its listeners.
func runInside(t *testing.T, p *Proxy, port int, c *exec.Cmd) ([]byte, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	theirs := os.NewFile(uintptr(pair[1]), "")
	defer unix.Close(pair[0])
	self, err := os.Executable()
	require.NoError(t, err)
	c.Path, c.Env, c.ExtraFiles = self, append(c.Env, portVar+"="+strconv.Itoa(port)), []*os.File{theirs}
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Skipf("there are no namespaces: %v", err)
	}
	theirs.Close()
	l, ok := receiveListeners(t, pair[0])
	if ok {
		p.Serve(l)
	}
	err = c.Wait()
	text, readErr := os.ReadFile(out.Name())
	require.NoError(t, readErr)
	if !ok {
		t.Skipf("namespaces can do nothing here: %s", text)
	}
	return text, err
}

func receiveListeners(t *testing.T, socket int) (l Listeners, ok bool) {
	data, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(3*4))
	n, size, _, _, err := unix.Recvmsg(socket, data, rights, unix.MSG_CMSG_CLOEXEC)
	require.NoError(t, err)
	if n == 0 { // it failed, and says why
		return l, false
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	require.NoError(t, err)
	fds, err := unix.ParseUnixRights(&messages[0])
	require.NoError(t, err)
	var files []*os.File
	for _, fd := range fds {
		f := os.NewFile(uintptr(fd), "")
		defer f.Close()
		files = append(files, f)
	}
	l.HTTP, err = net.FileListener(files[0])
	require.NoError(t, err)
	transparent, err := net.FileListener(files[1])
	require.NoError(t, err)
	l.Transparent = []net.Listener{transparent}
	l.DNS, err = net.FilePacketConn(files[2])
	require.NoError(t, err)
	return l, true
}

// TestToolsInside run in a network namespace without any variable of a proxy: the name
// server and the transparent listener serve them.
func TestToolsInside(t *testing.T) {
	port := newRegistry(t)
	p, _ := newProxy(t, Options{Rules: newRules(t, "a.example 127.0.0.1", "")}, map[string]string{"a.example": "127.0.0.1"})
	runTools(t, p, port, nil, func(c *exec.Cmd) ([]byte, error) { return runInside(t, p, port, c) })
}

// TestInside: what leads out of a network namespace, and what does not.
func TestInside(t *testing.T) {
	port := newServer(t)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer udp.Close()
	const proxy = "http_proxy=http://127.0.0.1:3128 "
	for _, row := range []struct {
		name, script string
		ok           bool
		want         string
		refused      int
	}{
		{"a name, by the proxy", proxy + "curl -sS http://a.example:PORT/", true, "GET / for a.example:PORT", 0},
		{"a name that was looked up, by the proxy", proxy + `curl -sS "http://$(getent ahostsv4 a.example | sed 's/ .*//;q'):PORT/"`, true, "GET / for a.example:PORT", 0},
		{"a name alone", "curl -sS http://a.example:PORT/", true, "GET / for a.example:PORT", 0},
		{"a name in another form", "curl -sS http://A.Example.:PORT/", true, "GET / for", 0},
		{"a program in Node", `node -e 'fetch("http://a.example:PORT/").then(r=>r.text()).then(console.log)'`, true, "GET / for a.example:PORT", 0},
		{"a program in Java", `printf 'class A { public static void main(String[] a) throws Exception { System.out.print(new String(new java.net.URL("http://a.example:PORT/").openStream().readAllBytes())); } }' > ~/A.java && java ~/A.java`, true, "GET / for a.example:PORT", 0},
		{"every name has an address", "getent ahostsv4 evil.test", true, "127.64.0.1", 0},
		{"no name has an IPv6 address", "getent ahostsv6 evil.test | grep -v ::ffff:", false, "", 0},
		{"this machine is inside", "getent ahostsv4 x.localhost", true, "127.0.0.1", 0},
		{"a refused name, by the proxy", proxy + "curl -sSf http://evil.test:PORT/", false, "403", 1},
		{"a refused name alone", "curl -sS http://evil.test:PORT/", false, "", 1},
		{"the server's address", "curl -sS http://127.0.0.1:PORT/", false, "", 0},
		{"an address that stands for no name", "curl -sS http://127.64.0.7:PORT/", false, "", 1},
		{"this machine's address", "curl -sS -m 60 http://OWN:PORT/", false, "", 0},
		{"a port without a listener", "curl -sS http://a.example:1/", false, "", 0},
		{"a datagram", `exec 3<>/dev/udp/OWN/UDP && echo x >&3`, false, "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, tool := range []string{"curl", "getent", "node", "java"} {
				if _, err := exec.LookPath(tool); err != nil && strings.Contains(row.script, tool+" ") {
					t.Skipf("there is no %s", tool)
				}
			}
			p, _ := newProxy(t, Options{Rules: newRules(t, "a.example 127.0.0.1", "")}, map[string]string{"a.example": "127.0.0.1"})
			number := strings.NewReplacer("PORT", fmt.Sprint(port), "OWN", ownAddress(t), "UDP", udp.LocalAddr().String()[len("127.0.0.1:"):])
			c := exec.Command("bash", "-c", number.Replace(row.script))
			c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			out, err := runInside(t, p, port, c)
			require.Equal(t, row.ok, err == nil, "%v: %s", err, out)
			require.Contains(t, string(out), number.Replace(row.want))
			require.Len(t, p.Refusals(), row.refused)
		})
	}
}
