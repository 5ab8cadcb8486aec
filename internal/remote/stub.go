package remote

import (
	"context"
	"fmt"

	"github.com/agentbash/agentbash/registry"
)

// addNear puts the near side's tools into the registry of a session: agent commands in the place
// of its own, and all groups.
func (h *host) addNear(reg *registry.ToolRegistry, groups []groupDef) error {
	for _, t := range reg.All() {
		if !IsNear(t) {
			continue
		}
		reg.Unregister(t.Name)
		if err := reg.Register(h.stub(t)); err != nil {
			return err
		}
	}
	for _, g := range groups {
		known, names := map[string]*registry.Tool{}, []string(nil)
		for _, def := range g.Known {
			if t, err := h.toolOf(def); err == nil {
				known[def.Name], names = t, append(names, def.Name)
			}
		}
		err := reg.RegisterGroup(registry.Group{Name: g.Name, Summary: g.Summary,
			Known: func() []string { return names },
			Kept:  func(name string) *registry.Tool { return known[name] },
			Miss:  func(context.Context, bool) bool { return true },
			Load:  func(ctx context.Context) ([]*registry.Tool, error) { return h.load(ctx, g.Name) },
			Command: func(ctx context.Context, words []string, call *registry.Call) (registry.ToolResult, bool) {
				return h.groupCommand(ctx, g.Name, words, call), true
			}})
		if err != nil {
			return err
		}
	}
	return nil
}

// stub is a tool that the near side runs, and judges: here it does nothing.
func (h *host) stub(t *registry.Tool) *registry.Tool {
	s := *t
	s.Kind = registry.ReadOnly
	s.Uses = func(registry.Kwargs, []registry.Use, bool) ([]registry.Use, bool) { return nil, true }
	s.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
		kwargs, err := call.JSON()
		if err != nil {
			return registry.ToolResult{}, err
		}
		var got toolResult
		err = h.peer.request(ctx, callRequest, callArgs{Name: t.Name, Kwargs: kwargs, Format: call.Format, Stdin: call.Stdin != nil, Shows: call.Show != nil},
			&got, streams{call.Stdin, call.Stdout, call.Stderr})
		if err != nil {
			return registry.ToolResult{}, &statusError{fmt.Errorf("the near side did not run it: %w", err), exitTransport}
		}
		return got.result(call.Show), nil
	}
	return &s
}

func (h *host) toolOf(d toolDef) (*registry.Tool, error) {
	params, err := registry.ParseSchema(d.Name, d.Schema)
	if err != nil {
		return nil, err
	}
	return h.stub(&registry.Tool{Name: d.Name, Summary: d.Summary, Detail: d.Detail, Category: d.Category, Params: params, Tags: d.Tags,
		Examples: d.Examples, Formats: d.Formats, Foreign: d.Foreign}), nil
}

// load lists a group of the near side.
func (h *host) load(ctx context.Context, group string) (tools []*registry.Tool, err error) {
	var defs []toolDef
	if err := h.peer.request(ctx, loadRequest, groupArgs{Name: group}, &defs, streams{}); err != nil {
		return nil, err
	}
	for _, d := range defs {
		t, err := h.toolOf(d)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// groupCommand runs words after a group's name on the near side.
func (h *host) groupCommand(ctx context.Context, group string, words []string, call *registry.Call) registry.ToolResult {
	var got toolResult
	err := h.peer.request(ctx, groupRequest, groupArgs{Name: group, Words: words, Stdin: call.Stdin != nil}, &got, streams{call.Stdin, call.Stdout, call.Stderr})
	if err != nil {
		fmt.Fprintf(call.Stderr, "field:%s: %v\n", group, err)
		return registry.ToolResult{Error: err.Error(), ExitStatus: exitTransport}
	}
	return got.result(nil)
}
