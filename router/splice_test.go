package router

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireSound checks what is true of every plan: undoing the insertions at
// the reported offsets gives back the text byte for byte, and the spliced text
// has its calls at the same places.
func requireSound(t testing.TB, r *Router, text string) {
	t.Helper()
	p := r.Plan(text)
	require.Equal(t, text, p.Raw)
	if p.Err != nil && p.Native {
		require.Empty(t, p.Script, "%q", text)
		return
	}
	if p.InProcess {
		require.Empty(t, p.Script, "%q", text)
		require.Empty(t, p.Calls, "%q", text)
		return
	}
	last := 0
	for _, c := range p.Calls {
		require.Greater(t, c.Offset+1, last, "%q: %v", text, p.Calls)
		require.Less(t, c.Offset, len(text), "%q: %v", text, p.Calls)
		last = c.Offset
	}
	undone, at := "", 0
	for _, e := range p.edits {
		end := at + e.at - len(undone)
		require.LessOrEqual(t, end, len(p.Script), "%q: %v", text, p.edits)
		undone += p.Script[at:end]
		require.True(t, strings.HasPrefix(p.Script[end:], e.text), "%q: %v", text, e)
		if at = end + len(e.text); e.text == agentPrefix {
			require.True(t, slices.ContainsFunc(p.Calls, func(c CallSite) bool { return c.Offset == e.at && c.Layer == Agent }), "%q: %v", text, e)
		} else {
			require.Regexp(t, `^\\+$`, e.text)
			require.Contains(t, "*?[", text[e.at:e.at+1], "%q: %v", text, e)
		}
	}
	require.Equal(t, text, undone+p.Script[at:], "%v", p.edits)
	again := r.Plan(p.Script)
	require.Equal(t, p.Script, again.Script, "%q", text)
	require.Len(t, again.Calls, len(p.Calls), "%q became %q", text, p.Script)
}

func TestSplicingChangesOnlyNames(t *testing.T) {
	r := newTest(t)
	for _, e := range corpus(t) {
		requireSound(t, r, e.command)
	}
	for _, row := range decisions {
		for _, form := range append(slices.Clone(compound), feeding...) {
			requireSound(t, r, strings.Replace(form, "%s", row.command, 1))
		}
	}
}

