package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/testneeds"
)

// fieldWorld is a home with a configuration, and the program in it.
type fieldWorld struct {
	dir string
	env []string
}

func newFieldWorld(t testing.TB, config map[string]any) *fieldWorld {
	t.Helper()
	dir := t.TempDir()
	w := &fieldWorld{dir: dir, env: append(os.Environ(), asProgram+"=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config",
		"XDG_STATE_HOME="+dir+"/state", "OPENAI_API_KEY=sk-ours")}
	require.NoError(t, os.MkdirAll(dir+"/config/agentbash", 0o700))
	b, err := json.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/config/agentbash/config.json", b, 0o600))
	return w
}

// line is one result of exec --jsonl.
type line struct {
	Command, Layer, Name, Output, Stdout, Stderr string
	ExitCode                                     int  `json:"exit_code"`
	TimedOut                                     bool `json:"timed_out"`
}

// lines runs commands in one session of exec --jsonl; a command that is JSON is
// given as it is.
func (w *fieldWorld) lines(t testing.TB, commands ...string) []line {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	var in bytes.Buffer
	for _, c := range commands {
		if strings.HasPrefix(c, "{") {
			in.WriteString(c + "\n")
			continue
		}
		require.NoError(t, json.NewEncoder(&in).Encode(map[string]string{"command": c}))
	}
	cmd := exec.Command(self, "exec", "--jsonl")
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	var all []line
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var one line
		require.NoError(t, d.Decode(&one))
		all = append(all, one)
	}
	require.Len(t, all, len(commands), "%s", stderr.String())
	return all
}

// npmServer is the script of a real server in testdata/mcp.
func npmServer(t testing.TB, name string) string {
	t.Helper()
	return testneeds.NPM(t, "mcp", "@modelcontextprotocol/"+name+"/dist/index.js")
}

// listening runs the everything server on a port and returns its base URL.
func listening(t testing.TB, mode string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	_, port, _ := strings.Cut(addr, ":")
	cmd := exec.Command("node", npmServer(t, "server-everything"), mode)
	cmd.Env = append(os.Environ(), "PORT="+port)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, waitLimit, 20*time.Millisecond, "the server does not listen")
	return "http://" + addr
}

// called is one command and what must come of it.
type called struct {
	command, want string // contained in stdout, or in stderr where the status is not 0
	status        int
}

// checkCalls runs the commands in one session and wants every tool of the group called.
func checkCalls(t *testing.T, w *fieldWorld, group string, rows []called) {
	t.Helper()
	commands := []string{"field:" + group + " -h"}
	for _, row := range rows {
		commands = append(commands, row.command)
	}
	got := w.lines(t, commands...)
	var offered, used []string
	for _, l := range strings.Split(got[0].Stdout, "\n") {
		if strings.HasPrefix(l, "field:"+group+":") {
			name, _, _ := strings.Cut(l, ": ")
			offered = append(offered, name)
		}
	}
	for i, row := range rows {
		one := got[i+1]
		require.Equal(t, row.status, one.ExitCode, "%s\n%s%s", row.command, one.Stdout, one.Stderr)
		text := one.Stdout
		if row.status != 0 {
			text = one.Stderr
		}
		require.Contains(t, text, row.want, row.command)
		for _, word := range strings.Fields(row.command) {
			if strings.HasPrefix(word, "field:"+group+":") && !slices.Contains(used, word) {
				used = append(used, word)
			}
		}
	}
	slices.Sort(used)
	slices.Sort(offered)
	require.NotEmpty(t, offered)
	require.Equal(t, offered, used, "every tool is called")
}

