package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	root "github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/stretchr/testify/require"
)

// log is a record of what ran.
type log struct {
	entries []*guard.Entry
	ended   int // the exit status that was recorded last
}

func (l *log) Intent(e *guard.Entry) (func(router.Outcome), error) {
	l.entries = append(l.entries, e)
	return func(o router.Outcome) { l.ended = o.ExitCode }, nil
}

// TestHostileResults has a far side that records nothing, or something else, and says what moves the cursor.
func TestHostileResults(t *testing.T) {
	var records log
	target, err := ParseTarget("web1", nil)
	require.NoError(t, err)
	c := newClient(target, Options{Made: &root.Options{Guard: guard.Options{Recorder: &records}}}, nil)
	c.peer = newPeer("v", c.handlers())
	raw := "" // what is recorded
	var fails error
	var far *peer
	far = newPeer("v", map[string]handler{runRequest: func(ctx context.Context, r *request) (any, error) {
		if raw != "" {
			var number uint64
			require.NoError(t, far.request(ctx, recordRequest, entry{Raw: raw}, &number, streams{}))
		}
		return result{Result: router.Result{Command: "ls", Layer: "\x1b[2J", Dir: "/\x1b[2J\u202e"}}, fails
	}})
	a, b := connect(t)
	go c.peer.serve(a)
	go far.serve(b)
	defer far.close(router.ErrClosed)
	defer c.peer.close(router.ErrClosed)
	for _, row := range []struct {
		raw  string
		want []string
	}{{"", []string{"rm x"}}, {"ls", []string{"ls", "rm x"}}, {"{ rm x\n} < <(cat)", []string{"{ rm x\n} < <(cat)"}}} {
		raw, records.entries = row.raw, nil
		res := c.Run(context.Background(), "rm x", nil)
		require.Equal(t, "rm x", res.Command)
		require.Equal(t, router.Native, res.Layer)
		require.Equal(t, `/\x1b[2J\u202e`, res.Dir)
		var got []string
		for _, e := range records.entries {
			require.Equal(t, "web1", e.Target)
			got = append(got, e.Plan.Raw)
		}
		require.Equal(t, row.want, got)
	}
	raw, fails, records.entries = "", errors.New("no"), nil
	require.Equal(t, exitTransport, c.Run(context.Background(), "rm x", nil).ExitCode)
	require.Len(t, records.entries, 1)
	require.Equal(t, exitTransport, records.ended, "nobody knows that it went well")
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestProgramAgainAndAgain has a script that asks for the program without end.
func TestProgramAgainAndAgain(t *testing.T) {
	c := newClient(&Target{Name: "web1"}, Options{}, nil)
	c.programs = map[string][]byte{"h": make([]byte, 100)}
	var sent bytes.Buffer
	var err error
	for n := 0; err == nil; n++ {
		err = c.sendProgram(&pipe{WriteCloser: nopCloser{&sent}}, []string{"h", "cat"})
		require.LessOrEqual(t, n, maxSent)
	}
	require.ErrorIs(t, err, errSent)
	require.Equal(t, maxSent*len("100 100\n"+string(make([]byte, 100))), sent.Len())
}

func TestTargetsOfIPv6(t *testing.T) {
	for text, want := range map[string][]string{"ssh:[::1]:22": {"-p", "22", "::1"}, "ssh:me@[::1]:22/srv": {"-p", "22", "me@::1"}, "ssh:[::1]/srv": {"ServerAliveCountMax=3", "::1"}, "ssh:web1:22": {"-p", "22", "web1"}} {
		target, err := ParseTarget(text, nil)
		require.NoError(t, err)
		require.Equal(t, want, target.argv[len(target.argv)-len(want):], text)
	}
}