func TestSplicedText(t *testing.T) {
	rows := []struct{ name, text, script string }{
		{"a pipe", "read ./x | cat", "agent:read ./x | cat"},
		{"blanks and comments stay", "  read   ./x |cat # read ./y", "  agent:read   ./x |cat # read ./y"},
		{"a field command has its own name", "field:a:b x | cat", "field:a:b x | cat"},
		{"agent: is there already", "agent:read x | edit y", "agent:read x | agent:edit y"},
		{"a here-document stays", "edit a <<E\nedit b\n\tE\nE\n", "agent:edit a <<E\nedit b\n\tE\nE\n"},
		{"CR in a here-document stays", "write ./f <<'E'\na\r\nb\r\nE\n", "agent:write ./f <<'E'\na\r\nb\r\nE\n"},
		{"a quoted dollar stays", `edit a "\$(glob x)" '$(glob y)' | cat`, `agent:edit a "\$(glob x)" '$(glob y)' | cat`},
		{"a substitution in a here-document", "cat <<E\n$(glob x) `edit y`\nE\n", "cat <<E\n$(agent:glob x) `agent:edit y`\nE\n"},
		{"none in a quoted one", "edit a <<'E'\n$(glob x) `edit y`\nE\n", "agent:edit a <<'E'\n$(glob x) `edit y`\nE\n"},
		{"backquotes in a here-document that tabs are cut from", "cat <<-E\n\t`edit y`\n\tE\n", "cat <<-E\n\t`agent:edit y`\n\tE\n"},
		{"nested backquotes", "echo `echo \\`glob x\\``", "echo `echo \\`agent:glob x\\``"},
		{"a line continuation", "true && \\\n  edit x", "true && \\\n  agent:edit x"},
		{"a name that is cut by one", "true; ed\\\nit x", "true; ed\\\nit x"},
		{"CRLF line ends", "edit x\r\nglob y | cat\r\n", "agent:edit x\r\nagent:glob y | cat\r\n"},
		{"a name before CR is no name to bash", "glob\r\n", "glob\r\n"},
		{"a here-document whose delimiter ends in CR", "cat <<E\r\nx\r\nE\r\nedit a | cat\r\n", "cat <<E\r\nx\r\nE\r\nagent:edit a | cat\r\n"},
		{"the same, with one CR only", "cat <<E\nx\nE\r\nedit a\nE\n", "cat <<E\nx\nE\r\nedit a\nE\n"},
		{"a byte order mark is part of the word", "\xef\xbb\xbfedit x", "\xef\xbb\xbfedit x"},
		{"UTF-8 before and after", "echo 'grün' && edit 日本 | cat", "echo 'grün' && agent:edit 日本 | cat"},
		{"invalid UTF-8", "echo '\xff' \xfe\xff && edit \xff", "echo '\xff' \xfe\xff && agent:edit \xff"},
		{"invalid UTF-8 in a name", "ed\xffit x; edit\xff y", "ed\xffit x; edit\xff y"},
		{"does not parse: a quote", "edit 'a | cat", "edit 'a | cat"},
		{"does not parse: a parenthesis", "edit a | cat )", "edit a | cat )"},
		{"does not parse: a substitution", "echo $(edit a", "echo $(edit a"},
		{"assignments before a call", "A=1 B=$(glob x) edit y", "A=1 B=$(agent:glob x) agent:edit y"},
		{"a redirection before a call", "> out edit y", "> out agent:edit y"},
		{"a coprocess", "coproc edit x", "coproc agent:edit x"},
		{"time and !", "time -p edit x; ! time edit y", "time -p agent:edit x; ! time agent:edit y"},
		{"a case's command", "case edit in edit) edit x;; (glob) glob y;; esac", "case edit in edit) agent:edit x;; (glob) agent:glob y;; esac"},
		{"an array's substitution", "a=(edit $(glob '*') [2]=glob)", "a=(edit $(agent:glob '*') [2]=glob)"},
		{"an index's substitution", "a[$(glob x)]=1", "a[$(agent:glob x)]=1"},
		{"an extended glob", "edit !(a|glob) @(edit) | cat", "agent:edit !(a|glob) @(edit) | cat"},
		{"a regular expression", "[[ x =~ (edit|glob) ]] && edit y", "[[ x =~ (edit|glob) ]] && agent:edit y"},
		{"arithmetic", "(( edit > glob )) || edit $((edit + $(glob x)))", "(( edit > glob )) || agent:edit $((edit + $(agent:glob x)))"},
		{"a function of the text's own, used before it is defined", "edit a; edit() { :; }; glob b", "edit a; edit() { :; }; agent:glob b"},
		{"a function's body", "f() { edit a; }; function g { glob b; }", "f() { agent:edit a; }; function g { agent:glob b; }"},
		{"a reserved word as an argument", "edit if then | cat", "agent:edit if then | cat"},
		{"a process substitution", "diff <(read ./a) <(read ./b) > >(edit c)", "diff <(agent:read ./a) <(agent:read ./b) > >(agent:edit c)"},
		{"no blank around operators", "true&&edit a;glob b|cat&edit c", "true&&agent:edit a;agent:glob b|cat&agent:edit c"},
		{"a brace expansion is no group", "echo {edit,glob} && edit {a,b}", "echo {edit,glob} && agent:edit {a,b}"},
		{"an expansion as the name", `$e x; "$e" y; edit$e z; ${e}edit w; edit a | cat`, `$e x; "$e" y; edit$e z; ${e}edit w; agent:edit a | cat`},
	}
	r := newTest(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.script, r.Plan(row.text).Script)
			requireSound(t, r, row.text)
		})
	}
}

