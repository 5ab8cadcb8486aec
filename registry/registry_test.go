package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSchemaKeepsOrderAndTypes(t *testing.T) {
	raw := json.RawMessage(`{"type":"object","$defs":{"e":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},
	  "properties":{"z":{"type":"string","description":"last letter"},"a":{"type":["integer","null"]},"list":{"type":"array","items":{"$ref":"#/$defs/e"}},
	  "one":{"anyOf":[{"type":"string"},{"type":"number"}]},"m":{"enum":["x","y"]},"any":{}},"required":["z"],"additionalProperties":false}`)
	p, err := ParseSchema("t", raw)
	require.NoError(t, err)
	require.JSONEq(t, string(raw), string(p.Schema()))
	var names []string
	for _, q := range p.List() {
		names = append(names, q.Name)
	}
	require.Equal(t, []string{"z", "a", "list", "one", "m", "any"}, names)
	tool := &Tool{Name: "t", Params: p, Run: nothing}
	got, err := tool.Parse([]string{"--z", "1", "--a", "null", "--list", `[{"name":"n"}]`, "--one", "2.5", "--m", "y"}, false)
	require.NoError(t, err)
	require.Equal(t, Kwargs{"z": "1", "a": nil, "list": []any{map[string]any{"name": "n"}}, "one": json.Number("2.5"), "m": "y"}, got.Kwargs)
	require.Contains(t, tool.Help(true), "--list.0.name TEXT (string, required)")
	_, err = tool.Parse([]string{"--z", "1", "--m", "w"}, false)
	require.ErrorContains(t, err, `"w" is not one of x, y`)
}

func TestParseSchemaSurvivesOddSchemas(t *testing.T) {
	for _, raw := range []string{`{}`, `{"type":"object"}`, `null`, ``, `{"properties":{"a":true}}`, `{"properties":[]}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"properties":{"a":{"$ref":"https://example.com/x"}}}`, `{"properties":{"a":{"const":1}}}`} {
		p, err := ParseSchema("odd", json.RawMessage(raw))
		require.NoError(t, err, raw)
		_, err = (&Tool{Name: "odd", Params: p, Run: nothing}).Parse([]string{"--a", "1"}, false)
		require.NoError(t, err, raw)
	}
	_, err := ParseSchema("bad", json.RawMessage(`[1]`))
	require.ErrorContains(t, err, "schema of bad")
}

func TestNotFoundNamesWhatWasMeant(t *testing.T) {
	r := New()
	require.NoError(t, r.Register(&Tool{Name: "read", Summary: "s", Params: NewParams(), Run: nothing}))
	load := func(context.Context) ([]*Tool, error) {
		return []*Tool{{Name: "field:st:echo", Run: nothing}, {Name: "field:st:get-sum", Run: nothing}}, nil
	}
	require.NoError(t, r.RegisterGroup(Group{Name: "st", Load: load, Known: func() []string { return []string{"field:st:echo", "field:st:get-sum"} }}))
	for range 2 { // with what was kept of the server, then with its own listing
		for name, meant := range map[string]string{
			"field:echo": "field:st:echo", "field:nope:echo": "field:st:echo", "field:st.echo": "field:st:echo", "field:st/get_sum": "field:st:get-sum",
			"field:ts": "field:st", "raed": "read",
		} {
			require.ErrorContains(t, r.NotFound(name), "did you mean "+meant+"?", name)
		}
		require.ErrorContains(t, r.NotFound("field:nothing"), "lists the servers")
		for _, name := range []string{"field:st", "field:st:", "field:", ""} { // a server is no command
			_, err := r.Resolve(context.Background(), name)
			require.ErrorAs(t, err, new(*NotFoundError), name)
		}
		_, err := r.LoadGroup(t.Context(), "st")
		require.NoError(t, err)
	}
}

func TestHelp(t *testing.T) {
	require.Equal(t, "sample: Does nothing\n", sample.Help(false))
	long := sample.Help(true)
	for _, want := range []string{"usage: sample --file_path TEXT [--limit N]", "--limit (integer, 0 to 100)", "--show_line_numbers, -n (boolean)", "--mode (fast|slow)", "  sample --file_path a.go"} {
		require.Contains(t, long, want)
	}
}

func TestHandMadeSchemaIsJSONSchema(t *testing.T) {
	var m map[string]any
	require.NoError(t, json.Unmarshal(sample.Params.Schema(), &m))
	require.Equal(t, []any{"file_path"}, m["required"])
	require.Len(t, m["properties"], len(sample.Params.List()))
}

