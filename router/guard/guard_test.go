package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	_ "github.com/agentbash/agentbash/router/incall" // what calls from inside bash where the system has no smaller program
	"github.com/agentbash/agentbash/router/policy"
)

// bench is a router with a guard in a directory of its own.
type bench struct {
	t   *testing.T
	dir string
	g   *Guard
	r   *router.Router
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	reg := registry.New()
	commands, err := agentbash.New(&agentbash.Options{Files: files.Options{StateDir: filepath.Join(b.dir, ".state")}, Shells: shells.Options{StateDir: filepath.Join(b.dir, ".shells")}})
	require.NoError(t, err)
	require.NoError(t, reg.Register(commands.Tools()...))
	t.Cleanup(func() { require.NoError(t, commands.Close()) })
	o.World.Home, o.World.Roots = "/nonexistent", []string{b.dir}
	if o.World.Holds == (policy.Holds{}) {
		o.World.Holds.Read = true
	}
	b.g = New(&o)
	b.r, err = router.New(reg, &router.Options{Dir: b.dir, Guard: b.g})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.r.Close()) })
	return b
}

func (b *bench) run(command string) router.Result {
	b.t.Helper()
	return b.r.Run(context.Background(), command, nil)
}

func (b *bench) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.dir, name))
	return err == nil
}

// answers is an Approver that says what it was given, and remembers who asked.
type answers struct {
	mu    sync.Mutex
	say   func(*Entry) (Approval, error)
	asked []*Entry
}

func (a *answers) Approve(_ context.Context, e *Entry) (Approval, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, e)
	return a.say(e)
}

func yes(*Entry) (Approval, error) { return Approval{Yes: true}, nil }

// TestBoundToFail: a call that cannot succeed fails before anybody is asked about it,
// unless a rule is what asks.
func TestBoundToFail(t *testing.T) {
	a := &answers{say: yes}
	b := newBench(t, Options{Mode: policy.AskMode, Approver: a})
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "f.txt"), []byte("one\n"), 0o644))
	for command, says := range map[string]string{
		"edit f.txt two three":                  "edit: ",
		"write f.txt --content x --create_only": "f.txt exists",
		"undo f.txt":                            "undo: ",
	} {
		res := b.run(command)
		require.Equal(t, 1, res.ExitCode, res.Output)
		require.Contains(t, res.Output, says)
		require.Nil(t, res.Denied)
		require.Empty(t, a.asked, "%s", command)
	}
	require.Zero(t, b.run("edit f.txt one two").ExitCode)
	require.Len(t, a.asked, 1)
	data, err := os.ReadFile(filepath.Join(b.dir, "f.txt"))
	require.NoError(t, err)
	require.Equal(t, "two\n", string(data))

	rules, err := policy.ParseRules("rules", []byte(`["ask write f.txt"]`), false)
	require.NoError(t, err)
	b.g.AddRules(rules)
	require.Equal(t, 1, b.run("edit f.txt nosuch three").ExitCode)
	require.Len(t, a.asked, 2)
}

func TestModes(t *testing.T) {
	for _, row := range []struct {
		name    string
		mode    policy.Mode
		said    bool
		command string
		status  int
		made    bool
	}{
		{"plan reads", policy.PlanMode, false, "ls", 0, false},
		{"plan writes", policy.PlanMode, false, "touch made", 126, false},
		{"plan, a tool in process", policy.PlanMode, false, "agent:write made x", 126, false},
		{"plan, a tool in bash", policy.PlanMode, false, "true; agent:write made x", 126, false},
		{"plan, a name put together", policy.PlanMode, false, "n=agent:write; $n made x", 126, false},
		{"ask", policy.AskMode, false, "touch made", 126, false},
		{"the zero mode is ask", "", false, "touch made", 126, false},
		{"full", policy.FullMode, false, "touch made", 0, true},
		{"full asks nothing", policy.FullMode, false, "touch made; rm -rf ../x", 0, true},
		{"said", policy.FullMode, true, "touch made; rm -rf x", 0, true},
		{"said and blocked", policy.FullMode, true, "touch made; rm -rf /", 126, false},
		{"a usage error is its own", policy.PlanMode, false, "agent:write", 2, false},
		{"help", policy.PlanMode, false, "agent:write --help", 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t, Options{Mode: row.mode, Said: row.said})
			res := b.run(row.command)
			require.Equal(t, row.status, res.ExitCode, res.Output)
			require.Equal(t, row.made, b.has("made"))
			require.Equal(t, row.status == 126, res.Denied != nil)
		})
	}
}

