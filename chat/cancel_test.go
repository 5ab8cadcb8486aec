package chat

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// How long a test waits for an event that must come, and how often it looks.
const (
	waitLimit = 5 * time.Minute
	poll      = 5 * time.Millisecond
)

func TestCancelInTheMiddleOfAReplyKeepsTheText(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: "I think", Chunk: 100, Hold: true},
		{Expect: modelserver.Expectations{
			{Role: "assistant", Contains: []string{"I think", "cut off here"}}, {Role: "user", Equals: text("well?")},
		}, Text: "ok"},
	}}, func(o *Options) {
		shown := o.Events
		o.Events = func(e Event) {
			shown(e)
			if _, ok := e.(Text); ok {
				cancel()
			}
		}
	})
	final, err := k.Turn(ctx, "go")
	requireLine(t, err, ExitInterrupted, "interrupted")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "I think", final)
	_, err = k.Turn(context.Background(), "well?")
	require.NoError(t, err)
	k.played(t)
}

func TestCancelWhileACommandRunsAnswersEveryCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "echo first"}, {Command: "echo begun; : > begun; exec sleep 60"}, {Command: "touch never"}}},
		{Expect: modelserver.Expectations{
			{Role: "tool", Equals: text("first\n")},
			{Role: "tool", Contains: []string{"begun", "[interrupted by the user]"}},
			{Role: "tool", Equals: text("[interrupted by the user before it ran]")},
			{Role: "assistant"},
			{Role: "user", Equals: text("what happened?")},
		}, Text: "ok"},
	}}, nil)
	done := make(chan error, 1)
	go func() {
		_, err := k.Turn(ctx, "go")
		done <- err
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(k.runner.dir, "begun"))
		return err == nil
	}, waitLimit, poll)
	cancel()
	err := <-done
	requireLine(t, err, ExitInterrupted, "interrupted")
	require.NoFileExists(t, filepath.Join(k.runner.dir, "never"))
	results := pick[ToolResult](k.events)
	require.Len(t, results, 3)
	require.False(t, results[0].Interrupted)
	require.True(t, results[1].Interrupted)
	require.True(t, results[2].Interrupted)

	_, err = k.Turn(context.Background(), "what happened?")
	require.NoError(t, err)
	k.played(t)
}

func TestCancelDuringTheWaitForARetry(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Status: 429, RetryAfter: "50"}, {Text: "ok"}}}, func(o *Options) {
		shown := o.Events
		o.Events = func(e Event) {
			shown(e)
			if _, ok := e.(Retry); ok {
				cancel()
			}
		}
	})
	_, err := k.Turn(ctx, "go")
	requireLine(t, err, ExitInterrupted, "interrupted")
	_, err = k.Turn(context.Background(), "again")
	require.NoError(t, err)
	k.played(t)
}
