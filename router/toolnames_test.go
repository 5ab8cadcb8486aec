package router

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decisions is the decision table, row by row. fed says what changes when
// something feeds the command's stdin: a pipe, a redirection, a function's
// caller.
var decisions = []struct {
	name, command string
	tool          bool
	fed           string // "": the same; "bash": bash's when fed; "taken": when its stdout is taken; "alone", "here": see below
}{
	{"help, brief", "read -h", true, ""},
	{"help, verbose", "write --help", true, ""},
	{"help of grep", "grep --help", true, "taken"},
	{"help of grep, brief", "grep -h", true, ""},
	{"help of edit", "edit --help", true, ""},
	{"help is not all there is", "grep -h x", false, ""},

	{"edit", "edit a b c", true, ""},
	{"edit, bare", "edit", true, ""},
	{"edit, an option", "edit -x", true, ""},
	{"glob", "glob x", true, ""},
	{"another agent name", "yell now", true, ""},
	{"field command", "field:db:query --sql x", true, ""},
	{"field command of a group that is not loaded", "field:late:echo x", true, ""},
	{"field command that nobody knows", "field:no:such x", true, ""},
	{"field listing", "field:", true, ""},
	{"field listing of a group", "field:late --help", true, ""},
	{"agent:read forces the tool", "agent:read line", true, ""},
	{"agent:grep forces the tool", "agent:grep -r x .", true, ""},
	{"agent:write forces the tool", "agent:write root", true, ""},
	{"agent: and a name that nobody knows", "agent:nope", true, ""},

	{"read --key", "read --file_path x", true, ""},
	{"read --key=value", "read --file_path=x", true, ""},
	{"read --key with dashes", "read --file-path x", true, ""},
	{"read and a wrong key", "read --fil x", true, ""},
	{"read a file with a dot", "read x.go", true, ""},
	{"read ./f", "read ./f", true, ""},
	{"read a path", "read src/f", true, ""},
	{"read an absolute path", "read /etc/hosts", true, ""},
	{"read a name with a dash in it", "read x-y", true, ""},
	{"read a name that starts with a digit", "read 2024", true, ""},
	{"read -", "read -", true, ""},
	{"read the empty name", "read ''", true, ""},
	{"read a name with a space", "read 'a b'", true, ""},
	{"read an identifier with a known key", "read Makefile --limit 5", true, ""},
	{"read an identifier with a known key=value", "read Makefile --limit=5", true, ""},
	{"read an identifier, then help", "read Makefile --help", true, ""},
	{"read an identifier, then an unknown key", "read line --nope", false, ""},
	{"read without an argument", "read", false, ""},
	{"read a variable", "read line", false, "alone"},
	{"read two variables", "read a b", false, ""},
	{"read -r", "read -r line", false, ""},
	{"read -p", "read -p 'go on? ' answer", false, ""},
	{"read -rp", "read -rp 'go on? ' answer", false, ""},
	{"read -a", "read -ra words", false, ""},
	{"read -t -n", "read -t 5 -n 1 key", false, ""},
	{"read -d ''", "read -r -d '' text", false, ""},
	{"read -u", "read -u 3 line", false, ""},
	{"read -s", "read -s password", false, ""},
	{"read -- variable", "read -- line", false, ""},
	{"read into an array's element", "read 'arr[0]'", false, "alone"},
	{"read into a computed element", "read 'arr[i+1]' rest", false, ""},

	{"write --key", "write --file_path x --content y", true, ""},
	{"write, key later", "write root --content y", true, ""},
	{"write a path", "write out.txt text", true, ""},
	{"write ./f", "write ./out", true, ""},
	{"write a name with an upper-case letter", "write Makefile", true, ""},
	{"write a user and a text", "write notes hello", true, ""},
	{"write --", "write -- x", true, ""},
	{"write, a key after --", "write root -- --content", true, ""},
	{"write a user", "write root", false, "here"},
	{"write a user with digits", "write user_1-x", false, "here"},
	{"write a user and a terminal", "write root tty1", false, ""},
	{"write a user and a pseudo-terminal", "write root pts/0", false, ""},
	{"write a user and a device", "write root /dev/pts/12", false, ""},
	{"write a user and the console", "write root console", false, ""},
	{"write, bare", "write", false, ""},
	{"write -V", "write -V", false, ""},
	{"write -x and a user", "write -x root", false, ""},

	{"grep, a key that grep does not have", "grep --pattern x", true, ""},
	{"grep, such a key among grep's own", "grep -n x --path src", true, ""},
	{"grep --ignore_case is no option of grep", "grep x --ignore_case", true, ""},
	{"grep --output_mode", "grep --output_mode=count x .", true, ""},
	{"grep --head_limit", "grep x --head_limit 5", true, ""},
	{"grep --type", "grep --type go x", true, ""},
	{"grep a pattern and nothing else", "grep TODO", true, "bash"},
	{"grep a pattern with spaces", "grep 'func main'", true, "bash"},
	{"grep a pattern and a key that both have", "grep --context 3 x", true, "bash"},
	{"grep a pattern after --", "grep -- -x", true, "bash"},
	{"grep --ignore-case is grep's", "grep --ignore-case x", true, "bash"},
	{"grep an abbreviation of grep's", "grep --ignore-c x f", false, ""},
	{"grep an abbreviation, no file", "grep --files-with x", false, ""},
	{"grep in a file", "grep TODO main.go", false, ""},
	{"grep in files", "grep TODO a b c", false, ""},
	{"grep in stdin by name", "grep x -", false, ""},
	{"grep -r", "grep -r TODO", false, ""},
	{"grep -R", "grep -R TODO", false, ""},
	{"grep --recursive", "grep --recursive TODO", false, ""},
	{"grep --recursive, abbreviated", "grep --rec TODO", false, ""},
	{"grep -d recurse", "grep -d recurse TODO", false, ""},
	{"grep -drecurse", "grep -drecurse TODO", false, ""},
	{"grep --directories", "grep --directories=recurse TODO", false, ""},
	{"grep -rn --include", "grep -rn --include=*.go TODO .", false, ""},
	{"grep --exclude-dir", "grep -r --exclude-dir .git TODO .", false, ""},
	{"grep -e", "grep -e TODO f", false, ""},
	{"grep -e without a file", "grep -e TODO", false, ""},
	{"grep --regexp", "grep --regexp TODO", false, ""},
	{"grep -f", "grep -f patterns f", false, ""},
	{"grep -c", "grep -c x f", false, ""},
	{"grep -i without a file", "grep -i TODO", false, ""},
	{"grep -A 3", "grep -A 3 x f", false, ""},
	{"grep -A3 without a file", "grep -A3 x", false, ""},
	{"grep --version", "grep --version", false, ""},
	{"grep -V", "grep -V", false, ""},
	{"grep, bare", "grep", false, ""},
	{"grep, a key that nobody has", "grep --zzz x f", false, ""},
	{"grep, a key that nobody has, no file", "grep --zzz x", false, ""},

	{"another word", "reads x.go", false, ""},
	{"a path that ends in the name", "./read x.go", false, ""},
	{"an argument", "echo read ./x --file_path y", false, ""},
	{"command", "command grep -r x", false, ""},
	{"builtin", "builtin read ./x", false, ""},
	{"backslash", `\read ./x`, false, ""},
	{"quoted name", `'read' ./x`, false, ""},
	{"quoted in part", `re"ad" ./x`, false, ""},
	{"env", "env grep x", false, ""},
	{"sudo", "sudo grep TODO", false, ""},
	{"xargs", "xargs grep TODO", false, ""},
	{"nohup", "nohup read ./x", false, ""},
	{"mapfile", "mapfile -t lines", false, ""},
	{"git grep", "git grep TODO", false, ""},
	{"egrep", "egrep x", false, ""},
	{"name=", "read=x", false, ""},
	{"upper case", "READ ./x", false, ""},
}

