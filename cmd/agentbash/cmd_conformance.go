package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// runConformance is agentbash mcp-conformance URL: the client that the MCP
// conformance suite drives, a scenario a run. It is for tests, and not in the help.
func runConformance(ctx context.Context, a *app, words []string) int {
	if len(words) == 0 {
		return a.usageError("mcp-conformance", errors.New("the suite gives the URL of its server"))
	}
	scenario, _ := a.lookup("MCP_CONFORMANCE_SCENARIO")
	about, _ := a.lookup("MCP_CONFORMANCE_CONTEXT")
	if err := mcp.Conformance(ctx, scenario, words[len(words)-1], []byte(about)); err != nil {
		fmt.Fprintln(a.err, err)
		return exitFailed
	}
	return exitOK
}
