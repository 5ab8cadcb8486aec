package shells

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// onTerminal starts a command on a terminal and waits for a line.
func (b *bench) onTerminal(command, prompt string, flags ...string) (id string) {
	b.t.Helper()
	got := b.run(append([]string{"bash_start", "--tty", command}, flags...)...)
	require.Equal(b.t, 0, got.exit, got.err)
	id = strings.TrimSpace(got.out)
	require.Contains(b.t, got.err, "bash_input --bash_id "+id+" TEXT types there")
	got = b.run("bash_output", id, "--wait", prompt)
	require.Equal(b.t, 0, got.exit, "%+v", got)
	return id
}

// input types, and expects what comes back.
func (b *bench) input(want string, words ...string) said {
	b.t.Helper()
	got := b.run(append([]string{"bash_input"}, words...)...)
	require.Equal(b.t, 0, got.exit, "%+v", got)
	require.Equal(b.t, want, got.out, got.err)
	return got
}

const long = "--timeout=600" // the machine may be busy

func TestRealPrograms(t *testing.T) {
	b := newBench(t, nil)
	b.env = append(b.env, "HOME="+t.TempDir(), "PYTHON_BASIC_REPL=1", "INPUTRC=/dev/null")

	id := b.onTerminal("python3 -q", ">>> ")
	b.input("6*7\n42\n>>> ", id, "6*7", long)
	b.input("for i in range(2):\n...   print(i)\n...\n0\n1\n>>> ", id, "for i in range(2):\n  print(i)\n", long)
	b.input("input('name? ')\nname? ", id, "input('name? ')", long)
	b.input("Ann\n'Ann'\n>>> ", id, "Ann", long)
	b.input("import time; time.sleep(0.5); 'late'\n'late'\n>>> ", id, "import time; time.sleep(0.5); 'late'", long)
	b.input("while True: pass\n...\n", id, "while True: pass\n", "--timeout", "1")
	require.Contains(t, b.input("^CTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nKeyboardInterrupt\n>>> ", id, "--key", "ctrl-c", long).err, "running for")
	got := b.run("bash_input", id, "--key", "ctrl-d", "--wait", "exit", long)
	require.Contains(t, got.err, "after")

	id = b.onTerminal("sqlite3 -batch -interactive :memory:", "sqlite> ")
	b.input("select 6*7, 'x';\n42|x\nsqlite> ", id, "select 6*7, 'x';", long)
	id = b.onTerminal("bc -q; echo ended", "")
	b.input("2^64\n18446744073709551616\n", id, "2^64", long)
	b.input("quit\nended\n", id, "quit", "--wait", "exit", long)
	id = b.onTerminal("gdb -q -nx", `^\(gdb\) $`)
	b.input("print 6*7\n$1 = 42\n(gdb) ", id, "print 6*7", long)

	id = b.onTerminal("node", "^> $")
	b.input("6*7\n42\n> ", id, "6*7", "--wait", "^> $", long)
	b.input(".exit\n", id, ".exit", "--wait", "exit", long)

	id = b.onTerminal("npm init", "package name: ")
	answer, next := "mine", []string{"version:", "description:", "entry point:", "test command:", "git repository:", "keywords:", "author:", "license:", "exit|Is this OK|type:"}
	for _, prompt := range next {
		got := b.run("bash_input", id, answer, "--wait", prompt, long)
		require.Equal(t, 0, got.exit, "%+v", got)
		answer = ""
		if prompt == "version:" {
			answer = "1.2.3"
		}
	}
	for b.run("bash_input", id, "", long).exit == 0 { // questions differ by version
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "package.json"))
	require.NoError(t, err)
	require.Contains(t, string(data), `"version": "1.2.3"`)
}

func TestAPasswordIsNotShown(t *testing.T) {
	b := newBench(t, nil)
	id := b.onTerminal(`read -rsp 'Password: ' p </dev/tty; echo; echo "${#p} characters"`, "Password: ")
	b.input("\n6 characters\n", id, "secret", "--wait", "exit", long)
	j, err := b.s.findJob(id)
	require.NoError(t, err)
	data, err := os.ReadFile(j.log.path)
	require.NoError(t, err)
	require.Equal(t, "Password: \n6 characters\n", string(data))
}

