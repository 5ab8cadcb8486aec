package router

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// planTexts are texts of 200 bytes, of a megabyte, and smaller and larger ones
// to see that the cost grows with the length.
func planTexts() []struct{ name, text string } {
	pad := func(n int) string { return strings.Repeat("x", n) }
	script := func(lines int) string {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "if [ -f file%d ]; then cp file%d \"$HOME/backup\" && echo done; fi\n", i, i)
		}
		return b.String()
	}
	return []struct{ name, text string }{
		{"plain-200B", "edit --file_path src/main.go --old_string 'func main() { run(os.Args) }' --new_string 'func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) // exits }' --replace_all true" + strings.Repeat(" ", 10)},
		{"plain-200B-few-words", "write --file_path notes.txt --content '" + pad(160) + "'"},
		{"plain-1MB", "write --file_path notes.txt --content '" + pad(1<<20) + "'"},
		{"native-200B", "find . -name '*.py' -not -path './venv/*' | xargs wc -l | sort -rn | head -n 20; git status --short; for f in *.md; do echo \"$f\"; done; python3 -c 'print(1)'; tar czf out.tgz src docs && ls -la out.tgz"},
		{"native-1MB", script(1 << 14)},
		{"splice-200B", "read --file_path src/main.go --limit 200 | grep -n 'func main' | head -n 20 && field:db:query --sql 'select name, count(*) from files group by name order by 2 desc' --format json > report-of-today.json"},
		{"splice-200B-dense", "for f in $(glob 'src/**/*.go'); do if grep -q TODO \"$f\"; then echo \"== $f\"; read --file_path \"$f\" --limit 20 | head -n 5; fi; done > report.txt; cat report.txt | sort | uniq -c | sort -rn | head -n 9"},
		{"splice-heredoc-1MB", "write ./out.txt <<'EOF'\n" + strings.Repeat(pad(79)+"\n", 1<<14) + "EOF\n"},
		{"splice-quoted-1MB", "field:db:query --sql '" + pad(1<<20) + "' | head"},
		{"splice-script-64KB", script(1<<10) + "read ./x | cat\n"},
		{"splice-script-1MB", script(1<<14) + "read ./x | cat\n"},
	}
}

func BenchmarkPlan(b *testing.B) {
	r := newTest(b)
	for _, t := range planTexts() {
		b.Run(t.name, func(b *testing.B) {
			p := r.Plan(t.text)
			require.NoError(b, p.Err)
			b.SetBytes(int64(len(t.text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Plan(t.text)
			}
		})
	}
}

// BenchmarkRun is a whole command, from the string to the result.
func BenchmarkRun(b *testing.B) {
	r := newTest(b)
	require.NoError(b, os.WriteFile(filepath.Join(r.Dir(), "f.go"), []byte("package x\n"), 0o644))
	for _, command := range []string{"true", "read ./f.go", "field:db:query x", "read ./f.go | cat"} {
		b.Run(command, func(b *testing.B) {
			for b.Loop() {
				if res := run(b, r, command); res.ExitCode != 0 {
					b.Fatal(res.Output)
				}
			}
		})
	}
}

// BenchmarkCallInBash is a call from inside bash, and as a ratio of /bin/true
// in the same shell: loops of both take turns.
func BenchmarkCallInBash(b *testing.B) {
	for _, small := range []bool{true, false} {
		b.Run(map[bool]string{true: "small-program", false: "own-executable"}[small], func(b *testing.B) {
			r := newTestRouter(b, small)
			loop := func(command string) time.Duration {
				start := time.Now()
				res := run(b, r, "for ((i = 0; i < 50; i++)); do "+command+"; done >/dev/null")
				require.Zero(b, res.ExitCode, "%s", res.Stderr)
				return time.Since(start)
			}
			loop("/bin/true")
			loop("agent:glob x")
			var calls, trues time.Duration
			n := 0
			for b.Loop() {
				calls, trues, n = calls+loop("agent:glob x"), trues+loop("/bin/true"), n+50
			}
			b.ReportMetric(float64(calls.Microseconds())/float64(n), "us/call")
			b.ReportMetric(float64(trues.Microseconds())/float64(n), "us/true")
			b.ReportMetric(float64(calls)/float64(trues), "call/true")
			b.ReportMetric(0, "ns/op")
		})
	}
}
