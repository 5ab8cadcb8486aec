package fieldbash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/fieldbash/kept"
)

// KeepAlive is how long a server stays for the next program when nobody uses it; 0: it
// ends with the program that started it.
type KeepAlive time.Duration

// defaultKeep is what true means.
const defaultKeep = KeepAlive(10 * time.Minute)

// UnmarshalJSON takes true, false, and a duration such as "10m".
func (k *KeepAlive) UnmarshalJSON(b []byte) error {
	var on bool
	if *k = 0; json.Unmarshal(b, &on) == nil {
		if on {
			*k = defaultKeep
		}
		return nil
	}
	var text string
	err := json.Unmarshal(b, &text)
	d, wrong := time.ParseDuration(text)
	if err != nil || wrong != nil || d <= 0 {
		return errors.New(`"keepAlive" is true or a time without use such as "10m"`)
	}
	*k = KeepAlive(d)
	return nil
}

// MarshalJSON writes the duration.
func (k KeepAlive) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(k).String()) }

// keptDir is where kept servers are found.
func (f *Fields) keptDir() string { return filepath.Join(f.opts.State, "kept") }

// place is where a server is kept. It is another one in another directory, which servers
// see: as theirs, and as their root. One with an absolute "cwd" is the same everywhere.
func (f *Fields) place(g *group) kept.Place {
	s, dir, roots := g.server, f.inDir(g.server.Cwd), f.opts.Roots
	if filepath.IsAbs(s.Cwd) {
		roots = nil
	}
	env := slices.DeleteFunc(minimalEnv(f.opts.Env, s.Env), func(kv string) bool { return strings.HasPrefix(kv, "TERM=") })
	return kept.Place{
		Dir: f.keptDir(), Name: g.name + "-" + hashOf(dir), Always: s.KeepAlive > 0,
		Want: hashOf(f.opts.Version, s.Command, s.Args, env, dir, roots, s.Sandbox, s.Sampling, s.KeepAlive),
	}
}

func hashOf(values ...any) string {
	b, _ := json.Marshal(values) // texts and numbers
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// connectKept returns a connection to the kept server, or nil.
func (f *Fields) connectKept(ctx context.Context, g *group, place kept.Place) (*kept.Conn, error) {
	place.Start = func(listener *os.File) error { return f.opts.Keeper(g.name, listener) }
	return place.Connect(ctx)
}

// mayRun looks at the files of a server's command, as its start does.
func (f *Fields) mayRun(g *group) error {
	path, err := g.command.Path()
	if err != nil {
		return err
	}
	return f.check(&exec.Cmd{Path: path, Args: append([]string{g.command.Name}, g.command.Args...), Dir: g.command.Dir})
}

// findServer is a group that can be kept.
func (f *Fields) findServer(name string) (*group, error) {
	g := f.findGroup(strings.TrimPrefix(name, "field:"))
	switch {
	case g == nil || g.client == nil:
		return nil, fmt.Errorf("no server %q: agentbash field list shows what there is", name)
	case g.server.Command == "":
		return nil, fmt.Errorf("field:%s has no \"command\": what has an address runs by itself, and is not kept", g.name)
	case f.opts.Keeper == nil || f.opts.State == "":
		return nil, errors.New("servers cannot be kept here")
	}
	return g, nil
}

// Keep has a server kept from now on, and starts it if it is not.
func (f *Fields) Keep(ctx context.Context, name string) error {
	g, err := f.findServer(name)
	if err != nil {
		return err
	}
	if f.opts.Permit != nil {
		if err := f.opts.Permit(g.name, g.server); err != nil {
			return err
		}
	}
	place := f.place(g)
	place.Always = true
	var conn *kept.Conn
	if err = f.mayRun(g); err == nil {
		conn, err = f.connectKept(ctx, g, place)
	}
	if conn != nil {
		conn.Close()
	} else if err == nil {
		err = errors.New("it ended as soon as it was started: agentbash field test shows why")
	}
	if err != nil {
		return hideError(exitError(3, "field:%s is not kept: %v", g.name, err), g.server.secrets())
	}
	return nil
}

// ServeKept is the program that Options.Keeper starts: it keeps a server for the clients
// of the listener, which it closes, and returns when that has ended.
func (f *Fields) ServeKept(ctx context.Context, name string, listener *os.File) error {
	l, err := net.FileListener(listener)
	listener.Close() // the server must not have it, and who wants a new keeper must see that this one listens no more
	if err != nil {
		return err
	}
	defer l.Close()
	g, err := f.findServer(name)
	if err != nil {
		return err
	}
	idle := time.Duration(g.server.KeepAlive)
	if idle == 0 {
		idle = time.Duration(defaultKeep)
	}
	return g.client.Keep(ctx, l.(*net.UnixListener), kept.Options{Place: f.place(g), Idle: idle, About: kept.Status{Server: g.name, Dir: f.inDir(g.server.Cwd)}})
}

// Kept returns what the keepers of this user's servers say of them, all or those of these
// names, and if stop is set ends them first.
func (f *Fields) Kept(ctx context.Context, names []string, stop bool) ([]kept.Status, error) {
	return kept.Each(ctx, f.keptDir(), stop, func(s kept.Status) bool { return len(names) == 0 || slices.Contains(names, s.Server) })
}
