package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// chatAt runs the chat on a terminal of its own, types a prompt, waits until
// end was shown, ends the chat, and returns the processor time that the process
// and its shell used, and the most memory that it had.
func chatAt(b *testing.B, bin, home, base, end string, extra ...string) (cpu time.Duration, rssKB int64) {
	b.Helper()
	cmd := exec.Command(bin, extra...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "TERM=xterm-256color",
		"OPENAI_BASE_URL="+base, "OPENAI_API_KEY=k", "AGENTBASH_MODEL=scripted-1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	require.NoError(b, err)
	defer tty.Close()
	var seen bytes.Buffer
	buf := make([]byte, 64<<10)
	until := func(text string) {
		for !bytes.Contains(seen.Bytes(), []byte(text)) {
			n, err := tty.Read(buf)
			require.NoError(b, err, "%s", seen.Bytes())
			if seen.Len() > 1<<20 {
				seen.Next(seen.Len() - 1<<10)
			}
			seen.Write(buf[:n])
		}
	}
	until("scripted-1")
	_, err = tty.WriteString("go\r")
	require.NoError(b, err)
	until(end)
	// rusage would count the memory of the process that started it, too.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	require.NoError(b, err)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(peak, &rssKB)
	require.NoError(b, err)
	_, err = tty.WriteString("\x04")
	require.NoError(b, err)
	for err == nil { // until the program has ended
		_, err = tty.Read(buf)
	}
	require.NoError(b, cmd.Wait())
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), rssKB
}

// BenchmarkChatMemory is the memory of a chat of fifty commands with 20 KB of
// output each, and of one that goes on with a session of 10,000 records.
func BenchmarkChatMemory(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "seq 4000; date +%N"}}, Times: 50}, {Text: "THE-END"}}}, nil)
	require.NoError(b, err)
	var worked, resumed int64
	for b.Loop() {
		s.Rewind()
		_, rss := chatAt(b, bin, home, s.BaseURL, "THE-END")
		worked = max(worked, rss)
	}
	require.NoError(b, s.Close())
	long := b.TempDir()
	fillHistory(b, long, filepath.Clean(long), 2000, 200)
	s, err = modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "THE-END"}}}, nil)
	require.NoError(b, err)
	_, resumed = chatAt(b, bin, long, s.BaseURL, "THE-END", "--continue")
	b.ReportMetric(float64(worked)/1024, "RSS-MB")
	b.ReportMetric(float64(resumed)/1024, "resumed-RSS-MB")
	b.ReportMetric(0, "ns/op")
	require.NoError(b, s.Close())
}
