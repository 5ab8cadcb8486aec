package term

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/chat"
)

// BenchmarkReply shows a reply of 100,000 tokens, an event a token, on a
// terminal that something is drawn on below it.
func BenchmarkReply(b *testing.B) {
	const tokens = 100_000
	unit := "# Heading\n\nSome **bold text** with `code`, a [link](http://example.com) and plain words.\n\n- an item of *a list*\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
	text := strings.Repeat(unit, 4*tokens/len(unit)+1)[:4*tokens]
	master, slave, err := pty.Open()
	require.NoError(b, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.Discard, master)
	}()
	tty := &terminal{fd: int(slave.Fd())}
	s := newScreen(&Options{Out: slave, Err: slave, Color: true}, &input{terminal: true, tty: tty, edit: &editor{}})
	cpu := func() time.Duration {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := cpu()
	for b.Loop() {
		s.begin()
		s.startLive("working")
		for at := 0; at < len(text); at += 4 {
			s.event(chat.Text{Delta: text[at : at+4]})
		}
		s.end()
		s.stopLive()
	}
	b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N)/(tokens/1000), "cpu-ms/1000tokens")
	require.NoError(b, slave.Close())
	require.NoError(b, master.Close())
	<-done
}
