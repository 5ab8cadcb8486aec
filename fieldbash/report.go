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
	Start    time.Duration `json:"start"`              // until the server was ready, in nanoseconds; 0 for functions
	List     time.Duration `json:"list"`               // to list its tools
	Ping     time.Duration `json:"ping"`               // one round trip; 0 where the server knows no ping
}

// Test starts a group's server, if it has one, lists its tools as they are now
// and measures both. The server keeps running. An unknown group is a
// *registry.NotFoundError.
func (f *Fields) Test(ctx context.Context, group string) (Report, error) {
	g := f.findGroup(group)
	if g == nil {
		var names []string
		for _, g := range f.groups {
			names = append(names, registry.FieldPrefix+g.name)
		}
		return Report{}, &registry.NotFoundError{Name: registry.FieldPrefix + group, Close: registry.Closest(registry.FieldPrefix+group, names, 2)}
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
	}
	return r, nil
}
