package agentbash_test

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/agentbash/agentbash/router/policy"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// ownWords are words of this program's insides, which no message has.
const ownWords = `Go (value|struct)|jsonschema|validating root|map\[|execLine|unmarshal`

// TestMistakesMoveForward: what models really send, and what of the answer leads them on.
// testdata/mistakes.txtar says how its rows are read.
func TestMistakesMoveForward(t *testing.T) {
	table, err := txtar.ParseFile("testdata/mistakes.txtar")
	require.NoError(t, err)
	memory := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return memoryServer() }, nil))
	t.Cleanup(memory.Close)
	names := map[string]bool{}
	for _, row := range table.Files {
		require.False(t, names[row.Name], "two rows are called %s", row.Name)
		names[row.Name] = true
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			sendMistakes(t, string(row.Data), memory.URL)
		})
	}
}

// memoryServer is an MCP server that declares nothing of its tool.
func memoryServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "memory", Version: "1"}, &sdk.ServerOptions{Instructions: "Remembers facts about people. Ask it first."})
	type query struct {
		Query string `json:"query"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "search_nodes", Description: "Search the graph"}, func(_ context.Context, _ *sdk.CallToolRequest, q query) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "found " + q.Query}}}, nil, nil
	})
	type rows struct {
		Rows []struct {
			A int `json:"a"`
		} `json:"rows"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "add_rows", Description: "Adds rows"}, func(_ context.Context, _ *sdk.CallToolRequest, r rows) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strconv.Itoa(len(r.Rows))}}}, nil, nil
	})
	return s
}

// mistake is one thing that a model sends, and what comes of it.
type mistake struct {
	sent   string
	status int
	says   []string
	lacks  []string
}

// readMistakes reads a row.
func readMistakes(t *testing.T, row string) (mode policy.Mode, list []mistake) {
	mode = policy.FullMode
	var sent []string
	for line := range strings.Lines(row) {
		line = strings.TrimSuffix(line, "\n")
		verb, rest, _ := strings.Cut(line, " ")
		last := &mistake{}
		if len(list) > 0 {
			last = &list[len(list)-1]
		}
		switch {
		case verb == "==>":
			status, says, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(status)
			require.NoError(t, err, line)
			list = append(list, mistake{sent: strings.Join(sent, "\n"), status: n})
			if says != "" {
				list[len(list)-1].says = []string{says}
			}
			sent = nil
		case verb == "===" && sent == nil:
			last.says = append(last.says, rest)
		case verb == "=!=" && sent == nil:
			last.lacks = append(last.lacks, rest)
		case verb == "mode" && sent == nil:
			mode = policy.Mode(rest)
		default:
			sent = append(sent, line)
		}
	}
	require.Empty(t, sent, "there is no ==> after it")
	return mode, list
}

// readReply is the reply of a model that is sent.
func readReply(text string) modelserver.Reply {
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "$":
		return modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Command: rest}}}
	case "call":
		name, args, _ := strings.Cut(rest, " ")
		return modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Name: name, Arguments: &args}}}
	}
	return modelserver.Reply{Text: cmp.Or(rest, " ")}
}

// told keeps what a conversation has for the model.
type told struct{ records []transcript.Record }

func (k *told) Append(r transcript.Record) error {
	if r.Type == transcript.TypeToolResult || r.Type == transcript.TypeUser {
		k.records = append(k.records, r)
	}
	return nil
}

func (k *told) Sync() error { return nil }

// sendMistakes plays the model of a row.
func sendMistakes(t *testing.T, row, memory string) {
	mode, list := readMistakes(t, row)
	work := t.TempDir()
	makeMistakeFiles(t, work)
	b, err := agentbash.New(&agentbash.Options{
		Dir: work, Mode: mode, Warn: func(error) {},
		Fields: fieldbash.Config{MCPServers: map[string]fieldbash.Server{"memory": {URL: memory}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	script := &modelserver.Script{Loose: true} // a call as text comes back as a call
	for _, m := range list {
		script.Replies = append(script.Replies, readReply(m.sent))
	}
	script.Replies = append(script.Replies, modelserver.Reply{Text: "done"})
	server, err := modelserver.Start(script, nil)
	require.NoError(t, err)
	kept := &told{}
	c := chat.New(&chat.Options{Model: "scripted-1", BaseURL: server.BaseURL, APIKey: "key", Backoff: time.Millisecond, Journal: kept,
		Runner: &chat.RouterRunner{Router: b.Router()}, Events: func(chat.Event) {}})
	_, err = c.Turn(t.Context(), "go")
	require.NoError(t, err)
	require.NoError(t, server.Close())
	require.Len(t, kept.records, 1+len(list))
	lines := strings.NewReplacer(`\n`, "\n").Replace
	for i, m := range list {
		got := kept.records[i+1].Output + kept.records[i+1].Text
		require.Equal(t, m.status, kept.records[i+1].ExitCode, "%s\ngave\n%.3000s", m.sent, got)
		for _, says := range m.says {
			require.Contains(t, got, lines(says), m.sent)
		}
		for _, lacks := range m.lacks {
			require.NotContains(t, got, lines(lacks), m.sent)
		}
		require.NotRegexp(t, ownWords, got, m.sent)
	}
}

// makeMistakeFiles makes what the rows are about.
func makeMistakeFiles(t *testing.T, work string) {
	put := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(content), 0o644))
	}
	put("a.go", "package a\n\nfunc foo() {}\n")
	put("src/b.go", "package b\n\nvar needle = foo\n")
	put("f.txt", "one\nTWO\nthree\n")
	put("big.txt", strings.Repeat("a line of a file that is long enough\n", 5000))
	put("page.html", strings.Repeat("x", 9120)+"\nthe end\n")
	for i := range 4 {
		put("many/"+string(rune('a'+i))+"/f", strings.Repeat("hit\n", 100))
	}
}
