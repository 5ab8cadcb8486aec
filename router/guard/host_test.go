package guard

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// heldWorld is of a machine whose kernel can hold everything.
func heldWorld() policy.World {
	return policy.World{Holds: policy.Holds{Read: true, Workspace: true, Hosts: true}, Host: func(address string) policy.Answer {
		return map[string]policy.Answer{"good.example:443": policy.Allow, "bad.example:443": policy.Deny}[address]
	}}
}

// begin asks the guard about a command line that is not run.
func (b *bench) begin(command string) (router.Grant, error) {
	return b.g.Begin(context.Background(), &router.Action{Plan: b.r.Plan(command), Dir: b.dir})
}

// TestGrants: what an action is given, by the mode and by what a person says.
func TestGrants(t *testing.T) {
	outside := func(*Entry) (Approval, error) { return Approval{Yes: true, Outside: true}, nil }
	for _, row := range []struct {
		name    string
		mode    policy.Mode
		said    bool
		say     func(*Entry) (Approval, error)
		command string
		want    router.Profile
		hosts   []string
	}{
		{"ask reads", policy.AskMode, false, nil, "cat a", router.ReadProfile, nil},
		{"ask, yes", policy.AskMode, false, yes, "make", router.WorkspaceProfile, nil},
		{"ask, outside", policy.AskMode, false, outside, "make", router.FreeProfile, nil},
		{"ask, a host", policy.AskMode, false, yes, "curl https://x.example", router.WorkspaceProfile, []string{"x.example:443"}},
		{"ask, only outside", policy.AskMode, false, yes, "docker ps", router.FreeProfile, nil},
		{"auto", policy.AutoMode, false, nil, "make", router.WorkspaceProfile, nil},
		{"auto, an allowed host", policy.AutoMode, false, nil, "curl https://good.example", router.WorkspaceProfile, []string{"good.example:443"}},
		{"auto, yes to a danger", policy.AutoMode, false, yes, "git reset --hard", router.WorkspaceProfile, nil},
		{"plan reads", policy.PlanMode, false, nil, "cat a", router.ReadProfile, nil},
		{"plan has no outside", policy.PlanMode, false, outside, "web_fetch https://x.example/", router.ReadProfile, []string{"x.example:443"}},
		{"full", policy.FullMode, false, nil, "make", router.FreeProfile, nil},
		{"said", policy.AutoMode, true, nil, "make", router.FreeProfile, nil},
	} {
		o := Options{Mode: row.mode, Said: row.said, World: heldWorld()}
		if row.say != nil {
			o.Approver = &answers{say: row.say}
		}
		grant, err := newBench(t, o).begin(row.command)
		require.NoError(t, err, row.name)
		require.Equal(t, row.want, grant.Profile, row.name)
		require.Equal(t, row.hosts, grant.Hosts, row.name)
	}
}

// TestRefusals: who refused, as other programs read it.
func TestRefusals(t *testing.T) {
	rules, err := policy.ParseRules("rules.json", []byte(`["deny cat x", "ask cat y"]`), false)
	require.NoError(t, err)
	no := &answers{say: func(*Entry) (Approval, error) { return Approval{}, nil }}
	for _, row := range []struct {
		mode     policy.Mode
		approver Approver
		command  string
		want     router.Refusal
	}{
		{policy.PlanMode, nil, "touch a", router.Refusal{By: "mode"}},
		{policy.AskMode, nil, "touch a", router.Refusal{By: "nobody", Profile: router.WorkspaceProfile}},
		{policy.AskMode, nil, "docker ps", router.Refusal{By: "nobody", Profile: router.FreeProfile}},
		{policy.AskMode, no, "touch a", router.Refusal{By: "user", Profile: router.WorkspaceProfile}},
		{policy.AskMode, nil, "cat x", router.Refusal{By: "rule", Rule: "deny cat x"}},
		{policy.AskMode, nil, "cat y", router.Refusal{By: "nobody", Rule: "ask cat y", Profile: router.ReadProfile}},
		{policy.AutoMode, nil, "rm -rf /", router.Refusal{By: "danger"}},
		{policy.AutoMode, nil, "curl https://bad.example", router.Refusal{By: "mode", Host: "bad.example:443"}},
	} {
		b := newBench(t, Options{Mode: row.mode, Approver: row.approver, Rules: []*policy.Rules{rules}, World: heldWorld()})
		res := b.run(row.command)
		require.Equal(t, 126, res.ExitCode)
		require.Equal(t, &row.want, res.Refusal, "%s: %s", row.command, res.Error)
	}
	b := newBench(t, Options{Mode: policy.FullMode, Turn: Budget{Calls: 1}})
	b.run("true")
	require.Equal(t, &router.Refusal{By: "limit"}, b.run("true").Refusal)
	b = newBench(t, Options{Mode: policy.AutoMode, World: heldWorld(), Settings: registry.Settings{Hosts: `write {"network": {"allow": ["HOST"]}}`}})
	require.Contains(t, b.run("curl https://x.example/a").Error, `connects to x.example:443: go on with what needs no yes, and leave this to the user, who may allow it: write {"network": {"allow": ["x.example"]}}`)
	require.Contains(t, b.run("docker ps").Error, "with a rule that lets it run outside, or in mode full")
}