func TestDenialForPrograms(t *testing.T) {
	b := newBench(t, Options{Mode: policy.AskMode})
	var d *Denial
	require.True(t, errors.As(b.run("touch made").Denied, &d))
	require.Equal(t, Asked, d.Cause)
	require.Equal(t, policy.AskMode, d.Mode)
	require.Equal(t, []string{"write"}, d.Effects)
	require.Equal(t, []string{"writes made"}, d.Reasons)
	require.Equal(t, 126, d.ExitStatus())
}

func TestApproval(t *testing.T) {
	a := &answers{say: yes}
	b := newBench(t, Options{Approver: a})
	require.Equal(t, 0, b.run("touch made").ExitCode)
	require.Len(t, a.asked, 1)
	require.Equal(t, "touch made", a.asked[0].Plan.Raw)
	require.Equal(t, b.dir, a.asked[0].Dir)

	a.say = func(*Entry) (Approval, error) { return Approval{Reason: "use git mv"}, nil }
	res := b.run("mv made other")
	require.Equal(t, 126, res.ExitCode)
	require.Equal(t, "denied by the user, who says: use git mv", res.Error)
	require.False(t, b.has("other"))

	a.say = func(*Entry) (Approval, error) { return Approval{Yes: true}, errors.New("nobody there") }
	require.Equal(t, 126, b.run("mv made other").ExitCode)
	require.False(t, b.has("other"))
	require.Equal(t, 0, b.run("ls").ExitCode)
	require.Len(t, a.asked, 3)
}

// A yes to a line is a yes to the calls that stood in it, and to no other.
func TestCallsOfAnApprovedLine(t *testing.T) {
	for _, row := range []struct {
		name, command string
		asked         int
		made          bool
	}{
		{"as it stood", "true; agent:write made x", 1, true},
		{"a word that was not known", `f=$(cat name); agent:write "$f" x`, 1, true},
		{"in a child bash", `bash -c "agent:write made x"`, 1, true},
		{"another tool than was seen", `$(cat tool) made x`, 2, true},
		{"nobody said yes to a line that may run", `$(cat look)`, 2, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := &answers{say: yes}
			b := newBench(t, Options{Approver: a})
			for name, text := range map[string]string{"name": "made", "tool": "agent:write", "look": "agent:write made x"} {
				require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
			}
			res := b.run(row.command)
			require.Equal(t, 0, res.ExitCode, res.Output)
			require.Equal(t, row.made, b.has("made"))
			require.Len(t, a.asked, row.asked, "%v", a.asked)
		})
	}
}

// In auto a call whose words were not known is not what a line was asked about for: it
// is decided when it comes.
func TestCallsThatWereNotAskedAbout(t *testing.T) {
	for name, asked := range map[string]int{"made": 1, "../outside": 2} {
		a := &answers{say: yes}
		b := newBench(t, Options{Mode: policy.AutoMode, Approver: a, World: policy.World{Holds: policy.Holds{Read: true, Workspace: true}}})
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, "name"), []byte(name), 0o600))
		res := b.run(`rm -rf ../nothing; f=$(cat name); agent:write "$f" x`)
		require.Equal(t, 0, res.ExitCode, res.Output)
		require.True(t, b.has(name))
		require.Len(t, a.asked, asked, name)
	}
}

// A yes ends with its line.
func TestApprovalEndsWithTheLine(t *testing.T) {
	a := &answers{say: yes}
	b := newBench(t, Options{Approver: a})
	require.Equal(t, 0, b.run("agent:write made x; agent:write made y").ExitCode)
	require.Len(t, a.asked, 1)
	a.say = func(*Entry) (Approval, error) { return Approval{}, nil }
	require.Equal(t, 126, b.run("agent:write other x").ExitCode)
	require.Equal(t, 126, b.run("true; agent:write other x").ExitCode)
	require.False(t, b.has("other"))
}

