package chat

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestARepliesThatBreaksOffIsAskedForAgainAndNothingRunsTwice(t *testing.T) {
	cut := func(c modelserver.Cut) modelserver.Reply {
		return modelserver.Reply{Text: "So: ", ToolCalls: call("echo ran >> log; cat log"), Cut: c}
	}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		cut(modelserver.CutReset), cut(modelserver.CutEnd), {Text: "So: ", ToolCalls: call("echo ran >> log; cat log")},
		{Expect: modelserver.Expectations{{Role: "tool", Equals: text("ran\n")}}, Text: "Once.", Cut: modelserver.CutEnd},
		{Text: "Once."},
	}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "Once.", final)
	k.played(t)
	require.Equal(t, []string{"echo ran >> log; cat log"}, k.runner.ran())
	retries := pick[Retry](k.events)
	require.Len(t, retries, 3)
	for i, attempt := range []int{1, 2, 1} {
		require.Equal(t, attempt, retries[i].Attempt)
		require.True(t, retries[i].Void)
		require.Contains(t, retries[i].Reason, "broke off")
	}
}

func TestAnErrorThatStaysIsNotAskedAboutAgain(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Body: "data: {\"error\":{\"message\":\"bad image\",\"type\":\"invalid_request_error\"}}\n\n"}, {Text: "ok"},
	}}, nil)
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "bad image")
	_, err = k.Turn(context.Background(), "again")
	require.NoError(t, err)
	k.played(t)
}

func TestASilentStreamIsCutAndAskedForAgain(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "Hm", Chunk: 9, Hold: true}, {Text: "ok"}}},
		func(o *Options) { o.Idle = 150 * time.Millisecond })
	shown := k.opts.Events
	k.OnEvent(func(e Event) {
		if shown(e); len(pick[Retry](k.events)) > 0 {
			k.opts.Idle = 0 // the reply may take its time then
		}
	})
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "ok", final)
	k.played(t)
	retries := pick[Retry](k.events)
	require.Len(t, retries, 1)
	require.Contains(t, retries[0].Reason, "nothing came for too long")
}

func TestAServerThatNeverAnswersIsGivenUp(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "late", DelayMS: 60_000}, {Text: "ok"}}},
		func(o *Options) { o.Idle = 100 * time.Millisecond })
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "it sent nothing for 100ms")
	require.NoError(t, func() error { k.server.Close(); return nil }())
}

func TestCancelDuringTheWaitAfterACutStream(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: "I was", Cut: modelserver.CutEnd},
		{Expect: modelserver.Expectations{{Role: "assistant", Equals: text("I was\n[the reply was cut off here]")}, {Role: "user"}}, Text: "ok"},
	}}, func(o *Options) {
		o.Backoff = time.Hour
		o.Events = func(e Event) {
			if _, ok := e.(Retry); ok {
				cancel()
			}
		}
	})
	final, err := k.Turn(ctx, "go")
	requireLine(t, err, ExitInterrupted, "interrupted")
	require.Equal(t, "I was", final)
	_, err = k.Turn(context.Background(), "well?")
	require.NoError(t, err)
	k.played(t)
}