func TestDecisionTablePlain(t *testing.T) {
	r := newTest(t)
	for _, row := range decisions {
		t.Run(row.name, func(t *testing.T) {
			p := r.Plan(row.command)
			require.Equal(t, row.tool, p.InProcess, "%s", row.command)
			require.Equal(t, row.tool, !p.Native, "%s", row.command)
			require.Equal(t, row.tool, p.Layer != Native, "%s", row.command)
			if row.tool {
				require.Empty(t, p.Script)
			} else {
				require.Equal(t, row.command, p.Script)
				require.Empty(t, p.Calls)
			}
		})
	}
}

// compound are surroundings that give a command no stdin of its own.
var compound = []string{
	"%s | cat", "true; %s", "%s; true", "true && %s", "true || %s", "%s && true", "! %s", "time %s", "( %s )", "{ %s; }", "%s &",
	"x=$(%s)", "echo \"$(%s)\"", "if %s; then :; fi", "if true; then %s; fi", "while false; do %s; done", "while %s; do :; done",
	"for i in 1 2; do %s; done", "case a in a) %s ;; esac", "X=1 %s", "X=1 Y=$(echo 2) %s", "%s > out", "%s 2>&1", "%s >&2 2>/dev/null", "cat <(%s)",
	"[[ -f x ]] && %s", "(( 1 )) && %s", "until %s; do break; done", "\n\n%s\n", "# a comment\n%s # another", "select x in 1; do %s; done",
	"echo a | cat; %s", "cat < f; %s", "%s | sort | uniq -c", "cat <<EOF\n$(%s)\nEOF", "a[$(%s)]=1", "echo $(( $(%s) + 1 ))", "exec 3<f; %s", "exec > log; %s", "%s 3<f",
}