func everythingCalls(group string) []called {
	f := "field:" + group + ":"
	return []called{
		{f + `echo --message 'a "b" $c; d'`, `Echo: a "b" $c; d`, 0},
		{f + "echo 007", "Echo: 007", 0},
		{f + "get-sum --a 1.5 --b=2", "is 3.5", 0},
		{f + "get-sum --json '{\"a\":1}' --b 2", "is 3", 0},
		{f + "get-sum --a two --b", `--a: "two" is not a number`, 2},
		{f + "get-annotated-message --messageType success --includeImage 2>&1", "image (image/png, ", 0},
		{f + "get-annotated-message --messageType success --no-includeImage", "Operation completed", 0},
		{f + "get-annotated-message --messageType loud", "is not one of error, success, debug", 2},
		{f + "get-env | jq -r 'has(\"OPENAI_API_KEY\")'", "false", 0},
		{f + "get-resource-links --count 2", "demo://resource/dynamic/", 0},
		{f + "get-resource-reference --resourceType Text --resourceId 3", "Resource 3", 0},
		{f + "get-roots-list", "", 0},
		{f + "get-structured-content --location 'New York' -o json | jq .temperature", "33", 0},
		{f + "get-tiny-image -o json | jq -r '.[1].mimeType'", "image/png", 0},
		{f + "gzip-file-as-resource --name x.gz --data data:text/plain,hi --outputType resource -o json | jq -r '.[0].type'", "resource", 0},
		{f + "simulate-research-query --topic x --ambiguous", "User declined", 0},
		{f + "toggle-simulated-logging", "Started", 0},
		{f + "toggle-simulated-logging", "Stopped", 0},
		{f + "toggle-subscriber-updates", "tarted", 0},
		{f + "toggle-subscriber-updates", "topped", 0},
		{f + "trigger-elicitation-request", "decline", 0},
		{f + "trigger-long-running-operation --duration 0.2 --steps 2 2>&1", "[progress] 1/2", 0},
	}
}

func TestEveryToolOfEverythingThroughExec(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, mode, path, kind string }{
		{"stdio", "", "", ""}, {"http", "streamableHttp", "/mcp", ""}, {"sse", "sse", "/sse", "sse"}, {"sse, found", "sse", "/sse", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := map[string]any{"command": "node", "args": []string{npmServer(t, "server-everything")}}
			if row.mode != "" {
				server = map[string]any{"url": listening(t, row.mode) + row.path, "type": row.kind}
			}
			w := newFieldWorld(t, map[string]any{"mcpServers": map[string]any{"ev": server}})
			rows := everythingCalls("ev")
			if row.mode != "" { // a server elsewhere has an environment of its own
				rows = slices.DeleteFunc(rows, func(c called) bool { return strings.Contains(c.command, "OPENAI_API_KEY") })
				rows = append(rows, called{"field:ev:get-env | jq -r 'has(\"PATH\")'", "true", 0})
			}
			checkCalls(t, w, "ev", rows)
		})
	}
}

func memoryConfig(t testing.TB, file string) map[string]any {
	return map[string]any{"command": "node", "args": []string{npmServer(t, "server-memory")}, "env": map[string]string{"MEMORY_FILE_PATH": file}}
}

func TestEveryToolOfMemoryThroughExec(t *testing.T) {
	t.Parallel()
	w := newFieldWorld(t, map[string]any{"mcpServers": map[string]any{"mem": memoryConfig(t, filepath.Join(t.TempDir(), "m.jsonl"))}})
	const m = "field:mem:"
	checkCalls(t, w, "mem", []called{
		{m + `create_entities --entities '[{"name":"Ada","entityType":"person","observations":["a \"quoted\" word","naïve ☃"]}]'`, "Ada", 0},
		{m + `create_entities --entities.0.name Eng --entities.0.entityType machine --entities.0.observations one --entities.0.observations 'two, three'`, "two, three", 0},
		{m + `create_relations --relations '[{"from":"Ada","to":"Eng","relationType":"wrote for"}]'`, "wrote for", 0},
		{`printf '{"observations":[{"entityName":"Eng","contents":["analytical"]}]}' | ` + m + `add_observations --json -`, "analytical", 0},
		{m + "search_nodes --query naïve -o json | jq -r '.entities[].name'", "Ada", 0},
		{m + "open_nodes --names Eng --names Ada", "analytical", 0},
		{m + "read_graph -o json | jq -r '.entities[].name' | xargs -n1 -I{} field:mem:search_nodes --query {} | grep -c entityType", "", 0},
		{"for n in $(" + m + "read_graph | jq -r '.entities[].name'); do " + m + "open_nodes --names \"$n\" | jq -r '.entities[0].entityType'; done", "person\nmachine", 0},
		{m + `create_entities --entities '[{"name":"x","observations":"y"}]'`, "--entities[0].entityType is required (string)", 2},
		{m + `delete_observations --deletions '[{"entityName":"Eng","observations":["analytical"]}]'`, "success", 0},
		{m + `delete_relations --relations '[{"from":"Ada","to":"Eng","relationType":"wrote for"}]'`, "success", 0},
		{m + "delete_entities --entityNames Eng", "success", 0},
		{m + "read_graph -o json | jq -c '[.entities[].name]'", `["Ada"]`, 0},
		{m + "read_graph > graph.json && jq -r '.entities|length' graph.json", "1", 0},
	})
}

