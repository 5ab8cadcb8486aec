package guard

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router/policy"
)

// What reads costs a turn nothing; before the first thing that may write, once.
func TestBeforeWrite(t *testing.T) {
	for _, row := range []struct {
		mode     policy.Mode
		holds    policy.Holds
		commands []string
		want     int
	}{
		{policy.FullMode, policy.Holds{}, []string{"ls", "cat f | head -3", "read ./f", "grep --pattern x", "undo --list", "write a --content x --dry_run", "cd ."}, 0},
		{policy.FullMode, policy.Holds{}, []string{"ls", "touch a", "touch b; rm a"}, 1},
		{policy.FullMode, policy.Holds{}, []string{"write a --content x", "touch b"}, 1},
		{policy.FullMode, policy.Holds{}, []string{"for f in a b c; do write $f --content x; done"}, 1},
		{policy.FullMode, policy.Holds{}, []string{"make"}, 1},
		{policy.FullMode, policy.Holds{}, []string{"$X a"}, 1},
		{policy.PlanMode, policy.Holds{Read: true}, []string{"touch a", "ls", "write a --content x", "$(echo touch) a"}, 0},
		{policy.AskMode, policy.Holds{Read: true}, []string{"touch a", "ls"}, 0}, // nobody says yes to it
		{policy.AutoMode, policy.Holds{Read: true, Workspace: true}, []string{"ls", "cat f"}, 0},
		{policy.AutoMode, policy.Holds{Read: true, Workspace: true}, []string{"ls > f"}, 1},
	} {
		calls, b := 0, (*bench)(nil)
		b = newBench(t, Options{Mode: row.mode, World: policy.World{Holds: row.holds}, BeforeWrite: func(context.Context) {
			calls++
			require.False(t, b.has("a"), "it is called before")
		}})
		for range 2 {
			b.g.BeginTurn()
			for _, c := range row.commands {
				b.run(c)
			}
			b.g.opts.BeforeWrite = func(context.Context) { calls++ } // in the second turn the files are there
		}
		require.Equal(t, 2*row.want, calls, "%s: %q", row.mode, row.commands)
		b.g.BeginTurn()
		b.r.Run(Said(t.Context()), "touch a", nil)
		require.Equal(t, 2*row.want, calls, "what a person types among them")
	}
}

// One that was stopped is no reason to leave it out.
func TestBeforeWriteThatWasStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	b := newBench(t, Options{Mode: policy.FullMode, BeforeWrite: func(context.Context) { calls++; cancel() }})
	b.g.BeginTurn()
	b.r.Run(ctx, "touch a", nil)
	require.Equal(t, 1, calls)
	b.run("touch b")
	require.Equal(t, 2, calls)
	b.run("touch c")
	require.Equal(t, 2, calls)
}
