package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// tmuxWait is how long a test waits for what must come.
const tmuxWait = 20 * time.Second

// pane is the program in a real tmux, which a test types into and looks at.
type pane struct {
	t      *testing.T
	socket string
	home   string // HOME, with the configuration and state below it
	dir    string // where the program runs
	seen   chan struct{}

	mu      sync.Mutex
	written bytes.Buffer // all that the program wrote
}

// raw is all that the program wrote.
func (p *pane) raw() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written.String()
}

// screenTest says what a pane runs.
type screenTest struct {
	replies       []modelserver.Reply // nil: the person is in the model's place
	width, height int                 // 0: 80 by 24
	env           []string
	files         map[string]string // below the program's directory
	shell         bool              // start a shell, and the program from it
}

// newPane starts tmux. Where there is none the test is skipped, aloud, but for CI.
func newPane(t *testing.T, o screenTest) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must have tmux")
		t.Skip("SKIPPED: there is no tmux")
	}
	short, err := os.MkdirTemp("", "ab") // a socket's path is short
	require.NoError(t, err)
	p := &pane{t: t, socket: filepath.Join(short, "s"), home: t.TempDir(), dir: t.TempDir(), seen: make(chan struct{}, 1)}
	for name, text := range o.files {
		p.write(name, text)
	}
	if o.width == 0 {
		o.width, o.height = 80, 24
	}
	fifo := filepath.Join(short, "out")
	alive := filepath.Join(short, "alive") // held open by all that the pane runs
	require.NoError(t, exec.Command("mkfifo", fifo, alive).Run())
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(o.width), "-y", fmt.Sprint(o.height), "sh", "-c",
		"exec 9>"+alive+"; tmux -S "+p.socket+" wait-for go; "+p.command(o)+"; echo ended: $?; exec tmux -S "+p.socket+" wait-for never")
	left, err := os.Open(alive)
	require.NoError(t, err)
	t.Cleanup(func() {
		exec.Command("tmux", "-S", p.socket, "kill-server").Run()
		io.Copy(io.Discard, left) // what still writes would be in the way of the removal
		left.Close()
		for range p.seen {
		}
		os.RemoveAll(short)
	})
	p.tmux("set", "-g", "escape-time", "0")
	p.tmux("pipe-pane", "cat > "+fifo)
	go p.watch(fifo)
	p.tmux("wait-for", "-S", "go")
	return p
}

// command is the line that starts the program.
func (p *pane) command(o screenTest) string {
	env := append([]string{"-i", "HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TERM=screen-256color", "LANG=C.UTF-8", asProgram + "=1"}, o.env...)
	words := append(append([]string{"env"}, env...), os.Args[0], "--dir", p.dir)
	if o.shell {
		words = append(append([]string{"env"}, env...), "PS1=shell> ", "bash", "--norc", "-i")
	}
	if o.replies != nil {
		s, err := modelserver.Start(&modelserver.Script{Replies: o.replies}, nil)
		require.NoError(p.t, err)
		p.t.Cleanup(func() { require.NoError(p.t, s.Close()) })
		words = append(words, "--base-url", s.BaseURL, "--model", "m", "--api-key", "k")
	}
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// watch tells each time that the program has written.
func (p *pane) watch(fifo string) {
	defer close(p.seen)
	f, err := os.Open(fifo)
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.written.Write(buf[:n])
		p.mu.Unlock()
		select {
		case p.seen <- struct{}{}:
		default:
		}
	}
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	require.NoError(p.t, err, "tmux %q: %s", args, out)
	return string(out)
}

func (p *pane) write(name, text string) {
	p.t.Helper()
	path := name
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(p.home, rest)
	} else if !filepath.IsAbs(name) {
		path = filepath.Join(p.dir, name)
	}
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o700))
}

