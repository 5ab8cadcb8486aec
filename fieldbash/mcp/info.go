package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Info is what a running server says of itself.
type Info struct {
	Name, Version string
	Title         string
	Protocol      string // the MCP revision that is spoken
	Instructions  string
}

// Start starts the server if it does not run, and returns what it says of itself.
func (c *Client) Start(ctx context.Context) (Info, error) {
	k, err := c.connect(ctx)
	if err != nil {
		return Info{}, err
	}
	var info Info
	if res := k.session.InitializeResult(); res != nil {
		info.Protocol, info.Instructions = res.ProtocolVersion, res.Instructions
		if res.ServerInfo != nil {
			info.Name, info.Title, info.Version = res.ServerInfo.Name, res.ServerInfo.Title, res.ServerInfo.Version
		}
	}
	return info, nil
}

// Ping asks the server for a sign of life.
func (c *Client) Ping(ctx context.Context) error {
	return c.request(ctx, "ping", true, nil, func(ctx context.Context, s *sdk.ClientSession, _ string) error {
		return s.Ping(ctx, nil)
	})
}
