package policy

import (
	"math/rand"
	"strings"
)

// script makes random bash whose only commands are builtins that print, and a
// function args.
type script struct {
	*rand.Rand
	b     strings.Builder
	depth int
	funcs int
}

func (g *script) pick(from ...string) string { return from[g.Intn(len(from))] }

func (g *script) line(s ...string) { g.b.WriteString(strings.Join(s, "") + "\n") }

func (g *script) name() string { return g.pick("x", "y", "z") }

// value is the right side of an assignment.
func (g *script) value() string {
	switch g.Intn(14) {
	case 0:
		return "'a b'"
	case 1:
		return "\"$" + g.name() + "\""
	case 2:
		return "$" + g.name() + "c"
	case 3:
		return "$(echo " + g.pick("p", "'q r'", "$"+g.name(), "-n s", "{t,u}") + ")"
	case 4:
		return "${" + g.name() + g.pick(":-d", "#a", "%b", "%% *", "##* ", "/a/Z", "//b/", "/#a/Q", "/%b/R", ":1", ":0:1", ": -1", "^^", ",,", ":+e", "-f", "^", ":1:-1") + "}"
	case 5:
		return "$'\\x61\\tb'"
	case 6:
		return "$((1+" + g.pick("2", "x", "3*2", "y", "-4", "7/2") + "))"
	case 7:
		return "${" + g.name() + "[0]}"
	case 8:
		return "$1"
	case 9:
		return "\"${" + g.name() + "[@]}\""
	case 10:
		return "$#"
	case 11:
		return g.pick("", "`echo a\\`echo b\\``", "$(echo -e -n 'a\\tb')", "~", "${"+g.name()+"@U}", "\"${*}\"", "$*")
	}
	return g.pick("a", "ab", "aba", "b", "a:b", "1", "2", "-x", "a,b")
}

// word is an argument.
func (g *script) word() string {
	switch g.Intn(12) {
	case 0:
		return "$" + g.name()
	case 1:
		return "\"$" + g.name() + "\""
	case 2:
		return "x$" + g.name() + "y"
	case 3:
		return "\"${" + g.name() + "[@]}\""
	case 4:
		return "${" + g.name() + "[@]}"
	case 5:
		return g.pick("\"$@\"", "$@", "$*", "\"$*\"", "$1", "${@:2}", "${!"+g.name()+"}", "\"${"+g.name()+"[*]}\"", "${"+g.name()+"[*]}", "\"${@: -1}\"", "\"${*:2}\"", "\"${"+g.name()+"[@]:1}\"", "\"${"+g.name()+"[@]#a}\"", "${@%b}")
	case 6:
		return g.pick("{a,b}", "{1..3}", "x{a,$x}y", "{a,b}{c,d}", "{a", "{3..1}", "{a..c}", "{01..3}", "{,x}", "\"{a,b}\"", "{x,{y,z}}", "{1..5..2}")
	case 7:
		return g.pick("r''m", "\\r\\m", "\"r\"m", "$'\\162m'", "''", "\"\"", "'a'\"b\"c")
	case 8:
		return "${" + g.name() + "+set}"
	}
	return g.value()
}

func (g *script) args() {
	words := make([]string, 1+g.Intn(3))
	for i := range words {
		words[i] = g.word()
	}
	g.line("args ", strings.Join(words, " "))
}

func (g *script) block(n int) {
	g.depth++
	for range n {
		g.stmt()
	}
	g.depth--
}

