package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// editor is the client's side of the protocol, by its SDK.
type editor struct {
	t      *testing.T
	conn   *acp.ClientSideConnection
	answer func(acp.RequestPermissionRequest) acp.PermissionOptionId // "" cancels

	open map[string]string // its files, by path

	mu      sync.Mutex
	updates []acp.SessionUpdate
	told    chan struct{} // an update came; holds one
}

func (e *editor) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	if id := e.answer(p); id != "" {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(id)}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	select {
	case e.told <- struct{}{}:
	default:
	}
	return nil
}

func (e *editor) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	text, ok := e.open[p.Path]
	if !ok {
		return acp.ReadTextFileResponse{}, acp.NewInvalidParams("it is not open")
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}
func (e *editor) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, acp.NewMethodNotFound("fs/write_text_file")
}
func (e *editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound("terminal/create")
}
func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound("terminal/kill")
}
func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound("terminal/output")
}
func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound("terminal/release")
}
func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound("terminal/wait_for_exit")
}

// take returns the updates since the last time.
func (e *editor) take() []acp.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.updates
	e.updates = nil
	return out
}

// text is what the agent said in updates, and last the last state of each tool call.
func digest(updates []acp.SessionUpdate) (text string, started map[acp.ToolCallId]*acp.SessionUpdateToolCall, last map[acp.ToolCallId]*acp.SessionToolCallUpdate) {
	started, last = map[acp.ToolCallId]*acp.SessionUpdateToolCall{}, map[acp.ToolCallId]*acp.SessionToolCallUpdate{}
	for _, u := range updates {
		switch {
		case u.AgentMessageChunk != nil:
			text += u.AgentMessageChunk.Content.Text.Text
		case u.ToolCall != nil:
			started[u.ToolCall.ToolCallId] = u.ToolCall
		case u.ToolCallUpdate != nil:
			last[u.ToolCallUpdate.ToolCallId] = u.ToolCallUpdate
		}
	}
	return text, started, last
}

// acpProgram is agentbash acp before a model that says these replies.
func acpProgram(t *testing.T, replies []modelserver.Reply, args ...string) *exec.Cmd {
	server, err := modelserver.Start(&modelserver.Script{Replies: replies}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return program(t, nil, append([]string{"acp", "--base-url", server.BaseURL, "--model", "gpt-5"}, args...)...)
}

// newEditor starts the program and connects to it.
func newEditor(t *testing.T, cmd *exec.Cmd) *editor {
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	})
	e := &editor{t: t, told: make(chan struct{}, 1)}
	e.conn = acp.NewClientSideConnection(e, in, out)
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
	got, err := e.conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true}}})
	require.NoError(t, err)
	require.True(t, got.AgentCapabilities.LoadSession)
	require.True(t, got.AgentCapabilities.PromptCapabilities.Image)
	return e
}

func (e *editor) newSession(dir string, servers ...acp.McpServer) acp.NewSessionResponse {
	s, err := e.conn.NewSession(e.t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: append([]acp.McpServer{}, servers...)})
	require.NoError(e.t, err)
	return s
}

func (e *editor) prompt(id acp.SessionId, blocks ...acp.ContentBlock) acp.StopReason {
	res, err := e.conn.Prompt(e.t.Context(), acp.PromptRequest{SessionId: id, Prompt: blocks})
	require.NoError(e.t, err)
	return res.StopReason
}