// feeding are surroundings that may.
var feeding = []string{
	"cat f | %s", "cat f |& %s", "cat f | sort | %s", "cat f | %s | sort", "%s < f", "%s 0<f", "%s <<< text", "%s <<'E'\ntext\nE\n", "%s <<-E\n\ttext\n\tE\n", "< f %s", "%s <&3", "%s 0<>f",
	"cat f | { %s; }", "cat f | ( %s )", "cat f | if %s; then :; fi", "cat f | while true; do %s; break; done", "while true; do %s; break; done < f",
	"{ %s; } < f", "( %s ) < f", "if true; then %s; fi < f", "for i in 1; do %s; done < f", "case a in a) %s ;; esac < f", "cat f | { ! %s; }", "cat f | { time %s; }",
	"f() { %s; }; f < x", "function f { %s; }", "exec < f; %s", "exec 0<&3\n%s", "true > >(%s)", "coproc C { %s; }", "cat f | X=1 %s", "cat f | x=$(%s)", "cat f | true && cat f | %s",
}

// exceptions are the forms in which rows that name them have the other answer: the
// command's stdout goes to a pipe, a file or a substitution; it is all there is in a
// subshell, so that a variable that it sets is gone; it has a here-document.
var exceptions = map[string][]string{
	"taken": {"%s | cat", "x=$(%s)", "echo \"$(%s)\"", "%s > out", "%s >&2 2>/dev/null", "cat <(%s)", "%s | sort | uniq -c", "cat <<EOF\n$(%s)\nEOF", "a[$(%s)]=1",
		"echo $(( $(%s) + 1 ))", "cat f | %s | sort", "cat f | x=$(%s)", "true > >(%s)"},
	"alone": {"%s | cat", "x=$(%s)", "echo \"$(%s)\"", "cat <(%s)", "%s | sort | uniq -c", "cat <<EOF\n$(%s)\nEOF", "a[$(%s)]=1", "echo $(( $(%s) + 1 ))"},
	"here":  {"%s <<'E'\ntext\nE\n", "%s <<-E\n\ttext\n\tE\n"},
}

