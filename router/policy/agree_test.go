package policy

import (
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// skeleton is a simple command as it is written, with what is nested in it
// left out: that is found as a command of its own.
func skeleton(words []*syntax.Word, assigns []*syntax.Assign) string {
	var b strings.Builder
	for _, a := range assigns {
		if a.Name != nil {
			b.WriteString(a.Name.Value + "= ")
		}
	}
	for _, w := range words {
		for _, p := range w.Parts {
			bones(&b, p)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// bones writes a part without its quotes: bash prints some in others.
func bones(b *strings.Builder, part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.WriteString(unescape(p.Value))
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text = ansiC(text)
		}
		b.WriteString(text)
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			if lit, ok := q.(*syntax.Lit); ok {
				b.WriteString(unescapeQuoted.Replace(lit.Value))
				continue
			}
			bones(b, q)
		}
	case *syntax.CmdSubst:
		b.WriteString("$()")
	case *syntax.ProcSubst:
		b.WriteString("<()")
	case *syntax.ArithmExp:
		b.WriteString("$(())")
	case *syntax.ParamExp:
		b.WriteByte('$')
		if p.Param != nil {
			b.WriteString(p.Param.Value)
		}
	case *syntax.ExtGlob:
		b.WriteString(p.Op.String() + p.Pattern.Value + ")")
	}
}

// commandsIn returns every simple command of a text's tree, each as often as it
// stands there, and whether the text was understood.
func commandsIn(text string) (found []string, understood bool) {
	tree := bashtext.Parse(text)
	for _, st := range tree.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				found = append(found, skeleton(n.Args, n.Assigns))
			case *syntax.DeclClause:
				found = append(found, skeleton([]*syntax.Word{{Parts: []syntax.WordPart{n.Variant}}}, n.Args))
			}
			return true
		})
	}
	return found, tree.Err == nil && !tree.Binary
}

// prettyPrint is what bash's own parser makes of a text, ok if it is bash. It
// runs nothing: the text is a file, -n forbids to run it, and there is no PATH.
func prettyPrint(t *testing.T, text string) (printed string, ok bool) {
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command("/bin/bash", "--pretty-print", "--norc", "--noprofile", "-n", file)
	cmd.Env, cmd.Dir = []string{"PATH=/nonexistent", "LC_ALL=C.UTF-8"}, filepath.Dir(file)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	// The name that a coprocess has by default cannot be written for a simple
	// command; bash prints it all the same.
	return strings.ReplaceAll(string(out), "coproc COPROC ", "coproc "), err == nil && errs.Len() == 0
}

// agree checks that what bash's parser sees in a text is found in it, or that
// the verdict is unknown.
func agree(t *testing.T, text string) {
	printed, ok := prettyPrint(t, text)
	if !ok {
		return // bash does not run it as a whole
	}
	found, understood := commandsIn(text)
	if !understood {
		return
	}
	if _, ok := prettyPrint(t, printed); !ok {
		return // here-documents in lists are printed so that bash does not read them again
	}
	want, understood := commandsIn(printed)
	if !understood {
		return
	}
	if strings.Contains(strings.ReplaceAll(text, "<<<", ""), "<<") {
		// After a here-document bash prints a list without what ends its
		// commands, so only their words can be compared.
		found, want = wordsOf(found), wordsOf(want)
	}
	for _, w := range want {
		i := slices.Index(found, w)
		require.GreaterOrEqual(t, i, 0, "%q is not found in\n%q\n%s\n--- bash reads it as\n%s", w, text, text, printed)
		found = slices.Delete(found, i, i+1)
	}
}

// wordsOf returns the words of commands that are no assignments.
func wordsOf(commands []string) []string {
	words := strings.Fields(strings.Join(commands, " "))
	return slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "=") })
}

// bits are what random texts are made of.
var bits = []string{" ", " ", " ", "\n", ";", "&", "&&", "||", "|", "|&", "!", "(", ")", "{ ", "; }", "((", "))", "[[ ", " ]]", "$(", ")", "`", "\"", "'", "\\", "$'", "${", "}", "<(", ">(",
	"if ", "; then ", "; fi", "; else ", "while ", "; do ", "; done", "for x in a b", "case x in ", "a) ", ";; ", "esac", "function f ", "f() ", "time ", "coproc ", "let ", "declare ", "export ", "x=", "x+=", "a[1]=", "=(",
	"rm x", "ls", "echo a", "cat", "<<E\nbody $(rm y)\nE\n", "<<'E'\nbody $(rm y)\nE\n", "<<-E\n\tt\n\tE\n", "<<<", ">f", "2>&1", "<f", "&>f", ">&2", "#c", "$x", "$@", "${x:-", "${x/a/b}", "${x[1]}", "$((1+2))", "$[1]", "*", "?(a)", "!(b)", "@(c|d)", "+(e)", "{a,b}", "{1..3}", "~", "=", "-n", "-v", "==", "=~", "eval ", "trap ", "\t", "\r", "é", "in", "do", "select x in a", "until ", "\\\n", "$\"", "x[$(ls)]", "$", "[ ", " ]", "test ", "%", ":", "1", "_"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.Intn(14) {
		b.WriteString(bits[r.Intn(len(bits))])
	}
	return b.String()
}

