package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Each calls f for every line of the log in order, its number in the file from
// 1, until it returns an error, which Each returns. The log is not locked
// meanwhile, since that would stop what runs: lines that are written while it is
// read may be among them or not. A log that is not there has no lines.
func Each(dir string, f func(file string, n int, line []byte) error) error {
	files, err := asideFiles(dir)
	if err != nil {
		return err
	}
	for _, path := range append(files, filepath.Join(dir, "audit.jsonl")) {
		if err := eachLine(path, f); err != nil {
			return err
		}
	}
	return nil
}

func eachLine(path string, f func(file string, n int, line []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read audit log: %w", err)
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if line != "" {
			if err := f(path, n, []byte(strings.TrimSuffix(line, "\n"))); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read audit log %s: %w", path, err)
		}
	}
}

// Records calls f for every whole record in order, until it returns an error.
// What is no record is left out; Verify tells about it.
func Records(dir string, f func(r *Record, line []byte) error) error {
	return Each(dir, func(_ string, _ int, line []byte) error {
		r, whole, err := parseRecord(line)
		if err != nil || !whole {
			return nil
		}
		return f(&r, line)
	})
}