func TestDecisionTableCompound(t *testing.T) {
	r := newTest(t)
	for _, row := range decisions {
		if strings.HasPrefix(row.command, `\`) {
			continue // has its own rows: a backquote or a string would take the backslash
		}
		for _, form := range compound {
			text := strings.Replace(form, "%s", row.command, 1)
			requireCalls(t, r, text, form, row.tool != slices.Contains(exceptions[row.fed], form))
		}
		for _, form := range feeding {
			text := strings.Replace(form, "%s", row.command, 1)
			requireCalls(t, r, text, form, row.tool != slices.Contains(exceptions[row.fed], form) && row.fed != "bash")
		}
	}
}

// requireCalls checks that the command in a form is a call, or not, at the
// place where the form has it.
func requireCalls(t *testing.T, r *Router, text, form string, tool bool) {
	t.Helper()
	p := r.Plan(text)
	if !p.Native { // newlines around a command leave it plain
		require.Equal(t, "\n\n%s\n", form)
		require.True(t, tool, "%q", text)
		return
	}
	if !tool {
		require.Empty(t, p.Calls, "%q", text)
		require.Equal(t, text, p.Script)
		return
	}
	require.Len(t, p.Calls, 1, "%q", text)
	require.Equal(t, strings.Index(form, "%s"), p.Calls[0].Offset, "%q", text)
}

// TestDecisionBeforeExpansion is what cannot be known before bash expands it.
func TestDecisionBeforeExpansion(t *testing.T) {
	rows := []struct {
		name, command string
		calls         int
	}{
		{"read a file that a variable names", `read "$f"`, 1},
		{"read a file, unquoted", `read $f`, 1},
		{"read below a variable", `read $HOME/f`, 1},
		{"read in a loop", `for f in *.go; do read "$f"; done`, 1},
		{"read in a loop over a list of files", `while IFS= read -r f; do read "$f"; done < list`, 1},
		{"read in a function", `show() { read "$1"; }`, 1},
		{"read with a key in a function", `show() { read "$1" --limit 5; }; show x`, 1},
		{"read a glob", `read *.go`, 1},
		{"read a substitution", `read "$(ls | head -n1)"`, 1},
		{"fill the variable that a variable names", `read "$name" <<< text`, 0},
		{"fill it from a pipe", `echo text | read "$name"`, 0},
		{"fill it with an IFS", `while IFS=, read "$a" "$b"; do :; done < f`, 0},
		{"fill numbered variables", `for i in 1 2; do read "line$i"; done < f`, 0},
		{"a computed name and no stdin", `read "line$i"`, 1},
		{"fill a variable of a prefix", `f() { read "${1}_name"; }`, 0},
		{"fill an element", `read "arr[$i]" <<< x`, 0},
		{"fill an element, unquoted", `read arr[i] <<< x`, 0},
		{"fill two at once", `read {a,b} <<< "1 2"`, 0},
		{"read two files at once", `read {a,b}.go`, 1},
		{"read with IFS", `IFS=: read user pass rest < /etc/passwd`, 0},
		{"read with IFS and -r", `IFS= read -r line`, 0},
		{"while read line", `cat f | while read line; do echo "$line"; done`, 0},
		{"while read with two variables", `while read -r a b; do echo "$a"; done < <(cat f)`, 0},
		{"write a file that a variable names", `write "$f" <<< text`, 1},
		{"write to a user that a variable names", `echo hi | write $USER tty1`, 1},
		{"write a user on stdin", `echo hi | write root`, 0},
		{"grep a variable's pattern", `grep "$p"`, 1},
		{"grep who knows how many words", `grep $args`, 0},
		{"grep an array", `grep "${args[@]}"`, 0},
		{"grep the arguments", `grep "$@"`, 0},
		{"grep in what a variable names", `grep x $files`, 0},
		{"grep in what a variable names, quoted", `grep x "$file"`, 0},
		{"grep in a glob", `grep TODO *.go`, 0},
		{"grep in a process substitution", `grep x <(cat f)`, 0},
		{"grep a substitution's pattern", `grep "$(cat p)"`, 1},
		{"grep -c in a pipe", `cat f | grep -c x`, 0},
		{"grep -q in a condition", `if grep -q x f; then :; fi`, 0},
		{"grep with a name of the tool's behind --", `grep -- --pattern f`, 0},
		{"a brace may be two words", `grep {a,b}`, 0},
		{"grep through a key in a pipe", `cat f | grep --pattern x`, 1},
		{"command, in a list", `true; command grep TODO`, 0},
		{"builtin, in a pipe", `cat f | builtin read ./x`, 0},
		{"backslash, in a list", `true; \read ./x; \grep TODO`, 0},
		{"env, in a list", `true; env read ./x`, 0},
		{"the text's own function", `grep() { command grep "$@"; }; grep --pattern x`, 0},
		{"a function's name", `read() { :; }`, 0},
		{"a word in quotes", `echo "read ./x" 'grep --pattern y'`, 0},
		{"a here-document's text", "cat <<EOF\nread ./x\nEOF\n", 0},
		{"a case's pattern", `case $1 in read) : ;; glob|edit) : ;; esac`, 0},
		{"a for's words", `for glob in edit read; do echo $glob; done`, 0},
		{"an array's elements", `tools=(read edit glob)`, 0},
		{"a test's operands", `[[ edit == glob ]] && [ read = x ]`, 0},
		{"an assignment's value", `cmd=edit; edit=1; local glob=x`, 0},
		{"an array's key", `declare -A m=([read]=1 [edit]=2)`, 0},
		{"a redirection's target", `echo x > edit; cat < glob`, 0},
		{"an arithmetic name", `(( edit = glob + 1 )); echo $((edit))`, 0},
		{"a parameter's name", `echo ${edit} ${glob:-read} ${#read}`, 0},
		{"a default that runs", `echo ${x:-$(glob '*.go')}`, 1},
		{"a string that eval runs", `eval "glob '*.go'"`, 1},
		{"a string that bash -c runs", `bash -c 'glob "*.go"'`, 0},
		{"an alias", `alias edit=vi`, 0},
		{"a trap", `trap 'edit x' EXIT`, 0},
		{"a comment", "true # read ./x\n", 0},
		{"two in a pipe", `read ./a | grep --pattern x | cat`, 2},
		{"three, nested", `edit --file_path a --old_string "$(read ./b)" --new_string "$(field:db:query --sql "$(read ./c)")"`, 4},
	}
	r := newTest(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := r.Plan(row.command)
			require.True(t, p.Native, "%s", row.command)
			require.Len(t, p.Calls, row.calls, "%s\n%v", row.command, p.Calls)
		})
	}
}

// TestGNUOptionsAreGreps asks the grep of this system which long options it
// has; an option that is not known here would be taken for an error.
func TestGNUOptionsAreGreps(t *testing.T) {
	help, err := exec.Command("grep", "--help").Output()
	require.NoError(t, err)
	require.Contains(t, string(help), "recursive")
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)(\[?=)?`).FindAllStringSubmatch(string(help), -1) {
		value, known := gnuGrep[m[1]]
		require.True(t, known, "--%s", m[1])
		require.Equal(t, m[2] == "=", value, "--%s", m[1])
	}
}
