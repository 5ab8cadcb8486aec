package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// bashRunner runs each command in a bash of its own, in dir.
type bashRunner struct {
	dir string

	mu   sync.Mutex
	runs []string
}

func (b *bashRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	b.mu.Lock()
	b.runs = append(b.runs, command)
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = b.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

func (b *bashRunner) ran() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.runs...)
}

// testChat is a conversation with a scripted model, and what it showed.
type testChat struct {
	*Conversation
	server *modelserver.Server
	runner *bashRunner
	events []Event
}

func startChat(t *testing.T, script *modelserver.Script, change func(*Options)) *testChat {
	t.Helper()
	server, err := modelserver.Start(script, nil)
	require.NoError(t, err)
	k := &testChat{server: server, runner: &bashRunner{dir: t.TempDir()}}
	opts := &Options{
		Model: "scripted-1", BaseURL: server.BaseURL, APIKey: "key", System: "You are a test.",
		Runner: k.runner, Events: func(e Event) { k.events = append(k.events, e) }, Backoff: time.Millisecond,
	}
	if change != nil {
		change(opts)
	}
	k.Conversation = New(opts)
	return k
}

// played ends the server and requires that the script was played and every
// request was as the protocol wants it.
func (k *testChat) played(t *testing.T) {
	t.Helper()
	require.NoError(t, k.server.Close())
}

func (k *testChat) shown() string {
	var b strings.Builder
	for _, e := range k.events {
		switch e := e.(type) {
		case Text:
			b.WriteString(e.Delta)
		case Retry:
			if e.Void {
				b.Reset()
			}
		}
	}
	return b.String()
}

func pick[E Event](events []Event) []E {
	var out []E
	for _, e := range events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

func text(s string) *string { return &s }

func call(command string) []modelserver.ToolCall {
	return []modelserver.ToolCall{{Command: command}}
}

func TestTurnRunsCallsUntilTheModelStops(t *testing.T) {
	script, err := modelserver.Load("../testdata/model/loop.json")
	require.NoError(t, err)
	k := startChat(t, script, nil)
	require.NoError(t, os.WriteFile(filepath.Join(k.runner.dir, "a.txt"), []byte("one\n"), 0o600))

	final, err := k.Turn(context.Background(), "Make one two.")
	require.NoError(t, err)
	require.Equal(t, "Done: a.txt says two.", final)
	require.Equal(t, "Let me look.\nDone: a.txt says two.", strings.Replace(k.shown(), "Let me look.", "Let me look.\n", 1))
	data, err := os.ReadFile(filepath.Join(k.runner.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "two\n", string(data))

	final, err = k.Turn(context.Background(), "Thanks.")
	require.NoError(t, err)
	require.Equal(t, "You're welcome.", final)
	k.played(t)

	calls := pick[ToolCall](k.events)
	require.Len(t, calls, 3)
	require.Equal(t, DefaultTimeout, calls[0].Timeout)
	require.Equal(t, 30*time.Second, calls[1].Timeout)
	results := pick[ToolResult](k.events)
	require.Len(t, results, 3)
	require.Equal(t, "one\n", results[0].Output)
	require.Equal(t, "(no output)", results[1].Output)
	require.Equal(t, []Usage{{Prompt: 250, Completion: 9, Cached: 200}}, pick[Usage](k.events)[:1])
}

func TestRequestsOfferTheSameToolInTheSameBytes(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call("true")}, {Text: "a"}, {Text: "b"},
	}}, nil)
	for range 2 {
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
	}
	k.played(t)
	var tools []string
	for _, r := range k.server.Requests() {
		var body struct{ Tools json.RawMessage }
		require.NoError(t, json.Unmarshal(r.Body, &body))
		tools = append(tools, string(body.Tools))
	}
	require.Len(t, tools, 3)
	require.Equal(t, tools[0], tools[1])
	require.Equal(t, tools[0], tools[2])
	// A token is about four bytes of English; the promise is about 240 tokens.
	require.Less(t, len(tools[0])/4, 300)
}

