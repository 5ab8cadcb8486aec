package chat

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestAnEndlessToolLoopEndsAtTheLimits(t *testing.T) {
	loop := func(times int, u *modelserver.Usage) *modelserver.Script {
		return &modelserver.Script{Replies: []modelserver.Reply{{Text: "Again.", ToolCalls: call("date +%s%N"), Times: times, Usage: u}, {Text: "back", Usage: u}}}
	}
	t.Run("turns", func(t *testing.T) {
		k := startChat(t, loop(5, nil), func(o *Options) { o.MaxTurns = 5 })
		final, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "after 5 requests", "Options.MaxTurns")
		require.Equal(t, "Again.", final)
		_, err = k.Turn(context.Background(), "go on")
		require.NoError(t, err)
		k.played(t)
	})
	t.Run("cost", func(t *testing.T) {
		k := startChat(t, loop(3, &modelserver.Usage{PromptTokens: 1000, CachedTokens: 500, CompletionTokens: 100}), func(o *Options) {
			o.MaxCost, o.Prices = 0.01, Prices{Input: 2, Cached: 1, Output: 20} // 0.0035 a request
		})
		_, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "$0.0105", "$0.01", "Options.MaxCost")
		cost, ok := k.Cost()
		require.True(t, ok)
		require.InDelta(t, 0.0105, cost, 1e-9)
		require.Len(t, k.runner.ran(), 3)
		k.server.Close()
	})
	t.Run("a cost that is not known", func(t *testing.T) {
		k := startChat(t, loop(1, nil), func(o *Options) { o.MaxCost = 1 })
		_, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "is not known", "Options.Prices")
		k.server.Close()
	})
	t.Run("time", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: call("echo > begun; exec sleep 1000")}, {
			Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"[stopped by a limit]"}}, {Role: "assistant"}, {Role: "user"}}, Text: "back",
		}}}, nil)
		ctx, cancel := context.WithCancelCause(context.Background())
		begun := filepath.Join(k.runner.dir, "begun")
		require.NoError(t, syscall.Mkfifo(begun, 0o600))
		go func() {
			os.ReadFile(begun) // waits for the command
			cancel(&Error{Exit: ExitLimit, Text: "out of time"})
		}()
		_, err := k.Turn(ctx, "go")
		requireLine(t, err, ExitLimit, "out of time")
		_, err = k.Turn(context.Background(), "go on")
		require.NoError(t, err)
		k.played(t)
	})
}

func TestARepeatedFailingCall(t *testing.T) {
	fail := func(expect ...string) modelserver.Reply {
		r := modelserver.Reply{ToolCalls: call("ls nosuch")}
		if expect != nil {
			r.Expect = modelserver.Expectations{{Role: "tool", Contains: expect}}
		}
		return r
	}
	clean := modelserver.Expectations{{Role: "tool", Lacks: []string{"repeated_failure"}}}
	t.Run("is pointed out at the third time and stops at the sixth", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			fail(), fail(), {Expect: clean, ToolCalls: call("ls nosuch")},
			fail("has failed 3 times"), fail("has failed 4 times"), {Expect: modelserver.Expectations{{Contains: []string{"has failed 5 times"}}},
				ToolCalls: []modelserver.ToolCall{{Command: "ls nosuch"}, {Command: "touch never"}}},
			{Text: "I see"},
		}}, nil)
		_, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "6 times", "ls nosuch")
		require.Len(t, k.runner.ran(), 6)
		_, err = k.Turn(context.Background(), "stop that")
		require.NoError(t, err)
		k.played(t)
	})
	t.Run("progress in between resets it", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			fail(), fail(), {ToolCalls: call("echo new")}, fail(), fail(),
			{Expect: clean, Text: "ok"},
		}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		k.played(t)
	})
	t.Run("the same success again is no progress", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			{ToolCalls: call("pwd")}, fail(), {ToolCalls: call("pwd")}, fail(), {ToolCalls: call("pwd")}, fail(),
			{Expect: modelserver.Expectations{{Contains: []string{"has failed 3 times"}}}, Text: "ok"},
		}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		k.played(t)
	})
	t.Run("malformed calls count", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Name: "read", Arguments: text(`{"a":1}`)}}, Times: 6}, {Text: "ok"},
		}}, nil)
		_, err := k.Turn(context.Background(), "go")
		requireLine(t, err, ExitLimit, "6 times")
		k.server.Close()
	})
}

// refusing runs nothing that touches, and says so.
type refusing struct {
	bashRunner
	refusal error
}

func (r *refusing) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	if r.refusal = nil; strings.HasPrefix(command, "touch") {
		r.refusal = errors.New("no touching")
		return "no touching\n[exit code: 126]", 126
	}
	return r.bashRunner.Run(ctx, command, timeout)
}

func (r *refusing) Refusal() error { return r.refusal }

func TestACommandThatIsNotAllowed(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call("touch x")}, {Text: "no"},
		{ToolCalls: []modelserver.ToolCall{{Command: "exit 126"}, {Command: "cd . && date +%s"}}}, {Text: "hm"},
		{ToolCalls: []modelserver.ToolCall{{Command: "cd /; touch x"}}}, {Text: "done"},
		{ToolCalls: []modelserver.ToolCall{{Command: "touch x"}, {Command: "date +%N"}}, Times: 3},
	}}, func(o *Options) { o.Runner = &refusing{} })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.EqualError(t, k.Denied(), "no touching")
	require.True(t, pick[ToolResult](k.events)[0].Denied)
	_, err = k.Turn(context.Background(), "and?")
	require.NoError(t, err)
	require.Error(t, k.Denied(), "nothing like it has run")
	_, err = k.Turn(context.Background(), "so?")
	require.NoError(t, err)
	require.NoError(t, k.Denied(), "the same has run since")
	_, err = k.Turn(context.Background(), "now!")
	requireLine(t, err, ExitDenied, "not allowed 3 times")
	k.played(t)
}
