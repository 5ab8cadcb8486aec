package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkTake measures what the first writing command of a turn waits for: the first snapshot
// of a workspace, one in which nothing has changed, and one after a file did.
func BenchmarkTake(b *testing.B) {
	for _, files := range []int{1000, 50_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			dir := b.TempDir()
			for i := range files {
				sub := filepath.Join(dir, fmt.Sprintf("d%d/e%d", i/500, i%500/25))
				if err := os.MkdirAll(sub, 0o755); err != nil {
					b.Fatal(err)
				}
				text := []byte(fmt.Sprintf("// file %d\n", i))
				for len(text) < 300+i*7919%12_000 {
					text = fmt.Appendf(text, "var v%d = %d\n", len(text)*i, i)
				}
				if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.go", i)), text, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				s := Open(dir, b.TempDir(), &Options{Environ: os.Environ()})
				take := func(name string) {
					start := time.Now()
					if e, err := s.Take(b.Context()); err != nil || e.Skipped != "" {
						b.Fatal(err, e.Skipped)
					}
					b.ReportMetric(float64(time.Since(start).Microseconds())/1000, name+"-ms")
				}
				take("first")
				take("same")
				if err := os.WriteFile(filepath.Join(dir, "d0/e0/f0.go"), []byte(time.Now().String()), 0o644); err != nil {
					b.Fatal(err)
				}
				take("changed")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
