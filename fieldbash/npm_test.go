package fieldbash_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// everything is a layer with that server alone.
func everything(t testing.TB, opts *fieldbash.Options) bench {
	return layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"everything": server(t, "server-everything")}}, opts)
}

func TestEverything(t *testing.T) {
	files := t.TempDir()
	b := everything(t, &fieldbash.Options{Files: files})
	call := func(tool string, words ...string) []string {
		return append([]string{"field:everything:" + tool}, words...)
	}
	for _, row := range []struct {
		name           string
		words          []string
		stdout, stderr string // contained
		status         int
	}{
		{"string stays text", call("echo", "--message", "007 yes"), "Echo: 007 yes", "", 0},
		{"positional", call("echo", "hello"), "Echo: hello", "", 0},
		{"numbers", call("get-sum", "--a", "1.5", "--b=2"), "The sum of 1.5 and 2 is 3.5", "", 0},
		{"a name in another spelling", call("get-annotated-message", "--message-type", "nope"), "", "--messageType: \"nope\" is not one of error, success, debug", 2},
		{"enum", call("get-annotated-message", "--messageType", "nope"), "", `"nope" is not one of error, success, debug`, 2},
		{"enum and flag", call("get-annotated-message", "--messageType", "error", "--includeImage"), "Error: Operation failed", "image (image/png, ", 0},
		{"environment is minimal", call("get-env"), `"PATH"`, "", 0},
		{"links as URIs", call("get-resource-links", "--count", "2"), "demo://resource/dynamic/", "", 0},
		{"range", call("get-resource-links", "--count", "11"), "", "above the greatest value, 10", 2},
		{"embedded text", call("get-resource-reference", "--resourceType", "Text", "--resourceId", "3"), "Resource 3", "", 0},
		{"embedded bytes", call("get-resource-reference", "--resourceType", "Blob"), "", "saved to " + files, 0},
		{"roots are the workspace", call("get-roots-list"), b.dir, "", 0},
		{"structured", call("get-structured-content", "--location", "New York"), `"temperature"`, "", 0},
		{"image", call("get-tiny-image"), "", "image (image/png, ", 0},
		{"data URI", call("gzip-file-as-resource", "--name", "x.gz", "--data", "data:text/plain,hi", "--outputType", "resource"), "", "bytes) saved to", 0},
		{"logging on", call("toggle-simulated-logging"), "Started", "", 0},
		{"logging off", call("toggle-simulated-logging"), "Stopped", "", 0},
		{"updates on", call("toggle-subscriber-updates"), "tarted", "", 0},
		{"updates off", call("toggle-subscriber-updates"), "topped", "", 0},
		{"elicitation without anyone to ask", call("trigger-elicitation-request"), "decline", "", 0},
		{"progress", call("trigger-long-running-operation", "--duration", "0.2", "--steps", "2"), "completed", "[progress] 1/2", 0},
		{"a tool that wants a task", call("simulate-research-query", "--topic", "x"), "# Research Report: x", "[progress] working: Gathering sources...", 0},
		{"missing", call("get-sum", "--a", "1"), "", "missing --b", 2},
		{"unknown tool", call("nope"), "", "no such command", 127},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := b.run(t, row.words...)
			require.Equal(t, row.status, o.status, "stdout: %s\nstderr: %s", o.stdout, o.stderr)
			require.Contains(t, o.stdout, row.stdout)
			require.Contains(t, o.stderr, row.stderr)
		})
	}
	require.NotContains(t, b.ok(t, call("get-env")...), "OPENAI_API_KEY", "secrets of ours stay here")
	saved, err := filepath.Glob(files + "/image-*.png")
	require.NoError(t, err)
	require.Len(t, saved, 2)
	png, err := os.ReadFile(saved[0])
	require.NoError(t, err)
	require.Equal(t, "\x89PNG", string(png[:4]))
	require.Len(t, b.reg.All(), 15, "every tool of the server is in the table above")
}

