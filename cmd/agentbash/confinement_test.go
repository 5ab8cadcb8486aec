//go:build linux

package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session/sandbox"
)

// TestEnter changes the mode of a session that goes on.
func TestEnter(t *testing.T) {
	if k := sandbox.Kernel(); k.Landlock < 6 {
		t.Skipf("SKIP: this kernel cannot confine enough: Landlock version %d %s", k.Landlock, k.Why)
	}
	p := newConfinedSetup(t)
	b := p.newBash(policy.AutoMode)
	ctx := context.Background()
	run := func(text string) string {
		res := b.Router().Run(ctx, text, nil)
		return res.Stdout + res.Stderr
	}
	require.Empty(t, run("mkdir d"))
	require.Empty(t, run("cd d"))
	require.Empty(t, run("x=5"))
	for _, step := range []struct {
		mode              policy.Mode
		confined, outside string
	}{
		{policy.PlanMode, "1", "denied"}, {policy.AutoMode, "1", "denied|No such file"}, {policy.AskMode, "1", "denied"},
		{policy.FullMode, "0", ""}, {policy.PlanMode, "1", "denied"},
	} {
		missing, err := b.SetMode(ctx, step.mode)
		require.NoError(t, err)
		require.Empty(t, missing)
		require.Equal(t, step.mode, b.Guard().Mode())
		require.Equal(t, p.ws+"/d\n5\nNoNewPrivs:\t"+step.confined+"\n", run(`pwd; echo "$x"; grep NoNewPrivs /proc/self/status`), step.mode)
		if step.outside == "" {
			require.Empty(t, run(p.text.Replace("echo mine >OUT/f")))
		} else {
			require.Regexp(t, step.outside, run(p.text.Replace("echo mine >OUT/f")), step.mode)
		}
	}
	data, err := os.ReadFile(p.out + "/f")
	require.NoError(t, err)
	require.Equal(t, "mine\n", string(data), "only mode full wrote")
	require.Equal(t, "\n", run("printf '%s\\n' \"$MY_TOKEN\""))

	require.NoError(t, b.TrustSender(ctx))
	require.Equal(t, secretText+"\n", run("printf '%s\\n' \"$MY_TOKEN\""), "a person has their own environment")
}
