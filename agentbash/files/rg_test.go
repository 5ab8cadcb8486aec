//go:build linux

package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ripgrep is another program's answer to the same question. Where it is not
// installed there is nothing to compare with.
func ripgrep(t *testing.T, dir string, args ...string) []string {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("rg is not installed: nothing to compare with")
	}
	cmd := exec.Command(rg, append([]string{"--no-config", "--no-heading", "--no-messages"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		require.NoError(t, err)
	}
	return places(string(out))
}

// places are the file:line of results, sorted.
func places(out string) []string {
	list := []string{}
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		list = append(list, strings.Join(parts[:min(2, len(parts))], ":"))
	}
	slices.Sort(list)
	return list
}

// goroot is the directory of the Go toolchain that runs the tests.
func goroot(t testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestGrepFindsWhatRipgrepFinds(t *testing.T) {
	dir := filepath.Join(goroot(t), "src", "net")
	s := newShell(t, nil)
	s.dir = dir
	for _, test := range []struct{ ours, theirs []string }{
		{[]string{"Dial"}, []string{"Dial"}},
		{[]string{"-i", "CONTENT-type"}, []string{"-i", "CONTENT-type"}},
		{[]string{"Get|Post|Head"}, []string{"Get|Post|Head"}},
		{[]string{`func \(.*\*Server\) \w+`}, []string{`func \(.*\*Server\) \w+`}},
		{[]string{"-w", "err"}, []string{"-w", "err"}},
		{[]string{"-F", "a[i]"}, []string{"-F", "a[i]"}},
		{[]string{`[A-Z]{4}[0-9]+`}, []string{`[A-Z]{4}[0-9]+`}},
		{[]string{`\w+\s+:=\s+\w+\(`}, []string{`\w+\s+:=\s+\w+\(`}},
		{[]string{`^\s*}$`}, []string{`^\s*}$`}},
		{[]string{"é|ü|日"}, []string{"é|ü|日"}},
		{[]string{"TODO", "--type", "go"}, []string{"TODO", "-tgo"}},
		{[]string{"http", "--glob", "*_test.go"}, []string{"http", "-g", "*_test.go"}},
		{[]string{"http", "--glob", "!*_test.go"}, []string{"http", "-g", "!*_test.go"}},
		{[]string{"conn", "--output_mode", "count"}, []string{"conn", "-c"}},
		{[]string{"nothing like this at all"}, []string{"nothing like this at all"}},
		{[]string{""}, []string{""}},
	} {
		want := ripgrep(t, dir, append(test.theirs, "-n")...)
		got := places(s.run(append([]string{"grep", "--head_limit", "0"}, test.ours...)...).out)
		require.Equal(t, want, got, "%q", test.ours)
	}
}

func TestGrepAndGlobSkipWhatRipgrepSkips(t *testing.T) {
	s := sources(t)
	s.put(".git/HEAD", "foo")
	s.put(".gitignore", "out/\n*.tmp\n!keep.tmp\n/b/c.*\n")
	s.put("b/.gitignore", "*.md\n!x.md\n")
	s.put(".ignore", "z.md\n")
	for _, name := range []string{"out/foo.txt", "x.tmp", "keep.tmp", "b/y.md", "b/x.md", "b/d/c.txt", "b/d/x.md", ".hid/foo", "b/out/foo", "bin"} {
		s.put(name, "foo\n")
	}
	s.put("bin", "foo\x00foo\n")
	s.put("inner/.git/HEAD", "")
	s.put("inner/x.tmp", "foo\n")
	for _, flags := range [][2][]string{{{}, {}}, {{"--hidden"}, {"--hidden", "-g", "!.git"}}, {{"--no-ignore"}, {"--no-ignore"}}} {
		want := ripgrep(t, s.dir, append(flags[1], "-n", "foo")...)
		require.Equal(t, want, places(s.ok(append([]string{"grep", "foo"}, flags[0]...)...)))
		want = ripgrep(t, s.dir, append(flags[1], "--files")...)
		require.Equal(t, want, places(s.ok(append([]string{"glob", "**"}, flags[0]...)...)))
	}
}

func TestABigFileAsRipgrep(t *testing.T) {
	s := newShell(t, nil)
	f, err := os.Create(s.path("big"))
	require.NoError(t, err)
	for range 12 {
		_, err = f.WriteString(numbered(100000))
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	for _, expr := range []string{"9999$", "7.*77", "(?i)LINE 5", "line 1[0-9]{4}5", "no such"} {
		want := ripgrep(t, s.dir, "-n", "-H", expr, "big")
		require.Equal(t, want, places(s.run("grep", expr, "big", "--head_limit", "0").out), expr)
	}
}
