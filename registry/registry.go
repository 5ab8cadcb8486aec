package registry

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
)

// FieldPrefix starts every field command's name: field:server:tool.
const FieldPrefix = "field:"

// Group is a set of field tools with one owner, an MCP server or a group of
// function definitions, which may have to be started before it can say what it
// has. Its tools are named field:NAME:tool.
type Group struct {
	Name    string
	Summary string // one line; may be empty

	// Load lists the group's tools, starting what has to be started. It is
	// called when a name in the group is first needed, and again after an
	// error; it must be safe for concurrent use.
	Load func(ctx context.Context) ([]*Tool, error)

	// Known returns the names of tools that are known without the group being loaded.
	// It may be nil, starts nothing, and must be safe for concurrent use.
	Known func() []string

	// Kept returns a tool as it was listed last, before the group is loaded, or nil:
	// what is known of it counts when a call is judged. It may be nil, starts nothing,
	// and must be safe for concurrent use.
	Kept func(name string) *Tool

	// Miss is asked when a name is not in the group's listing: true has the group
	// loaded once more, because the listing may be an old one; fresh: it was loaded
	// for that name. It may be nil, and must be safe for concurrent use.
	Miss func(ctx context.Context, fresh bool) bool

	// Command runs `field:NAME WORDS` when the words are a command of the
	// group's own (a server's resources, say); ok is false when they are not,
	// and then nothing was done. It may be nil.
	Command func(ctx context.Context, words []string, call *Call) (res ToolResult, ok bool)
}

// Event tells of one change to a registry.
type Event struct {
	Added bool // false: removed
	Name  string
}

// ToolRegistry holds the tools and groups of one program. It is safe for
// concurrent use.
type ToolRegistry struct {
	mu      sync.RWMutex
	tools   map[string]*Tool
	groups  map[string]*groupState
	index   *index // of the tools, as they were after so many changes
	changes int
	subs    map[int]func(Event)
	nextID  int
}

type groupState struct {
	Group
	mu     sync.Mutex // held while Load runs, so that it runs once
	loaded bool
}

// New returns an empty registry.
func New() *ToolRegistry {
	return &ToolRegistry{tools: map[string]*Tool{}, groups: map[string]*groupState{}, subs: map[int]func(Event){}}
}

// Register adds tools; the first that is not complete, or whose name is taken or
// cannot be called, is an error that says so, and is not added, nor are those after it.
func (r *ToolRegistry) Register(tools ...*Tool) error {
	for _, t := range tools {
		if t == nil {
			return errors.New("register tool: it is nil")
		}
		if lacks := t.missingFields(); lacks != nil {
			return fmt.Errorf("register tool %q: add %s", t.Name, strings.Join(lacks, ", and "))
		}
		if why := nameProblem(t.Name); why != "" {
			return fmt.Errorf("register tool %q: %s: choose another name", t.Name, why)
		}
		r.mu.Lock()
		_, taken := r.tools[t.Name]
		if !taken {
			r.tools[t.Name] = t
			r.changes++
		}
		r.mu.Unlock()
		if taken {
			return fmt.Errorf("register tool %s: the name is taken: unregister it first, or choose another", t.Name)
		}
		r.emitEvent(Event{Added: true, Name: t.Name})
	}
	return nil
}

// missingFields names what a tool must have and has not.
func (t *Tool) missingFields() (fields []string) {
	if t.Name == "" {
		fields = append(fields, "a Name")
	}
	if strings.TrimSpace(t.Summary) == "" {
		fields = append(fields, "a Summary, the one line that -h shows")
	}
	if t.Params == nil {
		fields = append(fields, "Params (registry.NewParams() takes none)")
	}
	if t.Run == nil {
		fields = append(fields, "a Run function")
	}
	return fields
}