func TestMisbehavingServers(t *testing.T) {
	tests := []struct {
		name    string
		replies []modelserver.Reply
		final   string
		ran     []string
	}{
		{"arguments in 1-byte pieces", []modelserver.Reply{
			{ToolCalls: call("printf 'h\u00e4\\n'; echo \"q\""), Chunk: 1},
			{Expect: modelserver.Expectations{{Role: "tool", Equals: text("h\u00e4\nq\n")}}, Text: "ok"},
		}, "ok", []string{"printf 'h\u00e4\\n'; echo \"q\""}},
		{"malformed arguments", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command": "ls`)}}},
			{Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"not a JSON object", `{"command": "ls -l"`, `{\"command\": \"ls`}}}, Text: "ok"},
		}, "ok", nil},
		{"arguments that are a list", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`[1]`)}}},
			{Expect: modelserver.Expectations{{Contains: []string{"not a JSON object"}}}, Text: "ok"},
		}, "ok", nil},
		{"empty arguments", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text("")}}},
			{Expect: modelserver.Expectations{{Contains: []string{"no command"}}}, Text: "ok"},
		}, "ok", nil},
		{"no command", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"text":"ls"}`)}}},
			{Expect: modelserver.Expectations{{Contains: []string{"no command", `{"command": "ls -l"`}}}, Text: "ok"},
		}, "ok", nil},
		{"a command that is a list", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command":["echo","a b"]}`)}}},
			{Expect: modelserver.Expectations{{Equals: text("a b\n")}}, Text: "ok"},
		}, "ok", []string{"echo 'a b'"}},
		{"a timeout in milliseconds", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command":"echo x","timeout":30000}`)}}},
			{Expect: modelserver.Expectations{{Equals: text("x\n[timeout 30000 was read as milliseconds: it is in seconds]")}}, Text: "ok"},
		}, "ok", []string{"echo x"}},
		{"raw newlines in the arguments", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text("{\"command\":\"echo x\necho y\"}")}}},
			{Expect: modelserver.Expectations{{Equals: text("x\ny\n")}}, Text: "ok"},
		}, "ok", []string{"echo x\necho y"}},
		{"a timeout in quotes", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command":"echo x","timeout":"30"}`)}}},
			{Expect: modelserver.Expectations{{Equals: text("x\n")}}, Text: "ok"},
		}, "ok", []string{"echo x"}},
		{"an unknown tool", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Name: "read", Arguments: text(`{"file_path":"a.txt"}`)}}},
			{Expect: modelserver.Expectations{{Contains: []string{`no tool "read"`, `{"command": "ls -l"`}}}, Text: "ok"},
		}, "ok", nil},
		{"a tool name that servers refuse", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Name: "functions.bash:0", Command: "echo x"}, {Name: "Shell<|channel|>", Command: "echo y"}, {Name: "a tool", Command: "ls"}}},
			{Expect: modelserver.Expectations{{Equals: text("x\n")}, {Equals: text("y\n")}, {Contains: []string{`no tool "a tool"`}}}, Text: "ok"},
		}, "ok", []string{"echo x", "echo y"}},
		{"calls without ids", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Command: "echo 1", NoID: true}, {Command: "echo 2", NoID: true}}},
			{Expect: modelserver.Expectations{{Equals: text("1\n")}, {Equals: text("2\n")}}, Text: "ok"},
		}, "ok", []string{"echo 1", "echo 2"}},
		{"calls with the same id", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Command: "echo 1", ID: "x"}}},
			{ToolCalls: []modelserver.ToolCall{{Command: "echo 2", ID: "x"}}},
			{Text: "ok"},
		}, "ok", []string{"echo 1", "echo 2"}},
		{"1,000 keep-alive comments", []modelserver.Reply{{KeepAlives: 1000, Text: "ok"}}, "ok", nil},
		{"no usage", []modelserver.Reply{{NoUsage: true, Text: "ok"}}, "ok", nil},
		{"another name for the content type", []modelserver.Reply{{ContentType: "text/plain; charset=utf-8", Text: "ok"}}, "ok", nil},
		{"finish reason stop with tool calls", []modelserver.Reply{
			{ToolCalls: call("echo 1"), FinishReason: "stop"}, {Text: "ok"},
		}, "ok", []string{"echo 1"}},
		{"arguments cut by the output limit", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command": "write --file_path x <<E`)}}, FinishReason: "length"},
			{Expect: modelserver.Expectations{{Contains: []string{"output limit"}}}, Text: "ok"},
		}, "ok", nil},
		{"a brace cut by the output limit", []modelserver.Reply{
			{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command": "rm -rf *"`)}}, FinishReason: "length"},
			{Expect: modelserver.Expectations{{Contains: []string{"cut off, and nothing ran", "output limit"}}}, Text: "ok"},
		}, "ok", nil},
		{"an answer without a word", []modelserver.Reply{
			{ToolCalls: call("echo 1")}, {Text: " \n"},
			{Expect: modelserver.Expectations{{Role: "user", Contains: []string{"your reply was empty"}}}, Text: "ok"},
		}, "ok", []string{"echo 1"}},
		{"reasoning without an answer", []modelserver.Reply{
			{Reasoning: "hm"}, {ToolCalls: call("echo 1")}, {Reasoning: "hm"}, {Text: "ok"},
		}, "ok", []string{"echo 1"}},
		{"429, 500, 503 and a dropped connection before the reply", []modelserver.Reply{
			{Status: 429, RetryAfter: "0"}, {Status: 503}, {Cut: modelserver.CutDrop}, {Text: "ok"},
		}, "ok", nil},
		{"a response without a body before the reply", []modelserver.Reply{{Cut: modelserver.CutEmpty}, {Text: "ok"}}, "ok", nil},
		{"100 parallel calls", []modelserver.Reply{
			{ToolCalls: slices.Repeat(call("echo x"), 100)},
			{Expect: slices.Repeat(modelserver.Expectations{{Role: "tool", Equals: text("x\n")}}, 100), Text: "ok"},
		}, "ok", slices.Repeat([]string{"echo x"}, 100)},
		{"a reply of 1 MB", []modelserver.Reply{{Text: "0123456789abcdef", TextTimes: 1 << 16, Chunk: 1 << 12}}, strings.Repeat("0123456789abcdef", 1<<16), nil},
		{"reasoning", []modelserver.Reply{{Reasoning: "well, well", Text: "ok"}}, "ok", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{Replies: append(tt.replies, modelserver.Reply{Text: "still here"})}, nil)
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Equal(t, tt.final, final)
			require.Equal(t, tt.ran, k.runner.ran())
			final, err = k.Turn(context.Background(), "and now?")
			require.NoError(t, err)
			require.Equal(t, "still here", final)
			k.played(t)
		})
	}
}

// BenchmarkStream is what a delta of a streamed reply costs, the server's part
// included.
func BenchmarkStream(b *testing.B) {
	const deltas = 10_000
	for b.Loop() {
		server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "four", TextTimes: deltas, Chunk: 4}}}, nil)
		require.NoError(b, err)
		c := New(&Options{Model: "m", BaseURL: server.BaseURL, Runner: &bashRunner{}})
		_, err = c.Turn(context.Background(), "go")
		require.NoError(b, err)
		require.NoError(b, server.Close())
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/deltas, "us/delta")
}
