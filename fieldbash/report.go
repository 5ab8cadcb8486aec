package fieldbash

import (
	"context"
	"fmt"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Report is what trying out one group found.
type Report struct {
	Group    string        `json:"group"`
	Server   string        `json:"server,omitempty"`   // what an MCP server calls itself, and its version
	Protocol string        `json:"protocol,omitempty"` // the MCP revision that is spoken
	Tools    []string      `json:"tools"`              // names of the commands
	Bytes    int           `json:"bytes"`              // of their definitions, as MCP clients hand them to a model
	Start    time.Duration `json:"start"`              // until the server was ready, in nanoseconds; 0 for functions
	List     time.Duration `json:"list"`               // to list its tools
	Ping     time.Duration `json:"ping"`               // one round trip; 0 where the server knows no ping
}

// group finds a group; a name that there is not is a *registry.NotFoundError.
func (f *Fields) group(name string) (*group, error) {
	if g := f.findGroup(name); g != nil {
		return g, nil
	}
	var names []string
	for _, g := range f.groups {
		names = append(names, registry.FieldPrefix+g.name)
	}
	return nil, &registry.NotFoundError{Name: registry.FieldPrefix + name, Close: registry.Closest(registry.FieldPrefix+name, names, 2)}
}

// Test starts a group's server, if it has one, lists its tools as they are now
// and measures both. The server keeps running. An unknown group is a
// *registry.NotFoundError.
func (f *Fields) Test(ctx context.Context, group string) (Report, error) {
	g, err := f.group(group)
	if err != nil {
		return Report{}, err
	}
	r := Report{Group: group, Tools: []string{}}
	tools := g.tools
	if g.client != nil {
		began := time.Now()
		info, err := g.client.Start(ctx)
		if err != nil {
			return r, fmt.Errorf("field:%s: %w", group, err)
		}
		r.Start = time.Since(began)
		r.Server, r.Protocol = cleanText(info.Name+" "+info.Version, maxSummary), cleanText(info.Protocol, maxName)
		began = time.Now()
		if tools, err = f.loadTools(ctx, g); err != nil {
			return r, fmt.Errorf("field:%s: %w", group, err)
		}
		r.List = time.Since(began)
		began = time.Now()
		if g.client.Ping(ctx) == nil {
			r.Ping = time.Since(began)
		}
	}
	for _, t := range tools {
		r.Tools = append(r.Tools, t.Name)
		raw, err := t.Definition().In(registry.MCP)
		if err != nil {
			return r, err
		}
		r.Bytes += len(raw)
	}
	return r, nil
}

// Standing is how a group is doing.
type Standing struct {
	Group string
	About string // what it is for, or how it is reached
	State string // running, not started, failed, functions
	Login string // signed in, not signed in; "": it has none
	Tools int    // that are known
	Err   error  // why it failed
}

// Standings are how the groups are doing; nothing is started for it.
func (f *Fields) Standings() (all []Standing) {
	for _, g := range f.groups {
		s := Standing{Group: g.name, About: f.about(g), State: "functions", Tools: len(g.tools)}
		if c := g.client; c != nil {
			s.State, s.Tools, s.Err = "not started", len(f.keptNames(g)), c.LastError()
			switch in, wanted := c.SignedIn(); {
			case in:
				s.Login = "signed in"
			case wanted:
				s.Login = "not signed in"
			}
			if c.Running() {
				s.State = "running"
			} else if s.Err != nil {
				s.State = "failed"
			}
		}
		all = append(all, s)
	}
	return all
}

// Restart ends a group's server and starts it again. signIn forgets its login before, so that
// it asks for one if it wants one.
func (f *Fields) Restart(ctx context.Context, group string, signIn bool) (Report, error) {
	g, err := f.server(group)
	if err != nil {
		return Report{}, err
	}
	if signIn {
		if err := f.SignOut(group); err != nil {
			return Report{}, err
		}
	}
	g.client.Disconnect()
	if g.server.Command != "" && f.opts.State != "" { // it may be kept
		if _, err := f.Kept(ctx, []string{g.name}, true); err != nil {
			return Report{}, err
		}
	}
	return f.Test(ctx, group)
}

// SignOut forgets the login of a group's server.
func (f *Fields) SignOut(group string) error {
	g, err := f.server(group)
	if err == nil {
		err = g.client.SignOut()
	}
	if err != nil {
		return fmt.Errorf("field:%s: %w", group, err)
	}
	return nil
}

// server finds a group that has a server.
func (f *Fields) server(name string) (*group, error) {
	g, err := f.group(name)
	if err == nil && g.client == nil {
		err = fmt.Errorf("field:%s has functions, and no server", name)
	}
	return g, err
}
