//go:build linux

package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/session/sandbox"
)

// BenchmarkSandboxed measures what the kernel's bounds cost: to start a session
// and close it, to run a builtin, a program and a pipeline, and a change of the
// launcher, plain and in two sandboxes, in turn.
func BenchmarkSandboxed(b *testing.B) {
	home, err := os.UserHomeDir()
	require.NoError(b, err)
	dir := b.TempDir()
	require.NoError(b, os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o700))
	secrets := []string{filepath.Join(home, ".ssh"), filepath.Join(home, ".config", "gh"), "/etc/shadow"}
	launchers := map[string]*Launcher{
		"plain": nil,
		"plan":  sandboxed(b, sandbox.Spec{Secret: secrets, Write: []string{dir}}, sandbox.Read),
		"auto":  sandboxed(b, sandbox.Spec{Secret: secrets, Write: []string{dir}, Protected: []string{filepath.Join(dir, ".git", "hooks")}}, sandbox.Workspace),
	}
	var kinds []*timed
	for _, name := range []string{"plain", "plan", "auto"} {
		l := launchers[name]
		kinds = append(kinds, &timed{name: "start-" + name, per: 1, do: func() {
			s, err := New(&Options{Dir: dir, Launcher: l})
			require.NoError(b, err)
			require.NoError(b, s.Close())
		}})
	}
	for _, c := range []struct{ name, command string }{{"builtin", "true"}, {"program", "/bin/true"}, {"pipeline", "echo hi | cat | wc -l"}, {"files", "cat /etc/hostname /etc/passwd >/dev/null"}} {
		for _, name := range []string{"plain", "plan", "auto"} {
			s := open(b, &Options{Dir: dir, Launcher: launchers[name]})
			kinds = append(kinds, &timed{name: c.name + "-" + name, per: 10, do: func() {
				r, err := s.Run(context.Background(), c.command, nil)
				require.NoError(b, err)
				require.Zero(b, r.ExitCode)
			}})
		}
	}
	s := open(b, &Options{Dir: dir})
	next := []*Launcher{launchers["plan"], launchers["auto"], nil}
	kinds = append(kinds, &timed{name: "switch", per: 3, do: func() {
		require.NoError(b, s.Restart(context.Background(), &RestartOptions{Launcher: next[0]}))
		next = append(next[1:], next[0])
	}})
	for b.Loop() {
		for _, k := range kinds {
			k.run()
		}
	}
	for _, k := range kinds {
		b.ReportMetric(k.quantile(0.5), k.name+"-µs")
		b.Logf("%-15s median %9.1f µs, p99 %9.1f µs (%d runs)", k.name, k.quantile(0.5), k.quantile(0.99), len(k.took))
	}
	b.ReportMetric(0, "ns/op")
}
