package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// TestACPOverASocket: two editors at once, each with its own shell.
func TestACPOverASocket(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	cmd := acpProgram(t, []modelserver.Reply{{ToolCalls: calls("x=mine; echo \"[$x]\"")}, {Text: "a", Expect: expect("[mine]")},
		{ToolCalls: calls("echo \"[$x]\""), NewConversation: true}, {Text: "b", Expect: expect("[]")}},
		"--mode", "full", "--listen", socket)
	notes, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		cmd.Wait()
	})
	line := make([]byte, 100)
	_, err = notes.Read(line)
	require.NoError(t, err)
	st, err := os.Stat(socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	for range 2 {
		conn, err := net.Dial("unix", socket)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		e := &editor{t: t, told: make(chan struct{}, 1)}
		e.conn = acp.NewClientSideConnection(e, conn, conn)
		e.conn.SetLogger(slog.New(slog.DiscardHandler))
		_, err = e.conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
		require.NoError(t, err)
		require.Equal(t, acp.StopReasonEndTurn, e.prompt(e.newSession(cmd.Dir).SessionId, acp.TextBlock("go")))
	}
}

// TestACPSocketIsGivenBack: an editor that reads nothing holds nobody at the end, and the
// socket of a program that was killed is taken over; that of one that runs is not.
func TestACPSocketIsGivenBack(t *testing.T) {
	t.Parallel()
	const long = 8 << 20 // more than any socket holds
	replies := []modelserver.Reply{{Text: strings.Repeat("x", long), Chunk: long}}
	socket := filepath.Join(t.TempDir(), "s")
	for _, signal := range []os.Signal{os.Kill, os.Interrupt} {
		cmd := acpProgram(t, replies, "--listen", socket)
		notes, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		said, err := bufio.NewReader(notes).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, said, "ACP at "+socket)
		second := program(t, nil, "acp", "--listen", socket, "--base-url", "http://127.0.0.1:1/v1", "--model", "m")
		out, err := second.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "address already in use: give --listen another path")

		conn, err := net.Dial("unix", socket)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		lines := bufio.NewReader(conn)
		_, err = fmt.Fprintf(conn, "{\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":%q,\"mcpServers\":[]}}\n", cmd.Dir)
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		_, session, _ := strings.Cut(line, `"sessionId":"`)
		session, _, _ = strings.Cut(session, `"`)
		_, err = fmt.Fprintf(conn, "{\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":%q,\"prompt\":[{\"type\":\"text\",\"text\":\"go\"}]}}\n", session)
		require.NoError(t, err)
		for head := []byte(nil); !bytes.Contains(head, []byte("xxxx")); { // and no more of it
			c, err := lines.ReadByte()
			require.NoError(t, err)
			head = append(head, c)
		}
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, cmd.Wait())
	}
}

// TestACPCancelBehindAPrompt: a prompt is cancelled by what stands directly behind it, as often
// as one likes.
func TestACPCancelBehindAPrompt(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a model that never answers
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	cmd := program(t, nil, "acp", "--base-url", "http://"+silent.Addr().String()+"/v1", "--model", "gpt-5")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	ask := func(id int, text string) string { // the answer to a request
		_, err := io.WriteString(in, text+"\n")
		require.NoError(t, err)
		for {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
				return line
			}
		}
	}
	ask(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	_, session, _ := strings.Cut(ask(2, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"`+cmd.Dir+`","mcpServers":[]}}`), `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	cancel := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":%q}}\n", session)
	for id := 3; id < 13; id++ {
		require.Contains(t, ask(id, cancel+fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`, id, session)+"\n"+cancel+cancel), `"stopReason":"cancelled"`)
	}
	for id, known := range map[int]string{13: "", 14: session[:len(session)-1], 15: "../" + session} {
		answer := ask(id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, id, known, cmd.Dir))
		require.Contains(t, answer, `"error":`, "%s", known)
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// TestACPIDsThatAreUsedAgain: a model's calls with one ID are two calls, also when they are told again.
func TestACPIDsThatAreUsedAgain(t *testing.T) {
	t.Parallel()
	call := func(command string) []modelserver.ToolCall {
		return []modelserver.ToolCall{{ID: "same", Command: command}}
	}
	cmd := acpProgram(t, []modelserver.Reply{{ToolCalls: call("echo first")}, {ToolCalls: call("echo second; false")}, {Text: "Done."}}, "--mode", "full")
	e := newEditor(t, cmd)
	s := e.newSession(cmd.Dir)
	require.Equal(t, acp.StopReasonEndTurn, e.prompt(s.SessionId, acp.TextBlock("go")))
	for range 2 {
		_, started, last := digest(e.take())
		require.Len(t, started, 2)
		for id, c := range started {
			word, status := "first", acp.ToolCallStatusCompleted
			if c.Title != "echo first" {
				word, status = "second", acp.ToolCallStatusFailed
			}
			require.Contains(t, last[id].Content[0].Content.Content.Text.Text, word)
			require.Equal(t, status, *last[id].Status)
		}
		_, err := e.conn.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: s.SessionId})
		require.NoError(t, err)
		_, err = e.conn.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: s.SessionId, Cwd: cmd.Dir, McpServers: []acp.McpServer{}})
		require.NoError(t, err)
	}
}