// TestACPWholeTurn: text, a call with its output, an edit with its diff, an answer to a
// question; then the session is loaded again, by another program.
func TestACPWholeTurn(t *testing.T) {
	t.Parallel()
	cmd := acpProgram(t, []modelserver.Reply{
		{Text: "Looking.", ToolCalls: calls("read a.txt")},
		{Text: "Editing.", ToolCalls: calls("write a.txt --content two"), Expect: expect("one")},
		{Text: "Done."},
	})
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "a.txt"), []byte("one\n"), 0o600))
	e := newEditor(t, cmd)
	var asked acp.RequestPermissionRequest
	e.answer = func(p acp.RequestPermissionRequest) acp.PermissionOptionId {
		asked = p
		return "y"
	}
	s := e.newSession(cmd.Dir)
	require.Equal(t, acp.SessionModeId("ask"), s.Modes.CurrentModeId)
	require.Len(t, s.Modes.AvailableModes, 4)
	picture := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("change "), acp.ResourceLinkBlock("a.txt", "file://"+cmd.Dir+"/a.txt"), acp.ImageBlock(picture, "image/png")))
	updates := e.take()
	text, started, last := digest(updates)
	require.Equal(t, "Looking.Editing.Done.", text)
	require.Len(t, started, 2)
	var edit *acp.SessionUpdateToolCall
	for id, c := range started {
		require.Equal(t, acp.ToolCallStatusCompleted, *last[id].Status)
		if c.Kind == acp.ToolKindEdit {
			edit = c
		} else {
			require.Equal(t, "read a.txt", c.Title)
			require.Equal(t, acp.ToolKindRead, c.Kind)
			require.Contains(t, last[id].Content[0].Content.Content.Text.Text, "one")
		}
	}
	path := filepath.Join(cmd.Dir, "a.txt")
	require.Equal(t, []acp.ToolCallLocation{{Path: path}}, edit.Locations)
	diff := last[edit.ToolCallId].Content[0].Diff
	require.Equal(t, acp.ToolCallContentDiff{Path: path, OldText: acp.Ptr("one\n"), NewText: "two", Type: diff.Type}, *diff)
	require.Equal(t, edit.ToolCallId, asked.ToolCall.ToolCallId)
	kinds := map[acp.PermissionOptionKind]bool{}
	for _, o := range asked.Options {
		kinds[o.Kind] = true
	}
	require.Equal(t, map[acp.PermissionOptionKind]bool{acp.PermissionOptionKindAllowOnce: true, acp.PermissionOptionKindAllowAlways: true, acp.PermissionOptionKindRejectOnce: true}, kinds)
	require.Contains(t, asked.ToolCall.Content[0].Content.Content.Text.Text, "+two")

	list, err := e.conn.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &cmd.Dir})
	require.NoError(t, err)
	require.Len(t, list.Sessions, 1)
	require.Equal(t, s.SessionId, list.Sessions[0].SessionId)
	_, err = e.conn.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: s.SessionId})
	require.NoError(t, err)
	_, err = e.conn.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: s.SessionId, Cwd: cmd.Dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	text, started, _ = digest(e.take())
	require.Equal(t, "Looking.Editing.Done.", text)
	require.Len(t, started, 2)
}

// TestACPRefusalAndCancel: what is refused does not run and the model is told; a cancel in
// the middle of a command ends the turn, and the session goes on.
func TestACPRefusalAndCancel(t *testing.T) {
	t.Parallel()
	cmd := acpProgram(t, []modelserver.Reply{
		{ToolCalls: calls(`todo --items '[{"content":"make it","status":"in_progress"}]'`)},
		{ToolCalls: calls("touch made")},
		{ToolCalls: calls("touch made"), Expect: expect("denied by the user")},
		{Text: "As you like.", Expect: expect("left without an answer")},
		{ToolCalls: calls("echo begun; sleep 600")},
		{Text: "Stopped."},
	})
	e := newEditor(t, cmd)
	answers := []acp.PermissionOptionId{"n", ""}
	e.answer = func(acp.RequestPermissionRequest) (id acp.PermissionOptionId) {
		id, answers = answers[0], answers[1:]
		return id
	}
	s := e.newSession(cmd.Dir)
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("go")))
	require.NoFileExists(t, filepath.Join(cmd.Dir, "made"))
	updates := e.take()
	_, started, last := digest(updates)
	for id, c := range last {
		if started[id].Title == "touch made" {
			require.Equal(t, acp.ToolCallStatusFailed, *c.Status)
		}
	}
	plans := slices.DeleteFunc(updates, func(u acp.SessionUpdate) bool { return u.Plan == nil })
	require.Len(t, plans, 1)
	require.Equal(t, []acp.PlanEntry{{Content: "make it", Status: acp.PlanEntryStatusInProgress, Priority: acp.PlanEntryPriorityMedium}}, plans[0].Plan.Entries)
	go func() {
		for range e.told {
			e.mu.Lock()
			_, _, last := digest(e.updates)
			e.mu.Unlock()
			for _, c := range last {
				if len(c.Content) > 0 && strings.Contains(c.Content[0].Content.Content.Text.Text, "begun") {
					e.conn.Cancel(t.Context(), acp.CancelNotification{SessionId: s.SessionId})
					return
				}
			}
		}
	}()
	require.Equal(t, acp.StopReasonCancelled, e.prompt(s.SessionId, acp.TextBlock("wait")))
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("and now?")))
	text, _, _ := digest(e.take())
	require.Equal(t, "Stopped.", text)
}