// gen makes random texts that are mostly bash.
type gen struct {
	*rand.Rand
	b     strings.Builder
	depth int
	docs  []string // here-documents whose bodies are due at the next newline
}

func (g *gen) pick(from ...string) string { return from[g.Intn(len(from))] }

func (g *gen) put(s ...string) {
	for _, x := range s {
		g.b.WriteString(x)
	}
}

func (g *gen) newline() {
	g.put("\n")
	for _, d := range g.docs {
		g.put(d)
	}
	g.docs = nil
}

func (g *gen) end() {
	if g.Intn(3) == 0 || len(g.docs) > 0 {
		g.newline()
		return
	}
	g.put(g.pick(";", "; ", " ;", "&", " & ", " # c\n", " # \\\n"))
}

func (g *gen) list() {
	for range 1 + g.Intn(3) {
		g.stmt()
		g.end()
	}
}

func (g *gen) stmt() {
	g.depth++
	defer func() { g.depth-- }()
	n := g.Intn(30)
	if g.depth > 4 {
		n = 29
	}
	switch n {
	case 0:
		g.put("if ")
		g.list()
		g.put("then ")
		g.list()
		if g.Intn(2) == 0 {
			g.put("else ")
			g.list()
		}
		g.put("fi")
	case 1:
		g.put(g.pick("while ", "until "))
		g.list()
		g.put("do ")
		g.list()
		g.put("done")
	case 2:
		g.put("for x in ")
		g.words(2)
		g.end2()
		g.put("do ")
		g.list()
		g.put("done")
	case 3:
		g.put("case ")
		g.word()
		g.put(" in ")
		g.put(g.pick("a", "(a", "a|b", "*", "@(a|b)"), ") ")
		g.list()
		g.put(g.pick(";;", ";&", ";;&"), g.pick(" ", "\n"), "esac")
	case 4:
		g.put("{ ")
		g.list()
		g.put("}")
		g.redir()
	case 5:
		g.put("(")
		g.list()
		g.put(")")
		g.redir()
	case 6:
		g.put(g.pick("f() ", "function f ", "function f() ", "f()\n"), "{ ")
		g.list()
		g.put("}")
	case 7:
		g.put(g.pick("! ", "time ", "time -p ", "! time "))
		g.stmt()
	case 8, 9, 10:
		g.stmt()
		g.put(g.pick(" && ", " || ", "&&", "||\n", " | ", "|", " |& "))
		g.stmt()
	case 11:
		g.put("[[ ", g.pick("-n $x", "$x == a*", "$x =~ ^(a|b)$", "-v x[1]", "a -lt 2", "! -f x && -d y", "( $x < b )", "$x =~ [[:space:]]\"a b\"", "-z $(rm t)"), " ]]")
	case 12:
		g.put("((", g.pick("x=1", "x++", "a[$(rm i)]++", "1<2 && 3", "x = y ? 1 : 2"), "))")
	case 13:
		g.put("for ((i=0; i<3; i++)); do ")
		g.list()
		g.put("done")
	case 14:
		g.put(g.pick("declare ", "local ", "export ", "readonly -a ", "typeset -i "), g.pick("x=1", "x", "x=(a b)", "x=$(rm d)", "-p", "x y=z"))
	case 15:
		g.put("let ", g.pick("x=1", "'y = 2'", "x=1 y=2", "x++"))
		g.redir()
	case 16:
		g.put("coproc ", g.pick("", "NAME "), "{ ")
		g.list()
		g.put("}")
	case 17:
		g.put("select x in ")
		g.words(2)
		g.end2()
		g.put("do ")
		g.list()
		g.put("done")
	default:
		g.simple()
	}
}

func (g *gen) end2() { g.put(g.pick("; ", "\n", " ;\n")) }

func (g *gen) simple() {
	if g.Intn(5) == 0 {
		g.put(g.pick("x=1 ", "y='a b' ", "z=$(rm z) ", "a[1]=2 ", "w+=3 "))
	}
	if g.Intn(12) == 0 {
		g.put(g.pick("x=(a b $(rm e))", "x=1"))
		return
	}
	g.redir()
	g.put(g.pick("ls", "rm", "echo", "r''m", "\\rm", "$x", "cat", "then", "x=y", "'a b'", "let", "in", "{a,b}", "é", "[", "do\\\ne", "a#b", "!x", "}x", "{x", "-", "=", "f"))
	g.put(" ")
	g.words(g.Intn(4))
	g.redir()
}