// screen is what can be seen, without the spaces at the ends of rows.
func (p *pane) screen() string {
	p.t.Helper()
	var b strings.Builder
	for line := range strings.Lines(p.tmux("capture-pane", "-p")) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// colours is what can be seen, with its styles.
func (p *pane) colours() string { return p.tmux("capture-pane", "-p", "-e") }

// until waits for a screen that a condition likes.
func (p *pane) until(what string, good func(screen string) bool) string {
	p.t.Helper()
	limit := time.After(tmuxWait)
	for {
		s := p.screen()
		if good(s) {
			return s
		}
		select {
		case _, open := <-p.seen:
			if s := p.screen(); !open {
				require.True(p.t, good(s), "the program ended before %s:\n%s", what, s)
				return s
			}
		case <-limit:
			require.FailNow(p.t, "not shown", "%s; the screen is\n%s", what, p.screen())
		}
	}
}

// want waits until a text can be seen.
func (p *pane) want(text string) string {
	p.t.Helper()
	return p.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// matches waits until a regular expression matches the screen.
func (p *pane) matches(re string) string {
	p.t.Helper()
	return p.until(re, regexp.MustCompile(re).MatchString)
}

// ready waits for an empty prompt.
func (p *pane) ready() string {
	p.t.Helper()
	return p.matches(`(^|\n)[>$]\n$`)
}

// keys presses keys by tmux's names.
func (p *pane) keys(names ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, names...)...)
}

// typed enters a text.
func (p *pane) typed(text string) { p.t.Helper(); p.tmux("send-keys", "-l", "--", text) }

// say enters a text and Enter.
func (p *pane) say(text string) { p.t.Helper(); p.typed(text); p.keys("Enter") }

func expect(contains ...string) modelserver.Expectations {
	return modelserver.Expectations{{Contains: contains}}
}

func calls(command string) []modelserver.ToolCall { return []modelserver.ToolCall{{Command: command}} }

const richReply = "# Plan\n\nSome **bold** and `code` words, see [the page](http://example.com/a).\n\n" +
	"- first item of the list that is long enough to be broken into two rows of the screen\n- second\n\n" +
	"```go\nfunc main() {}\n```\n\n| Name | Size |\n|------|------|\n| a.go | 12 |\n\nEnd."

const richScreen = `Plan

Some bold and code words, see the page (http://example.com/a).

• first item of the list that is long enough to be broken into two rows of the
  screen
• second

  func main() {}

Name  Size
----------
a.go  12

End.
`

func TestScreenRendersMarkdown(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: richReply, Chunk: 3}}})
	p.ready()
	p.say("go")
	p.want("session")
	require.Contains(t, p.ready(), richScreen)
	styles := p.colours()
	require.Regexp(t, `\x1b\[[0-9;]*1m.*bold`, styles)
	require.Regexp(t, `\x1b\[36m.*code`, styles, "code is cyan")
}

func TestScreenWithoutColours(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: richReply}}, env: []string{"NO_COLOR=1"}})
	p.ready()
	p.say("go")
	p.want("session")
	require.Contains(t, p.ready(), richScreen)
	require.NotRegexp(t, `\x1b\[([0-9]+;)*[349][0-7]m`, p.colours())
}

func TestScreenOfADumbTerminalAndAScreenReader(t *testing.T) {
	for _, env := range []string{"TERM=dumb", "ACCESSIBLE=1"} {
		t.Run(env, func(t *testing.T) {
			p := newPane(t, screenTest{env: []string{env}, replies: []modelserver.Reply{{Text: "# A\n\n**b**\n", ToolCalls: calls("seq 1 30")}, {Text: "done", Expect: expect("30")}}})
			p.ready()
			p.say("go")
			s := p.want("session")
			require.Contains(t, s, "# A\n\n**b**\n  $ seq 1 30  [ok, 30 lines, ")
			require.Contains(t, s, "    3\n    ... 24 lines more: /output shows all\n    28\n")
			p.say("/help")
			p.want("/quit")
			p.say("/quit")
			p.want("ended: 0")
			require.Contains(t, p.raw(), "/quit")
			require.NotContains(t, p.raw(), "\x1b")
		})
	}
}

