package main

import (
	"encoding/json"
	"fmt"
	"os"
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
