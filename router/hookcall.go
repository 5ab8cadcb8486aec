package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// hookedCall is one thing that runs, as hooks see it; nil is one that no hook is for.
type hookedCall struct {
	r     *Router
	call  HookCall
	after bool // hooks want to see the output
	start time.Time
}

// askHooks asks the hooks about what is to run. What they make of it is planned anew; an error refuses it.
func (r *Router) askHooks(ctx context.Context, p *Plan, dir func() string, hasStdin bool) (*Plan, *hookedCall, error) {
	if len(r.opts.Hooks) == 0 || p.Err != nil {
		return p, nil, nil
	}
	var o *hookedCall
	if p.Layer == Native {
		if o = r.newHookedCall(bashHook, registry.Kwargs{"command": p.Raw}, dir(), false); o == nil {
			return p, nil, nil
		}
		changed, err := r.hooksBefore(ctx, &o.call)
		if err != nil || !changed {
			return p, o, err
		}
		text, ok := o.call.Input["command"].(string)
		if !ok || len(o.call.Input) != 1 {
			return p, nil, fmt.Errorf(`bash: a hook gave it another input than {"command": text}: nothing was run`)
		}
		if p = r.preparePlan(ctx, r.Plan(text), hasStdin, r.timeLimit(0)); !p.InProcess || p.Err != nil {
			return p, o, nil
		}
	}
	if !p.InProcess {
		return p, nil, nil // a tool that is called from inside bash: its turn comes there
	}
	t := p.tool
	if t == nil || p.Help {
		return p, nil, nil
	}
	args := p.Kwargs.Arguments()
	if o = r.newHookedCall(t.Name, args, dir(), p.Inside); o == nil {
		return p, nil, nil
	}
	changed, err := r.hooksBefore(ctx, &o.call)
	if err != nil || !changed {
		return p, o, err
	}
	kwargs := maps.Clone(p.Kwargs)
	maps.DeleteFunc(kwargs, func(key string, _ any) bool { _, ok := args[key]; return ok })
	maps.Copy(kwargs, o.call.Input)
	words, err := t.Words(kwargs)
	if err != nil {
		return p, o, fmt.Errorf("%s: a hook gave it an input that is no JSON: %w: nothing was run", t.Name, err)
	}
	fresh := r.planWords(prefixedName(t.Name), words, hasStdin)
	fresh.Inside = p.Inside
	fresh.parsed.Order = p.parsed.Order
	return fresh, o, nil
}

// newHookedCall is nil when no hook is for that name.
func (r *Router) newHookedCall(name string, input registry.Kwargs, dir string, inside bool) *hookedCall {
	before, after := r.hooksFor(name)
	if !before && !after {
		return nil
	}
	return &hookedCall{r: r, after: after, start: time.Now(), call: HookCall{Name: name, Input: input, Dir: dir, Inside: inside}}
}

// prefixedName is a tool's name as it means the tool wherever it stands.
func prefixedName(name string) string {
	if layerOf(name) == Agent && !strings.HasPrefix(name, agentPrefix) {
		return agentPrefix + name
	}
	return name
}

// showOutput gives what a command wrote to the hooks, and then to whom it is for.
func (o *hookedCall) showOutput(ctx context.Context, s *streams, exitCode int) *streams {
	s.out.close()
	s.err.close()
	out := &HookOutput{Stdout: string(s.out.head), Stderr: string(s.err.head), ExitCode: exitCode, Duration: time.Since(o.start)}
	var failed []error
	changed := o.r.hooksAfter(ctx, &o.call, out, func(err error) { failed = append(failed, err) })
	if !changed {
		s.out.replay()
		s.err.replay()
	} else {
		s.removeFiles()
		s = o.r.newStreams(s.out.tee, s.err.tee)
		io.WriteString(s.out, out.Stdout)
		io.WriteString(s.err, out.Stderr)
	}
	for _, err := range failed {
		s.err.reopen()
		fmt.Fprintln(s.err, err)
	}
	return s
}

// invokeShown runs a call whose output its hooks want to see first.
func (r *Router) invokeShown(ctx context.Context, p *Plan, c *registry.Call, o *hookedCall) registry.ToolResult {
	s := r.newStreams(c.Stdout, c.Stderr)
	s.holdOutput()
	held := *c
	held.Stdout, held.Stderr = s.out, s.err
	res := r.invokeTool(ctx, p, &held)
	shown := o.showOutput(ctx, s, res.ExitStatus)
	s.removeFiles()
	shown.removeFiles()
	if !res.Success && brokenPipe(c.Stdout) {
		res.ExitStatus = exitSIGPIPE
	}
	return res
}

// holdOutput keeps what comes from those it is for until it is replayed.
func (s *streams) holdOutput() { s.out.held, s.err.held = true, true }

// removeFiles takes away the files of streams that are of no more use.
func (s *streams) removeFiles() {
	for _, c := range []*capture{s.out, s.err, &s.both.text} {
		c.removeFile()
	}
}

// replay gives a closed capture's content to the one it was held from.
func (c *capture) replay() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if c.tee == nil {
		return
	}
	if c.whole() {
		c.tee.Write(c.head)
		return
	}
	f, err := os.Open(c.path)
	if err == nil {
		_, err = io.Copy(c.tee, f)
		err = errors.Join(err, f.Close())
	}
	if err != nil { // the file could not be kept: what there is of it
		c.tee.Write(c.head)
		c.tee.Write(c.tail.bytes())
	}
}

// reopen lets a closed capture that fits into memory take a note at its end.
func (c *capture) reopen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = c.done && !c.whole()
}