func TestScreenShowsCallsDiffsAndFoldedOutput(t *testing.T) {
	p := newPane(t, screenTest{width: 80, height: 40, files: map[string]string{"a.txt": "one\ntwo\nthree\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("seq 1 200")},
		{ToolCalls: calls("edit --file_path a.txt --old_string two --new_string 2")},
		{ToolCalls: calls("exit_with() { return 3; }; exit_with")},
		{Text: "Changed."}}})
	p.ready()
	p.say("go")
	s := p.want("Changed.")
	require.Regexp(t, `  \$ seq 1 200  \[ok, 200 lines, .*\]\n    1\n    2\n    3\n    \.\.\. 194 lines more: /output shows all\n    198\n    199\n    200\n`, s)
	require.Regexp(t, `  \$ edit --file_path a.txt --old_string t\.\.\.  \[ok, 7 lines, [^]]*\]\n    --- a.txt\n    \+\+\+ a.txt\n    @@ .*\n     one\n    -two\n    \+2\n     three\n`, s)
	require.Regexp(t, `\[exit 3, 1 line, `, s)
	styles := p.colours()
	require.Contains(t, styles, "\x1b[31m-two")
	require.Contains(t, styles, "\x1b[32m+2")
	p.ready()
	p.say("/output 3")
	s = p.matches(`\n199\n200\n>`)
	require.Contains(t, s, "\n190\n191\n")
	p.keys("C-o")
	p.matches(`  \$ exit_with\(\) \{ return 3; \}; exit_with\n\[exit code: 3\]\n>`)
}

func TestScreenEscStopsAndTypedTextWaits(t *testing.T) {
	for _, key := range []string{"Escape", "C-c"} {
		t.Run(key, func(t *testing.T) {
			p := newPane(t, screenTest{replies: []modelserver.Reply{
				{Text: "Thinking of it", Hold: true},
				{Text: "First", ToolCalls: calls("echo half; sleep 60")},
				{Text: "Three it is.", Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"half", "[interrupted by the user]"}}, {Role: "assistant"}, {Role: "user", Contains: []string{"three"}}}},
			}})
			p.ready()
			p.say("one")
			p.want("Thinking of it")
			p.matches(`[/\\|-] working \d+ s, Esc stops`)
			p.typed("typed ahead")
			p.matches(`Esc stops\n> typed ahead`)
			p.keys(key)
			p.want("interrupted: the conversation is kept")
			p.matches(`\n> typed ahead\n$`) // what was typed is at the prompt
			p.keys("C-u")
			p.ready()
			p.say("two")
			p.matches(`First\n  \$ echo half; sleep 60\n[/\\|-] running \d+ s, Esc stops`)
			p.say("three")
			p.matches(`Esc stops\n  next: three`)
			p.keys(key)
			p.want("[interrupted, ")
			p.matches(`\n> three\n$`) // after a stop nothing is sent unasked
			p.keys("Enter")
			p.want("Three it is.")
			p.ready()
			p.keys("C-d")
			p.want("ended: 0")
		})
	}
}

func TestScreenSendsWhatWasTypedMeanwhile(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{ToolCalls: calls("until [ -e go ]; do read -t 0.05 < <(:) || :; done")}, {Text: "One."}, {Text: "Two.", Expect: expect("next please")}}})
	p.ready()
	p.say("first")
	p.want("running")
	p.say("next please")
	p.want("  next: next please")
	p.typed("half")
	p.want("> half")
	p.write("go", "")
	p.matches(`One\.(.|\n)*\n> next please\nTwo\.(.|\n)*\n> half\n$`)
}

// terminate sends SIGTERM to the program that the pane's shell has started.
func (p *pane) terminate() {
	p.t.Helper()
	program, err := os.Executable()
	require.NoError(p.t, err)
	pid := strings.TrimSpace(p.tmux("display-message", "-p", "#{pane_pid}"))
	for exe := ""; exe != program; exe, err = os.Readlink("/proc/" + pid + "/exe") {
		require.NoError(p.t, err)
		children, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
		require.NoError(p.t, err)
		require.NotEmpty(p.t, children)
		pid = strings.Fields(string(children))[0]
	}
	n, err := strconv.Atoi(pid)
	require.NoError(p.t, err)
	require.NoError(p.t, syscall.Kill(n, syscall.SIGTERM))
}

func TestScreenRestoresTheTerminal(t *testing.T) {
	ends := map[string]func(p *pane){
		"Ctrl-D": func(p *pane) { p.keys("C-d") },
		"quit":   func(p *pane) { p.say("/quit") },
		"SIGTERM": func(p *pane) {
			p.say("sleep 60")
			p.want("running")
			p.terminate()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			p := newPane(t, screenTest{shell: true})
			p.want("shell>")
			p.say("stty -a > before; PS1='again> '; " + os.Args[0] + " --dir " + p.dir)
			p.want("no model")
			p.ready()
			end(p)
			p.want("\nagain>")
			p.say("stty -a > after; cmp before after && echo same=$?")
			p.want("same=0")
		})
	}
}

