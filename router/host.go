package router

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/incall"
)

// host serves the calls that come from inside bash: a socket that only this
// user can open, in a directory of its own, and links to this executable under
// the names of the commands.
type host struct {
	r        *Router
	dir      string
	listener *net.UnixListener
	ctx      context.Context // of every call; ends with close
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	linked map[string]bool
	closed bool
}

func newHost(r *Router) (*host, error) {
	dir, err := os.MkdirTemp("", "agentbash-calls-") // 0700
	if err != nil {
		return nil, fmt.Errorf("router: directory for calls: %w", err)
	}
	h := &host{r: r, dir: dir, linked: map[string]bool{}}
	if err := os.Mkdir(h.links(), 0o700); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("router: directory for calls: %w", err)
	}
	h.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: h.socket(), Net: "unix"})
	if err == nil {
		err = os.Chmod(h.socket(), 0o600)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("router: socket for calls: %w", err)
	}
	h.ctx, h.cancel = baseContext()
	h.running.Go(h.serve)
	return h, nil
}

func (h *host) socket() string { return filepath.Join(h.dir, "socket") }
func (h *host) links() string  { return filepath.Join(h.dir, "bin") }

// env is what a shell needs to reach this host.
func (h *host) env() []string {
	return []string{incall.SocketVar + "=" + h.socket(), incall.LinksVar + "=" + h.links()}
}

// init is bash text for the start of a shell: the links stand at the end of
// PATH, so that they shadow nothing, and a field command that is not linked
// yet is met where bash gives up. What is no call gets bash's own answer.
func (h *host) init() string {
	bin := h.links()
	return fmt.Sprintf(`case ":$PATH:" in *:%[1]s:*) ;; *) PATH="$PATH:%[1]s" ;; esac
command_not_found_handle() {
  case $1 in
  agent:*|field:*) exec %[1]s/%[2]s "$@" ;;
  *) unset -f command_not_found_handle; "$@" ;;
  esac
}
`, bin, incall.Any)
}

// link makes the names of tools runnable. read, write and grep are not linked
// by themselves: those names are bash's and Unix's own.
func (h *host) link(tools []*registry.Tool) {
	names := []string{incall.Any}
	for _, t := range tools {
		if strings.HasPrefix(t.Name, registry.FieldPrefix) {
			names = append(names, t.Name)
			continue
		}
		names = append(names, agentPrefix+t.Name)
		if t.Name != "read" && t.Name != "write" && t.Name != "grep" {
			names = append(names, t.Name)
		}
	}
	h.makeLinks(names)
}

// linkCalls makes the calls of a plan runnable, known tools or not: an unknown
// one has its error from the host.
func (h *host) linkCalls(calls []CallSite) error {
	var names []string
	for _, c := range calls {
		name := c.Name
		if c.Layer == Agent {
			name = agentPrefix + name
		}
		names = append(names, name)
	}
	return h.makeLinks(names)
}

func (h *host) makeLinks(names []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range names {
		if h.linked[name] || h.closed || strings.ContainsAny(name, "/\x00") || len(name) > 255 {
			continue
		}
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("router: own executable: %w", err)
		}
		if err := os.Symlink(self, filepath.Join(h.links(), name)); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("router: link %s: %w", name, err)
		}
		h.linked[name] = true
	}
	return nil
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
		h.running.Go(func() { h.connection(conn) })
	}
}

// close ends all calls, waits for them and removes the directory.
func (h *host) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.listener.Close()
	h.running.Wait()
	os.RemoveAll(h.dir)
}
