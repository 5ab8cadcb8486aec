//go:build linux

package session

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// BenchmarkRoundTrip measures what the session adds to a command that does
// next to nothing, side by side with the two things to compare it with: a bash
// for each command, and a byte that goes to another process and back, which is
// the floor of every design with two pipe wake-ups. One iteration is one round
// of all of them, so that a busy machine is busy for each.
func BenchmarkRoundTrip(b *testing.B) {
	s := open(b, nil)
	ping, stop := pingPong(b)
	defer stop()
	session := func(command string) func() {
		return func() {
			r, err := s.Run(context.Background(), command, nil)
			require.NoError(b, err)
			require.Zero(b, r.ExitCode)
		}
	}
	bash := func(command string) func() {
		return func() { require.NoError(b, exec.Command("bash", "--noprofile", "--norc", "-c", command).Run()) }
	}
	kinds := []*timed{
		{name: "floor", per: 20, do: ping},
		{name: "session-true", per: 20, do: session("true")},
		{name: "session-echo", per: 20, do: session("echo hi")},
		{name: "bash-true", per: 1, do: bash("true")},
		{name: "bash-echo", per: 1, do: bash("echo hi")},
	}
	for _, k := range kinds {
		for range 5 * k.per {
			k.do()
		}
	}
	for b.Loop() {
		for _, k := range kinds {
			k.run()
		}
	}
	median := map[string]float64{}
	for _, k := range kinds {
		mid, p99 := k.quantile(0.5), k.quantile(0.99)
		median[k.name] = mid
		b.ReportMetric(mid, k.name+"-µs")
		b.Logf("%-13s median %8.1f µs, p99 %8.1f µs (%d runs)", k.name, mid, p99, len(k.took))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median["bash-true"]/median["session-true"], "bash/session-true")
	b.ReportMetric(median["bash-echo"]/median["session-echo"], "bash/session-echo")
	b.ReportMetric(median["session-true"]/median["floor"], "session/floor")
}

// BenchmarkThroughput has a gigabyte written through the session, and through
// bash -c into cat, in turn.
func BenchmarkThroughput(b *testing.B) {
	const command = "head -c 1000000000 /dev/zero"
	s := open(b, nil)
	kinds := []*timed{
		{name: "session", per: 1, do: func() { require.Equal(b, int64(1e9), run(b, s, command).StdoutTotal) }},
		{name: "bash-cat", per: 1, do: func() {
			require.NoError(b, exec.Command("sh", "-c", "bash --noprofile --norc -c '"+command+"' | cat >/dev/null").Run())
		}},
	}
	for b.Loop() {
		for _, k := range kinds {
			k.run()
		}
	}
	median := map[string]float64{}
	for _, k := range kinds {
		median[k.name] = k.quantile(0.5)
		b.ReportMetric(1e9/median[k.name], k.name+"-MB/s")
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median["session"]/median["bash-cat"], "session/bash-cat")
}

// timed is one of the things measured.
type timed struct {
	name string
	per  int // runs in one round
	do   func()
	took []time.Duration
}

func (k *timed) run() {
	for range k.per {
		start := time.Now()
		k.do()
		k.took = append(k.took, time.Since(start))
	}
}

// quantile is in microseconds.
func (k *timed) quantile(q float64) float64 {
	slices.Sort(k.took)
	return float64(k.took[int(q*float64(len(k.took)-1))]) / 1e3
}

// pingPong returns a function that sends a byte to cat and gets it back.
func pingPong(b *testing.B) (ping, stop func()) {
	inR, inW, err := syscalls.Pipe()
	require.NoError(b, err)
	outR, outW, err := syscalls.Pipe()
	require.NoError(b, err)
	c := exec.Command("cat")
	c.Stdin, c.Stdout = file(inR), file(outW)
	require.NoError(b, c.Start())
	require.NoError(b, unix.Close(inR))
	require.NoError(b, unix.Close(outW))
	buf := []byte{'x'}
	ping = func() {
		if _, err := unix.Write(inW, buf); err != nil {
			b.Fatal(err)
		}
		if _, err := unix.Read(outR, buf); err != nil {
			b.Fatal(err)
		}
	}
	return ping, func() {
		unix.Close(inW)
		unix.Close(outR)
		c.Wait()
	}
}

// BenchmarkGoesOn measures what a command costs that goes on: how long after its limit Run
// returns, and how much longer the next command takes, which runs in a new shell with the
// state of the old one.
func BenchmarkGoesOn(b *testing.B) {
	s := open(b, nil)
	run(b, s, "for ((i = 0; i < 50; i++)); do eval \"v$i='some value'; f$i() { echo $i; }\"; done")
	const limit = 5 * time.Millisecond
	over, next := &timed{}, &timed{}
	for b.Loop() {
		run(b, s, "true")
		start := time.Now()
		r := goOn(b, s, "sleep 100", limit)
		over.took = append(over.took, time.Since(start)-limit)
		next.per, next.do = 1, func() { run(b, s, "f1") }
		next.run()
		r.Running.Kill()
		readRest(r.Running)
	}
	b.ReportMetric(over.quantile(0.5)/1e3, "ms-after-the-limit")
	b.ReportMetric(next.quantile(0.5)/1e3, "ms-next-command")
	b.ReportMetric(next.quantile(0.99)/1e3, "ms-next-command-p99")
	b.ReportMetric(0, "ns/op")
}
