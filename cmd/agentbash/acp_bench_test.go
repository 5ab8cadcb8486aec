package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
)

// BenchmarkEditors holds 200 sessions in one process, each with a bash that has run a command,
// and reports what a session takes of memory, the program's and the shells' together.
func BenchmarkEditors(b *testing.B) {
	const connections, each = 4, 50
	socket := filepath.Join(b.TempDir(), "s")
	home := b.TempDir()
	cmd := exec.Command(buildProgram(b), "acp", "--listen", socket, "--model", "gpt-5", "--base-url", "http://127.0.0.1:9/v1")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	notes, err := cmd.StderrPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	defer func() {
		require.NoError(b, cmd.Process.Signal(os.Interrupt))
		cmd.Wait()
	}()
	_, err = bufio.NewReader(notes).ReadString('\n')
	require.NoError(b, err)
	before := memoryOf(b, cmd.Process.Pid)
	for range connections {
		conn, err := net.Dial("unix", socket)
		require.NoError(b, err)
		defer conn.Close()
		e := &editor{told: make(chan struct{}, 1)}
		e.conn = acp.NewClientSideConnection(e, conn, conn)
		_, err = e.conn.Initialize(b.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
		require.NoError(b, err)
		for range each {
			s, err := e.conn.NewSession(b.Context(), acp.NewSessionRequest{Cwd: home, McpServers: []acp.McpServer{}})
			require.NoError(b, err)
			_, err = e.conn.Prompt(b.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("/jobs")}}) // asks bash
			require.NoError(b, err)
		}
	}
	b.ReportMetric(float64(memoryOf(b, cmd.Process.Pid)-before)/(1<<20)/connections/each, "MB/session")
}
