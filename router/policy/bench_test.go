package policy

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// corpusCommands are the commands of the router's corpus.
func corpusCommands(t testing.TB) (out []string) {
	files, err := filepath.Glob("../../testdata/corpus/*.txt")
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(b), "\n==== ")[1:] {
			if _, text, ok := strings.Cut(part, "\n"); ok && strings.TrimSpace(text) != "" {
				out = append(out, text)
			}
		}
	}
	require.Greater(t, len(out), 100)
	return out
}

// BenchmarkJudge judges every command of the corpus, and reports the median
// time of one.
func BenchmarkJudge(b *testing.B) {
	commands := corpusCommands(b)
	w := ws()
	times := make([]time.Duration, len(commands))
	for i := range times {
		times[i] = time.Hour
	}
	for b.Loop() {
		for i, c := range commands {
			start := time.Now()
			v := judgeLine(c, w)
			Decide(AutoMode, nil, &v, w)
			times[i] = min(times[i], time.Since(start))
		}
	}
	sort.Slice(times, func(i, k int) bool { return times[i] < times[k] })
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/median")
	b.ReportMetric(float64(times[len(times)*9/10].Nanoseconds()), "ns/90%")
	b.ReportMetric(float64(times[len(times)-1].Nanoseconds()), "ns/worst")
}

// hugeLines are lines of a megabyte, and of what fits below the caps but is
// made to be slow.
func hugeLines() map[string]string {
	const mb = 1 << 20
	return map[string]string{
		"1 MB of one word":    "echo " + strings.Repeat("a", mb),
		"1 MB of commands":    strings.Repeat("rm a; ", mb/6),
		"200 KB of commands":  strings.Repeat("rm a; ", 200<<10/6),
		"200 KB of pipes":     "true" + strings.Repeat(" | cat", 200<<10/6),
		"nested":              strings.Repeat("$(", 100<<10) + strings.Repeat(")", 100<<10),
		"brackets":            strings.Repeat("(", 200<<10),
		"quotes":              strings.Repeat("\"'", 100<<10),
		"braces":              "echo " + strings.Repeat("{a,b}", 30<<10),
		"values that double":  "x=a" + strings.Repeat("; x=$x$x", 5000),
		"values in one word":  "x=a" + strings.Repeat("; x=$x$x", 15) + "; echo " + strings.Repeat("$x", 100<<10) + strings.Repeat(" $x", 10<<10),
		"loops in loops":      strings.Repeat("for i in a b c d; do ", 100) + "x=$x$i" + strings.Repeat("; done", 100),
		"functions that call": "f() { g; g; }; g() { h; h; }; h() { f; f; }; f",
		"a backslash parade":  "echo " + strings.Repeat("\\", 200<<10),
		"here-documents":      strings.Repeat("cat <<E\nx\nE\n", 10<<10),
	}
}

// BenchmarkHuge judges lines that are made to take long.
func BenchmarkHuge(b *testing.B) {
	w := ws()
	for name, line := range hugeLines() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				judgeLine(line, w)
			}
		})
	}
}

func TestHugeLinesAreUnknown(t *testing.T) {
	w := ws()
	for name, line := range hugeLines() {
		v := judgeLine(line, w)
		if len(line) > maxText {
			require.Equal(t, []Effect{Unknown}, v.Effects, name)
			require.Contains(t, v.Reasons[0].Text, "too long to be judged")
		}
		d := Decide(AutoMode, nil, &v, w)
		if len(v.Effects) > 0 && v.Effects[len(v.Effects)-1] == Unknown {
			require.NotEqual(t, Allow, d.Answer, name)
		}
	}
	v := judgeLine(strings.Repeat("rm a; ", 5000)+"rm -rf /", w)
	require.Contains(t, v.Effects, Unknown, "what comes after a cap is not safe")
	v = judgeLine(strings.Repeat("eval ", 60)+"ls; rm -rf /", w)
	require.Contains(t, v.Effects, Unknown)
	require.Equal(t, Block, v.Danger, "what is too deep hides nothing behind it")
}
