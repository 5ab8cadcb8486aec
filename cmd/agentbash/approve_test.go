package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// TestApprovalChoices: a plain yes is offered only where it can do the work, and
// outside only where something would hold it, with what it means.
func TestApprovalChoices(t *testing.T) {
	holds := policy.Holds{Read: true, Workspace: true, Hosts: true}
	const free = "outside runs it free: nothing holds it, so it has all your files, the network and your keys"
	for _, row := range []struct {
		line  string
		mode  policy.Mode
		holds policy.Holds
		keys  string
		says  string
	}{
		{"make", policy.AskMode, holds, "y s a o O n b", "yes runs it in the workspace profile: it writes the workspace, and connects to the hosts that are allowed\n" + free},
		{"frobnicate", policy.AskMode, holds, "y o n b", free},
		{"docker ps", policy.AskMode, holds, "o O n b", free + "\na rule that would allow it:\n  allow docker ps ...\n"},
		{"sudo ls", policy.AutoMode, holds, "o n b", free},
		{"git reset --hard", policy.AutoMode, holds, "y o n b", free},
		{"git reset --hard", policy.FullMode, holds, "y n b", ""},
		{"make", policy.AskMode, policy.Holds{Read: true}, "y s a n b", ""},
	} {
		w := &policy.World{Dir: "/ws", Home: "/home/u", Roots: []string{"/ws"}, Holds: row.holds}
		p := router.PlanNative(row.line)
		e := &guard.Entry{Plan: p, Dir: "/ws", Verdict: policy.Judge(p, w)}
		e.Decision = policy.Decide(row.mode, nil, &e.Verdict, w)
		q := approvalQuestion(e, "", "")
		require.Equal(t, row.keys, keysOf(q), row.line)
		require.Contains(t, q.Text, row.says, row.line)
		if row.says == "" {
			require.NotContains(t, q.Text, "runs it", row.line)
		}
	}
	there := &guard.Entry{Plan: router.PlanNative("make"), Dir: "/a\nin /b on web2", Target: "web1"}
	require.NotContains(t, approvalQuestion(there, "", "").Text, "\nin /b on web2", "a directory of another machine is one line")
	q := hostQuestion(&guard.Entry{Plan: router.PlanNative("npm ci"), Dir: "/ws", Host: "x.example:443"}, "")
	require.Equal(t, "y s a n b", keysOf(q))
	require.Contains(t, q.Text, "npm ci\n")
	require.Equal(t, "x.example:443", q.Text[q.Mark[0].From:q.Mark[0].To])
	require.Contains(t, q.Choices[2].Label, "add x.example to network.allow")
}

func keysOf(q *term.Question) (keys string) {
	for i, c := range q.Choices {
		if i > 0 {
			keys += " "
		}
		keys += c.Key
	}
	return keys
}

// TestKeepRules: what runs outside is saved in the form that says so.
func TestKeepRules(t *testing.T) {
	w := &configuredBash{cfg: &config.Result{Dirs: config.Dirs{Config: t.TempDir()}}}
	for _, outside := range []bool{false, true} {
		rules, err := approver{w}.keepRules([]string{"allow 'a && b' ..."}, outside, true)
		require.NoError(t, err)
		require.Len(t, rules, 1)
	}
	data, err := os.ReadFile(w.cfg.Dirs.UserFile())
	require.NoError(t, err)
	require.Equal(t, `{
  "rules": [
    "allow 'a && b' ...",
    {
      "rule": "allow 'a && b' ...",
      "outside": true
    }
  ]
}
`, string(data))
	rules, err := approver{w}.keepRules([]string{"allow x"}, true, false)
	require.NoError(t, err)
	require.Len(t, rules, 1)
}
