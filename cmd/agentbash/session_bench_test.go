package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// fillHistory writes a session of n tool rounds, of five records and about size
// bytes of output each.
func fillHistory(b *testing.B, state, dir string, rounds, size int) {
	b.Helper()
	s, err := (&transcript.Store{Path: filepath.Join(state, "agentbash", "sessions")}).Create(dir, "bench")
	require.NoError(b, err)
	defer s.Close()
	require.NoError(b, s.Append(transcript.Record{Type: transcript.TypeUser, Text: "go"}))
	output := strings.Repeat("x", size)
	for n := range rounds {
		id := fmt.Sprint("call_", n)
		for _, r := range []transcript.Record{
			{Type: transcript.TypeText, Text: "Let me look at the next file."}, {Type: transcript.TypeUsage, Usage: &transcript.Usage{Prompt: 1000, Completion: 10}},
			{Type: transcript.TypeAssistant, Text: "Let me look at the next file.", Calls: []transcript.Call{{ID: id, Name: "bash", Arguments: `{"command":"cat a.go"}`}}},
			{Type: transcript.TypeToolCall, ID: id, Command: "cat a.go", Timeout: 120},
			{Type: transcript.TypeToolResult, ID: id, Output: output, Dir: dir},
		} {
			require.NoError(b, s.Append(r))
		}
	}
}

// BenchmarkFirstRequestWithHistory is the time until the first request with
// 50 MB of sessions on disk, that of --continue with a session of 10,000
// records, and the first again with 500 functions configured.
func BenchmarkFirstRequestWithHistory(b *testing.B) {
	bin, home, dir := buildProgram(b), b.TempDir(), b.TempDir()
	for range 50 {
		fillHistory(b, home, dir, 50, 20_000)
	}
	var functions []string
	for n := range 500 {
		functions = append(functions, fmt.Sprintf(`{"name": "f%d", "description": "Does it", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}, "exec": {"argv": ["cat"]}}`, n))
	}
	many := filepath.Join(home, "functions.json")
	require.NoError(b, os.WriteFile(many, []byte(`{"functions": {"f": [`+strings.Join(functions, ",")+`]}}`), 0o600))
	fresh, long := b.TempDir(), b.TempDir()
	fillHistory(b, home, long, 2000, 200)
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "ok"}}}, nil)
	require.NoError(b, err)
	b.Setenv("OPENAI_BASE_URL", s.BaseURL)
	b.Setenv("OPENAI_API_KEY", "k")
	b.Setenv("AGENTBASH_MODEL", "scripted-1")
	run := func(args ...string) time.Duration {
		s.Rewind()
		seen := len(s.Requests())
		start := time.Now()
		timed(b, home, append([]string{bin, "-p", "hi"}, args...)...)
		return s.Requests()[seen].Time.Sub(start)
	}
	var first, resumed, functional, floor []time.Duration
	for b.Loop() {
		first = append(first, run("--dir", fresh))
		resumed = append(resumed, run("--dir", long, "--continue"))
		functional = append(functional, run("--dir", fresh, "--config", many))
		floor = append(floor, timed(b, home, "/bin/true"))
	}
	b.ReportMetric(medianMS(functional), "500-functions-ms")
	b.ReportMetric(medianMS(first), "first-request-ms")
	b.ReportMetric(medianMS(resumed), "resume-ms")
	b.ReportMetric(medianMS(floor), "true-ms")
	b.ReportMetric(0, "ns/op")
	require.NoError(b, s.Close())
}