// stmt is a statement; deep down a simple one.
func (g *script) stmt() {
	n := g.Intn(24)
	if g.depth > 3 && n > 9 {
		n = g.Intn(10)
	}
	switch n {
	case 3, 4, 5:
		g.line(g.name(), g.pick("=", "=", "+="), g.value())
	case 6:
		g.line(g.name(), "=(", g.value(), " ", g.value(), ")")
	case 7:
		g.line(g.name(), "+=(", g.value(), ")")
	case 8:
		g.line(g.pick("set -- "+g.value()+" 'p q' r", "shift", "unset x", "unset y", "IFS=,", "IFS=' \t\n'", "z[1]="+g.value(), "printf -v y %s "+g.value(), "read -r x <<< "+g.value(), "read -r x y <<< 'a b c'", "declare x="+g.value(), "let x=3", "((y=2))", "(( x++ ))", "declare -a z=(m n)", "unset 'z[1]'", "IFS=", "mapfile -t z <<< 'l1'",
			"IFS=:,", "IFS=' ,'", "unset z; z+=q", "declare -u x", "declare -l y", "declare +u x", "x=y", "y='z[1]'", "x='z[@]'", "declare -i y", "set -- \"$@\" w", "shift 2", "read -ra z <<< "+g.value(), "IFS=, read -r x y <<< 'a,b c,d'", "x=$*", "y=\"$*\"", "z=(\"${z[@]}\" "+g.value()+")", "x=${z[*]}", "unset z", "z=", "printf -v x '%s,' "+g.value()+" e"))
	case 9:
		g.line("eval ", g.pick("'args $x'", "\"args $y\"", "args '$z'", "x=$y", "'y=\"$x\"'"))
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21:
		g.compound(n)
	default:
		g.args()
	}
}

func (g *script) compound(n int) {
	switch n {
	case 10, 11:
		g.line("if ", g.pick("true", "false", "[ \"$x\" = a ]", "[[ $x == a* ]]", "[ -n \"$y\" ]"), "; then")
		g.block(1 + g.Intn(3))
		if g.Intn(2) == 0 {
			g.line("else")
			g.block(1 + g.Intn(2))
		}
		g.line("fi")
	case 12, 13:
		g.line("for ", g.name(), " in ", g.value(), " ", g.pick("a b", "$x", "\"$y\"", "{1..3}", "\"${z[@]}\""), "; do")
		g.block(1 + g.Intn(3))
		g.line(g.pick(":", "[[ $x == a ]] && break", "[[ $y == a ]] && continue", ":"))
		g.block(g.Intn(2))
		g.line("done")
	case 14:
		g.line("while read -r ", g.name(), "; do")
		g.block(1 + g.Intn(2))
		g.line("done <<< ", g.pick("$x", "'l m'", "$'one\\ntwo'", "\"$y\""))
	case 15:
		g.line("case $", g.name(), " in a) ")
		g.block(1)
		g.line(g.pick(";;", ";&", ";;&"), " b*)")
		g.block(1)
		g.line(";; *)")
		g.block(1)
		g.line("esac")
	case 16:
		g.group(g.Intn(2) == 0)
	case 17:
		g.line(g.pick("true", "false", "[ -n \"$x\" ]"), g.pick(" && ", " || "), g.name(), "=", g.value())
	case 18:
		g.function()
	case 19:
		g.line("echo ", g.value(), " | while read -r ", g.name(), "; do")
		g.block(1)
		g.line("done")
	case 20:
		g.line(g.name(), "=", g.value(), " eval 'args \"$x\" \"$y\"'")
	case 21:
		g.line("printf '%s\\n' ", g.value(), " | { read -r x; ")
		g.block(1)
		g.line("}")
	}
}

func (g *script) group(sub bool) {
	open, end := "{ ", "}"
	if sub {
		open, end = "( ", ")"
	}
	g.line(open)
	g.block(1 + g.Intn(2))
	g.line(end)
}

func (g *script) function() {
	if g.funcs > 2 {
		g.args()
		return
	}
	g.funcs++
	f := "f" + string(rune('0'+g.funcs))
	g.line(f, "() {")
	if g.Intn(2) == 0 {
		g.line("local ", g.pick("", "", "-a ", "-u ", "-n "), g.name(), g.pick("", "="+g.value(), "=("+g.value()+" k)", "+=j"))
	}
	g.block(1 + g.Intn(3))
	g.line(g.pick(":", "return", "[[ $x == a ]] && return", ":"))
	g.block(g.Intn(2))
	g.line("}")
	g.line(f, " ", g.value(), " 'v w'")
}