// What earlier commands left in the shell counts.
func TestFollowsTheShell(t *testing.T) {
	b := newBench(t, Options{Mode: policy.PlanMode})
	require.Equal(t, 0, b.run("cmd=touch; alias look='touch made'; f() { touch made; }").ExitCode)
	require.Equal(t, 126, b.run("$cmd made").ExitCode)
	require.Equal(t, 126, b.run("f").ExitCode)
	require.Equal(t, 0, b.run("cmd=ls").ExitCode)
	require.Equal(t, 0, b.run("$cmd").ExitCode)
	require.False(t, b.has("made"))
}

// A command that stopped half way may have left what was there before.
func TestHalfACommand(t *testing.T) {
	b := newBench(t, Options{Mode: policy.PlanMode})
	require.Equal(t, 0, b.run("cmd=touch").ExitCode)
	require.NotEqual(t, 0, b.run("ls ${nothing:?not set}; cmd=ls").ExitCode)
	require.Equal(t, 126, b.run("$cmd made").ExitCode)
	require.False(t, b.has("made"))
}

func TestSetMode(t *testing.T) {
	b := newBench(t, Options{Mode: policy.FullMode, Said: true})
	require.Equal(t, 0, b.run("touch made").ExitCode)
	b.g.SetMode(policy.PlanMode)
	require.Equal(t, policy.PlanMode, b.g.Mode())
	require.Equal(t, 126, b.run("touch other").ExitCode)
}

func TestBudgets(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBench(t, Options{Mode: policy.FullMode, Turn: Budget{Calls: 2, Output: 100}, Session: Budget{Calls: 5, Time: time.Minute}, Settings: registry.Settings{TurnLimit: "limits", SessionLimit: "limits.session"}, Now: func() time.Time { return now }})
	require.Equal(t, 0, b.run("true").ExitCode)
	require.Equal(t, 126, b.run("true; agent:glob '*'; agent:glob '*'").ExitCode)
	res := b.run("true")
	require.Equal(t, 126, res.ExitCode)
	require.Contains(t, res.Error, "this turn has had its 2 calls (limits.calls)")
	b.g.BeginTurn()
	require.Equal(t, 0, b.run("printf %200s x").ExitCode)
	require.Contains(t, b.run("true").Error, "have written 200 bytes, and 100 are its limit (limits.output)")
	b.g.BeginTurn()
	require.Equal(t, 0, b.run("true").ExitCode)
	now = now.Add(time.Minute)
	require.Contains(t, b.run("true").Error, "this session has had its 60 seconds (limits.session.time)")
	now = now.Add(-time.Minute)
	require.Equal(t, 0, b.run("true").ExitCode)
	b.g.BeginTurn()
	require.Contains(t, b.run("true").Error, "this session has had its 5 calls (limits.session.calls)")
}

func TestTheBudgetsOfAParentCount(t *testing.T) {
	snapshots := 0
	parent := newBench(t, Options{Mode: policy.FullMode, Turn: Budget{Calls: 3}, BeforeWrite: func(context.Context) { snapshots++ }, Settings: registry.Settings{TurnLimit: "limits"}})
	child := newBench(t, Options{Mode: policy.FullMode, Parent: parent.g})
	require.Equal(t, 0, child.run("touch x").ExitCode)
	require.Equal(t, 1, snapshots, "the turn is the parent's")
	require.Equal(t, 0, parent.run("touch x").ExitCode)
	require.Equal(t, 1, snapshots)
	require.Equal(t, 0, child.run("true").ExitCode)
	for _, b := range []*bench{parent, child} {
		require.Contains(t, b.run("true").Error, "this turn has had its 3 calls")
	}
	parent.g.BeginTurn()
	require.Equal(t, 0, child.run("true").ExitCode)
}

// log is a Recorder that keeps what it is told.
type log struct {
	mu   sync.Mutex
	fail error
	got  []*Entry
	ends []int
}

