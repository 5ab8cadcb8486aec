package router

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLongLinesAreCutFirst: a line of bash's output that is too long is cut, marked with
// its length, before the whole is; all of it stays in the saved output.
func TestLongLinesAreCutFirst(t *testing.T) {
	r := newTest(t)
	text := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), name), []byte(content), 0o644))
	}
	page := strings.Repeat("日", 9120)
	pages := strings.Repeat("expected\n"+page+"\n", 4)
	text("pages", pages)
	text("many", strings.Repeat("expected\n"+page+"\n", 300)+"the end\n")
	text("one", strings.Repeat("x", 3<<20))
	text("fits", strings.Repeat("y", 500)+"\n")

	res := run(t, r, "cat pages")
	m := omitted.FindStringSubmatch(res.Output)
	require.NotNil(t, m, res.Output)
	cut := "expected\n" + strings.Repeat("日", 500) + "... [the line has 9120 characters]\n"
	require.Equal(t, strings.Repeat(cut, 4)+m[0], res.Output)
	require.Contains(t, m[0], `reason="long_lines"`)
	require.Contains(t, m[5], "line 2 first: read --file_path "+res.FullOutput+" --offset 2 --limit 1 --max_columns 0")
	require.True(t, res.Truncated)
	require.Equal(t, pages, res.Stdout)
	kept, err := os.ReadFile(res.FullOutput)
	require.NoError(t, err)
	require.Equal(t, pages, string(kept))

	res = run(t, r, "cat many") // more than memory holds, also when it is cut
	require.Contains(t, res.Output, cut+cut)
	require.True(t, strings.HasSuffix(res.Output, "... [the line has 9120 characters]\nthe end\n"), "%q", res.Output[len(res.Output)-80:])
	require.LessOrEqual(t, utf8.RuneCountInString(omitted.ReplaceAllString(res.Output, "")), 30_001)
	follows := regexp.MustCompile(`follows after line (\d+):`).FindStringSubmatch(res.Output)
	require.NotNil(t, follows, res.Output)
	head, _, _ := strings.Cut(res.Output, "<system_hint")
	require.Equal(t, follows[1], fmt.Sprint(strings.Count(head, "\n")), "lines of the output are lines of the file")

	res = run(t, r, "cat one")
	require.Regexp(t, `^x{500}\.\.\. \[the line has more than \d+ characters\]\n<system_hint .*</system_hint>\n$`, res.Output)

	require.Equal(t, strings.Repeat("y", 500)+"\n", run(t, r, "cat fits").Output)
	require.Equal(t, strings.Repeat("x", 3000), run(t, r, "head -c 3000 one").Stdout)
	require.Equal(t, strings.Repeat("x", 3<<20)[:2000], run(t, r, "read ./one").Output[:2000], "a tool has limits of its own")
}