func TestFilesystemAndThinkingThroughExec(t *testing.T) {
	t.Parallel()
	w := newFieldWorld(t, map[string]any{"mcpServers": map[string]any{
		"fs":    map[string]any{"command": "node", "args": []string{npmServer(t, "server-filesystem"), "/usr"}}, // its roots are ours in place of that
		"think": map[string]any{"command": "node", "args": []string{npmServer(t, "server-sequential-thinking")}},
	}})
	dir := w.dir + "/work"
	require.NoError(t, os.Mkdir(dir, 0o700))
	f := func(tool string) string { return "field:fs:" + tool }
	checkCalls(t, w, "fs", []called{
		{"until " + f("list_allowed_directories") + " | grep -F " + w.dir + "; do sleep 0.01; done", w.dir, 0}, // it asks for our roots when it has started
		{"printf 'one\\ntwo\\n' | " + f("write_file") + " --path " + dir + "/a.txt --content@=-", "Successfully", 0},
		{f("read_text_file") + " " + dir + "/a.txt | tail -n 1", "two", 0},
		{f("read_text_file") + " " + dir + "/a.txt --head 1", "one", 0},
		{f("read_file") + " " + dir + "/a.txt", "one\ntwo\n", 0},
		{f("read_media_file") + " " + dir + "/a.txt 2>&1", "", 0},
		{f("read_multiple_files") + " --paths " + dir + "/a.txt --paths " + dir + "/a.txt", "one", 0},
		{f("edit_file") + " --path " + dir + `/a.txt --edits.0.oldText two --edits.0.newText 2 --dryRun`, "-two", 0},
		{f("edit_file") + " --path " + dir + `/a.txt --edits '[{"oldText":"two","newText":"2"}]'`, "+2", 0},
		{f("create_directory") + " " + dir + "/d", "Successfully", 0},
		{f("move_file") + " --source " + dir + "/a.txt --destination " + dir + "/d/b.txt", "Successfully", 0},
		{f("list_directory") + " " + dir, "[DIR] d", 0},
		{f("list_directory_with_sizes") + " " + dir + "/d --sortBy size", "b.txt", 0},
		{f("directory_tree") + " " + dir + " | jq -r '.[0].children[0].name'", "b.txt", 0},
		{f("search_files") + " --path " + dir + " --pattern '**/b.*' --excludePatterns '**/x'", "b.txt", 0},
		{f("get_file_info") + " " + dir + "/d/b.txt", "size", 0},
		{f("list_allowed_directories"), w.dir, 0},
		{f("read_text_file") + " /etc/passwd", "Access denied", 1},
	})
	checkCalls(t, w, "think", []called{
		{"field:think:sequentialthinking --thought hm --nextThoughtNeeded=false --thoughtNumber 1 --totalThoughts 1", `"nextThoughtNeeded": false`, 0},
		{"field:think:sequentialthinking --thought hm --nextThoughtNeeded true --thoughtNumber 1 --totalThoughts 2 -o json | jq .nextThoughtNeeded", "true", 0},
		{"field:think:sequentialthinking --thought hm --nextThoughtNeeded perhaps --thoughtNumber 1 --totalThoughts 2", `Expected boolean or "true"/"false" string`, 1},
	})
}