// TestDeepNestingIsHarmless: a parser that recurses must not end the program.
func TestDeepNestingIsHarmless(t *testing.T) {
	const n = 300_000
	r := newTest(t)
	for _, unit := range []string{"$((-", "$((- - ", "$((!", "$((1+", "$((a=", "$((2**", "$((a?b:", "$((a,", "$((a[", "a[", "$[", "$((", "((", "(", "( ", "{ ", "$(", "\"$(", "`", "${a:-",
		"<(", "@(", "a=(", "! ", "time ", "coproc ", "if ", "if x; then ", "while x; do ", "until ", "case x in x) ", "for x in y; do ", "function f ", "f() { ", "| x ", "&& x ", "; edit x", "[[ ! ", "[[ ( ", "\"$", "<<A ", "\\", "\n"} {
		lead, repeat := unit, unit
		if i := strings.LastIndexAny(unit, "(["); i >= 0 && i < len(unit)-1 { // $((-: the bracket once
			lead, repeat = unit[:i+1], unit[i+1:]
		}
		text := "edit x | cat; echo " + lead + strings.Repeat(repeat, n)
		p := r.Plan(text)
		require.True(t, p.Native, "%q", unit)
		requireSound(t, r, "edit x | cat; "+lead+strings.Repeat(repeat, n/100))
	}
}

func FuzzPlan(f *testing.F) {
	for _, e := range corpus(f) {
		f.Add(e.command)
	}
	for _, form := range slices.Concat(compound, feeding) {
		f.Add(strings.Replace(form, "%s", "edit x", 1))
		f.Add(strings.Replace(form, "%s", "grep TODO", 1))
	}
	r := newTest(f)
	f.Fuzz(func(t *testing.T, text string) { requireSound(t, r, text) })
}

var spliceCases = flag.Int("splice.cases", 300, "how many random texts TestSplicingAgreesWithBash runs")

// TestSplicingAgreesWithBash runs random texts twice: as they are, with
// functions that have the tools' names, and spliced, with functions that have
// the spliced names. Bash must make the same calls with the same arguments, so
// every command that bash sees was found, and nothing else was touched.
func TestSplicingAgreesWithBash(t *testing.T) {
	r := newTest(t)
	g := generator{rnd: rand.New(rand.NewPCG(7, uint64(*spliceCases)))}
	var texts, scripts []string
	calls := 0
	for range *spliceCases {
		text := g.command(3)
		p := r.Plan(text)
		script := p.Script
		if p.InProcess {
			script = "agent:" + text
			if p.Layer == Field {
				script = text
			}
		}
		calls += len(p.Calls)
		texts, scripts = append(texts, text), append(scripts, script)
		requireSound(t, r, text)
	}
	require.Greater(t, calls, len(texts)/2)
	want := bashCalls(t, texts, "edit", "glob")
	got := bashCalls(t, scripts, "agent:edit", "agent:glob")
	for i := range texts {
		require.Equal(t, want[i], got[i], "%s\n--- spliced:\n%s", texts[i], scripts[i])
	}
}

// TestInnerTextsAgreeWithBash runs random texts as the arguments of eval and
// bash -c, in quotes of both kinds and within each other: what is put into them
// changes nothing but names.
func TestInnerTextsAgreeWithBash(t *testing.T) {
	r := newTest(t)
	g := generator{rnd: rand.New(rand.NewPCG(8, uint64(*spliceCases)))}
	var texts, scripts []string
	edits := 0
	for range *spliceCases {
		text := g.command(2)
		for range 1 + g.rnd.IntN(2) {
			if g.rnd.IntN(2) == 0 || strings.Contains(text, "!") {
				text = "'" + strings.ReplaceAll(text, "'", `'\\''`) + "'"
			} else {
				text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
			}
			text = g.pick("eval ", "bash -c ", "true | env A=1 bash -c ", "eval -- ") + text
		}
		p := r.Plan(text)
		edits += len(p.edits)
		texts, scripts = append(texts, text), append(scripts, p.Script)
		requireSound(t, r, text)
	}
	require.Greater(t, edits, len(texts)/4)
	want := bashCalls(t, texts, "edit", "glob")
	got := bashCalls(t, scripts, "edit", "glob")
	for i := range texts {
		require.Equal(t, want[i], got[i], "%s\n--- spliced:\n%s", texts[i], scripts[i])
	}
}

