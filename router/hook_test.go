package router

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// journal writes down what hooks are asked.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// hook writes down both occasions of a hook.
func (j *journal) hook(name string, match ...string) Hook {
	return Hook{Name: name, Match: match,
		Before: func(_ context.Context, c *HookCall) error {
			in, err := json.Marshal(c.Input)
			j.add("%s before %s %s", name, c.Name, in)
			return err
		},
		After: func(_ context.Context, c *HookCall, o *HookOutput) error {
			j.add("%s after %s %d %q", name, c.Name, o.ExitCode, o.Stdout)
			return nil
		}}
}

func withHooks(t *testing.T, hooks ...Hook) *Router {
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	r, err := New(reg, &Options{Dir: t.TempDir(), StateDir: t.TempDir(), Hooks: hooks})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "f"), []byte("one\n"), 0o644))
	return r
}

func before(name string, f func(*HookCall) error, match ...string) Hook {
	return Hook{Name: name, Match: match, Before: func(_ context.Context, c *HookCall) error { return f(c) }}
}

func after(name string, f func(*HookOutput) error, match ...string) Hook {
	return Hook{Name: name, Match: match, After: func(_ context.Context, _ *HookCall, o *HookOutput) error { return f(o) }}
}

func TestHooksSeeEveryCallInTheirOrder(t *testing.T) {
	var j journal
	r := withHooks(t, j.hook("a"), j.hook("b", "read", "field:*"), j.hook("c", "bash"))
	for _, row := range []struct {
		command string
		want    []string
	}{
		{"read ./f", []string{`a before read {"file_path":"./f"}`, `b before read {"file_path":"./f"}`, `a after read 0 "one\n"`, `b after read 0 "one\n"`}},
		{"echo x; exit_=3; false", []string{`a before bash {"command":"echo x; exit_=3; false"}`, `c before bash {"command":"echo x; exit_=3; false"}`,
			`a after bash 1 "x\n"`, `c after bash 1 "x\n"`}},
		{"read ./f | cat", []string{`a before bash {"command":"read ./f | cat"}`, `c before bash {"command":"read ./f | cat"}`,
			`a before read {"file_path":"./f"}`, `b before read {"file_path":"./f"}`, `a after read 0 "one\n"`, `b after read 0 "one\n"`,
			`a after bash 0 "one\n"`, `c after bash 0 "one\n"`}},
		{"read ./f --limit=2", []string{`a before read {"file_path":"./f","limit":2}`, `b before read {"file_path":"./f","limit":2}`, `a after read 0 "one\n"`, `b after read 0 "one\n"`}},
		{"read --help", nil},
		{"read --nope ./f", nil},
		{"field:", nil},
	} {
		run(t, r, row.command)
		require.Equal(t, row.want, j.take(), row.command)
	}
}

func TestAHookChangesTheInput(t *testing.T) {
	r := withHooks(t,
		before("one", func(c *HookCall) error { c.Input["file_path"] = "./g"; return nil }, "read"),
		before("two", func(c *HookCall) error {
			if c.Input["file_path"] != "./g" {
				return errors.New("it does not see what one did")
			}
			c.Input["limit"] = 5
			return nil
		}, "read"),
		before("cd", func(c *HookCall) error {
			c.Input["command"] = strings.ReplaceAll(c.Input["command"].(string), "secret", "public")
			return nil
		}, "bash"),
		before("bad", func(c *HookCall) error { c.Input["offset"] = "x"; return nil }, "grep"))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "g"), []byte("it's g\n"), 0o644))
	require.Equal(t, "it's g\n", run(t, r, "read ./f").Stdout)
	require.Equal(t, "it's g\n", run(t, r, "read ./f | cat").Stdout)
	require.Equal(t, "public\n", run(t, r, "echo secret").Stdout)
	require.Equal(t, "read ./f", run(t, r, "read ./f").Command)
	res := run(t, r, "grep --pattern x")
	require.Equal(t, 2, res.ExitCode, "what a hook gives is checked like what is typed")
	require.Contains(t, res.Stderr, "offset")
}

func TestABashHookMayMakeAToolsCallOfIt(t *testing.T) {
	var j journal
	r := withHooks(t, before("cat", func(c *HookCall) error {
		if file, ok := strings.CutPrefix(c.Input["command"].(string), "cat "); ok {
			c.Input["command"] = "read ./" + file
		}
		return nil
	}, "bash"), j.hook("j", "read"))
	require.Equal(t, "one\n", run(t, r, "cat f").Stdout)
	require.Equal(t, []string{`j before read {"file_path":"./f"}`, `j after read 0 "one\n"`}, j.take())
}