func TestMemory(t *testing.T) {
	s := server(t, "server-memory")
	dir := t.TempDir()
	s.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "mem.jsonl")}
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"memory": s}}, nil)
	mem := func(tool string, words ...string) string {
		return b.ok(t, append([]string{"field:memory:" + tool}, words...)...)
	}
	mem("create_entities", "--entities", `[{"name":"Ada","entityType":"person","observations":["a \"quoted\" word","naïve ☃"]},{"name":"Eng","entityType":"machine","observations":[]}]`)
	mem("create_relations", "--relations", `[{"from":"Ada","to":"Eng","relationType":"wrote for"}]`)
	mem("add_observations", "--observations", `[{"entityName":"Eng","contents":["analytical"]}]`)
	require.Contains(t, mem("search_nodes", "--query", "naïve"), "Ada")
	require.Contains(t, mem("open_nodes", "--names", "Eng", "--names", "Ada"), "analytical")
	mem("delete_observations", "--deletions", `[{"entityName":"Eng","observations":["analytical"]}]`)
	mem("delete_relations", "--relations", `[{"from":"Ada","to":"Eng","relationType":"wrote for"}]`)
	mem("delete_entities", "--entityNames", `["Eng"]`)
	var graph struct {
		Entities []struct {
			Name         string
			Observations []string
		}
		Relations []any
	}
	require.NoError(t, json.Unmarshal([]byte(mem("read_graph")), &graph))
	require.Len(t, graph.Entities, 1)
	require.Equal(t, []string{`a "quoted" word`, "naïve ☃"}, graph.Entities[0].Observations)
	require.Empty(t, graph.Relations)
	require.Len(t, b.reg.All(), 9, "every tool of the server was called")

	o := b.run(t, "field:memory:create_entities", "--entities", `[{"name":"x","observations":"y"},{"name":1,"entityType":"t","observations":[2]}]`)
	require.Equal(t, 2, o.status)
	for _, want := range []string{
		"--entities[0].entityType is required (string)",
		"--entities[0].observations must be array, not string",
		"--entities[1].name must be string, not number",
		"--entities[1].observations[0] must be string, not number",
		`example: field:memory:create_entities --entities '[{"name":"text","entityType":"text","observations":["text"]}]'`,
	} {
		require.Contains(t, o.stderr, want)
	}
}

func TestFilesystemAndThinking(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{
		"fs":    server(t, "server-filesystem", dir),
		"think": server(t, "server-sequential-thinking"),
	}}, &fieldbash.Options{Dir: dir})
	file := filepath.Join(dir, "a b.txt")
	b.ok(t, "field:fs:write_file", "--path", file, "--content", "one\ntwo\n")
	require.Equal(t, "one\ntwo\n", b.ok(t, "field:fs:read_text_file", file), "text is not touched")
	b.ok(t, "field:fs:edit_file", "--path", file, "--edits", `[{"oldText":"two","newText":"2"}]`)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "one\n2\n", string(got))
	o := b.run(t, "field:fs:read_text_file", "--path", "/etc/passwd")
	require.Equal(t, 1, o.status)
	require.Empty(t, o.stdout, "a failure's text is not content")
	require.Contains(t, o.stderr, "field:fs:read_text_file: Access denied")

	// nextThoughtNeeded is a union of boolean and string
	out := b.ok(t, "field:think:sequentialthinking", "--thought", "hm", "--nextThoughtNeeded", "false", "--thoughtNumber", "1", "--totalThoughts", "1")
	require.Contains(t, out, `"nextThoughtNeeded": false`)
	require.Len(t, b.reg.All(), 15)
}

func TestServersStartOnFirstUse(t *testing.T) {
	dir := t.TempDir()
	probe := fieldbash.Server{Command: "sh", Args: []string{"-c", `echo started >>log; exec node "$1"`, "sh", npm(t, "server-everything")}}
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"e": probe}}, &fieldbash.Options{Dir: dir})
	require.Len(t, b.Groups(), 1)
	_, err := os.Stat(filepath.Join(dir, "log"))
	require.ErrorIs(t, err, os.ErrNotExist)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { b.run(t, "field:e:echo", "hi") })
	}
	wg.Wait()
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	require.NoError(t, err)
	require.Equal(t, "started\n", string(log))
}

func TestDeadline(t *testing.T) {
	b := everything(t, nil)
	b.ok(t, "field:everything:echo", "warm")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	o := b.runCtx(ctx, t, "field:everything:trigger-long-running-operation", "--duration", "60", "--steps", "2")
	require.Equal(t, 124, o.status, o.stderr)
	require.Equal(t, "Echo: still here\n", b.ok(t, "field:everything:echo", "still here"))
}

func TestAllowDenyAndTrust(t *testing.T) {
	s := server(t, "server-memory")
	s.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "m")}
	s.Allow, s.Deny = []string{"*_nodes", "read_*", "delete_entities"}, []string{"delete_*"}
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"m": s}}, nil)
	tools, err := b.reg.LoadGroup(context.Background(), "m")
	require.NoError(t, err)
	var names []string
	for _, tool := range tools {
		names = append(names, strings.TrimPrefix(tool.Name, "field:m:"))
		require.NotEqual(t, registry.ReadOnly, tool.Kind, "a server's word alone does not make a tool harmless")
	}
	require.Equal(t, []string{"open_nodes", "read_graph", "search_nodes"}, names)
	require.Equal(t, 127, b.run(t, "field:m:delete_entities", "--entityNames", "x").status)
}
