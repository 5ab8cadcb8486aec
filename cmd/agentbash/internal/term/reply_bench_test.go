package term

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat"
)

const benchUnit = "# Heading\n\nSome **bold text** with `code`, a [link](http://example.com) and plain words.\n\n- an item of *a list*\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"

// benchScreen is a screen on a terminal whose output goes nowhere.
func benchScreen(b *testing.B) *screen {
	master, slave, err := pty.Open()
	require.NoError(b, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.Discard, master)
	}()
	b.Cleanup(func() {
		slave.Close()
		master.Close()
		<-done
	})
	tty := &terminal{fd: int(slave.Fd())}
	return newScreen(&Options{Out: slave, Err: slave, Color: true}, &input{terminal: true, tty: tty, edit: &editor{}})
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkReply shows a reply of 100,000 tokens, an event a token, on a
// terminal that something is drawn on below it.
func BenchmarkReply(b *testing.B) {
	const tokens = 100_000
	text := strings.Repeat(benchUnit, 4*tokens/len(benchUnit)+1)[:4*tokens]
	s, start := benchScreen(b), cpuTime(b)
	for b.Loop() {
		s.begin()
		s.startLive("working")
		for at := 0; at < len(text); at += 4 {
			s.showEvent(chat.Text{Delta: text[at : at+4]})
		}
		s.end()
		s.stopLive()
	}
	b.ReportMetric(float64((cpuTime(b)-start).Microseconds())/1000/float64(b.N)/(tokens/1000), "cpu-ms/1000tokens")
}

// BenchmarkReplyAtItsPace is a reply as it comes, 1,000 tokens a second for three
// seconds, with all the pictures that are drawn meanwhile.
func BenchmarkReplyAtItsPace(b *testing.B) {
	const seconds = 3
	text := strings.Repeat(benchUnit, 4000*seconds/len(benchUnit)+1)[:4000*seconds]
	s, start, began := benchScreen(b), cpuTime(b), time.Now()
	for b.Loop() {
		s.begin()
		s.startLive("working")
		pace := time.NewTicker(time.Millisecond)
		for at := 0; at < len(text); at += 4 {
			<-pace.C
			s.showEvent(chat.Text{Delta: text[at : at+4]})
			if at%400 == 0 {
				s.tick()
			}
		}
		pace.Stop()
		s.end()
		s.stopLive()
	}
	b.ReportMetric(100*float64(cpuTime(b)-start)/float64(time.Since(began)), "cpu-%")
}