func (g *gen) redir() {
	if g.Intn(5) != 0 {
		return
	}
	n := g.Intn(4)
	if n == 0 && g.depth > 2 {
		n = 2 // bash prints here-documents in lists wrong
	}
	switch n {
	case 0:
		tag := g.pick("E", "END", "'E'", "\"E F\"", "\\E")
		op := g.pick("<<", "<<-", "2<<")
		g.put(" ", op, tag, " ")
		word := strings.Trim(strings.ReplaceAll(tag, "\\", ""), "'\"")
		body := g.pick("text\n", "$(rm h)\n", "`rm b`\n", "a'b\n", "a\"b\n", "$x ${y:-$(rm q)}\n", "\\$(no)\n", "\ttab\n", "", "E2\n", "$((1+`rm a`))\n", "\\\n", "a\\\nb\n")
		g.docs = append(g.docs, body+word+"\n")
	case 1:
		g.put(" ", g.pick("<<<", "<<< "))
		g.word()
	default:
		g.put(" ", g.pick(">", ">>", "2>", "&>", "<", "<>", ">|", ">&", "3>&1 >", "{fd}>"), g.pick("", " "), g.pick("f", "\"$x\"", "/dev/null", "$(rm r)", "'a b'"), " ")
	}
}

func (g *gen) words(n int) {
	for range n {
		g.word()
		g.put(g.pick(" ", "  ", " \\\n", "\t"))
	}
}

func (g *gen) word() {
	for range 1 + g.Intn(3) {
		g.part()
	}
}

func (g *gen) part() {
	g.depth++
	defer func() { g.depth-- }()
	n := g.Intn(26)
	if g.depth > 5 {
		n = 20
	}
	switch n {
	case 0, 1:
		g.put("$(")
		g.inner()
		g.put(")")
	case 2:
		g.put("`", g.pick("rm b1", "echo \\`rm b2\\`", "echo \"rm b3\"", "ls; rm b4", "echo '\\\\'", "echo $x", "echo \\$(rm b5)"), "`")
	case 3, 4:
		g.put("\"")
		for range g.Intn(3) {
			g.quotedPart()
		}
		g.put("\"")
	case 5:
		g.put(g.pick("<(", ">("))
		g.inner()
		g.put(")")
	case 6:
		g.put("$((", g.pick("1+2", "x", "$x*2", "a[$(rm a1)]", "$(rm a2)+1", "(1)", "x<<2", "1 ? 2 : 3", "16#ff", "'1'"), "))")
	case 7:
		g.put("${", g.pick("x", "x:-a", "x:-$(rm p1)", "x#*/", "x%%.*", "x/a/$(rm p2)", "x:1:2", "#x", "!x", "x[@]", "x[1]", "x^^", "x@Q", "x:+'a b'", "x:-\"}\"", "x//\\//_", "@", "x:=$'a'", "x:-`rm p3`", "x/#a/b", "!x*", "x:$((1+1))", "x-(", "x:?a b", "x#'}'"), "}")
	case 8:
		g.put(g.pick("'a b'", "''", "'$(no)'", "'`'", "'#'", "'\"'", "'\\'"))
	case 9:
		g.put(g.pick("$'a'", "$'\\''", "$'\\x72m'", "$'a\\nb'", "$'\\\\'"))
	case 10:
		g.put(g.pick("{a,b}", "{1..3}", "{a,$(rm c)}", "{", "}", "{}", "{a", "a}"))
	case 11:
		g.put(g.pick("*", "?", "[a-z]", "**", "~", "~/x", "[!a]"))
	case 12:
		g.put(g.pick("$x", "$1", "$@", "$*", "$?", "$$", "$", "$#", "$-", "$!"))
	case 13:
		g.put(g.pick("\\$", "\\ ", "\\;", "\\\"", "\\'", "\\`", "\\\\", "\\#", "\\(", "\\|", "\\a", "\\\n"))
	case 14:
		g.put(g.pick("#", "a#", "=", "x=", ":", "%", "+", ",", "^", "@", "!", "-", "--a=", "é", "\r", "]", "if", "done", "esac", "in", "let", "time", "function"))
	case 15:
		g.put("$\"a $x\"")
	case 16:
		g.put("$[", g.pick("1+2", "x", "$(rm o)"), "]")
	default:
		g.put(g.pick("a", "b", "foo", "-rf", "/", "x.y", "1"))
	}
}

func (g *gen) quotedPart() {
	switch g.Intn(8) {
	case 0:
		g.put("$(")
		g.inner()
		g.put(")")
	case 1:
		g.put("`", g.pick("rm q1", "echo \\\"rm q2\\\"", "echo \\`rm q3\\`"), "`")
	case 2:
		g.put("${", g.pick("x:-$(rm q4)", "x:-'a'", "x:-\"b\"", "x}", "x#\"a\"", "x//'a'/b", "x:-\\}"), "}")
	case 3:
		g.put(g.pick("\\\"", "\\$", "\\`", "\\\\", "\\n", "\\\n"))
	default:
		g.put(g.pick("a", " ", "'", "#", "$", "$x", "\n", ";", "(", "<(", "!", "*", "{a,b}"))
	}
}

// inner is what stands in a substitution: here-documents in it end in it.
func (g *gen) inner() {
	docs := g.docs
	g.docs = nil
	g.put(g.pick("", " "))
	g.stmt()
	if len(g.docs) > 0 {
		g.newline()
	} else if g.Intn(3) == 0 {
		g.put(g.pick(";", "\n", " # c\n", " "))
	}
	g.docs = docs
}

func (g *gen) text() string {
	g.list()
	if len(g.docs) > 0 {
		g.newline()
	}
	return g.b.String()
}