func TestRegistry(t *testing.T) {
	r := New()
	var events []Event
	cancel := r.Subscribe(func(e Event) { events = append(events, e) })
	require.NoError(t, r.Register(
		&Tool{Name: "read", Summary: "Read a file", Kind: ReadOnly, Category: "files", Tags: []string{"file"}, Params: NewParams(), Run: nothing},
		&Tool{Name: "write", Summary: "Write a file", Kind: Write, Category: "files", Params: NewParams(), Run: nothing}))
	require.ErrorContains(t, r.Register(&Tool{Name: "read", Summary: "s", Params: NewParams(), Run: nothing}), "the name is taken")
	require.Len(t, r.All(), 2)
	require.Len(t, r.ByKind(ReadOnly), 1)
	require.Len(t, r.ByCategory("files"), 2)
	require.Len(t, r.ByTag("file"), 1)
	require.Equal(t, "write", r.Search("WRITE file")[0].Name)
	require.Equal(t, "read", r.Search("raed")[0].Name)
	require.True(t, r.Unregister("write"))
	require.False(t, r.Unregister("write"))
	cancel()
	require.NoError(t, r.Register(&Tool{Name: "late", Summary: "s", Params: NewParams(), Run: nothing}))
	require.Equal(t, []Event{{true, "read"}, {true, "write"}, {false, "write"}}, events)
}

func TestGroupsLoadWhenNeededAndAgainAfterAnError(t *testing.T) {
	r, loads := New(), 0
	require.NoError(t, r.RegisterGroup(Group{Name: "db", Load: func(context.Context) ([]*Tool, error) {
		if loads++; loads == 1 {
			return nil, errors.New("not yet")
		}
		return []*Tool{{Name: fmt.Sprintf("field:db:q%d", loads), Run: nothing}}, nil
	}}))
	require.ErrorContains(t, r.RegisterGroup(Group{Name: "db", Load: func(context.Context) ([]*Tool, error) { return nil, nil }}), "taken")
	ctx := context.Background()
	require.Zero(t, loads)
	_, err := r.Resolve(ctx, "field:db:q2")
	require.ErrorContains(t, err, "field:db: not yet")
	_, err = r.Resolve(ctx, "field:db:q2")
	require.NoError(t, err)
	_, err = r.Resolve(ctx, "field:db:q9")
	require.ErrorContains(t, err, "field:db has q2")
	require.Equal(t, 127, ExitStatus(err))
	r.ReloadGroup("db")
	tools, err := r.LoadGroup(ctx, "db")
	require.NoError(t, err)
	require.Equal(t, "field:db:q3", tools[0].Name)
	_, known := r.Lookup("field:db:q2")
	require.False(t, known, "a tool that the server no longer lists is gone")
}

type statusErr int

func (e statusErr) Error() string   { return "lost the server" }
func (e statusErr) ExitStatus() int { return int(e) }

func TestInvoke(t *testing.T) {
	rows := []struct {
		name   string
		run    func(context.Context, *Call) (ToolResult, error)
		out    string
		notes  string
		status int
	}{
		{"output as it is", func(context.Context, *Call) (ToolResult, error) { return Success("a\x00b"), nil }, "a\x00b", "", 0},
		{"failure", func(context.Context, *Call) (ToolResult, error) { return Failure("no %s", "luck"), nil }, "", "t: no luck\n", 1},
		{"own status, nothing said", func(context.Context, *Call) (ToolResult, error) { return ToolResult{ExitStatus: 1}, nil }, "", "", 1},
		{"usage", func(context.Context, *Call) (ToolResult, error) { return ToolResult{}, Usagef("no") }, "", "t: no\n", 2},
		{"our error", func(context.Context, *Call) (ToolResult, error) {
			return ToolResult{}, fmt.Errorf("call: %w", statusErr(3))
		}, "", "t: call: lost the server\n", 3},
		{"cancelled", func(context.Context, *Call) (ToolResult, error) { return ToolResult{}, context.Canceled }, "", "t: context canceled\n", 130},
		{"panic", func(context.Context, *Call) (ToolResult, error) { panic("boom") }, "", "t: the tool crashed: boom: nothing more was done; try other arguments, or report this\n", 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var out, notes bytes.Buffer
			res := (&Tool{Name: "t", Run: row.run}).Invoke(context.Background(), &Call{Stdout: &out, Stderr: &notes})
			require.Equal(t, row.out, out.String())
			require.Equal(t, row.notes, notes.String())
			require.Equal(t, row.status, res.ExitStatus)
			require.Equal(t, row.status == 0, res.Success)
		})
	}
}

