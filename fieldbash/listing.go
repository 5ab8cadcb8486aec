package fieldbash

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

// verifyWait bounds the listing that checks a kept one.
const verifyWait = time.Minute

// fileName names what is kept of a server; it changes with what the server is,
// so that another one of the same name does not inherit it.
func fileName(name string, s Server) string {
	b, err := json.Marshal(Server{Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL})
	if err != nil {
		return name
	}
	sum := sha256.Sum256(b)
	return name + "-" + hex.EncodeToString(sum[:6])
}

func (f *Fields) listingFile(g *group) string {
	if f.opts.State == "" {
		return ""
	}
	return filepath.Join(f.opts.State, "listings", fileName(g.name, g.server)+".json")
}

// lastListing returns the definitions of the server's last listing, or nil.
func (f *Fields) lastListing(g *group) []mcp.Tool {
	path := f.listingFile(g)
	if path == "" {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(b, &raw) != nil {
		return nil
	}
	var tools []mcp.Tool
	for _, one := range raw {
		if t, err := mcp.DecodeTool(one); err == nil {
			tools = append(tools, t)
		}
	}
	return tools
}

// keptNames returns the names of the commands of the server's last listing.
func (f *Fields) keptNames(g *group) (names []string) {
	path := f.listingFile(g)
	if path == "" || g.client == nil {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var listed []struct{ Name string }
	if json.Unmarshal(b, &listed) != nil {
		return nil
	}
	taken := safeNames{}
	for _, t := range listed {
		if g.server.offered(t.Name) {
			safe, _ := taken.makeSafe(t.Name)
			names = append(names, registry.FieldPrefix+g.name+":"+safe)
		}
	}
	return names
}

// keptTool returns a command of the server's last listing, or nil if it is not in it.
func (f *Fields) keptTool(g *group, name string) *registry.Tool {
	if g.client == nil {
		return nil
	}
	g.kept.Do(func() {
		g.keptOnes = map[string]*registry.Tool{}
		for _, t := range f.serverTools(g, f.lastListing(g)) {
			g.keptOnes[t.Name] = t
		}
	})
	return g.keptOnes[name]
}

// acceptListing compares a listing with the last one and keeps it. Definitions that
// changed are used only if the person agrees, or the configuration trusts the
// server: a server that was harmless when it was added may not be any more. One
// that is refused stays out, and is asked about again.
func (f *Fields) acceptListing(g *group, last, listed []mcp.Tool) []mcp.Tool {
	before := map[string]mcp.Tool{}
	for _, t := range last {
		before[t.Name] = t
	}
	var changes []string
	for _, t := range listed {
		if old, ok := before[t.Name]; ok && !sameDefinition(old, t) {
			changes = append(changes, fmt.Sprintf("%s: %s", t.Name, summaryOf(t.Description)))
		}
	}
	refused := len(changes) > 0 && !g.server.Trust && (f.opts.Confirm == nil || !f.opts.Confirm(g.name, changes))
	var use, keep []mcp.Tool
	for _, t := range listed {
		if old, ok := before[t.Name]; ok && refused && !sameDefinition(old, t) {
			f.logf("field:%s:%s: its definition changed since it was last used, so it is left out: look at it, then agree when asked at a terminal, or set \"trust\" for this server", g.name, t.Name)
			keep = append(keep, old)
			continue
		}
		use, keep = append(use, t), append(keep, t)
	}
	if err := f.keepListing(g, keep); err != nil {
		f.logf("field:%s: %v", g.name, err)
	}
	return use
}

// aboutFile is where it is kept what a server is for, beside its listing.
func (f *Fields) aboutFile(g *group) string {
	return strings.TrimSuffix(f.listingFile(g), "json") + "about"
}

// keepAbout keeps in a line what a server says it is for, else the names of its tools.
func (f *Fields) keepAbout(ctx context.Context, g *group) {
	info, err := g.client.Start(ctx)
	text := cmp.Or(summaryOf(info.Instructions), summaryOf(info.Title))
	if text == "" {
		text = strings.ReplaceAll(strings.Join(f.keptNames(g), ", "), registry.FieldPrefix+g.name+":", "")
	}
	if err == nil && f.opts.State != "" {
		err = atomicfile.Write(f.aboutFile(g), []byte(cleanText(text, maxSummary)))
	}
	if err != nil {
		f.logf("field:%s: %v", g.name, err)
	}
}

// about is what a group is for, in a line: what was kept of its server, else how that
// is reached.
func (f *Fields) about(g *group) string {
	if g.client != nil && f.opts.State != "" {
		if text, err := os.ReadFile(f.aboutFile(g)); err == nil {
			return cmp.Or(string(text), g.summary)
		}
	}
	return g.summary
}

// sameDefinition reports whether two definitions say the same, however they are written: a kept
// one has \u003c where its server wrote <.
func sameDefinition(a, b mcp.Tool) bool {
	var x, y any
	return json.Unmarshal(a.Raw, &x) == nil && json.Unmarshal(b.Raw, &y) == nil && reflect.DeepEqual(x, y)
}

// keepListing replaces the kept listing whole.
func (f *Fields) keepListing(g *group, tools []mcp.Tool) error {
	path := f.listingFile(g)
	if path == "" {
		return nil
	}
	raw := make([]json.RawMessage, 0, len(tools))
	for _, t := range tools {
		raw = append(raw, t.Raw)
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return fmt.Errorf("keep the listing: %w", err)
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = atomicfile.Write(path, b)
	}
	if err != nil {
		return fmt.Errorf("keep the listing: %w", err)
	}
	return nil
}

// verifyListing compares a kept listing with the server's own, once it runs, and has
// the group loaded again if they differ. It does not hold up the call.
func (f *Fields) verifyListing(g *group) {
	if f.opts.State == "" || f.opts.Changed == nil {
		return
	}
	g.verified.Do(func() {
		f.runInBackground(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, verifyWait)
			defer cancel()
			listed, err := g.client.Tools(ctx)
			if err != nil {
				return // the next call will say so
			}
			last := f.lastListing(g)
			same := len(last) == len(listed)
			for i := 0; same && i < len(last); i++ {
				same = sameDefinition(last[i], listed[i])
			}
			if !same {
				f.opts.Changed(g.name)
			}
		})
	})
}
