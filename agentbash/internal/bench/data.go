package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// words make up the generated text.
var words = []string{"request", "handler", "server", "cache", "worker", "timeout", "connection", "retry", "value", "buffer", "stream", "index",
	"session", "client", "error", "result", "query", "table", "commit", "branch", "static", "return", "public", "import", "config", "update"}

// line appends a line of a log, about 105 bytes long.
func line(b []byte, r *rand.Rand, n int) []byte {
	w := func() string { return words[r.IntN(len(words))] }
	return fmt.Appendf(b, "2024-%02d-%02dT%02d:%02d:%02d.%03dZ %s [%s-%d] %s %s: id=%08x user=%s%d took %dms\n",
		1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), []string{"INFO", "WARN", "DEBUG", "ERROR"}[r.IntN(4)],
		w(), r.IntN(64), w(), w(), n, w(), r.IntN(1000), r.IntN(5000))
}

// bigFile makes one file of a size in bytes, a whole number of lines.
func bigFile(path string, size int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for n, done := 0, 0; done < size; n++ {
		b = line(b[:0], r, n)
		done += len(b)
		w.Write(b)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// smallFiles makes a tree of files: 20 in a directory, directories four deep.
func smallFiles(root string, count int) error {
	r := rand.New(rand.NewPCG(3, 4))
	exts := []string{".go", ".py", ".js", ".md", ".txt"}
	var b []byte
	for n := 0; n < count; n++ {
		d := n / 20
		dir := filepath.Join(root, fmt.Sprintf("m%02d", d/400), fmt.Sprintf("p%02d", d/20%20), fmt.Sprintf("d%02d", d%20))
		if n%20 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		b = b[:0]
		for i := range 5 + r.IntN(20) {
			b = line(b, r, i)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%d%s", words[n%len(words)], n, exts[n%len(exts)])), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