// TestACPModesCommandsAndServers: the mode is switched by the editor, slash commands are
// told and run, servers that the editor passes are there, errors say what to do.
func TestACPModesCommandsAndServers(t *testing.T) {
	t.Parallel()
	cmd := acpProgram(t, []modelserver.Reply{
		{ToolCalls: calls("field:box:bash --command 'echo from a server'")},
		{Text: "Done.", Expect: expect("from a server")},
	})
	e := newEditor(t, cmd)
	s := e.newSession(cmd.Dir, acp.McpServer{Stdio: &acp.McpServerStdio{Name: "box", Command: os.Args[0], Args: []string{"mcp", "--mode", "full"},
		Env: []acp.EnvVariable{{Name: asProgram, Value: "1"}, {Name: "HOME", Value: t.TempDir()}}}})
	_, err := e.conn.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "full"})
	require.NoError(t, err)
	_, err = e.conn.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "yolo"})
	require.ErrorContains(t, err, "it is plan, ask, auto or full")
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("go")))
	var names []string
	mode := acp.SessionModeId("")
	for _, u := range e.take() {
		if u.AvailableCommandsUpdate != nil {
			for _, c := range u.AvailableCommandsUpdate.AvailableCommands {
				names = append(names, c.Name)
			}
		}
		if u.CurrentModeUpdate != nil {
			mode = u.CurrentModeUpdate.CurrentModeId
		}
	}
	require.Equal(t, acp.SessionModeId("full"), mode)
	require.Subset(t, names, []string{"tools", "jobs", "config"})
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("/jobs")))
	text, _, _ := digest(e.take())
	require.Contains(t, text, "nothing runs in the background")
	_, err = e.conn.Prompt(t.Context(), acp.PromptRequest{SessionId: "none", Prompt: []acp.ContentBlock{acp.TextBlock("x")}})
	require.ErrorContains(t, err, "session/new")
	_, err = e.conn.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.ImageBlock(base64.StdEncoding.EncodeToString([]byte("no picture")), "image/png")}})
	require.ErrorContains(t, err, "picture")
}

// TestACPUnsavedFiles: what an editor has not saved is not written over, and the model
// learns of it.
func TestACPUnsavedFiles(t *testing.T) {
	t.Parallel()
	cmd := acpProgram(t, []modelserver.Reply{
		{ToolCalls: calls("read a.txt; read b.txt")},
		{ToolCalls: calls("sed -i s/one/two/ a.txt"), Expect: expect("a.txt has changes in the user's editor that are not saved; with them it is /")},
		{ToolCalls: calls("echo more >> b.txt"), Expect: expect("ask the user to save")},
		{Text: "Done.", Expect: expect("(no output)")},
	}, "--mode", "full")
	a, b := filepath.Join(cmd.Dir, "a.txt"), filepath.Join(cmd.Dir, "b.txt")
	require.NoError(t, os.WriteFile(a, []byte("one\n"), 0o600))
	require.NoError(t, os.WriteFile(b, []byte("b\r\n"), 0o600))
	e := newEditor(t, cmd)
	e.open = map[string]string{a: "one\nand a line\n", b: "b\n"}
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(e.newSession(cmd.Dir).SessionId, acp.TextBlock("go")))
	data, err := os.ReadFile(a)
	require.NoError(t, err)
	require.Equal(t, "one\n", string(data))
	data, err = os.ReadFile(b)
	require.NoError(t, err)
	require.Equal(t, "b\r\nmore\n", string(data))
}

// varying are values of a conversation that differ from place to place.
var varying = regexp.MustCompile(`"(used|version|availableCommands)":(\d+|"[^"]*"|\[.*\])`)

// TestACPConversation plays a whole conversation as its bytes are recorded in
// testdata/acp.jsonl: lines that begin with > are the editor's, with < the agent's.
func TestACPConversation(t *testing.T) {
	t.Parallel()
	cmd := acpProgram(t, []modelserver.Reply{{Text: "Let me see.", ToolCalls: calls("touch made")}, {Text: "Made."}})
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	recorded, err := os.ReadFile("../../testdata/acp.jsonl")
	require.NoError(t, err)
	lines, session := bufio.NewReader(out), "?"
	for line := range strings.Lines(string(recorded)) {
		text := strings.NewReplacer("DIR", cmd.Dir, "SESSION", session).Replace(strings.TrimSpace(line[1:]))
		if line[0] == '>' {
			_, err := io.WriteString(in, text+"\n")
			require.NoError(t, err)
			continue
		}
		got, err := lines.ReadString('\n')
		require.NoError(t, err, "wanted %s", text)
		if _, id, ok := strings.Cut(got, `"sessionId":"`); ok && session == "?" {
			session, _, _ = strings.Cut(id, `"`)
			text = strings.ReplaceAll(text, "?", session)
		}
		require.JSONEq(t, text, varying.ReplaceAllString(got, `"$1":0`))
	}
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Empty(t, string(rest))
	require.NoError(t, cmd.Wait())
	require.FileExists(t, filepath.Join(cmd.Dir, "made"))
}
