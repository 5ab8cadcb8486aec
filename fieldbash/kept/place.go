package kept

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// Place is where one server is kept, or may be.
type Place struct {
	Dir  string // of the sockets, this user's alone: it is made so
	Name string // of the server among those in Dir, fit for a file's name
	Want string // stands for all that the server is: a keeper of another one is replaced

	Always bool                          // starts a keeper if there is none; else only one that is there is used
	Start  func(listener *os.File) error // starts a program that calls Serve with the listener
}

// Conn is a connection to a kept server.
type Conn struct {
	net.Conn
	r      *bufio.Reader
	Number int      // of this client
	Stderr []string // the last lines of the server's stderr
}

// ids are how many each client has.
const ids = 1_000_000_000

// FirstID is the lowest of the ids that this client's requests have; they are below the next client's.
func (c *Conn) FirstID() int64 { return int64(c.Number) * ids }

func (c *Conn) Read(b []byte) (int, error) { return c.r.Read(b) }

// Status is what a keeper says of its server.
type Status struct {
	Server   string    `json:"server"`
	Dir      string    `json:"dir"` // where the server runs
	PID      int       `json:"pid"` // of the keeper
	Started  time.Time `json:"started"`
	Clients  int       `json:"clients"`  // connected now
	Requests int       `json:"requests"` // that were passed on
	Ends     time.Time `json:"ends"`     // if nobody uses it before
}

// hello is a client's first line: "use", "status" or "stop".
type hello struct {
	Op   string `json:"op"`
	Want string `json:"want,omitempty"`
}

// answer is the keeper's to it.
type answer struct {
	Number int      `json:"number,omitempty"`
	Stderr []string `json:"stderr,omitempty"`
	Other  bool     `json:"other,omitempty"` // it keeps another server, takes no more clients, and ends with those that it has
	Error  string   `json:"error,omitempty"` // the server cannot be kept
	Status *Status  `json:"status,omitempty"`
}

// Connect returns a connection to the kept server, or nil if it is not kept. An error
// says why it cannot be.
func (p *Place) Connect(ctx context.Context) (*Conn, error) {
	dir, err := openPrivate(p.Dir, p.Always)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	use := hello{Op: "use", Want: p.Want}
	c, said, err := exchange(ctx, dir, p.Name+suffix, use)
	if err == nil && !said.Other {
		return c, said.failure()
	}
	if err != nil && !p.Always { // it ended, or was killed
		return nil, ctx.Err()
	}
	if err := lock(ctx, dir); err != nil {
		return nil, err
	}
	if c, said, err = exchange(ctx, dir, p.Name+suffix, use); err == nil && !said.Other { // another program was faster
		return c, said.failure()
	}
	if err := p.startKeeper(dir); err != nil {
		return nil, fmt.Errorf("start its keeper: %w", err)
	}
	if c, said, err = exchange(ctx, dir, p.Name+suffix, use); err != nil {
		return nil, fmt.Errorf("its keeper: %w", err)
	}
	return c, said.failure()
}

func (a answer) failure() error {
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// startKeeper takes the place of a keeper that is gone or takes no more clients: the
// socket is there, and clients wait at it, before its program runs.
func (p *Place) startKeeper(dir *os.File) error {
	path := within(dir, p.Name+suffix)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	file, err := l.File()
	if err != nil {
		return err
	}
	defer file.Close()
	return p.Start(file)
}

// suffix is how the names of sockets end.
const suffix = ".sock"

// Each returns what the keepers in a directory say that choose wants, in the order of their
// names, and if stop is set ends them first.
func Each(ctx context.Context, path string, stop bool, choose func(Status) bool) (all []Status, err error) {
	dir, err := openPrivate(path, false)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		_, said, err := exchange(ctx, dir, e.Name(), hello{Op: "status"})
		if err != nil || said.Status == nil || !choose(*said.Status) {
			continue // one that was killed leaves its socket to the next
		}
		if stop {
			exchange(ctx, dir, e.Name(), hello{Op: "stop"}) // one that is gone by now is stopped too
		}
		all = append(all, *said.Status)
	}
	return all, ctx.Err()
}

// exchange sends the first line and returns the answer, with the connection if it is one to the server.
func exchange(ctx context.Context, dir *os.File, name string, say hello) (*Conn, answer, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", within(dir, name))
	if err != nil {
		return nil, answer{}, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	var said answer
	r := bufio.NewReader(conn)
	err = checkPeer(conn)
	if err == nil {
		err = json.NewEncoder(conn).Encode(say)
	}
	var line []byte
	if err == nil {
		line, err = r.ReadBytes('\n')
	}
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil || said.Number == 0 {
		conn.Close()
		return nil, said, err
	}
	return &Conn{Conn: conn, r: r, Number: said.Number, Stderr: said.Stderr}, said, nil
}

// openPrivate opens a directory that is this user's alone, and makes it if it may.
func openPrivate(path string, make bool) (*os.File, error) {
	if make {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
	}
	dir, err := os.OpenFile(path, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	st, err := dir.Stat()
	if err == nil && (st.Mode().Perm()&0o077 != 0 || int(st.Sys().(*syscall.Stat_t).Uid) != os.Geteuid()) {
		err = fmt.Errorf("%s: others can get at it, so no server is kept there: chmod 700 it, and see who owns it", path)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// within is a path in an open directory: it is that directory, and short enough for a socket.
func within(dir *os.File, name string) string {
	return filepath.Join(syscalls.DirPath(dir), filepath.Base(name))
}

// lock lets one program at a time replace sockets; it is given up when the directory is closed.
func lock(ctx context.Context, dir *os.File) error {
	locked := make(chan error, 1)
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0) // the same lock, also if we leave before it is there
	if err != nil {
		return err
	}
	go func() {
		defer unix.Close(fd)
		for {
			if err := unix.Flock(fd, unix.LOCK_EX); err != unix.EINTR {
				locked <- err
				return
			}
		}
	}()
	select {
	case err := <-locked:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkPeer makes sure that the other end is this user's.
func checkPeer(conn net.Conn) error {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	err = errors.New("the other end of the socket is another user's")
	if e := raw.Control(func(fd uintptr) {
		if _, uid, e := syscalls.Peer(int(fd)); e == nil && uid == os.Geteuid() {
			err = nil
		}
	}); e != nil {
		return e
	}
	return err
}
