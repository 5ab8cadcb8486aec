package agentbash_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// newDenying is a Bash in work that denies work/private and has these field tools.
func newDenying(t *testing.T, mode policy.Mode, work string, fields fieldbash.Config) *agentbash.Bash {
	private := filepath.Join(work, "private")
	require.NoError(t, os.MkdirAll(private, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(private, "x"), []byte("KEY\n"), 0o600))
	text, err := json.Marshal([]string{"deny read " + private + "/**", "deny write " + private + "/**"})
	require.NoError(t, err)
	rules, err := policy.ParseRules("here", text, false)
	require.NoError(t, err)
	b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: mode, Fields: fields, Guard: guard.Options{Rules: []*policy.Rules{rules}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// notesServer is an MCP server whose tools show their arguments: its definition says what
// those of one are, and the configuration what those of the other are.
func notesServer(t *testing.T) fieldbash.Config {
	s := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	for name, role := range map[string]string{"show": `,"x-role":"read"`, "look": ""} {
		s.AddTool(&sdk.Tool{Name: name, Description: "Shows a file", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"` + role + `},"text":{"type":"string"}}}`)},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "KEY " + string(r.Params.Arguments)}}}, nil
			})
	}
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	return fieldbash.Config{MCPServers: map[string]fieldbash.Server{"notes": {URL: web.URL, Roles: map[string]fieldbash.Roles{"look": {"path": registry.ReadsFile}}}}}
}

// TestFirstCallOfAServerIsJudgedByItsDefinition: a rule holds for a tool that is not
// known before its server has been started.
func TestFirstCallOfAServerIsJudgedByItsDefinition(t *testing.T) {
	_, work := newHome(t)
	for _, row := range []struct {
		mode    policy.Mode
		command string
		status  int
	}{
		{policy.FullMode, "field:notes:show --path private/x", 126},
		{policy.FullMode, "field:notes:show private/x", 2},
		{policy.FullMode, "field:notes:show --path private/x | cat; exit ${PIPESTATUS[0]}", 126},
		{policy.FullMode, "for f in private/x; do field:notes:show --path=$f || exit $?; done", 126},
		{policy.FullMode, "field:notes:look --path private/x", 126},
		{policy.FullMode, "field:notes:look --path f", 0},
		{policy.FullMode, "field:notes:shoe --path private/x", 127},
		{policy.FullMode, "field:notes:show --pat private/x", 2},
		// The words ask for help only as long as the tool's own are not known.
		{policy.PlanMode, "field:notes:show --text --help", 126},
		{policy.PlanMode, "field:notes:show --help", 0},
		{policy.PlanMode, "field:notes", 0},
	} {
		b := newDenying(t, row.mode, work, notesServer(t))
		res := b.Run(context.Background(), row.command, nil)
		require.Equal(t, row.status, res.ExitCode, "%s\n%s", row.command, res.Output)
		require.Equal(t, row.status == 0 && row.mode == policy.FullMode, len(res.Stdout) > 3 && res.Stdout[:3] == "KEY", "%s\n%s", row.command, res.Output)
	}
}

// TestRelativePathsOfFieldTools: they start from the directory that the server or
// function works in.
func TestRelativePathsOfFieldTools(t *testing.T) {
	_, work := newHome(t)
	require.NoError(t, os.Mkdir(filepath.Join(work, "sub"), 0o700))
	fields := fieldbash.Config{Functions: map[string][]fieldbash.Function{"fn": {{
		Name: "show", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`), Roles: fieldbash.Roles{"path": registry.ReadsFile},
		Exec: &fieldbash.Exec{Argv: []string{"cat"}, Cwd: "sub"},
	}}}}
	server := "testdata/mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
	path, err := filepath.Abs(server)
	require.NoError(t, err)
	if _, err := os.Stat(path); err == nil || os.Getenv("CI") != "" {
		fields.MCPServers = map[string]fieldbash.Server{"files": {Command: "node", Args: []string{path, work}, Roles: map[string]fieldbash.Roles{"read_text_file": {"path": registry.ReadsFile}}}}
	}
	for command, status := range map[string]int{
		"field:fn:show --path ../private/x": 126, "field:fn:show --path ../f": 0, "cd private; field:fn:show --path ../private/x": 126, "field:fn:show --path ../private/x | cat; exit ${PIPESTATUS[0]}": 126,
		"field:files:read_text_file --path private/x": 126, "cd private; field:files:read_text_file --path private/x": 126, "field:files:read_text_file --path f": 0,
	} {
		if strings.Contains(command, "field:files:") && fields.MCPServers == nil {
			t.Log("SKIPPED: no npm servers: run `make servers`")
			continue
		}
		b := newDenying(t, policy.FullMode, work, fields)
		res := b.Run(context.Background(), command, nil)
		require.Equal(t, status, res.ExitCode, "%s\n%s", command, res.Output)
		require.NotContains(t, res.Output, "KEY", command)
	}
}

// TestHooksOfFieldCalls: a hook sees what the tool gets, and a call that it changes
// keeps the form of its result and the files that it reads.
func TestHooksOfFieldCalls(t *testing.T) {
	_, work := newHome(t)
	require.NoError(t, os.WriteFile(filepath.Join(work, "args"), []byte(`{"n": 7, "late": "from args"}`), 0o600))
	var seen []string
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},"n":{"type":"integer"},"late":{"type":"string"},"any":{},"either":{"type":["integer","string"]}},"required":["text"]}`)
	b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: policy.FullMode, Guard: guard.Options{Said: true}, Router: router.Options{Hooks: []router.Hook{{
		Name: "h", Match: []string{"field:*"}, Before: func(_ context.Context, c *router.HookCall) error {
			text, err := json.Marshal(c.Input)
			seen = append(seen, string(text))
			if c.Input["path"] != nil {
				c.Input["path"] = "changed"
			}
			return err
		}}}},
		Fields: fieldbash.Config{Functions: map[string][]fieldbash.Function{"fn": {{Name: "show", Parameters: schema, Exec: &fieldbash.Exec{Argv: []string{"cat"}}}}}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	for _, row := range []struct {
		words, seen, got string
		status           int
	}{
		{"--text t -o json", `{"text":"t"}`, `{"text":"t"}`, 0},
		{"--path p --text t -o json", `{"path":"p","text":"t"}`, `{"path":"changed","text":"t"}`, 0},
		{"--path p --text@=f", `{"path":"p"}`, `{"path":"changed","text":"content\n"}`, 0},
		{"--path p --json @args --text t -o raw", `{"path":"p","text":"t"}`, `{"late":"from args","n":7,"path":"changed","text":"t"}`, 0},
		{`--path p --text t --either:='"5"' --any:='[1, "2", null]'`, `{"any":[1,"2",null],"either":"5","path":"p","text":"t"}`, `{"any":[1,"2",null],"either":"5","path":"changed","text":"t"}`, 0},
		{"--path p --text t --path@=f", "", "", 2},
		{`--json '{"text":"t","-@":[{"file":"f","set":["path"]}]}'`, "", "", 2},
	} {
		seen = nil
		res := b.Run(context.Background(), "field:fn:show "+row.words, nil)
		require.Equal(t, row.status, res.ExitCode, "%s\n%s", row.words, res.Output)
		if row.status == 0 {
			require.Equal(t, []string{row.seen}, seen, row.words)
			require.JSONEq(t, row.got, res.Stdout, row.words)
		}
	}
	res := b.Run(context.Background(), "echo in | field:fn:show --path p --text@=-", nil)
	require.JSONEq(t, `{"path":"changed","text":"in\n"}`, res.Stdout, res.Output)
}

// TestValuesFromFilesAreReads: a file that a value is taken from is read, and a path that
// comes from a file or stdin is one that nobody knows.
func TestValuesFromFilesAreReads(t *testing.T) {
	home, work := newHome(t)
	key := filepath.Join(home, ".ssh/id_rsa")
	for name, text := range map[string]string{"where": "private/x\n", "key": key + "\n", "call": `{"file_path": "private/x", "path": "private/x", "pattern": "K"}`, "keycall": `{"file_path": "` + key + `", "path": "` + key + `", "pattern": "K"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(key, filepath.Join(work, "link")))
	for _, mode := range []policy.Mode{policy.PlanMode, policy.AskMode, policy.AutoMode, policy.FullMode} {
		b := newDenying(t, mode, work, notesServer(t))
		for _, command := range []string{
			"grep --pattern@=private/x --path f", "grep K --path@=where", "agent:grep --json @call", "agent:grep --json @private/x", "read --file_path@=where", "read --json@=call",
			"write new --content@=private/x", "note --content@=private/x", "edit f --edits @private/x", "edit f --edits@=private/x", "glob --pattern@=private/x",
			"for f in private/x; do write new --content@=$f || exit $?; done", "cd private && write ../new --content@=x", "echo private/x | read --file_path@=-", "read --json - < call",
			"field:notes:look --path f --text@=private/x", "field:notes:look --path@=where", "field:notes:show --json @call", "field:notes:look --json - < call", "field:notes:look < call",
		} {
			res := b.Run(context.Background(), command, nil)
			require.Equal(t, 126, res.ExitCode, "%s %s\n%s", mode, command, res.Output)
			require.NotContains(t, res.Output, "KEY", "%s %s", mode, command)
		}
		for _, command := range []string{"read --file_path@=key", "read --json @keycall", "agent:grep --json @keycall", "grep K --path@=key", "cat key | read --file_path@=-", "write new --content@=~/.ssh/id_rsa", "write new --content@=link", "edit f --edits @link", "field:notes:look --path f --text@=link", "write new --content@=" + key + "; cat new"} {
			if res := b.Run(context.Background(), command, nil); mode != policy.FullMode {
				require.NotContains(t, res.Output, "KEY", "%s %s", mode, command)
				require.NotZero(t, res.ExitCode, "%s %s", mode, command)
			}
		}
	}
	b := newDenying(t, policy.AutoMode, work, notesServer(t))
	for _, row := range [][2]string{
		{"write a --content@=f && read ./a", "content\n"},
		{"echo in | write a --content@=- >&2; read ./a", "in\n"},
		{"echo '[{\"old_string\": \"in\", \"new_string\": \"out\"}]' | edit a --edits - | tail -n 1", "+out\n"},
	} {
		res := b.Run(context.Background(), row[0], nil)
		require.Contains(t, res.Stdout, row[1], "%s\n%s", row[0], res.Output)
	}
}

// TestHooksOfAgentCalls: as for field tools, what comes from a file stays.
func TestHooksOfAgentCalls(t *testing.T) {
	_, work := newHome(t)
	var seen []registry.Kwargs
	b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: policy.FullMode, Router: router.Options{Hooks: []router.Hook{{
		Name: "h", Match: []string{"write"}, Before: func(_ context.Context, c *router.HookCall) error {
			seen = append(seen, c.Input)
			c.Input["file_path"] = "changed"
			return nil
		}}}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	for _, command := range []string{"write new --content@=f", "cat f | write new --content@=- | cat", "echo '{\"content\": \"content\\n\"}' | write new --json -"} {
		seen = nil
		require.NoError(t, os.RemoveAll(filepath.Join(work, "changed")))
		res := b.Run(context.Background(), command, nil)
		require.Zero(t, res.ExitCode, res.Output)
		require.Equal(t, []registry.Kwargs{{"file_path": "changed"}}, seen, command)
		text, err := os.ReadFile(filepath.Join(work, "changed"))
		require.NoError(t, err)
		require.Equal(t, "content\n", string(text), command)
		require.NoFileExists(t, filepath.Join(work, "new"))
	}
}
