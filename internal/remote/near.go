package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// IsNear reports whether a tool runs on the near side, wherever it is called: all but those
// that are about files and shells.
func IsNear(t *registry.Tool) bool {
	return t.Category != files.Category && t.Category != shells.Category
}

// config is what the session there is made with.
func (c *Client) config() (*config, error) {
	o, b := c.opts.Made, c.opts.Bash
	w := &config{Dir: c.target.Dir, Mode: b.Guard().Mode(), Said: b.Guard().Said(), Keep: c.opts.Keep, Turn: o.Guard.Turn, Session: o.Guard.Session,
		Asks: o.Guard.Approver != nil, Records: o.Guard.Recorder != nil, Settings: o.Settings, Snapshots: o.Snapshots,
		Write: o.Workspace.Write, Env: o.Confinement.Env, TrustedRepositories: o.Confinement.TrustedRepositories,
		Network: o.Confinement.Network, BackgroundLimit: o.Commands.Shells.Limit, PromptCommand: o.Router.PromptCommand, KillAtLimit: o.Router.KillAtLimit}
	for _, s := range o.Workspace.Secrets { // what is below this side's own state means nothing there
		if !strings.HasPrefix(s, "/") || !slices.ContainsFunc(o.Workspace.Own, func(own string) bool { return strings.HasPrefix(s, own+"/") }) {
			w.Secrets = append(w.Secrets, s)
		}
	}
	for _, r := range b.Guard().Rules() {
		w.Rules = append(w.Rules, r.Source)
	}
	for _, t := range b.Registry().All() {
		if _, _, isField := registry.SplitField(t.Name); !isField {
			w.Agents = append(w.Agents, t.Name)
		}
	}
	for _, g := range b.Registry().Groups() {
		def := groupDef{Name: g.Name, Summary: g.Summary}
		if g.Known != nil {
			for _, name := range g.Known() {
				if t, ok := b.Registry().Lookup(name); ok {
					def.Known = append(def.Known, defOf(t))
				}
			}
		}
		w.Groups = append(w.Groups, def)
	}
	w.Targets = c.names()
	for _, h := range o.Router.Hooks {
		w.Hooks = append(w.Hooks, hookDef{h.Name, h.Match, h.Timeout, h.Before != nil, h.After != nil})
	}
	return w, nil
}

func defOf(t *registry.Tool) toolDef {
	d := toolDef{Name: t.Name, Summary: t.Summary, Detail: t.Detail, Category: t.Category, Kind: t.Kind, Schema: t.Params.Schema(), Tags: t.Tags,
		Examples: t.Examples, Formats: t.Formats, Foreign: t.Foreign}
	if len(d.Examples) == 0 && t.MakeExamples != nil {
		d.Examples = t.MakeExamples(t)
	}
	return d
}

// handlers answer what the far side asks.
func (c *Client) handlers() map[string]handler {
	o := c.opts.Made
	return map[string]handler{
		callRequest: c.callTool,
		groupRequest: func(ctx context.Context, r *request) (any, error) {
			var a groupArgs
			if err := r.decode(&a); err != nil {
				return nil, err
			}
			if _, ok := c.opts.Bash.Registry().Group(a.Name); !ok {
				return nil, fmt.Errorf("%q is no group here", a.Name)
			}
			call := c.callOf(ctx, r, a.Stdin)
			return resultOfTool(c.opts.Bash.Router().Call(ctx, registry.FieldPrefix+a.Name, a.Words, call), nil), nil
		},
		loadRequest: func(ctx context.Context, r *request) (any, error) {
			var a groupArgs
			if err := r.decode(&a); err != nil {
				return nil, err
			}
			c.opts.Bash.Registry().ReloadGroup(a.Name)
			tools, err := c.opts.Bash.Registry().LoadGroup(ctx, a.Name)
			defs := []toolDef{}
			for _, t := range tools {
				defs = append(defs, defOf(t))
			}
			return defs, err
		},
		askRequest: func(ctx context.Context, r *request) (any, error) {
			var e entry
			if err := r.decode(&e); err != nil || o.Guard.Approver == nil {
				return nil, fmt.Errorf("nobody can be asked (%v)", err)
			}
			got, err := o.Guard.Approver.Approve(ctx, e.entry(c.target.Name))
			reply := approval{Yes: got.Yes, Outside: got.Outside, Session: got.Session, Reason: got.Reason}
			for _, rules := range got.Rules {
				reply.Rules = append(reply.Rules, rules.Source)
			}
			return reply, err
		},
		recordRequest: c.record,
		outcomeRequest: func(_ context.Context, r *request) (any, error) {
			var a outcome
			err := r.decode(&a)
			c.mu.Lock()
			done := c.records[a.Of]
			delete(c.records, a.Of)
			c.mu.Unlock()
			if done != nil {
				done(router.Outcome{ExitCode: a.ExitCode, Canceled: a.Canceled, Duration: a.Duration, Hash: a.Hash})
			}
			return nil, err
		},
		hookRequest: c.askHook,
		exitRequest: func(_ context.Context, r *request) (any, error) {
			var a exitArgs
			err := r.decode(&a)
			if err == nil && o.Router.Exit != nil {
				o.Router.Exit(a.Stdout, a.Stderr)
			}
			return nil, err
		},
		warnRequest: func(_ context.Context, r *request) (any, error) {
			var text string
			err := r.decode(&text)
			if err == nil && o.Warn != nil {
				o.Warn(fmt.Errorf("%s: %s", c.target.Name, safetext.Visible(text)))
			}
			return nil, err
		},
	}
}

