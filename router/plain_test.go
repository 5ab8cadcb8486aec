package router

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/google/shlex"
	"github.com/stretchr/testify/require"
)

func TestPlain(t *testing.T) {
	rows := []struct {
		name, command string
		plain, noglob bool // noglob: plain when globs are taken literally
	}{
		{"words", "read a.go b", true, true},
		{"key=value", "read --file_path=x", true, true},
		{"single quotes hold anything", `edit 'a$b"c\d
e'`, true, true},
		{"double quotes", `edit "a b's"`, true, true},
		{"double quotes, escapes that go away", `edit "a\"b\\c\$d\` + "`" + `e"`, true, true},
		{"double quotes, a backslash that stays", `edit "\bfoo"`, false, false},
		{"dollar in double quotes", `edit "$x"`, false, false},
		{"backquote in double quotes", "edit \"`x`\"", false, false},
		{"dollar", `read $x`, false, false},
		{"ansi-c quotes", `read $'a'`, false, false},
		{"pipe", `read a | b`, false, false},
		{"newline between", "read a\nb", false, false},
		{"newlines around", "\n read a \n", true, true},
		{"escaped blank at the end", `read a\ `, true, true},
		{"escaped newline at the end", "read a\\\n", false, false},
		{"hash in a word", `read a#b`, true, true},
		{"comment", `read a #b`, false, false},
		{"glob", `glob *.go`, false, true},
		{"tilde", `read ~/x`, false, false},
		{"brace", `read {a,b}`, false, false},
		{"unclosed quote", `read 'a`, false, false},
		{"NUL in quotes", "read 'a\x00'", false, false},
		{"invalid UTF-8", "read a\xff", false, false},
		{"UTF-8", "read grün", true, true},
		{"carriage return", "read a\r", false, false},
		{"empty", "  ", false, false},
		{"trailing backslash", `read a\`, false, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.plain, isPlain(row.command, false), "%q", row.command)
			require.Equal(t, row.noglob, isPlain(row.command, true), "%q", row.command)
		})
	}
}

// bashArgv asks bash what the words of each command are; all are plain, so
// each is one simple command.
func bashArgv(t testing.TB, commands []string, noglob bool) [][]string {
	t.Helper()
	var script strings.Builder
	script.WriteString("w() { printf '%s\\0' $(($#+1)) w \"$@\"; }\n")
	for _, c := range commands {
		script.WriteString(c + "\n")
	}
	args := []string{"--norc", "-s"}
	if noglob {
		args = []string{"--norc", "-f", "-s"}
	}
	cmd := exec.Command("bash", args...)
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/nonexistent"}
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	require.NoError(t, cmd.Run(), "%q: %s", commands, notes.String())
	var all [][]string
	for words := strings.Split(out.String(), "\x00"); len(words) > 1; {
		n, err := strconv.Atoi(words[0])
		require.NoError(t, err)
		all = append(all, words[1:1+n])
		words = words[1+n:]
	}
	require.Len(t, all, len(commands), "%s", notes.String())
	return all
}

var plainCases = flag.Int("plain.cases", 20_000, "how many random plain commands TestPlainAgreesWithBash asks bash about")

// TestPlainAgreesWithBash throws random words at the predicate and asks bash
// about every command that it lets through.
func TestPlainAgreesWithBash(t *testing.T) {
	pieces := []string{"a", "B9", "_./:=@%+,^-]!}", "é", "日本", " ", "\t", "  ", "'", "\"", "\\", "#", "*", "?", "[", "$", "`", "~", "{", "\n", "\\ ", "\\\"", "'x y'", "\"x y\"", "--k", "=", "|", "\r", "\x01", "\x7f", "\xff", "-h", "''"}
	rnd := rand.New(rand.NewPCG(1, uint64(*plainCases)))
	for _, noglob := range []bool{false, true} {
		for asked := 0; asked < *plainCases/2; {
			var batch []string
			for len(batch) < 5000 && asked < *plainCases/2 {
				c := "w "
				for range rnd.IntN(9) {
					c += pieces[rnd.IntN(len(pieces))]
				}
				if isPlain(c, noglob) {
					batch = append(batch, c)
					asked++
				}
			}
			for i, want := range bashArgv(t, batch, noglob) {
				got, err := shlex.Split(batch[i])
				require.NoError(t, err, "%q", batch[i])
				require.True(t, slices.Equal(want, got), "%q: bash has %q, shlex %q", batch[i], want, got)
			}
		}
	}
}

// FuzzPlain asks the real bash: whatever is plain, shlex must split as bash does.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{`a "b\"c" 'd e'`, `x\ y #`, `--k=v a#b`, "grün *?[ ]", `"" ''`, `a\`, "\\\t", "a\\ \n", `"\\"\'`, `a"b"'c'd`, "{a}", "!a", "a=b ^c"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, noglob bool) {
		command := "w " + s
		if !isPlain(command, noglob) {
			return
		}
		words, err := shlex.Split(command)
		require.NoError(t, err, "%q", command)
		require.Equal(t, bashArgv(t, []string{command}, noglob)[0], words, "%q", command)
	})
}

// What passes the lexer as a mark comes back as it was, however much there is.
func TestSplitOfManyWords(t *testing.T) {
	n := newNameIndex(registry.New())
	for _, words := range []int{3, mostMarks + 10} {
		command := "write" + strings.Repeat(` --key='sin gle' "dou ble"word\ x-é日本 # y`, words)
		got, ok := n.split(strings.ReplaceAll(command, " # ", " "))
		require.True(t, ok)
		require.Len(t, got, 1+3*words)
		require.Equal(t, []string{"--key=sin gle", "dou bleword x-é日本", "y"}, got[len(got)-3:])
	}
}