func TestDeadlineAndRestartThroughExec(t *testing.T) {
	t.Parallel()
	w := newFieldWorld(t, map[string]any{"mcpServers": map[string]any{
		"ev": map[string]any{"command": "node", "args": []string{npmServer(t, "server-everything")}}}})
	got := w.lines(t,
		"field:ev:echo warm",
		`{"command":"field:ev:trigger-long-running-operation --duration 60 --steps 2","timeout":0.3}`,
		`{"command":"field:ev:trigger-long-running-operation --duration 60 --steps 2 | cat","timeout":0.3}`,
		"field:ev:echo 'still the same'",
		`for p in /proc/[0-9]*; do tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q server-everything/dist && [ "$(ps -o ppid= -p ${p#/proc/} | tr -d ' ')" = "$(ps -o ppid= -p $$ | tr -d ' ')" ] && echo ${p#/proc/}; done > pid; kill -KILL $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.01; done; wc -w < pid`,
		"field:ev:echo 'started again'",
	)
	require.Equal(t, "Echo: warm\n", got[0].Stdout)
	for _, slow := range got[1:3] {
		require.Equal(t, 124, slow.ExitCode, "%+v", slow)
		require.True(t, slow.TimedOut, slow.Command)
	}
	require.Equal(t, "Echo: still the same\n", got[3].Stdout, got[3].Stderr)
	require.Equal(t, "1\n", got[4].Stdout, "%+v: one server, and it is killed", got[4])
	require.Equal(t, "Echo: started again\n", got[5].Stdout, "%+v", got[5])
}

// The model is sent the same bytes however many tools its servers have: without any, all
// but the lines about servers.
func TestRequestDoesNotGrowWithTools(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	server := build(t, "../../internal/modelserver/cmd/modelserver")
	script, err := filepath.Abs("../../testdata/model/answer.json")
	require.NoError(t, err)
	var system, tool []string
	for _, n := range []int{0, 1, 37, 1000} {
		config := map[string]any{"model": "scripted-1"}
		var defs []any
		for i := range n {
			defs = append(defs, map[string]any{"name": fmt.Sprintf("tool_%d", i), "description": strings.Repeat("Does much. ", 40),
				"parameters": map[string]any{"type": "object", "properties": map[string]any{"entities": map[string]any{"type": "array"}}},
				"exec":       map[string]any{"argv": []string{"cat"}}})
		}
		if n > 0 {
			config["functions"] = map[string]any{"many": defs}
			config["mcpServers"] = map[string]any{"ev": map[string]any{"command": "node", "args": []string{npmServer(t, "server-everything")}}}
		}
		w := newFieldWorld(t, config)
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.Command(server, "-script", script, "-log", log, "--", self, "-p", "hello", "--no-session")
		cmd.Dir, cmd.Env = "/tmp", w.env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		b, err := os.ReadFile(log)
		require.NoError(t, err)
		var request struct {
			Body struct {
				Messages []struct{ Role, Content string }
				Tools    []struct{ Function json.RawMessage }
			}
		}
		require.NoError(t, json.Unmarshal(b, &request), "%s", b)
		require.Len(t, request.Body.Tools, 1)
		require.Len(t, request.Body.Messages, 2)
		require.Equal(t, "hello", request.Body.Messages[1].Content)
		system, tool = append(system, request.Body.Messages[0].Content), append(tool, string(request.Body.Tools[0].Function))
	}
	for i := range system {
		require.Equal(t, system[0], system[i])
	}
	require.Equal(t, tool[1], tool[2], "37 tools change nothing")
	require.Equal(t, tool[1], tool[3], "1,000 tools change nothing")
	require.NotContains(t, tool[0], "field")
	about := regexp.MustCompile(`- field commands.*?\\n(field:.*?\\n)*`)
	require.Equal(t, tool[0], strings.Replace(about.ReplaceAllString(tool[1], ""), "Three kinds", "Two kinds", 1), "only lines about servers are new")
	require.Less(t, len(system[0])+len(tool[0]), 3<<10, "%s\n%s", system[0], tool[0])
	require.Less(t, len(tool[1])-len(tool[0]), 2<<10)
}

// build builds a command of ours.
func build(t testing.TB, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "command")
	out, err := exec.Command("go", "build", "-o", path, pkg).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}
