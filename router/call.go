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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/proctable"
	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/protocol"
	"golang.org/x/sys/unix"
)

// sendTime is how long a client may take to send its request.
const sendTime = 10 * time.Second

// request is one call from inside bash.
type request struct {
	pid   int // of the program that calls, which waits for the reply
	dir   string
	name  string
	words []string

	mu  sync.Mutex
	fds []int // the caller's 0, 1 and 2; nil once they are closed
}

func (q *request) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, fd := range q.fds {
		unix.Close(fd)
	}
	q.fds = nil
}

// detachStreams takes the descriptors from a tool that is left behind, so that a pipe's reader sees its end.
func (q *request) detachStreams() {
	q.mu.Lock()
	defer q.mu.Unlock()
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(null)
	for _, fd := range q.fds {
		unix.Dup2(null, fd)
		unix.CloseOnExec(fd)
	}
}

// serveConn serves one call. Whoever is not this user, or does not speak the protocol, is hung up on.
func (h *host) serveConn(conn *net.UnixConn) {
	defer conn.Close()
	pid, ok := sameUser(conn)
	if !ok {
		return
	}
	conn.SetReadDeadline(time.Now().Add(sendTime))
	q, err := receiveRequest(conn)
	if err != nil {
		q.close()
		return
	}
	q.pid = pid
	conn.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(h.ctx)
	gone := make(chan struct{})
	go func() { // the caller ended, or was killed by timeout(1), a signal, a closed pipe
		defer close(gone)
		defer cancel()
		io.Copy(io.Discard, conn)
	}()
	status := h.serveCall(ctx, q)
	if h.ctx.Err() == nil {
		conn.Write([]byte{protocol.Reply, byte(status)})
	}
	conn.Close()
	<-gone
}

// serveCall runs a call and closes its descriptors. A tool that does not stop is left behind without them.
func (h *host) serveCall(ctx context.Context, q *request) int {
	done := make(chan int, 1)
	go func() {
		status := h.runCall(ctx, q)
		q.close()
		done <- status
	}()
	status, ended := awaitTool(ctx, done)
	if !ended {
		q.detachStreams()
		return 128 + int(unix.SIGINT)
	}
	return status
}

// sameUser asks the kernel who is at the other end; ok is false for anybody but this user.
func sameUser(conn *net.UnixConn) (pid int, ok bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	raw.Control(func(fd uintptr) {
		if peer, uid, err := syscalls.Peer(int(fd)); err == nil && uid == os.Geteuid() {
			pid, ok = peer, true
		}
	})
	return pid, ok
}

// environ is the environment that bash gave to the program that calls.
func (q *request) environ() ([]string, error) {
	env, err := proctable.Environ(q.pid)
	if err != nil {
		return nil, fmt.Errorf("environment of the command that calls: %w", err)
	}
	return env, nil
}

// descriptor opens what the program that calls has open to be read.
func (q *request) descriptor(n int) (*os.File, error) {
	return registry.ProcessDescriptor(strconv.Itoa(q.pid), n)
}

var errGarbage = errors.New("not a request")

// receiveRequest reads a request, whose descriptors are the caller's to close, also with an error.
func receiveRequest(conn *net.UnixConn) (q *request, err error) {
	q = &request{}
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4*4)) // one more than there should be, which is seen then
	n, oobn, _, _, err := conn.ReadMsgUnix(head[:1], oob)
	if err != nil {
		return q, err
	}
	q.fds = descriptorsOf(oob[:oobn])
	if n != 1 || len(q.fds) != 3 {
		return q, errGarbage
	}
	if _, err := io.ReadFull(conn, head[1:]); err != nil {
		return q, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > protocol.MaxRequest {
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

// descriptorsOf returns those of a control message, which package net receives with MSG_CMSG_CLOEXEC.
func descriptorsOf(oob []byte) (fds []int) {
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
	return fds
}

// runCall runs the tool on the caller's own descriptors.
func (h *host) runCall(ctx context.Context, q *request) int {
	wake, err := newWaker(ctx)
	if err != nil {
		return exitTransport
	}
	defer wake.close()
	out := &fdWriter{fd: q.fds[1], wake: wake}
	notes := &fdWriter{fd: q.fds[2], wake: wake, after: out}
	if !filepath.IsAbs(q.dir) {
		fmt.Fprintf(notes, "%s: the present directory is gone: cd to one that exists\n", q.name)
		return 1
	}
	call := &registry.Call{Dir: q.dir, View: h.r.view(), Stdout: out, Stderr: notes, Environ: q.environ, Descriptor: q.descriptor, Show: h.r.showing.Load().shower()}
	if hasInput(q.fds[0]) {
		call.Stdin = &fdReader{fd: q.fds[0], wake: wake}
	}
	p := h.r.planWords(prefixedName(q.name), q.words, call.Stdin != nil)
	p.Inside = true
	return h.r.runCall(ctx, p, call).ExitStatus
}

// hasInput reports whether a command was given a stdin: the session's own is /dev/null.
func hasInput(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFCHR
}
