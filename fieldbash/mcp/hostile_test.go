package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

func TestProgressHasAHardMaximum(t *testing.T) {
	patiently(t, 100*time.Millisecond, func(t *testing.T, limit time.Duration) error {
		spec := fake(t)
		spec.CallTimeout = limit
		c := open(t, spec, nil)
		_, err := c.Call(t.Context(), mcp.Call{Tool: "progress-forever"})
		if err != nil && strings.Contains(err.Error(), "no progress") {
			return err
		}
		var e *mcp.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 124, e.ExitStatus())
		require.ErrorContains(t, err, "progress but no answer for "+(10*limit).String())
		_, err = c.Call(t.Context(), mcp.Call{Tool: "count"})
		return err // the connection is usable
	})
}

func TestNonsenseBetweenAnswers(t *testing.T) {
	c := open(t, fake(t), nil)
	for range 3 {
		r, err := c.Call(t.Context(), mcp.Call{Tool: "nonsense"})
		require.Equal(t, "sane", text(t, r, err))
	}
}

func TestBrokenAnswers(t *testing.T) {
	for _, row := range []struct{ tool, want string }{
		{"endless", "a message is longer than 64 MB"},
		{"half", "the server ended (exit status 0)"},
		{"wrong-shape", "call wrong-shape: "},
	} {
		t.Run(row.tool, func(t *testing.T) {
			c := open(t, fake(t), nil)
			_, err := c.Call(t.Context(), mcp.Call{Tool: row.tool})
			require.ErrorContains(t, err, row.want)
			require.Less(t, len(err.Error()), 8<<10)
			r, err := c.Call(t.Context(), mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{}`)})
			require.Equal(t, "{}", text(t, r, err), "the next call works")
		})
	}
}

// Thousands of calls from many goroutines at a server that dies again and again:
// each call is answered with its own answer, or with why it was not.
func TestManyCallsAtADyingServer(t *testing.T) {
	c := open(t, fake(t), nil)
	ctx := t.Context()
	var answered, lost atomic.Int64
	errs := make(chan error, 3000)
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 150 {
				arg := `{"i":"` + strconv.Itoa(w) + "-" + strconv.Itoa(i) + `"}`
				one, cancel := ctx, context.CancelFunc(func() {})
				if i%25 == 24 { // some are given up on
					one, cancel = context.WithTimeout(ctx, time.Millisecond)
				}
				r, err := c.Call(one, mcp.Call{Tool: "maybe-die", Arguments: json.RawMessage(arg)})
				cancel()
				var e *mcp.Error
				switch {
				case err == nil && r.Content[0].Text == arg:
					answered.Add(1)
				case err == nil:
					errs <- errors.New("another call's answer: " + r.Content[0].Text + " for " + arg)
				case errors.As(err, &e) && (e.ExitStatus() == 3 || e.ExitStatus() == 124):
					lost.Add(1)
				default:
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.EqualValues(t, 16*150, answered.Load()+lost.Load())
	require.Greater(t, answered.Load(), int64(16*150/3))
	require.NotZero(t, lost.Load())
}

// TestAFloodOfProgressIsThinned expects the first notes, and then no more than time has room for.
func TestAFloodOfProgressIsThinned(t *testing.T) {
	c := open(t, fake(t), nil)
	var notes bytes.Buffer
	began := time.Now()
	r, err := c.Call(t.Context(), mcp.Call{Tool: "progress-flood", Notes: &notes})
	require.NoError(t, err)
	require.Equal(t, "done", r.Content[0].Text)
	require.Contains(t, notes.String(), "[progress] 1/5000\n[progress] 2/5000\n")
	require.LessOrEqual(t, strings.Count(notes.String(), "[progress]"), 20+int(time.Since(began).Seconds()*2)+2)
}
