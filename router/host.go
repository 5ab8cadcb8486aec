package router

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/tempdir"
	"github.com/agentbash/agentbash/router/internal/protocol"
)

// host serves the calls that come from inside bash: a socket that only this
// user can open, in a directory of its own, and next to it the program that
// calls, under the names of the commands.
type host struct {
	r        *Router
	calls    *tempdir.Dir
	dir      string // its path
	listener *net.UnixListener
	ctx      context.Context // of every call; ends with close
	cancel   context.CancelFunc
	running  sync.WaitGroup
	links    links
}

// newHost starts a host; with small the program that calls is the package stub's, where there is one.
func newHost(r *Router, small bool) (*host, error) {
	calls := r.opts.CallsDir
	if calls == nil {
		var err error
		if calls, err = MakeCallsDir(); err != nil {
			return nil, fmt.Errorf("router: directory for calls: %w", err)
		}
	}
	h := &host{r: r, calls: calls, dir: calls.Path}
	if err := h.open(small); err != nil {
		if h.listener != nil {
			h.listener.Close()
		}
		calls.Remove()
		return nil, err
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.running.Go(h.serve)
	return h, nil
}

// MakeCallsDir makes a directory for Options.CallsDir, mode 0700, whose path leaves
// room for a socket's name: the kernel takes 107 bytes (unix(7)), and $TMPDIR may
// be longer. Those of killed programs are removed.
func MakeCallsDir() (dir *tempdir.Dir, err error) {
	for _, parent := range []string{os.TempDir(), "/tmp", "/dev/shm"} {
		if len(parent) > 70 {
			continue
		}
		if dir, err = tempdir.Make(parent, ".agentbash-calls-"); err == nil {
			return dir, nil
		}
	}
	return nil, err
}

func (h *host) open(small bool) (err error) {
	if h.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: h.socket(), Net: "unix"}); err == nil {
		err = os.Chmod(h.socket(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("router: socket for calls: %w", err)
	}
	return h.links.open(filepath.Join(h.dir, "bin"), h.socket(), small)
}

func (h *host) socket() string { return filepath.Join(h.dir, "socket") }

// addEnv adds what a shell needs to reach this host, in the place of what leads to a host around it.
func (h *host) addEnv(env []string) []string {
	outer := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, protocol.LinksVar+"="); ok {
			outer = v
		}
	}
	var out []string
	for _, e := range env {
		switch name, value, _ := strings.Cut(e, "="); name {
		case protocol.SocketVar, protocol.LinksVar:
		case "PATH":
			out = append(out, "PATH="+withoutDir(value, outer))
		default:
			out = append(out, e)
		}
	}
	return append(out, protocol.SocketVar+"="+h.socket(), protocol.LinksVar+"="+h.links.dir)
}

// withoutDir is a search path without one of its directories.
func withoutDir(path, dir string) string {
	if dir == "" {
		return path
	}
	kept := slices.DeleteFunc(filepath.SplitList(path), func(d string) bool { return d == dir })
	return strings.Join(kept, string(filepath.ListSeparator))
}

// notFound says what bash says, which would name the line of the function.
const notFound = `*) builtin printf '%s: line %d: %s: command not found\n' "${BASH_SOURCE[1]:-$0}" "${BASH_LINENO[0]}" "$1" >&2; return 127 ;;`

// init is bash text for the start of a shell: the links stand at the end of
// PATH, so that they shadow nothing, and a field command that is not linked
// yet is met where bash gives up. What is no call gets bash's own answer.
func (h *host) init() string {
	if !h.links.client {
		return fmt.Sprintf(`command_not_found_handle() {
  case $1 in
  agent:*|field:*) builtin echo "$1: "%s >&2; return 3 ;;
  %s
  esac
}
`, quote.Word(protocol.NoClient), notFound)
	}
	return fmt.Sprintf(`case ":$PATH:" in *:%[1]s:*) ;; *) PATH="$PATH":%[1]s ;; esac
command_not_found_handle() {
  case $1 in
  agent:*|field:*|mcp__*) exec %[1]s/%[2]s "$@" ;;
  *) call=${1,,}
    case ' %[4]s ' in *" ${call//[-_.]/} "*) exec %[1]s/%[2]s "$@" ;; esac ;;&
  %[3]s
  esac
}
`, quote.Word(h.links.dir), protocol.Any, notFound, strings.Join(h.r.foreignNames(), " "))
}

// serve takes connections until close.
func (h *host) serve() {
	for {
		conn, err := h.listener.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		h.running.Go(func() { h.serveConn(conn) })
	}
}

// close ends all calls, waits for them and removes the directory. A tool that does not stop is left behind.
func (h *host) close() {
	h.cancel()
	h.listener.Close()
	h.running.Wait()
	h.links.close()
	h.calls.Remove()
}
