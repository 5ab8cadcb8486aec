package main

import (
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

// BenchmarkStart compares the start of the program with that of /bin/true and
// of another Go program (go version), in turn.
func BenchmarkStart(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	st, err := os.Stat(bin)
	require.NoError(b, err)
	gobin, err := exec.LookPath("go")
	require.NoError(b, err)
	var program, floor, peer, read []time.Duration
	for b.Loop() {
		floor = append(floor, timed(b, home, "/bin/true"))
		program = append(program, timed(b, home, bin, "version"))
		peer = append(peer, timed(b, home, gobin, "version"))
		read = append(read, timed(b, home, bin, "read", "--file_path", "main.go"))
	}
	b.ReportMetric(medianMS(program), "version-ms")
	b.ReportMetric(medianMS(read), "read-ms")
	b.ReportMetric(medianMS(floor), "true-ms")
	b.ReportMetric(medianMS(peer), "go-version-ms")
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

// BenchmarkSessionOverJSONL is what one command costs through exec --jsonl,
// next to a bash -c of its own.
func BenchmarkSessionOverJSONL(b *testing.B) {
	bin, home := buildProgram(b), b.TempDir()
	const n = 500
	lines := ""
	for range n {
		lines += `{"command":"true"}` + "\n"
	}
	in := filepath.Join(home, "in")
	require.NoError(b, os.WriteFile(in, []byte(lines), 0o600))
	var session, peer []time.Duration
	for b.Loop() {
		session = append(session, timed(b, home, "sh", "-c", bin+" exec --jsonl < "+in+" >/dev/null")/n)
		peer = append(peer, timed(b, home, "sh", "-c", "i=0; while [ $i -lt 500 ]; do bash -c true; i=$((i+1)); done")/n)
	}
	b.ReportMetric(medianMS(session)*1000, "session-us")
	b.ReportMetric(medianMS(peer)*1000, "bash-c-us")
	b.ReportMetric(medianMS(peer)/medianMS(session), "x-faster")
	b.ReportMetric(0, "ns/op")
}