func TestTheScreenOfVimTopAndLess(t *testing.T) {
	b := newBench(t, nil)
	var lines strings.Builder
	for i := range 100 {
		lines.WriteString("line " + string(rune('a'+i%26)) + " ünïcödé 日本語\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "f.txt"), []byte(lines.String()), 0o600))
	b.env = append(b.env, "HOME="+t.TempDir(), "LANG=C.UTF-8", "LESS=", "LC_ALL=C.UTF-8")

	id := b.onTerminal("vim -u NONE -N f.txt; echo left", `"f.txt"`, "--size", "60x10")
	got := b.run("bash_input", id, "--no-enter", "dd", "--key", "O", long)
	require.Equal(t, 0, got.exit, got.err)
	got = b.run("bash_input", id, "--no-enter", "first", "--key", "escape", long)
	require.True(t, strings.HasPrefix(got.out, "first\nline b ünïcödé 日本語\nline c"), got.out)
	require.Contains(t, got.err, "that is its screen, the cursor is in line 1, column ")
	b.input("left\n", id, ":wq", "--wait", "exit", long)
	data, err := os.ReadFile(filepath.Join(b.dir, "f.txt"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(data), "first\nline b ünïcödé"), string(data[:40]))

	id = b.onTerminal("less f.txt", "")
	require.Contains(t, b.run("bash_input", id, "--no-enter", " ", long).out, "line x")
	require.Contains(t, b.run("bash_input", id, "--key", "q", "--wait", "exit", long).err, "completed")
	id = b.onTerminal("top", "PID")
	require.Contains(t, b.run("bash_output", id, "--screen").out, "COMMAND")
	require.Equal(t, 0, b.run("bash_kill", id).exit)
}

func TestAnEditorOfGit(t *testing.T) {
	b := newBench(t, nil)
	b.env = append(b.env, "HOME="+t.TempDir(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "EDITOR=vim -u NONE -N", "GIT_EDITOR=vim -u NONE -N")
	b.waitFor(b.start("git init -q && for i in 1 2 3; do git commit -q --allow-empty -m c$i; done"), "exit")
	id := b.onTerminal("git rebase -i --keep-empty HEAD~2", "pick")
	b.run("bash_input", id, "--no-enter", "dd", long)
	got := b.run("bash_input", id, ":wq", "--wait", "exit", long)
	require.Contains(t, got.err, "completed", got.out)
	require.Equal(t, "c3\nc1\n", b.waitFor(b.start("git log --format=%s"), "exit").out)
}

func TestStdinIsAPipe(t *testing.T) {
	b := newBench(t, nil)
	id := strings.TrimSpace(b.run("bash_start", "--stdin", "while read -r x; do echo got $x; done; echo end; cat").out)
	b.input("got a\ngot b\n", id, "a\nb", long)
	b.in = "from stdin\n"
	b.input("got from stdin\n", id, "-", long)
	b.in = ""
	b.input("end\n", id, "--key", "ctrl-d", "--wait", "exit", long)

	id = b.start("trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 1; done")
	b.waitFor(id, "ready")
	got := b.run("bash_input", id, "text")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "its stdin is empty: start it again with bash_start --tty 'COMMAND' (a terminal) or --stdin (a pipe)")
	require.Contains(t, b.run("bash_input", id, "--key", "up").err, "it has no terminal")
	require.Contains(t, b.run("bash_output", id, "--screen").err, "has no terminal, and no screen")
	b.input("interrupted\n", id, "--key", "ctrl-c", "--wait", "exit", long)
	require.Contains(t, b.run("bash_input", id, "more").err, "has ended: failed after")
}

func TestStdinThatNobodyReads(t *testing.T) {
	b := newBench(t, nil)
	id := strings.TrimSpace(b.run("bash_start", "--stdin", "trap 'wc -c; exit' INT; sleep infinity & echo ready; wait").out)
	b.waitFor(id, "ready")
	b.in = strings.Repeat("x", 200_000)
	start := time.Now()
	got := b.run("bash_input", id, "-", "--no-enter", long)
	b.in = ""
	require.Less(t, time.Since(start), inputWait)
	require.Equal(t, 1, got.exit)
	taken := regexp.MustCompile(`does not read its stdin now: (\d+) of 200000 bytes are in the pipe, (\d+) are left: type those again, from byte (\d+) on`).FindStringSubmatch(got.err)
	require.NotNil(t, taken, got.err)
	first, _ := strconv.Atoi(taken[1])
	left, _ := strconv.Atoi(taken[2])
	next, _ := strconv.Atoi(taken[3])
	require.Equal(t, []int{200_000, first + 1}, []int{first + left, next})
	require.Contains(t, b.run("bash_input", id, "--key", "ctrl-d", "--key", "ctrl-c", "--wait", "exit", long).out, taken[1], "what was taken is there")
}

func TestBadTyping(t *testing.T) {
	b := newBench(t, nil)
	known := b.onTerminal("cat", "")
	for _, row := range []struct {
		words []string
		exit  int
		says  string
	}{
		{[]string{"bash_input", known}, 2, "give the text to type"},
		{[]string{"bash_input", known, "--key", "hyper-x"}, 2, `--key: there is no key "hyper-x": ctrl-LETTER`},
		{[]string{"bash_input", "none", "x"}, 1, `there is no background shell "none": those that are there: ` + known},
		{[]string{"bash_input", known, "x", "--wait", "("}, 2, "--wait: error parsing regexp"},
		{[]string{"bash_input", known, "-"}, 1, "there is nothing on stdin"},
		{[]string{"bash_start", "--tty", "--size", "80", "x"}, 2, `--size "80": give columns and rows`},
		{[]string{"bash_start", "--tty", "--stdin", "x"}, 2, "leave --stdin out"},
		{[]string{"bash_start", "--size", "90x20", "x"}, 2, "give --tty too"},
		{[]string{"bash_start", "--tty", "true"}, 2, "no command"},
		{[]string{"bash_start", "--keep", "--tty", "x"}, 2, "leave --keep out"},
		{[]string{"bash_start", "--keep", "--stdin", "x"}, 2, "leave --keep out"},
	} {
		got := b.run(row.words...)
		require.Equal(t, row.exit, got.exit, "%v: %s", row.words, got.err)
		require.Contains(t, got.err, row.says, "%v", row.words)
	}
}

func TestATerminalIsTheSessionsOwn(t *testing.T) {
	b := newBench(t, nil)
	id := b.onTerminal(`tty; stty size; echo $TERM; echo to tty >/dev/tty; ps -o tty= -p $$; read -r line`, "to tty", "--size", "100x30")
	j, err := b.s.findJob(id)
	require.NoError(t, err)
	data, err := os.ReadFile(j.log.path)
	require.NoError(t, err)
	require.Regexp(t, `^/dev/pts/\d+\n30 100\nxterm-256color\nto tty\n`, string(data))
	require.Equal(t, 0, b.run("bash_kill", id).exit)
	id = b.onTerminal("bash --norc", `[$#] $`) // an interactive shell ignores SIGTERM
	for _, tool := range b.s.Tools() {
		if tool.Name == "bash_input" {
			uses, known := tool.UsesOf(registry.Kwargs{"bash_id": id, "text": "rm x"})
			require.True(t, known)
			require.Equal(t, []registry.Use{{Role: registry.RunsText, Value: "bash --norc"}, {Role: registry.RunsText, Value: "rm x"}}, uses)
		}
	}
	got := b.run("bash_kill", id, "--grace", "60")
	require.Equal(t, 0, got.exit, got.err)
}

func TestMuchOutputOnATerminal(t *testing.T) {
	b := newBench(t, nil)
	got := b.run("bash_start", "--tty", "seq 50000; printf '%0300d\n' 7; printf '10%%\r20%%\r30%%\n'; echo end")
	id := strings.TrimSpace(got.out)
	got = b.run("bash_output", id, "--wait", "exit", long)
	var want strings.Builder
	for i := range 50000 {
		want.WriteString(strconv.Itoa(i+1) + "\n")
	}
	want.WriteString(strings.Repeat("0", 299) + "7\n30%\nend\n")
	require.True(t, want.String() == got.out, "%d bytes: ...%s", len(got.out), got.out[max(0, len(got.out)-400):])
}
