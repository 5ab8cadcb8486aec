package remote

import (
	"context"
	"errors"
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
	return map[string]handler{
		callRequest: answering(c.callTool), groupRequest: answering(c.callGroup), loadRequest: answering(c.loadGroup),
		askRequest: answering(c.ask), recordRequest: answering(c.record), outcomeRequest: answering(c.recordOutcome),
		hookRequest: answering(c.askHook), exitRequest: answering(c.tellExit), warnRequest: answering(c.warn),
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
func (c *Client) callTool(ctx context.Context, r *request, a callArgs) (any, error) {
	var kwargs registry.Kwargs
	if err := decode(a.Kwargs, &kwargs); err != nil {
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
	call.Order = registry.OrderOf(string(a.Kwargs))
	if a.Shows {
		call.Show = func(i registry.Image) bool { images = append(images, i); return true }
	}
	ctx = context.WithValue(ctx, fromKey{}, c)
	return resultOfTool(c.opts.Bash.Router().Call(ctx, a.Name, words, call), images), nil
}

// callGroup runs words after the name of a group of this side.
func (c *Client) callGroup(ctx context.Context, r *request, a groupArgs) (any, error) {
	if _, ok := c.opts.Bash.Registry().Group(a.Name); !ok {
		return nil, fmt.Errorf("%q is no group here", a.Name)
	}
	return resultOfTool(c.opts.Bash.Router().Call(ctx, registry.FieldPrefix+a.Name, a.Words, c.callOf(ctx, r, a.Stdin)), nil), nil
}

// loadGroup lists the tools of a group of this side.
func (c *Client) loadGroup(ctx context.Context, _ *request, a groupArgs) (any, error) {
	c.opts.Bash.Registry().ReloadGroup(a.Name)
	tools, err := c.opts.Bash.Registry().LoadGroup(ctx, a.Name)
	defs := []toolDef{}
	for _, t := range tools {
		defs = append(defs, defOf(t))
	}
	return defs, err
}

type fromKey struct{}

// comesFrom is the session that a call comes from; nil: it comes from this side.
func comesFrom(ctx context.Context) *Client {
	c, _ := ctx.Value(fromKey{}).(*Client)
	return c
}

// ask asks the person of this side about a command there.
func (c *Client) ask(ctx context.Context, _ *request, e entry) (any, error) {
	approver := c.opts.Made.Guard.Approver
	if approver == nil {
		return nil, errors.New("nobody can be asked")
	}
	got, err := approver.Approve(ctx, e.entry(c.target.Name))
	reply := approval{Yes: got.Yes, Outside: got.Outside, Session: got.Session, Reason: got.Reason}
	for _, rules := range got.Rules {
		reply.Rules = append(reply.Rules, rules.Source)
	}
	return reply, err
}

// record writes what is about to run there, and returns its number.
func (c *Client) record(_ context.Context, _ *request, e entry) (any, error) {
	recorder := c.opts.Made.Guard.Recorder
	if recorder == nil {
		return nil, errors.New("there is no record")
	}
	done, err := recorder.Intent(e.entry(c.target.Name))
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

// recordOutcome completes a record.
func (c *Client) recordOutcome(_ context.Context, _ *request, a outcome) (any, error) {
	c.mu.Lock()
	done := c.records[a.Of]
	delete(c.records, a.Of)
	c.mu.Unlock()
	if done != nil {
		done(router.Outcome{ExitCode: a.ExitCode, Canceled: a.Canceled, Duration: a.Duration, Hash: a.Hash})
	}
	return nil, nil
}

// askHook has a hook of this side look at a call that is made there.
func (c *Client) askHook(ctx context.Context, _ *request, a hookArgs) (any, error) {
	hooks := c.opts.Made.Router.Hooks
	if a.Index < 0 || a.Index >= len(hooks) {
		return nil, errors.New("no such hook")
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

// tellExit shows what an EXIT trap wrote there.
func (c *Client) tellExit(_ context.Context, _ *request, a exitArgs) (any, error) {
	if exit := c.opts.Made.Router.Exit; exit != nil {
		exit(a.Stdout, a.Stderr)
	}
	return nil, nil
}

func (c *Client) warn(_ context.Context, _ *request, text string) (any, error) {
	if warn := c.opts.Made.Warn; warn != nil {
		warn(fmt.Errorf("%s: %s", c.target.Name, safetext.Visible(text)))
	}
	return nil, nil
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
	return registry.ToolResult{Success: w.Success, ExitStatus: w.Status, Display: w.Display, Listing: w.Listing, Error: safetext.Visible(w.Error), Told: true}
}

var _ guard.Recorder = (*host)(nil)
