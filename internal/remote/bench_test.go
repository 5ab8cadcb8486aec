package remote_test

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// BenchmarkRoundTrip is a command over one session beside a process of ssh for each, over a
// connection that is open already (ControlMaster), all to a server on this machine.
func BenchmarkRoundTrip(b *testing.B) {
	n := newNear(b, `{}`)
	startSSHD(b, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	d.ask("true")
	ssh := func(args ...string) {
		cmd := exec.Command(n.bin+"/ssh", append([]string{"-o", "ControlPath=" + n.home + "/control"}, args...)...)
		cmd.Env = n.env
		require.NoError(b, cmd.Run())
	}
	ssh("-o", "ControlMaster=yes", "-f", "-N", "box")
	defer ssh("-O", "exit", "box")
	var here, peer []time.Duration
	for b.Loop() {
		for range 10 {
			start := time.Now()
			d.ask("echo hi")
			here = append(here, time.Since(start))
			start = time.Now()
			ssh("box", "echo hi")
			peer = append(peer, time.Since(start))
		}
	}
	b.ReportMetric(median(here), "session-ms")
	b.ReportMetric(median(peer), "controlmaster-ms")
	b.ReportMetric(median(here)/median(peer), "of-controlmaster")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstUse is the first command on a machine that has the program, and on one that has
// not, beside ssh true.
func BenchmarkFirstUse(b *testing.B) {
	n := newNear(b, `{}`)
	home := startSSHD(b, n)
	var fresh, again, peer []time.Duration
	timed := func(into *[]time.Duration, argv ...string) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = n.env, n.home
		start := time.Now()
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, string(out))
		*into = append(*into, time.Since(start))
	}
	for b.Loop() {
		require.NoError(b, exec.Command("rm", "-rf", home+"/.cache").Run())
		timed(&peer, n.bin+"/ssh", "box", "true")
		timed(&fresh, program, "--on", "ssh:box", "exec", "true")
		timed(&again, program, "--on", "ssh:box", "exec", "true")
	}
	b.ReportMetric(median(peer), "ssh-true-ms")
	b.ReportMetric(median(fresh), "first-ms")
	b.ReportMetric(median(again), "second-ms")
	b.ReportMetric(0, "ns/op")
}
