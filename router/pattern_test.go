package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// patternFiles are what bash would put in the place of the patterns below.
var patternFiles = []string{"a.go", "b.go", "src/c.go", "src/deep/d.go", "one", "x1.log", "x2.log"}

// TestPatternsStay: a word that is a pattern of a tool means the same alone and
// wherever else it stands; any other is bash's to expand.
func TestPatternsStay(t *testing.T) {
	rows := []struct{ command, out string }{
		{"glob **/*.go", "pattern=**/*.go\n"},
		{"glob *.log", "pattern=*.log\n"},
		{"glob ?.go", "pattern=?.go\n"},
		{"glob [ab].go --path src", "pattern=[ab].go\npath=src\n"},
		{"glob --pattern=*.go", "pattern=*.go\n"},
		{"glob --pattern *.go --path s*c", "pattern=*.go\npath=src\n"},
		{"glob --path s?c *.go", "pattern=*.go\npath=src\n"},
		{"agent:glob *.go", "pattern=*.go\n"},
		{"edit o?e a[1]*b x?y", "file_path=one\nold_string=a[1]*b\nnew_string=x?y\n"},
		{"edit --old-string=*.go --file_path one --new_string=", "file_path=one\nold_string=*.go\nnew_string=\n"},
		{"grep --pattern [a-z]* --glob *.go", "found [a-z]*\n"},
		{"grep *.go --path src", "found *.go\n"},
		{"field:db:query *.go", "sql=*.go\n"},
		{"field:db:query --sql=*.go", "sql=*.go\n"},
		{`glob src/"*".*`, "pattern=src/*.*\n"},
		{`glob src/\*.*'*'`, "pattern=src/*.**\n"},
	}
	forms := []string{"%s", "%s | cat", "x=$(%s); printf '%%s\\n' \"$x\"", "echo \"$(%s)\"", "for i in 1; do %s; done", "if %s > o; then cat o; fi", "{ %s; } 2>&1", "A=1 %s",
		"f() { %s; }; f", "time -p %s 2>/dev/null", "cat <(%s)", "cat <<E\n$(%s)\nE", "x=`%s`; echo \"$x\"", "true &&\\\n %s", "shopt -s nullglob failglob globstar; %s; shopt -u nullglob failglob globstar"}
	r := newTest(t)
	for _, name := range patternFiles {
		path := filepath.Join(r.Dir(), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	for _, row := range rows {
		for _, form := range forms {
			if strings.Contains(form, "`") && strings.Contains(row.command, `\`) {
				continue // a backslash is for the backquotes
			}
			text := strings.ReplaceAll(strings.Replace(form, "%s", row.command, 1), "%%", "%")
			res := run(t, r, text)
			require.Equal(t, row.out, res.Stdout, "%s\n%s", text, res.Output)
			requireSound(t, r, text)
			run(t, r, "rm -f o")
		}
	}
	for _, row := range []struct{ command, out string }{
		{`D=src; glob $D/**/*.go`, "pattern=src/**/*.go\n"},
		{`D=src; glob "$D"/*.go | cat`, "pattern=src/*.go\n"},
		{`edit one {*.go,?} | cat`, "file_path=one\nold_string=*.go\nnew_string=?\n"},
		{`glob ~/*.go | cat`, "pattern=" + os.Getenv("HOME") + "/*.go\n"},
		{`p=*.go; glob "$p" | cat`, "pattern=*.go\n"},
		{`read *.log | cat`, ""},
		{`echo *.log | cat`, "x1.log x2.log\n"},
	} {
		require.Equal(t, row.out, run(t, r, row.command).Stdout, "%s", row.command)
	}
	require.True(t, r.Plan("glob **/*.go").InProcess)
	require.False(t, r.Plan("glob x --path s*").InProcess)
}
