package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

func text(t testing.TB, r *mcp.Result, err error) string {
	t.Helper()
	require.NoError(t, err)
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func TestNoiseOnStdoutIsNotFatal(t *testing.T) {
	c := open(t, fake(t, "noise"), nil)
	r, err := c.Call(t.Context(), mcp.Call{Tool: "count"})
	require.Equal(t, "1", text(t, r, err))
	_, err = c.Call(t.Context(), mcp.Call{Tool: "die"})
	require.ErrorContains(t, err, "(stdout) Starting server...", "noise is kept for errors")
	require.ErrorContains(t, err, "segmentation fault, sort of")
}

func TestDiscovery(t *testing.T) {
	for _, trait := range []string{"", "mute", "late", "crash-on-discover", "modern"} {
		t.Run("server is "+trait, func(t *testing.T) {
			patiently(t, 3*time.Second, func(t *testing.T, limit time.Duration) error {
				spec := fake(t, trait)
				spec.StartTimeout = limit // of which discovery gets a third
				spec.Command.Env = append(spec.Command.Env, "MCP_TEST_DELAY="+(limit*2/5).String())
				c := open(t, spec, nil)
				if _, err := c.Start(t.Context()); err != nil {
					return err
				}
				for range 3 {
					r, err := c.Call(t.Context(), mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"a":1}`)})
					require.Equal(t, `{"a":1}`, text(t, r, err))
				}
				return nil
			})
		})
	}
}

// TestAnInstallationHasTime: what npx does not have yet it fetches first.
func TestAnInstallationHasTime(t *testing.T) {
	dir := t.TempDir()
	spec := fake(t, "")
	fifo, npx := filepath.Join(dir, "installed"), filepath.Join(dir, "npx")
	require.NoError(t, exec.Command("mkfifo", fifo).Run())
	require.NoError(t, os.WriteFile(npx, []byte("#!/bin/sh\nread -r _ < "+fifo+"\nexec '"+spec.Command.Name+"' \"$@\"\n"), 0o700))
	spec.Command.Name = npx
	said := make(chan string, 100)
	c := open(t, spec, &mcp.Options{Log: func(format string, args ...any) { said <- fmt.Sprintf(format, args...) }})
	go func() {
		for text := range said {
			if strings.Contains(text, "may be installing the server, and has 5m0s for that") {
				os.WriteFile(fifo, []byte("yes\n"), 0)
				return
			}
		}
	}()
	r, err := c.Call(t.Context(), mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"a":1}`)})
	require.Equal(t, `{"a":1}`, text(t, r, err))
}

func TestStartErrors(t *testing.T) {
	missing := fake(t)
	missing.Command.Name = "no-such-mcp-server"
	noDir := fake(t)
	noDir.Command.Dir = "/no/such/dir"
	never := fake(t, "never")
	never.StartTimeout = 700 * time.Millisecond
	cat := fake(t)
	cat.Command.Name, cat.Command.Args = "cat", nil
	for _, row := range []struct {
		name   string
		spec   mcp.Spec
		status int
		want   []string
	}{
		{"not installed", missing, 3, []string{"no-such-mcp-server: not found on PATH", "install it, or correct"}},
		{"no directory", noDir, 3, []string{"its directory /no/such/dir does not exist"}},
		{"dies", fake(t, "die"), 3, []string{"ended before it answered (exit status 7)", "run it by hand", "Error: no API key\n  set FAKE_KEY"}},
		{"refuses to be initialized", fake(t, "refuses"), 3, []string{"start: ", "not today", "run it by hand"}},
		{"never answers", never, 124, []string{"no answer for 700ms", `raise "startTimeout"`}},
		{"echoes our requests", cat, 3, []string{"start: ", "run it by hand to see why: cat"}},
		{"no server at the url", mcp.Spec{URL: "http://127.0.0.1:1/mcp"}, 3, []string{"connection refused", "check that the server runs"}},
		{"no url", mcp.Spec{URL: "mcp.example.com"}, 3, []string{"is no http or https URL"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := open(t, row.spec, nil)
			_, err := c.Tools(t.Context())
			var e *mcp.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, row.status, e.ExitStatus())
			for _, want := range row.want {
				require.ErrorContains(t, err, want)
			}
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
}

func TestToolsListing(t *testing.T) {
	names := func(tools []mcp.Tool) (out []string) {
		for _, tool := range tools {
			out = append(out, tool.Name)
		}
		return out
	}
	ctx := t.Context()

	tools, err := open(t, fake(t, "pages"), nil).Tools(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two", "three"}, names(tools), "all pages, and a cursor that repeats ends the list")
	require.Contains(t, string(tools[0].InputSchema), `"properties":{"z":{"type":"string"},"a":{"type":"integer"}},"x-big":9007199254740993`,
		"the schema is as the server wrote it")

	tools, err = open(t, fake(t, "odd"), nil).Tools(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"bad", "good"}, names(tools), "one odd definition does not cost the others")

	tools, err = open(t, fake(t, "no-tools"), nil).Tools(ctx)
	require.NoError(t, err)
	require.Empty(t, tools)
}

func TestResultsAreKeptAsWritten(t *testing.T) {
	c := open(t, fake(t), nil)
	ctx := t.Context()

	r, err := c.Call(ctx, mcp.Call{Tool: "odd"})
	require.NoError(t, err)
	require.Equal(t, "hologram", r.Content[0].Type)
	require.JSONEq(t, `{"type":"hologram","depth":3}`, string(r.Content[0].Raw))
	require.Equal(t, "ok", r.Content[2].Text)
	require.Equal(t, `{"n":9007199254740993}`, string(r.Structured))
	require.Contains(t, string(r.Raw), `"later":true`)

	r, err = c.Call(ctx, mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"n":9007199254740993,"f":1.10}`)})
	require.Equal(t, `{"n":9007199254740993,"f":1.10}`, text(t, r, err), "numbers go out as they were written")

	r, err = c.Call(ctx, mcp.Call{Tool: "big"})
	require.Len(t, text(t, r, err), 16<<20)
}

func TestServerRefusal(t *testing.T) {
	c := open(t, fake(t), nil)
	_, err := c.Call(t.Context(), mcp.Call{Tool: "none"})
	var refused *mcp.RequestError
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, -32602, refused.Code)
	require.Equal(t, 1, refused.ExitStatus())
	require.True(t, c.Running())
}

func TestProgressExtendsTheLimit(t *testing.T) {
	patiently(t, 500*time.Millisecond, func(t *testing.T, limit time.Duration) error {
		spec := fake(t)
		spec.CallTimeout = limit // the call takes nearly twice as long, in six steps
		spec.Command.Env = append(spec.Command.Env, "MCP_TEST_DELAY="+(limit*3/10).String())
		c := open(t, spec, &mcp.Options{Log: func(format string, a ...any) {
			if line := fmt.Sprintf(format, a...); strings.Contains(line, "chatter") {
				t.Errorf("below warning: %s", line)
			}
		}})
		var notes bytes.Buffer
		r, err := c.Call(t.Context(), mcp.Call{Tool: "progress", Notes: &notes})
		if err != nil {
			return err
		}
		require.Equal(t, "done", text(t, r, err))
		require.Contains(t, notes.String(), "[progress] 1/6 step\n[progress] 2/6 step\n")
		require.Contains(t, notes.String(), "[warning] careful\n")
		require.NotContains(t, notes.String(), "chatter")
		return nil
	})
}

func TestTimeoutAndCancelLeaveTheConnection(t *testing.T) {
	spec := fake(t)
	spec.CallTimeout = 300 * time.Millisecond
	c := open(t, spec, nil)
	ctx := t.Context()
	_, err := c.Call(ctx, mcp.Call{Tool: "slow"})
	var e *mcp.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 124, e.ExitStatus())
	require.ErrorContains(t, err, "no answer and no progress for 300ms")

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = c.Call(short, mcp.Call{Tool: "slow"})
	require.ErrorAs(t, err, &e)
	require.Equal(t, 124, e.ExitStatus())

	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = c.Call(gone, mcp.Call{Tool: "slow"})
	require.ErrorAs(t, err, &e)
	require.Equal(t, 130, e.ExitStatus())

	r, err := c.Call(ctx, mcp.Call{Tool: "count"})
	for errors.As(err, &e) && e.ExitStatus() == 124 { // a slow machine needs longer for it
		r, err = c.Call(ctx, mcp.Call{Tool: "count"})
	}
	calls, err := strconv.Atoi(text(t, r, err))
	require.NoError(t, err)
	require.GreaterOrEqual(t, calls, 3, "the same process answers")
	require.Eventually(t, func() bool {
		b, _ := os.ReadFile(filepath.Join(spec.Command.Dir, "log"))
		return bytes.Contains(b, []byte("notifications/cancelled"))
	}, waitLimit, 10*time.Millisecond, "the server was told")
}

func TestDeathAndRestart(t *testing.T) {
	spec := fake(t, "log")
	c := open(t, spec, nil)
	ctx := t.Context()
	starts := func() int {
		b, _ := os.ReadFile(filepath.Join(spec.Command.Dir, "log"))
		return strings.Count(string(b), "started")
	}
	_, err := c.Call(ctx, mcp.Call{Tool: "die"})
	var e *mcp.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 3, e.ExitStatus())
	require.ErrorContains(t, err, "the server ended (exit status 9)")
	require.ErrorContains(t, err, "segmentation fault, sort of")
	require.Equal(t, 1, starts(), "a call that was sent is not sent again")

	r, err := c.Call(ctx, mcp.Call{Tool: "count"})
	require.Equal(t, "1", text(t, r, err))
	require.Equal(t, 2, starts())

	r, err = c.Call(ctx, mcp.Call{Tool: "die-once", Repeatable: true})
	require.Equal(t, "second time", text(t, r, err))
	require.Equal(t, 3, starts())
}

func TestListChangedComesOncePerBurst(t *testing.T) {
	for range 10 { // a burst takes longer on a machine that is busy
		changed := make(chan struct{}, burst)
		c := open(t, fake(t), &mcp.Options{ToolsChanged: func() { changed <- struct{}{} }})
		_, err := c.Call(t.Context(), mcp.Call{Tool: "changed"})
		require.NoError(t, err)
		<-changed
		require.NoError(t, c.Close())
		if len(changed) == 0 {
			return
		}
	}
	require.Fail(t, "told more than once of each burst")
}

func TestConcurrentCallsShareOneServer(t *testing.T) {
	spec := fake(t, "log")
	c := open(t, spec, nil)
	ctx := t.Context()
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			arg := `{"i":` + strconv.Itoa(i) + `}`
			r, err := c.Call(ctx, mcp.Call{Tool: "echo", Arguments: json.RawMessage(arg)})
			if errs[i] = err; err == nil && r.Content[0].Text != arg {
				errs[i] = errors.New("got " + r.Content[0].Text)
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	b, err := os.ReadFile(filepath.Join(spec.Command.Dir, "log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(b), "started"))
}

func TestCloseEndsStubbornServersAndTheirChildren(t *testing.T) {
	c := mcp.NewClient(fake(t, "stubborn", "child"), nil)
	_, err := c.Call(t.Context(), mcp.Call{Tool: "count"})
	require.NoError(t, err)
	busy := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), mcp.Call{Tool: "slow"})
		busy <- err
	}()
	child := childOf(t)
	require.NoError(t, c.Close())
	require.Error(t, <-busy)
	require.Eventually(t, func() bool { return dead(child) }, waitLimit, 10*time.Millisecond)
	_, err = c.Call(context.Background(), mcp.Call{Tool: "count"})
	require.ErrorContains(t, err, "closed")
}

// childOf finds the sleep that a "child" server of this process started: its
// parent's parent is us.
func childOf(t testing.TB) int {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid=,ppid=,args=").Output()
	require.NoError(t, err)
	parent := map[string]string{}
	var sleeps []string
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		parent[f[0]] = f[1]
		if strings.Join(f[2:], " ") == "sleep 1000" {
			sleeps = append(sleeps, f[0])
		}
	}
	me := strconv.Itoa(os.Getpid())
	for _, s := range sleeps {
		if parent[parent[s]] == me {
			pid, err := strconv.Atoi(s)
			require.NoError(t, err)
			return pid
		}
	}
	require.Fail(t, "the server's child does not run")
	return 0
}