// callOf is a call of a tool here that is made there.
func (c *Client) callOf(ctx context.Context, r *request, stdin bool) *registry.Call {
	call := &registry.Call{Dir: c.opts.Made.Dir, Stdout: r.output(1), Stderr: r.output(2)}
	if stdin {
		call.Stdin = r.stdin(ctx)
	}
	return call
}

// callTool runs a tool of this side. It takes values and no words: what stands for a file or
// a stream was read there.
func (c *Client) callTool(ctx context.Context, r *request) (any, error) {
	var a callArgs
	var kwargs registry.Kwargs
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(a.Kwargs))
	d.UseNumber()
	if err := d.Decode(&kwargs); err != nil {
		return nil, err
	}
	t, err := c.opts.Bash.Registry().Resolve(ctx, a.Name)
	if err != nil {
		return nil, err
	}
	if !IsNear(t) {
		return nil, fmt.Errorf("%s is no tool of this side", a.Name)
	}
	words, err := t.Words(kwargs)
	if err != nil {
		return nil, err
	}
	if a.Format != "" {
		words = append([]string{"-o", a.Format}, words...)
	}
	call, images := c.callOf(ctx, r, a.Stdin), []registry.Image(nil)
	if a.Shows {
		call.Show = func(i registry.Image) bool { images = append(images, i); return true }
	}
	ctx = context.WithValue(ctx, fromKey{}, c)
	return resultOfTool(c.opts.Bash.Router().Call(ctx, a.Name, words, call), images), nil
}

type fromKey struct{}

// comesFrom is the session that a call comes from; nil: it comes from this side.
func comesFrom(ctx context.Context) *Client {
	c, _ := ctx.Value(fromKey{}).(*Client)
	return c
}

// record writes what is about to run there, and returns its number.
func (c *Client) record(_ context.Context, r *request) (any, error) {
	var e entry
	if err := r.decode(&e); err != nil || c.opts.Made.Guard.Recorder == nil {
		return nil, fmt.Errorf("there is no record (%v)", err)
	}
	done, err := c.opts.Made.Guard.Recorder.Intent(e.entry(c.target.Name))
	c.mu.Lock()
	defer c.mu.Unlock()
	for command := range c.unsaid {
		if err == nil && strings.Contains(e.Raw, command) {
			c.unsaid[command] = false
		}
	}
	if err != nil || done == nil {
		return 0, err
	}
	c.made++
	c.records[c.made] = done
	return c.made, nil
}

// askHook has a hook of this side look at a call that is made there.
func (c *Client) askHook(ctx context.Context, r *request) (any, error) {
	var a hookArgs
	d := json.NewDecoder(bytes.NewReader(r.data))
	d.UseNumber()
	hooks := c.opts.Made.Router.Hooks
	if err := d.Decode(&a); err != nil || a.Index < 0 || a.Index >= len(hooks) {
		return nil, fmt.Errorf("no such hook (%v)", err)
	}
	h, err := hooks[a.Index], error(nil)
	switch {
	case a.Out == nil && h.Before != nil:
		err = h.Before(ctx, &a.Call)
	case a.Out != nil && h.After != nil:
		err = h.After(ctx, &a.Call, a.Out)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a, nil
}

func resultOfTool(res registry.ToolResult, images []registry.Image) toolResult {
	return toolResult{ToolResult: res, Status: res.ExitStatus, Display: res.Display, Listing: res.Listing, Images: images}
}

// result is what a tool returns that ran at the other end; show may be nil.
func (w *toolResult) result(show func(registry.Image) bool) registry.ToolResult {
	for _, i := range w.Images {
		if show != nil {
			show(i)
		}
	}
	return registry.ToolResult{Success: w.Success, ExitStatus: w.Status, Display: w.Display, Listing: w.Listing}
}

var _ guard.Recorder = (*host)(nil)