// resize gives the window another width, and waits until the prompt is painted
// anew, since tmux tells the program only after a while.
func (p *pane) resize(width int) {
	p.t.Helper()
	painted := func() int { return strings.Count(p.raw(), "\x1b[J") }
	before := painted()
	p.tmux("resize-window", "-x", fmt.Sprint(width))
	p.until("a new picture", func(string) bool { return painted() > before })
}

func TestScreenResizedAndNarrow(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{
		{Text: "| Name | Meaning |\n|---|---|\n| alpha | the first of the letters |\n\nSome words that need more than one row of it.", ToolCalls: calls("echo a command that is longer than the row")},
		{Text: "Held text", Hold: true}}})
	p.ready()
	p.typed("some words that take more than one row of a narrow screen")
	p.want("narrow screen")
	p.resize(30)
	p.matches(`> some words that take more th\nan one row of a narrow screen\n$`)
	p.resize(100)
	p.matches(`\n> some words that take more than one row of a narrow screen\n$`)
	p.resize(24)
	p.keys("C-u")
	p.ready()
	p.say("go")
	s := p.want("Held text")
	require.Contains(t, s, "Some words that need\nmore than one row of\nit.\n")
	require.Contains(t, s, "Name   Meaning\n-----------------------\nalpha  the first of the\n       letters\n")
	require.Regexp(t, `  \$ echo a comman\.\.\.\n +\[ok, 1 line, \d+ m`, s)
	p.tmux("resize-window", "-x", "60")
	p.matches(`Held text\n[/\\|-] working \d+ s, Esc stops\n$`)
	p.keys("Escape")
	p.want("interrupted")
	p.ready()
}