// bashCalls runs texts and returns for each what it printed and which calls it
// made: pipes run at once, so the calls are sorted.
func bashCalls(t *testing.T, texts []string, edit, glob string) []string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "texts"), []byte(strings.Join(texts, "\x00")+"\x00"), 0o644))
	script := fmt.Sprintf(`
log() { local line; printf -v line '%%q ' "$@"; printf '%%s\n' "$line" >&5; }
%[1]s() { log edit "$@"; echo e; }
%[2]s() { log glob "$@"; echo g; }
field:db:query() { log field "$@"; echo f; }
if [ %[1]s = edit ]; then
  agent:edit() { edit "$@"; }
  agent:glob() { glob "$@"; }
fi
export -f log %[1]s %[2]s agent:edit agent:glob field:db:query
trap '' PIPE # a reader that goes first changes nothing, not even a status
echo() { builtin echo "$@"; true; }
printf() { builtin printf "$@"; true; }
cat() { command cat "$@"; true; }
mkdir work; cd work
while IFS= read -r -d '' text <&4; do # cat waits for all that holds 5, what nobody else waits for too
  ( eval "$text" ) </dev/null 2>/dev/null 5>&1 >>../out | cat >>../calls
  printf '\0' >>../out; printf '\0' >>../calls
done 4< ../texts
`, edit, glob)
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	var notes bytes.Buffer
	cmd.Stderr = &notes
	require.NoError(t, cmd.Run(), "%s", notes.String())
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	require.NoError(t, err)
	log, err := os.ReadFile(filepath.Join(dir, "calls"))
	require.NoError(t, err)
	outs, logs := strings.Split(string(out), "\x00"), strings.Split(string(log), "\x00")
	require.Len(t, outs, len(texts)+1)
	require.Len(t, logs, len(texts)+1)
	var all []string
	for i := range texts {
		lines := strings.Split(logs[i], "\n")
		slices.Sort(lines)
		all = append(all, outs[i]+"--- calls:"+strings.Join(lines, "\n"))
	}
	return all
}

// generator makes bash texts that end, change nothing and hold tools' names
// wherever a word may stand.
type generator struct {
	rnd *rand.Rand
	n   int
}

func (g *generator) pick(of ...string) string { return of[g.rnd.IntN(len(of))] }