func TestCallPaths(t *testing.T) {
	c := &Call{Dir: "/srv/app"}
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	require.Equal(t, "/srv/app/a.go", c.Path("./a.go"))
	require.Equal(t, "/etc/x", c.Path("/etc/./x"))
	require.Equal(t, home+"/x", c.Path("~/x"))
	require.Equal(t, "/srv/app/~x", c.Path("~x"))
	require.Equal(t, "a.go", c.Rel("/srv/app/a.go"))
	require.Equal(t, "/srv/apple", c.Rel("/srv/apple"))
	require.Equal(t, ".", c.Rel("/srv/app"))
	require.Equal(t, "etc", (&Call{Dir: "/"}).Rel("/etc"))
}

func TestCallAccessorsUseDefaults(t *testing.T) {
	tool := &Tool{Name: "t", Params: NewParams(Param{Name: "n", Type: Integer, Default: 7}, Param{Name: "s", Type: String, Default: "d"}), Run: nothing}
	c := &Call{Tool: tool, Kwargs: Kwargs{}}
	require.Equal(t, 7, c.Int("n"))
	require.Equal(t, "d", c.String("s"))
	c.Kwargs["n"] = json.Number("99999999999999999999")
	require.Equal(t, math.MaxInt, c.Int("n"))
}

func TestToolsAreFoundByWhatIsKnownOfThem(t *testing.T) {
	r := New()
	require.NoError(t, r.Register(
		&Tool{Name: "read", Summary: "print a file", Kind: ReadOnly, Category: "files", Tags: []string{"cat", "file"}, Params: NewParams(), Run: nothing},
		&Tool{Name: "edit", Summary: "change a file", Kind: Write, Category: "files", Tags: []string{"file"}, Params: NewParams(), Run: nothing},
		&Tool{Name: "run", Summary: "start a program", Kind: Execute, Params: NewParams(), Run: nothing},
		&Tool{Name: "fetch", Summary: "print a page", Kind: Network, Category: "web", Params: NewParams(), Run: nothing}))
	names := func(tools []*Tool) (list []string) {
		for _, t := range tools {
			list = append(list, t.Name)
		}
		return list
	}
	require.Equal(t, []string{"read"}, names(r.ByKind(ReadOnly)), "what plan mode lists")
	for _, kind := range Kinds() {
		require.Len(t, r.ByKind(kind), 1, kind)
	}
	require.Equal(t, []string{"edit", "read"}, names(r.ByCategory("files")))
	require.Equal(t, []string{"edit", "read"}, names(r.ByTag("file")))
	require.Equal(t, []string{"read"}, names(r.Search("cat")), "a tag")
	require.Equal(t, []string{"fetch", "read"}, names(r.Search("print")), "a summary")
	require.Equal(t, []string{"fetch"}, names(r.Search("WEB page")), "every word, wherever")
	require.Equal(t, []string{"fetch"}, names(r.Search("ftech")), "a typing error")
	require.Empty(t, r.Search("zzzzzzzz"))
}

// A group's listing is told of like any other change.
func TestAGroupsToolsAreEvents(t *testing.T) {
	r, listing := New(), []string{"field:db:a", "field:db:b"}
	var events []Event
	r.Subscribe(func(e Event) { events = append(events, e) })
	require.NoError(t, r.RegisterGroup(Group{Name: "db", Load: func(context.Context) (tools []*Tool, err error) {
		for _, name := range listing {
			tools = append(tools, &Tool{Name: name, Run: nothing})
		}
		return tools, nil
	}}))
	require.Empty(t, events)
	_, err := r.LoadGroup(context.Background(), "db")
	require.NoError(t, err)
	listing = []string{"field:db:b", "field:db:c"}
	r.ReloadGroup("db")
	_, err = r.LoadGroup(context.Background(), "db")
	require.NoError(t, err)
	require.Equal(t, []Event{{true, "field:db:a"}, {true, "field:db:b"}, {false, "field:db:a"}, {true, "field:db:c"}}, events)
	require.True(t, r.Unregister("field:db:b"))
	require.Equal(t, Event{Name: "field:db:b"}, events[4])
}
