package main

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// BenchmarkStreamedReply is a chat on a terminal to which a model says 100,000
// tokens, as fast as they are taken: the CPU of the whole program, beside the 100
// seconds that the stream takes at 1,000 tokens a second, and its memory.
func BenchmarkStreamedReply(b *testing.B) {
	const tokens = 100_000
	bin := buildProgram(b)
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "abc ", TextTimes: tokens, Chunk: 4}}}, nil)
	require.NoError(b, err)
	defer s.Close()
	var cpu time.Duration
	var memory int64
	for b.Loop() {
		s.Rewind()
		cmd := exec.Command(bin, "--base-url", s.BaseURL, "--model", "m", "--api-key", "k", "--dir", b.TempDir())
		cmd.Env = []string{"HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=xterm"}
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
		require.NoError(b, err)
		untilShown(b, tty, "\r\x1b[2C")
		_, err = tty.WriteString("go\r")
		require.NoError(b, err)
		untilShown(b, tty, "; session ", "\r\x1b[2C")
		_, err = tty.WriteString("\x04")
		require.NoError(b, err)
		require.NoError(b, cmd.Wait())
		require.NoError(b, tty.Close())
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		memory = max(memory, maxRSS(cmd.ProcessState))
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/100000tokens")
	b.ReportMetric(float64(memory)/1024, "max-MB")
}

// untilShown reads from a terminal until it has shown texts, one after the other.
func untilShown(b *testing.B, tty *os.File, texts ...string) {
	b.Helper()
	var seen []byte
	buf := make([]byte, 64<<10)
	for len(texts) > 0 {
		if i := bytes.Index(seen, []byte(texts[0])); i >= 0 {
			seen, texts = seen[i+len(texts[0]):], texts[1:]
			continue
		}
		seen = seen[max(0, len(seen)-len(texts[0])):]
		n, err := tty.Read(buf)
		require.NoError(b, err, "before %q", texts[0])
		seen = append(seen, buf[:n]...)
	}
}

// maxRSS is the most memory that a process had, in kB.
func maxRSS(p *os.ProcessState) int64 { return int64(p.SysUsage().(*syscall.Rusage).Maxrss) }