func TestAHookRefuses(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	var ran atomic.Bool
	for name, hook := range map[string]Hook{
		"not on my watch":                   before("h", func(*HookCall) error { return errors.New("not on my watch") }),
		"it crashed: boom":                  before("h", func(*HookCall) error { panic("boom") }),
		"it did not answer within 0.05s":    {Name: "h", Timeout: 50 * time.Millisecond, Before: func(context.Context, *HookCall) error { <-never; return nil }},
		"it did not answer within 0.051s":   {Name: "h", Timeout: 51 * time.Millisecond, Before: func(ctx context.Context, _ *HookCall) error { <-ctx.Done(); return ctx.Err() }},
		"gave it an input that is no JSON":  before("h", func(c *HookCall) error { c.Input["limit"] = func() {}; return nil }, "read"),
		`another input than {"command": te`: before("h", func(c *HookCall) error { delete(c.Input, "command"); return nil }, "bash"),
	} {
		second := before("second", func(*HookCall) error { ran.Store(true); return nil })
		r := withHooks(t, hook, second)
		commands := []string{"echo hello > made", "read ./f", "echo; read ./f"}
		if hook.Match != nil {
			commands = map[string][]string{"read": {"read ./f"}, "bash": {"echo hello > made"}}[hook.Match[0]]
		}
		ran.Store(false)
		for _, command := range commands {
			res := run(t, r, command)
			require.Equal(t, 126, res.ExitCode, command)
			require.Empty(t, res.Stdout, command)
			require.Contains(t, res.Stderr, name, command)
			require.Contains(t, res.Output, name, command)
			require.Error(t, res.Denied)
		}
		require.False(t, ran.Load() && hook.Match == nil, "a hook after it was asked")
		require.NoFileExists(t, filepath.Join(r.Dir(), "made"))
	}
	r := withHooks(t, before("h", func(*HookCall) error { return errors.New("no") }, "read"))
	res := run(t, r, "read ./f || echo $?")
	require.Equal(t, "126\n", res.Stdout, "a call from inside bash")
	require.Equal(t, "read: refused by hook h: no\n", res.Stderr)
}

func TestAHookChangesTheOutput(t *testing.T) {
	r := withHooks(t,
		after("upper", func(o *HookOutput) error { o.Stdout = strings.ToUpper(o.Stdout); return nil }),
		after("more", func(o *HookOutput) error { o.Stdout += "+"; o.Stderr += "noted\n"; return nil }, "read"),
		after("late", func(o *HookOutput) error { o.Stdout = "lost"; return errors.New("no luck") }, "bash"))
	var live bytes.Buffer
	res := r.Run(context.Background(), "read ./f", &RunOptions{Stdout: &live})
	require.Equal(t, "ONE\n+", res.Stdout)
	require.Equal(t, "noted\n", res.Stderr)
	require.Equal(t, "ONE\n+", live.String())
	require.Equal(t, "ONE\n+\n[stderr]\nnoted\n", res.Output)
	live.Reset()
	res = r.Run(context.Background(), "printf a; read ./f; (exit 3)", &RunOptions{Stdout: &live})
	require.Equal(t, "AONE\n+", res.Stdout)
	require.Equal(t, "AONE\n+", live.String())
	require.Equal(t, "noted\nhook late, after bash: no luck: the output is as it was\n", res.Stderr)
	require.Equal(t, 3, res.ExitCode)
}

func TestAnUnchangedOutputIsWholeHoweverBigItIs(t *testing.T) {
	var seen atomic.Int64 // hooks are called concurrently
	r := withHooks(t, after("look", func(o *HookOutput) error { seen.Store(int64(len(o.Stdout))); return nil }))
	var live countingWriter
	res := r.Run(context.Background(), "head -c 20000000 /dev/zero | tr '\\0' x", &RunOptions{Stdout: &live})
	require.True(t, res.Truncated)
	require.EqualValues(t, 20000000, live)
	require.EqualValues(t, captureHead, seen.Load())
	require.Equal(t, "20000000\n", run(t, r, "printf %20000000d 1 > ./big; read ./big | wc -c").Stdout)
}

type countingWriter int

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

// The guard judges what will run, not what was asked for.
func TestTheGuardIsAskedAboutWhatHooksMade(t *testing.T) {
	g := &recorder{}
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	r, err := New(reg, &Options{Dir: t.TempDir(), StateDir: t.TempDir(), Guard: g, Hooks: []Hook{
		before("h", func(c *HookCall) error { c.Input["file_path"] = "./other"; return nil }, "read"),
		before("h", func(c *HookCall) error { c.Input["command"] = "true"; return nil }, "bash")}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	run(t, r, "read ./f")
	run(t, r, "rm -rf x")
	require.Equal(t, []string{"--file_path=./other", "true"}, g.seen)
}

type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (g *recorder) Begin(_ context.Context, a *Action) (Grant, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a.Plan.Words() != nil {
		g.seen = append(g.seen, strings.Join(a.Plan.Words(), " "))
	} else {
		g.seen = append(g.seen, a.Plan.Raw)
	}
	return Grant{}, nil
}
