package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// buildProgram builds the program as a release is built.
func buildProgram(b *testing.B) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), "agentbash")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, ".").CombinedOutput()
	require.NoError(b, err, "%s", out)
	return bin
}

func medianMS(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// timed runs a program once, with a home of its own.
func timed(b *testing.B, home string, argv ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	start := time.Now()
	require.NoError(b, cmd.Run())
	return time.Since(start)
}

// BenchmarkStart compares the start of the program with that of /bin/true, of
// git --version and of another Go program (go version), in turn.
func BenchmarkStart(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	st, err := os.Stat(bin)
	require.NoError(b, err)
	gobin, err := exec.LookPath("go")
	require.NoError(b, err)
	var program, floor, git, peer, read []time.Duration
	for b.Loop() {
		floor = append(floor, timed(b, home, "/bin/true"))
		program = append(program, timed(b, home, bin, "version"))
		git = append(git, timed(b, home, "git", "--version"))
		peer = append(peer, timed(b, home, gobin, "version"))
		read = append(read, timed(b, home, bin, "read", "--file_path", "main.go"))
	}
	b.ReportMetric(medianMS(program), "version-ms")
	b.ReportMetric(medianMS(read), "read-ms")
	b.ReportMetric(medianMS(floor), "true-ms")
	b.ReportMetric(medianMS(peer), "go-version-ms")
	b.ReportMetric(medianMS(git), "git-version-ms")
	b.ReportMetric(medianMS(program)/medianMS(git), "x-git")
	b.ReportMetric(medianMS(program)/medianMS(floor), "x-true")
	b.ReportMetric(float64(st.Size())/1e6, "binary-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstRequest is the time from the start of agentbash -p until its
// request has arrived at a server on this machine.
func BenchmarkFirstRequest(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	script, err := modelserver.Load("../../testdata/model/answer.json")
	require.NoError(b, err)
	s, err := modelserver.Start(script, nil)
	require.NoError(b, err)
	b.Setenv("OPENAI_BASE_URL", s.BaseURL)
	b.Setenv("OPENAI_API_KEY", "k")
	b.Setenv("AGENTBASH_MODEL", "scripted-1")
	var first, floor []time.Duration
	for b.Loop() {
		s.Rewind()
		seen := len(s.Requests())
		start := time.Now()
		timed(b, home, bin, "-p", "hi")
		first = append(first, s.Requests()[seen].Time.Sub(start))
		floor = append(floor, timed(b, home, "/bin/true"))
	}
	b.ReportMetric(medianMS(first), "first-request-ms")
	b.ReportMetric(medianMS(floor), "true-ms")
	b.ReportMetric(0, "ns/op")
	require.NoError(b, s.Close())
}

// A driver sends commands to exec --jsonl one at a time, and waits for each answer.
type driver struct {
	in  io.Writer
	out *bufio.Reader
}

func drive(b *testing.B, bin, home string, args ...string) *driver {
	cmd := exec.Command(bin, append([]string{"exec", "--jsonl"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, in.Close())
		require.NoError(b, cmd.Wait())
	})
	return &driver{in, bufio.NewReader(out)}
}

func (d *driver) trip(b *testing.B, line string) time.Duration {
	start := time.Now()
	_, err := io.WriteString(d.in, line+"\n")
	require.NoError(b, err)
	answer, err := d.out.ReadString('\n')
	took := time.Since(start)
	require.NoError(b, err)
	require.Contains(b, answer, `"success":true`)
	return took
}

// BenchmarkRoundTrip is what a command costs through exec --jsonl, next to a
// bash -c that the same driver starts: in bursts, one after the other without a
// pause, and with 10 ms before each, when the processor has gone to sleep.
func BenchmarkRoundTrip(b *testing.B) {
	for _, pause := range []time.Duration{0, 10 * time.Millisecond} {
		b.Run(map[bool]string{true: "bursts", false: "pauses"}[pause == 0], func(b *testing.B) {
			home := b.TempDir()
			d := drive(b, buildProgram(b), home)
			var trips, peers []time.Duration
			for b.Loop() {
				for range 20 {
					time.Sleep(pause)
					trips = append(trips, d.trip(b, `{"command":"true"}`))
				}
				for range 5 {
					time.Sleep(pause)
					peers = append(peers, timed(b, home, "bash", "-c", "true"))
				}
			}
			b.ReportMetric(medianMS(trips)*1000, "trip-us")
			b.ReportMetric(medianMS(peers)*1000, "bash-c-us")
			b.ReportMetric(medianMS(trips)/medianMS(peers), "of-bash-c")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkReadInAuto is what read costs where it is held to the lists of secrets,
// next to the mode in which it is not.
func BenchmarkReadInAuto(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	auto, full := drive(b, bin, home, "--mode", "auto"), drive(b, bin, home, "--mode", "full")
	auto.trip(b, `{"command":"read ./main.go"}`)
	time.Sleep(3 * time.Second) // links.go of agentbash remembers nothing of a home that was made just now
	var held, free []time.Duration
	for b.Loop() {
		for range 20 {
			held = append(held, auto.trip(b, `{"command":"read ./main.go"}`))
		}
		for range 20 {
			free = append(free, full.trip(b, `{"command":"read ./main.go"}`))
		}
	}
	b.ReportMetric(medianMS(held)*1000, "auto-us")
	b.ReportMetric(medianMS(free)*1000, "full-us")
	b.ReportMetric(medianMS(held)/medianMS(free), "of-full")
	b.ReportMetric(0, "ns/op")
}
