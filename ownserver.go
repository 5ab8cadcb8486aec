package agentbash

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/agentbash/agentbash/router/policy"
)

// dialOwn connects to a server that a command of this program started, at an address of
// this machine: in the world of confined commands, or by the variable that
// all of them have.
func (b *Bash) dialOwn(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	if b.callsDir == "" {
		return nil, web.ErrNotOwn
	}
	if listens(at.Port(), []byte("AGENTBASH_SOCKET="+filepath.Join(b.callsDir, "socket")+"\x00")) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", at.String())
	}
	if b.confinement.Holds() == (policy.Holds{}) {
		return nil, web.ErrNotOwn
	}
	return b.dialWorld(ctx, at)
}

// askHost asks about another server of this machine. In mode full nobody is asked, and the
// configuration says it.
func (b *Bash) askHost(ctx context.Context, host string, port int) (bool, error) {
	if b.guard.Mode() == policy.FullMode {
		return false, nil
	}
	return b.guard.AskHost(ctx, host, port)
}

// dialWorld connects inside the world: a shell there passes on what goes both ways.
func (b *Bash) dialWorld(ctx context.Context, at netip.AddrPort) (_ net.Conn, err error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		inW.Close()
		return nil, err
	}
	defer outW.Close()
	c := &worldConn{in: inW, out: outR, to: at}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	cmd := exec.Command("bash", "-c", `exec 3<>"/dev/tcp/$0/$1" && echo && { cat <&3 3>&- & exec cat >&3; }`, at.Addr().String(), strconv.Itoa(int(at.Port())))
	cmd.Dir, cmd.Stdin, cmd.Stdout = "/", inR, outW
	_, wait, err := b.confinement.StartShell(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", at, err)
	}
	go wait()
	outW.Close()
	if deadline, ok := ctx.Deadline(); ok {
		outR.SetReadDeadline(deadline)
	}
	if _, err := io.ReadFull(outR, make([]byte, 1)); err != nil {
		return nil, web.ErrNotOwn
	}
	return c, outR.SetReadDeadline(time.Time{})
}

// worldConn is a connection inside the world.
type worldConn struct {
	in, out *os.File
	to      netip.AddrPort
}

func (c *worldConn) Read(b []byte) (int, error)         { return c.out.Read(b) }
func (c *worldConn) Write(b []byte) (int, error)        { return c.in.Write(b) }
func (c *worldConn) LocalAddr() net.Addr                { return net.TCPAddrFromAddrPort(c.to) }
func (c *worldConn) RemoteAddr() net.Addr               { return net.TCPAddrFromAddrPort(c.to) }
func (c *worldConn) SetReadDeadline(t time.Time) error  { return c.out.SetReadDeadline(t) }
func (c *worldConn) SetWriteDeadline(t time.Time) error { return c.in.SetWriteDeadline(t) }

func (c *worldConn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *worldConn) Close() error {
	c.in.Close()
	return c.out.Close()
}

// listens reports whether a process that has the variable in its environment listens at a port of
// this machine.
func listens(port uint16, variable []byte) bool {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); { // sl local_address rem_address st ... inode
			fields := strings.Fields(lines.Text())
			if len(fields) > 9 && fields[3] == "0A" && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+fields[9]+"]"] = true
			}
		}
		f.Close()
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		if env, err := os.ReadFile(p + "/environ"); len(sockets) == 0 || err != nil || !bytes.Contains(env, variable) {
			continue
		}
		fds, _ := os.ReadDir(p + "/fd")
		for _, fd := range fds {
			if link, err := os.Readlink(filepath.Join(p, "fd", fd.Name())); err == nil && sockets[link] {
				return true
			}
		}
	}
	return false
}
