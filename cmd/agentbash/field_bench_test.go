package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkStartWithServers compares the start of the program with a hundred
// servers in the configuration with that without any, in turn. No server starts.
func BenchmarkStartWithServers(b *testing.B) {
	bin := buildProgram(b)
	homes := map[int]string{0: b.TempDir(), 100: b.TempDir()}
	for n, home := range homes {
		servers := map[string]any{}
		for i := range n {
			servers[fmt.Sprintf("s%d", i)] = map[string]any{"command": "/bin/false", "args": []string{"--token", "x"}}
		}
		text, err := json.Marshal(map[string]any{"mcpServers": servers})
		require.NoError(b, err)
		require.NoError(b, os.MkdirAll(home+"/agentbash", 0o700))
		require.NoError(b, os.WriteFile(home+"/agentbash/config.json", text, 0o600))
		require.NoError(b, os.WriteFile(home+"/a.txt", []byte("one\n"), 0o600))
	}
	var none, many []time.Duration
	for b.Loop() {
		none = append(none, timed(b, homes[0], bin, "read", "--file_path", homes[0]+"/a.txt"))
		many = append(many, timed(b, homes[100], bin, "read", "--file_path", homes[100]+"/a.txt"))
	}
	b.ReportMetric(medianMS(none), "ms-none")
	b.ReportMetric(medianMS(many), "ms-100")
	b.ReportMetric(medianMS(many)/medianMS(none), "ratio")
}

// BenchmarkKeptCall compares a call of a kept server (mcp's memory server: read_graph)
// with the program's version, and with a call that starts the server, in turn.
func BenchmarkKeptCall(b *testing.B) {
	root, err := filepath.Abs("../..")
	require.NoError(b, err)
	script := filepath.Join(root, "testdata/mcp/node_modules/@modelcontextprotocol/server-memory/dist/index.js")
	if _, err := os.Stat(script); err != nil {
		b.Skip("SKIPPED: no npm servers: run `npm ci` in testdata/mcp")
	}
	bin, home := buildProgram(b), b.TempDir()
	server := func(more string) string {
		return fmt.Sprintf(`{"command": "node", "args": [%q], "env": {"MEMORY_FILE_PATH": %q}%s}`, script, home+"/memory.jsonl", more)
	}
	text := fmt.Sprintf(`{"mcpServers": {"kept": %s, "started": %s}}`, server(`, "keepAlive": true`), server(""))
	require.NoError(b, os.MkdirAll(home+"/agentbash", 0o700))
	require.NoError(b, os.WriteFile(home+"/agentbash/config.json", []byte(text), 0o600))
	timed(b, home, bin, "field:kept:read_graph")
	b.Cleanup(func() { timed(b, home, bin, "field", "stop") })
	var version, kept, started []time.Duration
	for b.Loop() {
		version = append(version, timed(b, home, bin, "version"))
		kept = append(kept, timed(b, home, bin, "field:kept:read_graph"))
		started = append(started, timed(b, home, bin, "field:started:read_graph"))
	}
	b.ReportMetric(medianMS(version), "ms-version")
	b.ReportMetric(medianMS(kept), "ms-kept")
	b.ReportMetric(medianMS(kept)-medianMS(version), "ms-kept-over-version")
	b.ReportMetric(medianMS(started), "ms-started")
}
