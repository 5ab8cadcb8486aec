package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// Underlying are the SDK's servers behind ours.
func (s *Server) Underlying() []*sdk.Server { return []*sdk.Server{s.sessions, s.sessionless} }
