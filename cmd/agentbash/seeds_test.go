package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSeedsNamesTestsThatExist holds docs/seeds.md to its last column.
func TestSeedsNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../docs/seeds.md")
	require.NoError(t, err)
	test, script := regexp.MustCompile("`([a-z/.]+) ((?:Test|Example)\\w*)`"), regexp.MustCompile("`(\\w+\\.txtar)`")
	declared := map[string]string{} // a package's tests, as one text
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "/"), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| there |") || strings.HasPrefix(line, "| there, ") {
			continue
		}
		rows++
		tests, scripts := test.FindAllStringSubmatch(cells[2], -1), script.FindAllStringSubmatch(cells[2], -1)
		require.NotZero(t, len(tests)+len(scripts), "no test is named: %s", line)
		for _, m := range tests {
			dir := filepath.Join("../..", m[1])
			if _, seen := declared[dir]; !seen {
				declared[dir] = testSources(t, dir)
			}
			require.Regexp(t, `(?m)^func `+m[2]+`\(`, declared[dir], line)
		}
		for _, m := range scripts {
			require.FileExists(t, filepath.Join("../../testdata/script", m[1]), line)
		}
	}
	require.Greater(t, rows, 80)
}

func testSources(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	var all strings.Builder
	for _, f := range files {
		source, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(source)
	}
	return all.String()
}