// TestAskHost: a connection that nobody foresaw is asked about while the command
// runs, once for a command line, or once for the session.
func TestAskHost(t *testing.T) {
	var say Approval
	a := &answers{say: func(e *Entry) (Approval, error) { return say, nil }}
	l := &log{}
	b := newBench(t, Options{Mode: policy.AutoMode, Approver: a, Recorder: l, World: heldWorld()})
	ask := func(host string, port int) bool {
		t.Helper()
		ok, err := b.g.AskHost(context.Background(), host, port)
		require.NoError(t, err)
		return ok
	}
	start := func() {
		t.Helper()
		_, err := b.begin("npm ci")
		require.NoError(t, err)
	}
	start()
	require.False(t, ask("no.example", 443))
	require.False(t, ask("no.example", 443))
	require.Len(t, a.asked, 1, "an answer counts for the command line")
	require.Equal(t, "no.example:443", a.asked[0].Host)
	require.Equal(t, "npm ci", a.asked[0].Plan.Raw)
	require.Equal(t, b.dir, a.asked[0].Dir)
	require.Equal(t, Refused, l.got[1].Denied.Cause)
	require.Equal(t, &router.Refusal{By: "user", Host: "no.example:443", Profile: router.WorkspaceProfile}, l.got[1].Denied.Refusal())

	say = Approval{Yes: true}
	require.True(t, ask("yes.example", 443))
	start()
	require.True(t, ask("yes.example", 443))
	require.Len(t, a.asked, 3)
	say.Session = true
	require.True(t, ask("ever.example", 8443))
	require.False(t, b.g.hostAnswer("ever.example:443") == policy.Allow)
	start()
	require.True(t, ask("ever.example", 8443))
	require.Len(t, a.asked, 4)
	_, err := b.begin("curl https://ever.example:8443/x")
	require.NoError(t, err)
	require.Len(t, a.asked, 4, "the session's yes counts for what is typed too")

	require.True(t, ask("good.example", 443))
	require.False(t, ask("bad.example", 443))
	require.Len(t, a.asked, 4)

	l.fail = errors.New("no space left on device")
	ok, err := b.g.AskHost(context.Background(), "other.example", 443)
	require.ErrorContains(t, err, "no space left")
	require.False(t, ok, "nothing without its record")
}

// TestAskHostWithoutAPerson: the mode decides where nobody is asked.
func TestAskHostWithoutAPerson(t *testing.T) {
	for mode, want := range map[policy.Mode]bool{policy.PlanMode: false, policy.AskMode: false, policy.AutoMode: false, policy.FullMode: true} {
		b := newBench(t, Options{Mode: mode, World: heldWorld()})
		ok, err := b.g.AskHost(context.Background(), "x.example", 443)
		require.NoError(t, err)
		require.Equal(t, want, ok, mode)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := newBench(t, Options{Mode: policy.AutoMode, World: heldWorld(), Approver: &answers{say: func(*Entry) (Approval, error) {
		cancel()
		return Approval{}, ctx.Err()
	}}})
	ok, err := b.g.AskHost(ctx, "x.example", 443)
	require.NoError(t, err)
	require.False(t, ok)
	_, err = b.g.AskHost(ctx, "x.example", 443)
	require.ErrorIs(t, err, context.Canceled)
}

// TestAskHostAtOnce: connections of one command share a question.
func TestAskHostAtOnce(t *testing.T) {
	a := &answers{say: yes}
	b := newBench(t, Options{Mode: policy.AutoMode, Approver: a, Recorder: &log{}, World: heldWorld()})
	_, err := b.begin("npm ci")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ok, err := b.g.AskHost(context.Background(), "x.example", 443)
			require.NoError(t, err)
			require.True(t, ok)
		})
	}
	wg.Wait()
	require.Len(t, a.asked, 1)
}

// A denial names the host that nobody allowed, and what would allow it.
func TestDenialNamesTheHost(t *testing.T) {
	b := newBench(t, Options{Mode: policy.AutoMode, World: heldWorld(), Settings: registry.Settings{Hosts: "allow HOST"}})
	_, err := b.begin("curl https://good.example https://x.example")
	var d *Denial
	require.True(t, errors.As(err, &d))
	require.Equal(t, &router.Refusal{By: "nobody", Host: "x.example:443", Profile: router.WorkspaceProfile}, d.Refusal())
	require.ErrorContains(t, err, "allow x.example")
}
