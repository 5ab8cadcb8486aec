package quote

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The words that each of the quoting functions before this package left as
// they are, or had to quote.
func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "''",
		"read":               "read",
		"a/b_c-d.go":         "a/b_c-d.go",
		"user@host:x,y%z+1":  "user@host:x,y%z+1",
		"--format=%h":        "--format=%h",
		"-n":                 "-n",
		"if=x":               "'if=x'",
		"PATH+=x":            "'PATH+=x'",
		"a b":                "'a b'",
		"a\tb\nc":            "'a\tb\nc'",
		"it's":               `'it'\''s'`,
		`a\b`:                `'a\b'`,
		`say "x"`:            `'say "x"'`,
		"$HOME":              "'$HOME'",
		"`id`":               "'`id`'",
		"*.go":               "'*.go'",
		"a?":                 "'a?'",
		"[ab]":               "'[ab]'",
		"{a,b}":              "'{a,b}'",
		"~":                  "'~'",
		"#x":                 "'#x'",
		"wow!":               "'wow!'",
		"^a^b":               "'^a^b'",
		"a;b|c&d<e>f(g)":     "'a;b|c&d<e>f(g)'",
		"if":                 "'if'",
		"日本":                 "日本",
		"caf\xe9":            "'caf\xe9'",
		"a\x1b[31m":          "'a\x1b[31m'",
		"a\u202eb":           "'a\u202eb'",
		"a\x00b":             "'a\x00b'",
		"\U0001f468\u200dok": "'\U0001f468\u200dok'",
	} {
		require.Equal(t, want, Word(in), "%q", in)
	}
	require.Equal(t, "agent:read --file_path 'a b' ''", Line("agent:read", []string{"--file_path", "a b", ""}))
}

// bash reads every word back, in each place of a command and in a locale that
// does not know its characters.
func requireRead(t *testing.T, words ...string) {
	t.Helper()
	var script strings.Builder
	for _, w := range words {
		script.WriteString("printf '%s\\0' " + Word(w) + "\n" + Word(w) + " 2>/dev/null\n")
	}
	for _, locale := range []string{"C", "C.UTF-8"} {
		c := exec.Command("bash", "--noprofile", "--norc", "-c", "PATH=/none; command_not_found_handle() { printf '%s\\0' \"$1\"; }\n"+script.String())
		c.Env = []string{"LC_ALL=" + locale}
		c.Dir = t.TempDir()
		out, _ := c.Output()
		want := ""
		for _, w := range words {
			want += w + "\x00"
			if !strings.Contains(w, "/") && w != "" {
				want += w + "\x00"
			}
		}
		require.Equal(t, want, string(out), "%s", script.String())
	}
}

func TestBashReadsItBack(t *testing.T) {
	requireRead(t, "zz", "z z", "it's", `z\z`, "$HOME", "zz*", "~", "#z", "zz!", "ZZ=1", "ZZ+=1", "--zz=1", "caf\xe9", "日本", "z\u202ez", "z\x1bz", "{z,y}", "a[0]=1", "select")
}

func FuzzWord(f *testing.F) {
	f.Add("a'b\\c\n$x")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(s, "\x00") {
			return
		}
		c := exec.Command("bash", "--noprofile", "--norc", "-c", "printf %s "+Word(s))
		out, err := c.Output()
		require.NoError(t, err)
		require.Equal(t, s, string(out))
	})
}
