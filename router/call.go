package router

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/incall"
	"golang.org/x/sys/unix"
)

// sendTime is how long a client may take to send its request.
const sendTime = 10 * time.Second

// request is one call from inside bash.
type request struct {
	dir   string
	name  string
	words []string
	fds   []int // the caller's 0, 1 and 2
}

func (q *request) close() {
	for _, fd := range q.fds {
		unix.Close(fd)
	}
}

// connection serves one call. Whoever is not this user, or does not speak the
// protocol, is hung up on.
func (h *host) connection(conn *net.UnixConn) {
	defer conn.Close()
	if !sameUser(conn) {
		return
	}
	conn.SetReadDeadline(time.Now().Add(sendTime))
	q, err := receive(conn)
	defer q.close()
	if err != nil {
		return
	}
	conn.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	go func() { // the caller ended, or was killed by timeout(1), a signal, a closed pipe
		defer cancel()
		io.Copy(io.Discard, conn)
	}()
	status := h.serveCall(ctx, q)
	if h.ctx.Err() == nil {
		conn.Write([]byte{incall.Reply, byte(status)})
	}
}

// sameUser asks the kernel who is at the other end.
func sameUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Geteuid()
	})
	return same
}

var errGarbage = errors.New("not a request")

// receive reads a request. The descriptors it returns are the caller's to
// close, also with an error.
func receive(conn *net.UnixConn) (q request, err error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(3*4))
	n, oobn, _, _, err := conn.ReadMsgUnix(head[:1], oob)
	if err != nil {
		return q, err
	}
	q.fds = rights(oob[:oobn])
	if n != 1 || len(q.fds) != 3 {
		return q, errGarbage
	}
	if _, err := io.ReadFull(conn, head[1:]); err != nil {
		return q, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > incall.MaxRequest {
		return q, errGarbage
	}
	var text strings.Builder
	if n, err := io.Copy(&text, io.LimitReader(conn, int64(size))); err != nil || n < int64(size) {
		return q, errGarbage
	}
	parts := strings.Split(text.String(), "\x00")
	if len(parts) < 3 || parts[len(parts)-1] != "" {
		return q, errGarbage
	}
	q.dir, q.name, q.words = parts[0], parts[1], parts[2:len(parts)-1]
	return q, nil
}

// rights returns the descriptors of a control message, close-on-exec set.
func rights(oob []byte) (fds []int) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range messages {
		got, err := unix.ParseUnixRights(&messages[i])
		if err == nil {
			fds = append(fds, got...)
		}
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	return fds
}

// serveCall runs the call on the caller's own descriptors.
func (h *host) serveCall(ctx context.Context, q request) int {
	wake, err := newWaker(ctx)
	if err != nil {
		return 3
	}
	defer wake.close()
	out, notes := &fdWriter{fd: q.fds[1], wake: wake}, &fdWriter{fd: q.fds[2], wake: wake}
	if !filepath.IsAbs(q.dir) {
		fmt.Fprintf(notes, "%s: the present directory is gone: cd to one that exists\n", q.name)
		return 1
	}
	call := &registry.Call{Dir: q.dir, Stdout: out, Stderr: notes}
	if hasInput(q.fds[0]) {
		call.Stdin = &fdReader{fd: q.fds[0], wake: wake}
	}
	res := h.r.Call(ctx, strings.TrimPrefix(q.name, agentPrefix), q.words, call)
	return res.ExitStatus
}

// hasInput reports whether a command was given a stdin: the session's own is
// /dev/null, and nobody types at a terminal here.
func hasInput(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	const null = 1<<8 | 3 // makedev(1, 3), Linux's /dev/null
	if st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == null {
		return false
	}
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err != nil
}
