package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// offeredTools are the tools that other MCP clients get: the one tool, and with all
// every registered tool beside it, by the names that clients know them by. All of them run
// command strings through the router, so that hooks, mode, rules and the record are the same.
func (a *app) offeredTools(ctx context.Context, b *configuredBash, all bool) ([]mcp.Offer, map[string]*registry.Tool) {
	one := router.Definition(b.Registry())
	list := []mcp.Offer{{Name: one.Name, Description: one.Description, Schema: withStdin(one.Parameters), Output: json.RawMessage(streamsSchema)}}
	tools := map[string]*registry.Tool{}
	if !all {
		return list, tools
	}
	for _, t := range a.everyTool(ctx, b) {
		d := t.Definition()
		if other, taken := tools[d.Name]; taken || d.Name == one.Name {
			name := one.Name
			if taken {
				name = other.Name
			}
			a.warn(fmt.Errorf("%s is left out: other programs would know it by the name of %s, %s", t.Name, name, d.Name))
			continue
		}
		tools[d.Name] = t
		list = append(list, mcp.Offer{Name: d.Name, Description: d.Description, Schema: d.Parameters, ReadOnly: d.ReadOnly})
	}
	return list, tools
}

// everyTool are all tools, those of servers too, which are started for it,
// but not by a program that may be one of them. A server that does not start is a warning.
func (a *app) everyTool(ctx context.Context, b *configuredBash) []*registry.Tool {
	groups := b.Registry().Groups()
	if _, inside := a.lookup(fieldbash.InServer); inside && len(b.cfg.Fields.MCPServers) > 0 {
		a.warn(errors.New("started by another agentbash, so the tools of servers are left out: this program may be one of them"))
		groups = slices.DeleteFunc(groups, func(g registry.Group) bool { _, server := b.cfg.Fields.MCPServers[g.Name]; return server })
	}
	for _, g := range groups {
		if _, err := b.Registry().LoadGroup(ctx, g.Name); err != nil {
			a.warn(fmt.Errorf("%w: its tools are left out", err))
		}
	}
	return b.Registry().All()
}

// commandOf is the command string of a call with JSON arguments.
func commandOf(t *registry.Tool, arguments json.RawMessage) (string, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var kwargs registry.Kwargs
	if err := d.Decode(&kwargs); err != nil {
		return "", fmt.Errorf("%s: the arguments are not a JSON object: %w", t.Name, err)
	}
	return router.CommandFor(t, kwargs)
}
