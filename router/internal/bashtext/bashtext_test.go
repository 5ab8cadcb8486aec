package bashtext

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// commands are the first words of the simple commands of a tree, in order.
func commands(t *Tree) (names []string) {
	for _, s := range t.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				names = append(names, t.Literal(c.Args[0].Lit()))
			}
			return true
		})
	}
	return names
}

// TestReadsAsBash parses texts that the parser alone reads differently, and
// asks bash, with a function for each command, which it runs.
func TestReadsAsBash(t *testing.T) {
	for _, text := range []string{
		"one; two | three", "one # a comment \\\ntwo", "# \\\ntwo\n# \\\nthree", "let x=1 | two", "let x=1; let y=2\ntwo",
		"a[1]=x one", "a[0]=1 a[1]=2 two; three", "one \\", "one \\\\", "one 'a\rb'\ntwo", "one é\xff; two", "if one; then two; fi # \\\nthree",
		"one <<E\nlet x\nE\ntwo", "echo let it be", "one $(two) `three`",
	} {
		tree := Parse(text)
		require.NoError(t, tree.Err, "%q", text)
		require.LessOrEqual(t, len(text)-len(tree.Text), 1)
		var found []string
		for _, name := range commands(tree) {
			if name == "one" || name == "two" || name == "three" {
				found = append(found, name)
			}
		}
		script := "for f in one two three; do eval \"$f() { echo $f >&3; }\"; done\n" + text
		cmd := exec.Command("bash", "-c", "exec 3>&1 >/dev/null 2>&1; eval \"$0\"", script)
		out, _ := cmd.Output()
		require.ElementsMatch(t, strings.Fields(string(out)), found, "%q", text)
	}
}

func TestLiteral(t *testing.T) {
	tree := Parse("let 'a\rb' let")
	call := tree.Stmts[0].Cmd.(*syntax.CallExpr)
	require.Equal(t, "let", tree.Literal(call.Args[0].Lit()))
	require.Equal(t, "a\rb", tree.Literal(call.Args[1].Parts[0].(*syntax.SglQuoted).Value))
}

func TestRefusesWithoutPanic(t *testing.T) {
	for _, text := range []string{"(", "'", "fi", "case x in", "a)", strings.Repeat("(", 1<<20), strings.Repeat("$(", 1<<19), strings.Repeat("x", maxText+1)} {
		tree := Parse(text)
		require.Error(t, tree.Err, "%.20q", text)
		require.Nil(t, tree.Stmts)
	}
	require.ErrorIs(t, Parse(strings.Repeat("{ ", 1<<20)).Err, ErrTooDeep)
}

func FuzzParseKeepsOffsets(f *testing.F) {
	f.Add("let a=1 | read x\r\n# \\\necho \xff \\")
	f.Fuzz(func(t *testing.T, text string) {
		tree := Parse(text)
		if tree.Err != nil {
			return
		}
		require.LessOrEqual(t, len(text)-len(tree.Text), 1)
		for _, s := range tree.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				if n != nil {
					require.LessOrEqual(t, int(n.Pos().Offset()), len(text))
				}
				return true
			})
		}
	})
}
