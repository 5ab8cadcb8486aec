package mcp_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// BenchmarkCall is one call of the everything server's echo through this
// package; BenchmarkBareCall is the same through the SDK's own transport. Both
// report the median, which the machine's load moves less than the mean.
func BenchmarkCall(b *testing.B) {
	c := open(b, npm(b, "server-everything"), nil)
	medianOf(b, func() error {
		_, err := c.Call(context.Background(), mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"message":"hi"}`)})
		return err
	})
}

func BenchmarkBareCall(b *testing.B) {
	spec := npm(b, "server-everything")
	cmd := exec.Command("node", spec.Command.Args...)
	cmd.Env, cmd.Dir = spec.Command.Env, spec.Command.Dir
	client := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &sdk.CommandTransport{Command: cmd}, nil)
	require.NoError(b, err)
	b.Cleanup(func() { session.Close() })
	medianOf(b, func() error {
		_, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hi"}})
		return err
	})
}

func medianOf(b *testing.B, call func() error) {
	b.Helper()
	require.NoError(b, call())
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := call(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
}
