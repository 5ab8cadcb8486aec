package chat

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// The time that a question waits for its answer is no part of the call's duration.
func TestACallDoesNotLastWhileAQuestionWaits(t *testing.T) {
	var waited time.Duration
	var got []ToolResult
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "one"}, {Command: "two"}}}, {Text: "done"}}}, func(o *Options) {
		o.Runner = asking{o.Runner, &waited}
		o.Waited = func() time.Duration { return waited }
		o.Events = func(e Event) {
			if r, ok := e.(ToolResult); ok {
				got = append(got, r)
			}
		}
	})
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
	require.Len(t, got, 2)
	require.Zero(t, got[0].Duration)
	require.GreaterOrEqual(t, got[1].Duration, 20*time.Millisecond)
}

// asking is a Runner whose command "one" asks, and is answered after an hour.
type asking struct {
	Runner
	waited *time.Duration
}

func (a asking) Run(ctx context.Context, command string, limit time.Duration) (string, int) {
	if command == "one" {
		*a.waited += time.Hour
	}
	return a.Runner.Run(ctx, "sleep 0.02", limit)
}