var callable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_][\pL\pM\pN_.:+-]*$`) })

// unroutable are words of bash's grammar: reserved words, and builtins that make declarations.
const unroutable = " if then elif else fi time for in until while do done case esac coproc select function declare export let local readonly typeset "

// nameProblem says why a tool of that name could not be called; "" if it can.
func nameProblem(name string) string {
	group, tool, isField := SplitField(name)
	switch {
	case !callable().MatchString(name):
		return "a command's name is made of letters, digits and _ . : + -, and begins with none of the last four"
	case strings.HasPrefix(name, "agent:"):
		return "agent: is what may be typed before every name"
	case isField && (group == "" || tool == ""):
		return "a field tool's name is field:GROUP:TOOL"
	case strings.Contains(unroutable, " "+name+" "):
		return "bash takes this word for its own"
	case name == "bash":
		return "it is the name of the tool that runs all others, and of bash itself"
	}
	return ""
}

// Unregister removes a tool and reports whether it was there.
func (r *ToolRegistry) Unregister(name string) bool {
	r.mu.Lock()
	_, ok := r.tools[name]
	delete(r.tools, name)
	r.changes++
	r.mu.Unlock()
	if ok {
		r.emitEvent(Event{Name: name})
	}
	return ok
}

// RegisterGroup adds a group; a name that is taken or holds a colon is an error.
func (r *ToolRegistry) RegisterGroup(g Group) error {
	if g.Name == "" || strings.ContainsAny(g.Name, ": \t\n") || g.Load == nil {
		return fmt.Errorf("register group %q: a name without colons or spaces and a Load function are required", g.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.groups[g.Name]; taken {
		return fmt.Errorf("register group %s: the name is taken", g.Name)
	}
	r.groups[g.Name] = &groupState{Group: g}
	return nil
}

// Lookup returns the tool of that name if it is known now, or its group has kept it;
// it starts nothing.
func (r *ToolRegistry) Lookup(name string) (*Tool, bool) {
	r.mu.RLock()
	t, ok := r.tools[name]
	group, _, _ := SplitField(name)
	g := r.groups[group]
	r.mu.RUnlock()
	if !ok && g != nil && g.Kept != nil {
		t = g.Kept(name)
	}
	return t, t != nil
}

// Group returns the group of that name.
func (r *ToolRegistry) Group(name string) (Group, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	g, ok := r.groups[name]
	if !ok {
		return Group{}, false
	}
	return g.Group, true
}

// Groups returns all groups by name.
func (r *ToolRegistry) Groups() []Group {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []Group
	for _, g := range r.groups {
		out = append(out, g.Group)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// SplitField cuts field:group:tool; ok is false for any other name. The tool
// is empty for field:group, and both are for field: alone.
func SplitField(name string) (group, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, FieldPrefix)
	if !ok {
		return "", "", false
	}
	group, tool, _ = strings.Cut(rest, ":")
	return group, tool, true
}

// Resolve returns the tool of that name, loading its group if it has one that
// was not loaded yet. Not found is a *NotFoundError; other errors are the group's.
func (r *ToolRegistry) Resolve(ctx context.Context, name string) (*Tool, error) {
	r.mu.RLock()
	t, ok := r.tools[name]
	r.mu.RUnlock()
	if ok {
		return t, nil
	}
	group, tool, _ := SplitField(name)
	g, known := r.Group(group)
	for again := false; known && tool != ""; again = true {
		fresh, err := r.ensureLoaded(ctx, group)
		if err != nil {
			return nil, err
		}
		if t, ok := r.Lookup(name); ok {
			return t, nil
		}
		if again || g.Miss == nil || !g.Miss(ctx, fresh) {
			break
		}
		r.ReloadGroup(group)
	}
	return nil, r.NotFound(name)
}

// LoadGroup returns the tools of a group by name, loading it at first use.
func (r *ToolRegistry) LoadGroup(ctx context.Context, name string) ([]*Tool, error) {
	if _, err := r.ensureLoaded(ctx, name); err != nil {
		return nil, err
	}
	return r.inGroup(name), nil
}

// ensureLoaded loads a group that is not loaded. fresh: it was not.
func (r *ToolRegistry) ensureLoaded(ctx context.Context, name string) (fresh bool, err error) {
	r.mu.RLock()
	g, ok := r.groups[name]
	r.mu.RUnlock()
	if !ok {
		return false, r.NotFound(FieldPrefix + name)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.loaded {
		return false, nil
	}
	tools, err := g.Load(ctx)
	if err != nil {
		return false, fmt.Errorf("field:%s: %w", name, err)
	}
	r.replaceGroup(name, tools)
	g.loaded = true
	return true, nil
}

// LoadGroups loads all groups, at once, and returns why some could not be, by name.
func (r *ToolRegistry) LoadGroups(ctx context.Context) []error {
	groups := r.Groups()
	errs := make([]error, len(groups))
	var wait sync.WaitGroup
	for i, g := range groups {
		wait.Go(func() { _, errs[i] = r.LoadGroup(ctx, g.Name) })
	}
	wait.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// ReloadGroup makes the next use of the group load it again (its server said
// that its list changed, or ended). Its tools stay until then.
func (r *ToolRegistry) ReloadGroup(name string) {
	r.mu.RLock()
	g, ok := r.groups[name]
	r.mu.RUnlock()
	if ok {
		g.mu.Lock()
		g.loaded = false
		g.mu.Unlock()
	}
}

// replaceGroup puts a group's new listing in the place of its old one.
func (r *ToolRegistry) replaceGroup(group string, tools []*Tool) {
	var events []Event
	r.mu.Lock()
	r.changes++
	fresh := map[string]*Tool{}
	for _, t := range tools {
		fresh[t.Name] = t
	}
	for name := range r.tools {
		if g, tool, ok := SplitField(name); ok && g == group && tool != "" && fresh[name] == nil {
			delete(r.tools, name)
			events = append(events, Event{Name: name})
		}
	}
	for name, t := range fresh {
		if r.tools[name] == nil {
			events = append(events, Event{Added: true, Name: name})
		}
		r.tools[name] = t
	}
	r.mu.Unlock()
	sort.Slice(events, func(i, j int) bool { return events[i].Name < events[j].Name })
	for _, e := range events {
		r.emitEvent(e)
	}
}

// All returns the tools that are known now, by name.
func (r *ToolRegistry) All() []*Tool { return r.filterTools(func(*Tool) bool { return true }) }

// ByCategory returns the known tools of a category, by name.
func (r *ToolRegistry) ByCategory(c string) []*Tool {
	return r.filterTools(func(t *Tool) bool { return t.Category == c })
}

// ByTag returns the known tools that carry a tag, by name.
func (r *ToolRegistry) ByTag(tag string) []*Tool {
	return r.filterTools(func(t *Tool) bool { return slices.Contains(t.Tags, tag) })
}

// ByKind returns the known tools of a kind, by name.
func (r *ToolRegistry) ByKind(k Kind) []*Tool {
	return r.filterTools(func(t *Tool) bool { return t.Kind == k })
}

func (r *ToolRegistry) inGroup(name string) []*Tool {
	return r.filterTools(func(t *Tool) bool { g, _, ok := SplitField(t.Name); return ok && g == name })
}

func (r *ToolRegistry) filterTools(keep func(*Tool) bool) []*Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []*Tool
	for _, t := range r.tools {
		if keep(t) {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Subscribe calls f after each change, from the goroutine that made it, until
// the returned function is called.
func (r *ToolRegistry) Subscribe(f func(Event)) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.nextID
	r.nextID++
	r.subs[id] = f
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subs, id)
	}
}

func (r *ToolRegistry) emitEvent(e Event) {
	r.mu.RLock()
	fs := make([]func(Event), 0, len(r.subs))
	for _, f := range r.subs {
		fs = append(fs, f)
	}
	r.mu.RUnlock()
	for _, f := range fs {
		f(e)
	}
}