func (l *log) Intent(e *Entry) (func(router.Outcome), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return nil, l.fail
	}
	l.got = append(l.got, e)
	return func(o router.Outcome) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ends = append(l.ends, o.ExitCode)
	}, nil
}

func TestRecords(t *testing.T) {
	l := &log{}
	b := newBench(t, Options{Mode: policy.PlanMode, Recorder: l})
	b.run("(exit 7)")
	b.run("touch made")
	b.run("printf '*' | xargs agent:glob")
	require.Len(t, l.got, 4)
	require.Equal(t, []int{7, 0, 0}, l.ends)
	require.NotNil(t, l.got[1].Denied)
	require.True(t, l.got[3].Plan.Inside)
	require.Equal(t, "glob", l.got[3].Plan.Name)

	l.fail = errors.New("write audit.jsonl: no space left on device")
	res := b.run("ls")
	require.Equal(t, 126, res.ExitCode)
	require.Equal(t, "not run: write audit.jsonl: no space left on device: nothing runs without its record in the audit log", res.Error)
}

// TestWhatRanOfARefusedLine: a text is refused as a whole; a call in one that runs
// says nothing about the rest.
func TestWhatRanOfARefusedLine(t *testing.T) {
	a := &answers{say: func(*Entry) (Approval, error) { return Approval{Reason: "not this one"}, nil }}
	b := newBench(t, Options{Approver: a})
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "made"), nil, 0o644))
	res := b.run("echo one; mv made other")
	require.Equal(t, "denied by the user, who says: not this one (nothing of this line ran)", res.Error)
	require.Empty(t, res.Stdout)

	a.say = func(e *Entry) (Approval, error) { return Approval{Yes: !e.Plan.Inside, Reason: "not this one"}, nil }
	require.Equal(t, 0, b.run("echo 'agent:write --file_path new --content x' > s.sh").ExitCode)
	res = b.run("echo one; bash s.sh; echo two")
	require.Equal(t, "one\ntwo\n", res.Stdout)
	require.Equal(t, "denied by the user, who says: not this one\n", res.Stderr, "the line around it goes on")
	res = b.run("find made -exec write --file_path new --content x \\; -exec bash -c 'write --file_path more --content x' \\;")
	require.Equal(t, 0, res.ExitCode, "%s", res.Output)
	require.True(t, b.has("new") && b.has("more"), "a yes to a line is one to the calls in it")
	for i, pattern := range []string{"a[1]b", "a*b", "a?b", "*", "[!x]"} {
		name := "pattern" + strconv.Itoa(i)
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte(pattern+"\n"), 0o644))
		res = b.run("edit " + name + " " + pattern + " c --strict | cat")
		require.Contains(t, res.Stdout, "+c", "%s: a pattern in it is what it says: %s", pattern, res.Output)
	}
}

// Commands and questions from many sides at once.
func TestConcurrent(t *testing.T) {
	a := &answers{say: yes}
	b := newBench(t, Options{Approver: a, Recorder: &log{}})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if i%2 == 0 {
				require.Equal(t, 0, b.run("for i in 1 2 3; do agent:write f$i x; done").ExitCode)
			} else {
				require.Equal(t, 0, b.run("agent:glob '*'").ExitCode)
			}
			b.g.BeginTurn()
			b.g.Mode()
		})
	}
	wg.Wait()
	require.Len(t, a.asked, 4)
}

// Of two lines that are sent at once, the second is judged when the first has run.
func TestJudgedWhenItsTurnComes(t *testing.T) {
	b := newBench(t, Options{Mode: policy.PlanMode})
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "d"), 0o700))
	var seen []string
	b.g.opts.Recorder = recorderFunc(func(e *Entry) { seen = append(seen, e.Dir) })
	var wg sync.WaitGroup
	started := make(chan struct{})
	wg.Go(func() { close(started); b.run("cd d; ls") })
	<-started
	wg.Go(func() { b.run("cd d; ls") })
	wg.Wait()
	require.ElementsMatch(t, []string{b.dir, filepath.Join(b.dir, "d")}, seen)
}

type recorderFunc func(*Entry)

func (f recorderFunc) Intent(e *Entry) (func(router.Outcome), error) { f(e); return nil, nil }
