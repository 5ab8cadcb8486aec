//go:build linux

package files

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The benchmarks run our commands and those of others as programs, in turn, on
// the same data, and report the medians' ratio ("x-peer"; below 1 we are faster).
// Data is made below the system's temporary directory, and removed.

const (
	bigFileSize     = 1 << 30
	smallFilesCount = 200_000
)

// benchWords make up the generated text.
var benchWords = []string{"request", "handler", "server", "cache", "worker", "timeout", "connection", "retry", "value", "buffer", "stream", "index",
	"session", "client", "error", "result", "query", "table", "commit", "branch", "static", "return", "public", "import", "config", "update"}

// benchLine appends a line of a log, about 95 bytes long.
func benchLine(b []byte, r *rand.Rand, n int) []byte {
	w := func() string { return benchWords[r.IntN(len(benchWords))] }
	return fmt.Appendf(b, "2024-%02d-%02dT%02d:%02d:%02d.%03dZ %s [%s-%d] %s %s: id=%08x user=%s%d took %dms\n",
		1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), []string{"INFO", "WARN", "DEBUG", "ERROR"}[r.IntN(4)],
		w(), r.IntN(64), w(), w(), n, w(), r.IntN(1000), r.IntN(5000))
}

// bigData makes a directory with one file of a gibibyte, big.log.
func bigData(b *testing.B) string {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, "big.log"))
	require.NoError(b, err)
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	var line []byte
	for n, done := 0, 0; done < bigFileSize; n++ {
		line = benchLine(line[:0], r, n)
		done += len(line)
		w.Write(line)
	}
	require.NoError(b, w.Flush())
	require.NoError(b, f.Close())
	return dir
}

// smallData makes a tree of small files, twenty in a directory.
func smallData(b *testing.B) string {
	root := b.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	exts := []string{".go", ".py", ".js", ".md", ".txt"}
	var text []byte
	for n := range smallFilesCount {
		d := n / 20
		dir := filepath.Join(root, fmt.Sprintf("m%02d", d/400), fmt.Sprintf("p%02d", d/20%20), fmt.Sprintf("d%02d", d%20))
		if n%20 == 0 {
			require.NoError(b, os.MkdirAll(dir, 0o755))
		}
		text = text[:0]
		for i := range 5 + r.IntN(20) {
			text = benchLine(text, r, i)
		}
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%d%s", benchWords[n%len(benchWords)], n, exts[n%len(exts)])), text, 0o644))
	}
	return root
}

// compare runs a peer's command and ours in turn.
func compare(b *testing.B, dir string, peer, ours []string) {
	exe, err := exec.LookPath(peer[0])
	if err != nil {
		b.Skipf("%s is not installed: nothing to compare with", peer[0])
	}
	self, err := os.Executable()
	require.NoError(b, err)
	var theirs, mine []time.Duration
	memory := int64(0)
	for b.Loop() {
		for range 5 {
			d, _ := timed(b, dir, exec.Command(exe, peer[1:]...))
			theirs = append(theirs, d)
			cmd := exec.Command(self, ours...)
			cmd.Env = append(os.Environ(), "AGENTBASH_TEST_ROLE=tool")
			d, kb := timed(b, dir, cmd)
			mine, memory = append(mine, d), max(memory, kb)
		}
	}
	slices.Sort(theirs)
	slices.Sort(mine)
	us, them := mine[len(mine)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(us)/float64(them), "x-peer")
	b.ReportMetric(float64(us.Microseconds())/1000, "ms")
	b.ReportMetric(float64(them.Microseconds())/1000, "peer-ms")
	b.ReportMetric(float64(memory)/1024, "MB")
}

// timed runs a command whose output goes nowhere; status 1 is nothing found.
func timed(b *testing.B, dir string, cmd *exec.Cmd) (time.Duration, int64) {
	cmd.Dir = dir
	start := time.Now()
	err := cmd.Run()
	d := time.Since(start)
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		err = nil
	}
	require.NoError(b, err, "%q", cmd.Args)
	return d, maxRSS(cmd.ProcessState)
}

// benchKinds are kinds of patterns, as options and expressions that both programs take.
var benchKinds = map[string][]string{
	"literal": {"nothing here"}, "rare": {"id=00abcdef"}, "common": {"ERROR"}, "five words": {"zebra|yellow|xylophone|quartz|vortex"}, "fifty words": {fiftyWords()},
	"ignore case": {"-i", "nothingHere"}, "ignore case, words": {"-i", "zebra|yellow|xylophone"}, "required": {"handler.*cache.*id=0000ab"}, "class": {`[A-Z]{6}\d`},
	"words and blanks": {`\w+\s+\w+\s+\w+\s+\w+\s+\w+\s+\w+\s+\w+\s+\w+`}, "whole words": {"-w", "nothing"}, "end": {"zq$"},
}

func fiftyWords() string {
	var list []string
	for i := range 50 {
		list = append(list, fmt.Sprintf("w%c%cq%d", 'a'+i%26, 'a'+i*7%26, i))
	}
	return strings.Join(list, "|")
}

func BenchmarkBigFile(b *testing.B) {
	dir := bigData(b)
	for name, words := range benchKinds {
		b.Run(name, func(b *testing.B) {
			compare(b, dir, append(append([]string{"rg", "-n"}, words...), "big.log"), append(append([]string{"grep", "--head_limit", "0"}, words...), "big.log"))
		})
	}
	b.Run("read far", func(b *testing.B) {
		compare(b, dir, []string{"sed", "-n", "9000000,9000099p", "big.log"}, []string{"read", "big.log", "9000000", "100"})
	})
}

func BenchmarkTree(b *testing.B) {
	for name, dir := range map[string]string{"go": filepath.Join(goroot(b), "src"), "small files": smallData(b)} {
		for kind, words := range benchKinds {
			b.Run(name+"/grep "+kind, func(b *testing.B) {
				compare(b, dir, append(append([]string{"rg", "-n"}, words...), "."), append(append([]string{"grep", "--head_limit", "0"}, words...), "."))
			})
		}
		b.Run(name+"/glob", func(b *testing.B) {
			compare(b, dir, []string{"rg", "--files", "-g", "*.go"}, []string{"glob", "**/*.go"})
		})
		b.Run(name+"/glob against fd", func(b *testing.B) {
			compare(b, dir, []string{"fdfind", "-g", "*.go"}, []string{"glob", "**/*.go"})
		})
	}
}
