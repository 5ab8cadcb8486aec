package remote

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// Serve is the far side's part of the program: `serve ID [again]` connects its streams to the
// session of an ID, which is started if it is not to be there; `serve keep ID` is such a session,
// which lives on where connections break. version is the program's.
func Serve(version string, words []string, in io.Reader, out io.Writer) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Dir(own)
	switch {
	case len(words) == 2 && words[0] == "keep" && isID(words[1]):
		return keepSession(version, dir)
	case len(words) == 2 && words[1] == "again" && isID(words[0]), len(words) == 1 && isID(words[0]):
		return attach(own, dir, words[0], len(words) == 2, in, out)
	}
	return errors.New("serve is what --on starts on another machine: agentbash --on ssh:HOST exec 'uname -a'")
}

func isID(s string) bool { return regexp.MustCompile(`^[a-z0-9]{16}$`).MatchString(s) }

// listenerFD is where a session finds its socket.
const listenerFD = 3

// attach passes on what comes and goes.
func attach(own, dir, id string, again bool, in io.Reader, out io.Writer) error {
	// Relative, since the kernel takes 107 bytes of a socket's path.
	if err := os.Chdir(dir); err != nil {
		return err
	}
	socket := id + ".sock"
	if !again {
		if err := startSession(own, socket, id); err != nil {
			fmt.Fprintf(out, "%serror %v\n", marker, err)
			return err
		}
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(out, marker+"gone")
		return nil
	}
	defer conn.Close()
	if _, err := fmt.Fprintln(out, marker+"run"); err != nil {
		return err
	}
	go func() {
		io.Copy(conn, in)
		conn.Close()
	}()
	io.Copy(out, conn)
	return nil
}

// startSession starts the process that keeps the session. The socket is there when it returns.
func startSession(own, socket, id string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := exec.Command(own, "serve", "keep", id)
	cmd.ExtraFiles, cmd.SysProcAttr = []*os.File{f}, &syscall.SysProcAttr{Setsid: true}
	if err := os.Chmod(socket, 0o600); err != nil {
		return err
	}
	return cmd.Start()
}

// firstTime is how long a session waits for its first request.
const firstTime = time.Minute

// keepSession serves one session: over one connection after the other, until the near side ends it,
// or does not come back.
func keepSession(version, dir string) error {
	l, err := net.FileListener(os.NewFile(listenerFD, "socket"))
	if err != nil {
		return err
	}
	defer l.Close()
	defer os.Remove(l.Addr().String())
	syscall.CloseOnExec(listenerFD)
	state := filepath.Join(dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	h := newHost(version, state)
	defer h.close()
	conns, broken := make(chan net.Conn), make(chan struct{}, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns <- conn
		}
	}()
	keep := firstTime
	connected, idle := 0, time.NewTimer(keep)
	for {
		select {
		case conn := <-conns:
			connected++
			idle.Stop()
			go func() {
				h.peer.serve(conn)
				broken <- struct{}{}
			}()
		case conf := <-h.opened:
			keep = max(conf.Keep, time.Second)
		case <-broken:
			if connected--; connected == 0 {
				idle.Reset(keep)
			}
		case <-idle.C:
			h.peer.close(errors.New("nobody has come back"))
			return nil
		case <-h.ended:
			for range connected { // the answer is on its way
				select {
				case <-broken:
				case <-time.After(closeTime):
				}
			}
			h.peer.close(errors.New("the session was ended"))
			return nil
		}
	}
}