func TestScreenHistoryIsKeptForTheProject(t *testing.T) {
	p := newPane(t, screenTest{shell: true})
	start := func() {
		p.want("shell>")
		p.say("clear; " + os.Args[0] + " --dir " + p.dir)
		p.want("no model")
		p.ready()
	}
	start()
	p.say("echo first one")
	p.want("\nfirst one\n")
	p.say("echo second")
	p.want("\nsecond\n")
	p.say(" echo secret")
	p.want("\nsecret\n")
	p.keys("C-d")
	start()
	p.keys("Up")
	p.matches(`\n\$ echo second\n$`)
	p.keys("C-u", "C-r")
	p.typed("fir")
	p.matches(`\n\(search 'fir'\) echo first one\n$`)
	p.keys("Enter")
	p.want("\nfirst one\n")
	p.ready()
	files, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/history/*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	st, err := os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NotContains(t, string(data), "secret")
}

func TestScreenSeveralLinesPasteAndEditor(t *testing.T) {
	p := newPane(t, screenTest{
		replies: []modelserver.Reply{
			{Text: "Got it.", Expect: modelserver.Expectations{{Contains: []string{"line one\nline two\nline three"}}}},
			{Text: "Edited.", Expect: modelserver.Expectations{{Contains: []string{"draft and more\nsecond line"}}}}},
		files: map[string]string{"~/ed": "#!/bin/sh\nstty -a | grep -q ' icanon' || exit 9\nprintf ' and more\\nsecond line\\n' >> \"$1\"\n"},
		env:   []string{`VISUAL=sh "$HOME/ed"`}})
	p.ready()
	p.typed("line one")
	p.keys("M-Enter")
	p.tmux("set-buffer", "line two\nline three")
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`> line one\n  line two\n  line three\n$`)
	p.keys("Enter")
	p.want("Got it.")
	p.ready()
	p.typed("draft")
	p.keys("C-x", "C-e")
	p.matches(`> draft and more\n  second line\n$`)
	p.keys("Enter")
	p.want("Edited.")
}

func TestScreenCompletes(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: "Read.", Expect: expect("look at @docs/guide.md please")}},
		files: map[string]string{"docs/guide.md": "x", "docs/other.md": "y", "data.txt": "z"}})
	p.ready()
	p.typed("/he")
	p.keys("Tab")
	p.matches(`\n> /help\n$`)
	p.keys("C-u")
	p.typed("/co")
	p.keys("Tab")
	p.matches(`\n/compact +/config +/cost\n> /co\n$`)
	p.keys("C-u")
	p.typed("gre")
	p.keys("Tab")
	p.matches(`\n> grep\n$`)
	p.keys("C-u")
	p.typed("look at @d")
	p.keys("Tab")
	p.matches(`\ndata.txt +docs/\n> look at @d\n$`)
	p.typed("o")
	p.keys("Tab")
	p.typed("g")
	p.keys("Tab")
	p.matches(`\n> look at @docs/guide.md\n$`)
	p.say("please")
	p.want("Read.")
	p.ready()
	p.typed("!cat da")
	p.keys("Tab")
	p.matches(`\n> !cat data.txt\n$`)
}

func TestScreenShellCommandsAndSlashCommands(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 50, files: map[string]string{"a.txt": "one\n"}, replies: []modelserver.Reply{
		{Text: "I see.", Expect: modelserver.Expectations{{Role: "user", Contains: []string{"I ran in your shell:\n$ x=5; echo out $x", "out 5", "what was that"}}}},
		{ToolCalls: calls("echo x is $x; edit --file_path a.txt --old_string one --new_string two; sleep 300 &")},
		{Text: "Done.", Expect: expect("x is 5")},
		{Text: "Anew.", NewConversation: true, Expect: modelserver.Expectations{{Role: "system"}, {Role: "user", Contains: []string{"fresh"}}}},
	}})
	git := exec.Command("bash", "-c", "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x")
	git.Dir = p.dir
	out, err := git.CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.ready()
	p.say("!x=5; echo out $x; sleep 0.2; echo end")
	p.matches(`\nout 5\nend\n>`)
	p.say("what was that")
	p.want("I see.")
	p.ready()
	p.say("go")
	p.want("Done.")
	p.ready()
	p.say("/jobs")
	p.matches(`Running +sleep 300`)
	p.say("/diff")
	p.matches(`\n-one\n\+two\n>`)
	require.Contains(t, p.colours(), "\x1b[32m+two")
	p.say("/undo a.txt")
	p.until("one is back", func(string) bool {
		data, err := os.ReadFile(filepath.Join(p.dir, "a.txt"))
		return err == nil && string(data) == "one\n"
	})
	p.say("/cost")
	p.matches(`\nlast turn: [\d,]+ tokens in, .*\nsession: `)
	p.say("/model")
	p.matches(`\nm at 127.0.0.1:`)
	p.say("/tools undo")
	p.want("take back the last write or edit")
	p.say("/field")
	p.matches(`> /field\n.+\n`)
	p.say("/config")
	p.matches(`baseURL +http`)
	p.say("/nonsense")
	p.want("there is no command /nonsense: /help")
	p.ready()
	p.say("/clear")
	p.want("the conversation is forgotten")
	p.say("fresh")
	p.want("Anew.")
	p.ready()
	p.say("/quit")
	p.want("ended: 0")
}

func TestScreenOwnCommands(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 40, files: map[string]string{".agentbash/commands/proj.md": "Project prompt for $ARGUMENTS."}, replies: []modelserver.Reply{
		{Text: "Reviewed.", Expect: modelserver.Expectations{{Equals: ptr("Review main.go carefully.")}}},
		{Text: "Projected.", Expect: modelserver.Expectations{{Equals: ptr("Project prompt for it.")}}}}})
	p.write(filepath.Join(p.home, ".config/agentbash/commands/review.md"), "---\ndescription: Reviews a file\n---\nReview $ARGUMENTS carefully.\n")
	p.ready()
	p.say("/help")
	p.matches(`/review +Reviews a file`)
	p.say("/review main.go")
	p.want("Reviewed.")
	p.ready()
	p.say("/proj it")
	p.matches(`Project prompt for \$ARGUMENTS\.\nagentbash: /proj comes from this project`)
	p.ready()
	p.say("/proj it")
	p.want("Projected.")
}

func ptr(s string) *string { return &s }

func TestScreenShowsTypedCommandsAsTheyRun(t *testing.T) {
	p := newPane(t, screenTest{})
	p.ready()
	p.say("echo begun; until [ -e go ]; do read -t 0.05 < <(:) || :; done; echo ended; (exit 4)")
	p.matches(`\nbegun\n[/\\|-] running \d+ s, Esc stops`)
	p.write("go", "")
	p.matches(`\nbegun\nended\n\[exit code: 4\]\n\$\n$`)
	p.say("true")
	p.matches(`\n\(no output\)\n\$\n$`)
	p.say("/help")
	p.want("/output [N]")
}
