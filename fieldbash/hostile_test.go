package fieldbash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// bombs are schemas that cost far more than their text, or never end.
func bombs() map[string]string {
	var doubling strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	var unions strings.Builder
	for i := range 40 {
		fmt.Fprintf(&unions, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	var wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&wide, `"d%d":{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	return map[string]string{
		"a reference to itself":       `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		"references in a circle":      `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		"the root in itself":          `{"type":"object","allOf":[{"$ref":"#"}]}`,
		"doubling":                    `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + doubling.String() + `"d40":{"type":"integer"}}}`,
		"doubling unions":             `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + unions.String() + `"d40":{"type":"integer"}}}`,
		"doubling properties":         `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + wide.String() + `"d40":{"type":"integer"}}}`,
		"deep":                        `{"type":"object","properties":{"a":` + strings.Repeat(`{"not":`, 3000) + `{}` + strings.Repeat(`}`, 3000) + `}}`,
		"a reference through nothing": `{"type":"object","properties":{"a":{"$ref":"#/properties/a/$ref"}}}`,
		"a pattern of another engine": `{"type":"object","properties":{"a":{"pattern":"(?=x)(a+)+$"}}}`,
		"a huge range":                `{"type":"object","properties":{"a":{"minLength":9007199254740993,"multipleOf":0}}}`,
	}
}

// An endless recursion in a judge of schemas ends the whole program: nothing
// recovers from it.
func TestSchemaBombs(t *testing.T) {
	for name, schema := range bombs() {
		t.Run(name, func(t *testing.T) {
			b := functions(t, execFunction(t, "f", "echo", schema))
			for _, words := range [][]string{{"--a", "x"}, {"--a", "1"}, {"--a:={\"a\":{\"a\":1}}"}, {}} {
				done := make(chan out, 1)
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				go func() { done <- b.runCtx(ctx, t, append([]string{"field:fn:f"}, words...)...) }()
				select {
				case o := <-done:
					require.Contains(t, []int{0, 2}, o.status, "%q: %s", words, o.stderr)
				case <-ctx.Done():
					require.Fail(t, "it does not end", "%q", words)
				}
				cancel()
			}
			require.NotEmpty(t, b.Static()[0].Help(true))
		})
	}
}

// What is large and not a bomb is judged here.
func TestLargeArgumentsAreStillChecked(t *testing.T) {
	items := `{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#/$defs/a"}}},"$defs":{"a":{"anyOf":[{"type":"integer"},{"if":{"type":"string"},"then":{"not":{"not":{"maxLength":3}}}}]}}}`
	list := strings.Repeat(`1,"abc",`, 2_000)
	require.Empty(t, check(t, items, `{"l":[`+list+`1]}`))
	require.Len(t, check(t, items, `{"l":[`+list+`"four"]}`), 1)
}

// Names as they should not be: each tool has a command of its own, which needs no
// quotes, and the server gets the name that it gave.
func TestHostileNames(t *testing.T) {
	names := []string{"plain", "with space", "with_space", "with/space", "..", "../../etc/passwd", "-rf", "--help", "größe", "日本", "中国",
		"new\nline", "\u0000nul", "\u202egnp.exe", "$(reboot)", "a;b", "'q'", strings.Repeat("long", 40), strings.Repeat("long", 41), " ", "field:s:plain", "*"}
	var defs []string
	for _, n := range names {
		def, err := json.Marshal(map[string]any{"name": n, "description": "is " + n + "\u001b[31m", "inputSchema": map[string]string{"type": "object"}})
		require.NoError(t, err)
		defs = append(defs, string(def))
	}
	defs = append(defs, `{"name":""}`, `{"name":7}`, `{}`, `null`, `{"name":"plain","description":"a second one"}`)
	s, _ := listed(t, "["+strings.Join(defs, ",")+"]")
	f, err := fieldbash.New(fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}, &fieldbash.Options{Env: os.Environ(), Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	b := bench{Fields: f, reg: registry.New(), dir: t.TempDir()}
	require.NoError(t, b.reg.RegisterGroup(f.Groups()[0]))
	tools, err := b.reg.LoadGroup(context.Background(), "s")
	require.NoError(t, err)
	require.Len(t, tools, len(names)+1)
	seen, called := map[string]bool{}, map[string]bool{}
	for _, tool := range tools {
		require.Regexp(t, `^field:s:[A-Za-z0-9_][A-Za-z0-9_.-]*$`, tool.Name)
		require.False(t, seen[tool.Name], "%s is there twice", tool.Name)
		require.LessOrEqual(t, len(tool.Name), 80)
		require.NotRegexp(t, `[\x00-\x1f\x7f\x{202e}]`, tool.Summary)
		seen[tool.Name] = true
		got, _, _ := strings.Cut(b.ok(t, tool.Name), " {}")
		called[got] = true
	}
	for _, n := range names {
		require.True(t, called[n], "the server is called by the name that it gave: %q", n)
	}
}