func (g *generator) command(depth int) string {
	if depth == 0 || g.rnd.IntN(5) == 0 {
		return g.simple(depth)
	}
	c := func() string { return g.command(depth - 1) }
	switch g.rnd.IntN(21) {
	case 0:
		return c() + g.pick(" | ", "|", " |\n", " |& ") + c()
	case 1:
		return c() + g.pick(" && ", " || ", "; ", "\n", " &&\n", " & wait; ") + c()
	case 2:
		return g.pick("! ", "") + strings.Replace(g.pick("{ %s; }", "{\n%s\n}", "( %s )", "(%s\n)"), "%s", " "+c(), 1)
	case 3:
		return "if " + c() + "; then " + c() + "; else\n" + c() + "\nfi"
	case 4:
		return "for " + g.pick("x", "edit", "glob") + " in " + g.word(depth) + " " + g.word(depth) + "; do " + c() + "; done"
	case 5:
		return "case " + g.word(0) + " in edit|glob) " + c() + ";; (*) " + c() + " ;; esac"
	case 6:
		g.n++
		f := fmt.Sprintf("f%d", g.n)
		return f + "() { " + c() + "; }; " + f + " " + g.word(0)
	case 7:
		return "{ cat <<E" + g.pick("", " | cat", " && true") + "\nedit x\n" + g.pick("$( "+c()+")", "glob", "\\$(edit)", "\"edit\"") + "\nE\n}"
	case 8:
		return "{ cat <<'E'\nedit $(glob x) `edit`\nE\n" + c() + "\n}"
	case 9:
		return c() + " # edit " + g.pick("'", "\"", "`", "$(", "x") + "\n" + c()
	case 10:
		return "[[ " + g.pick("edit == glob", "edit", "! -f glob", "x =~ (edit|x)") + " ]] " + g.pick("&&", "||") + " " + c()
	case 11:
		return "(( edit " + g.pick("+ 1", "< glob", "= 3") + " )) " + g.pick("&&", "||") + " " + c()
	case 12:
		return "a=(edit x" + g.word(depth-1) + " [3]=glob); echo \"${a[@]}\"; " + c()
	case 13:
		return "while " + c() + " && false; do " + c() + "; done"
	case 14:
		return "{ " + c() + "; } > /dev/null 2>&1; " + c()
	case 15:
		return "cat <( " + c() + ") " + g.pick("edit", "", "-") + " </dev/null"
	case 16:
		return "x=$( " + c() + ") && echo \"$x\""
	case 17:
		return "until true; do " + c() + "; done; " + c()
	case 18:
		return "{\n\t" + c() + "\n} | cat -"
	case 19:
		return "for ((edit = 0; edit < 1; edit++)); do " + c() + "; done"
	}
	return "true\\\n && " + c()
}

func (g *generator) simple(depth int) string {
	s := g.pick("", "", "", "A=1 ", "edit=2 ", "A="+g.word(0)+" ")
	s += g.pick("edit", "edit", "glob", "glob", "edit --file_path x", "glob --pattern *[x]", "field:db:query", "agent_edit", "echo", "echo edit", "printf '%s\\n'", "command :", ":", "\\echo", "edits", "xedit", "$unset echo")
	for range g.rnd.IntN(4) {
		s += g.pick(" ", "  ", "\t", " \\\n") + g.word(depth)
	}
	return s + g.pick("", "", "", " 2>&1", " >/dev/null", " </dev/null", " <<< edit")
}

func (g *generator) word(depth int) string {
	words := []string{"edit", "glob", "'glob x'", "\"edit y\"", "'edit `x` $(glob)'", "$v", "\"$v\"", "{a,glob}", "edit=1", "--edit", "-e", "\\edit", "$'edit\\n'", "x\"edit\"y",
		"${v:-edit}", "${#edit}", "a#edit", "$((1+edit))", "日edit", "''", "\";edit\"", "\\;", "'a\nedit'", "\"a\nglob b\"", "=edit", "edit\\ glob", "'\"'", "\"'\"", "\\'", "\"\\\"edit\\\"\"", "\\$\\(edit\\)", "!", "}", "[x", "if", "~edit", "*edit*", "edit?"}
	if depth > 0 && g.rnd.IntN(3) == 0 {
		c := g.command(depth - 1)
		if strings.HasPrefix(c, "(") {
			c = " " + c // $((( is ambiguous, and the parser wants the blank that POSIX asks for
		}
		words = []string{"$(" + c + ")", "\"$(" + c + ")\"", "x$(" + c + ")y", "\"${v:-$(" + c + ")}\"", "$(\n" + c + "\n)"}
		if !strings.ContainsAny(c, "`\\$\"'<") {
			words = append(words, "`"+c+"`", "\"`"+c+"`\"")
		}
	}
	return words[g.rnd.IntN(len(words))]
}
