package main

import (
	"bytes"
	"cmp"
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
	"github.com/agentbash/agentbash/internal/testneeds"
)

// waitLimit is how long a test waits for what must come.
const waitLimit = 5 * time.Minute

// pane is the program in a real tmux, which a test types into and looks at.
type pane struct {
	t      *testing.T
	socket string
	home   string // HOME, with the configuration and state below it
	dir    string // where the program runs
	seen   chan struct{}
	server *modelserver.Server // nil: there is no model

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
	mode          string            // of a model's commands; "" is full, "none" leaves it to the configuration
	firstRun      bool              // nobody has said yet that there is to be no model
	shell         bool              // start a shell, and the program from it
	short         bool              // the program's directory is ~/shop, so that what is shown has one length
}

// newPane starts tmux. Where there is none the test is skipped, aloud, but for CI.
// Tests of screens run side by side, since they wait most of the time.
func newPane(t *testing.T, o screenTest) *pane {
	t.Helper()
	t.Parallel()
	testneeds.Program(t, "tmux", "apt-get install tmux")
	short, err := os.MkdirTemp("", "ab") // a socket's path is short
	require.NoError(t, err)
	p := &pane{t: t, socket: filepath.Join(short, "s"), home: t.TempDir(), dir: t.TempDir(), seen: make(chan struct{}, 1)}
	if o.short {
		p.dir = filepath.Join(p.home, "shop")
		require.NoError(t, os.Mkdir(p.dir, 0o700))
	}
	if !o.firstRun {
		p.write("~/.local/state/agentbash/no-model", "") // nobody is asked for one
	}
	for name, text := range o.files {
		p.write(name, text)
	}
	o.width, o.height = cmp.Or(o.width, 80), cmp.Or(o.height, 24)
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
	env := append([]string{"-i", "HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TERM=screen-256color", "LANG=C.UTF-8", "GORACE=" + os.Getenv("GORACE"), asProgram + "=1"}, o.env...)
	for i, e := range env {
		env[i] = strings.Replace(e, "~/", p.home+"/", 1)
	}
	words := append(append([]string{"env"}, env...), os.Args[0], "--dir", p.dir)
	if o.shell {
		words = append(append([]string{"env"}, env...), "PS1=shell> ", "bash", "--norc", "-i")
	}
	if o.replies != nil {
		s, err := modelserver.Start(&modelserver.Script{Replies: o.replies}, nil)
		require.NoError(p.t, err)
		p.server = s
		p.t.Cleanup(func() { require.NoError(p.t, s.Close()) })
		if !o.shell {
			words = append(words, "--base-url", s.BaseURL, "--model", "m", "--api-key", "k")
			if o.mode != "none" {
				words = append(words, "--mode", cmp.Or(o.mode, "full"))
			}
		}
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

// screen is what can be seen, without the spaces at the ends of rows, and without
// the status line.
func (p *pane) screen() string {
	p.t.Helper()
	rows := strings.TrimRight(p.whole(), "\n")
	if i := strings.LastIndexByte(rows, '\n'); statusRow.MatchString(rows[i+1:]) {
		rows = rows[:max(i, 0)]
	}
	return strings.TrimRight(rows, "\n") + "\n"
}

var statusRow = regexp.MustCompile("^  (plan|ask|auto|full)( \u00b7 |$)")

// status is the status line.
func (p *pane) status() string {
	p.t.Helper()
	rows := strings.Split(strings.TrimRight(p.whole(), "\n"), "\n")
	return rows[len(rows)-1]
}

// whole is all that can be seen.
func (p *pane) whole() string {
	p.t.Helper()
	var b strings.Builder
	for line := range strings.Lines(p.tmux("capture-pane", "-p")) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// colours is what can be seen, with its styles.
func (p *pane) colours() string { return p.tmux("capture-pane", "-p", "-e") }

// until waits for a screen that a condition likes.
func (p *pane) until(what string, good func(screen string) bool) string {
	p.t.Helper()
	limit := time.After(waitLimit)
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

// terminate sends SIGTERM to the program that the pane's shell has started.
func (p *pane) terminate() {
	p.t.Helper()
	require.NoError(p.t, syscall.Kill(p.program(), syscall.SIGTERM))
}

// program is the process of the program that the pane's shell has started.
func (p *pane) program() int {
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
	return n
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
