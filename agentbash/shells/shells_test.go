package shells

import (
	"bytes"
	"context"
	"fmt"
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

	"github.com/agentbash/agentbash/internal/proctable"
	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// bench is a manager and a caller.
type bench struct {
	t   *testing.T
	s   *Shells
	dir string
	env []string // of the caller
	in  string
}

func newBench(t *testing.T, opts *Options) *bench {
	b := &bench{t: t, dir: t.TempDir(), env: os.Environ()}
	if opts == nil {
		opts = &Options{StateDir: t.TempDir()}
	}
	b.s = New(opts)
	t.Cleanup(func() { require.NoError(t, b.s.Close()) })
	return b
}

type said struct {
	out, err string
	exit     int
}

// run runs one of the tools from the words of a command line.
func (b *bench) run(words ...string) said {
	b.t.Helper()
	for _, tool := range b.s.Tools() {
		if tool.Name != words[0] {
			continue
		}
		var out, notes bytes.Buffer
		call := &registry.Call{Dir: b.dir, Stdout: &out, Stderr: &notes, Environ: func() ([]string, error) { return b.env, nil }}
		if b.in != "" {
			call.Stdin = strings.NewReader(b.in)
		}
		res := tool.Command(b.t.Context(), words[1:], call)
		return said{out.String(), notes.String(), res.ExitStatus}
	}
	b.t.Fatal("no such tool")
	return said{}
}

func (b *bench) start(command string) string {
	b.t.Helper()
	got := b.run("bash_start", command)
	require.Equal(b.t, 0, got.exit, got.err)
	require.Regexp(b.t, `^[0-9]+\n$`, got.out)
	return strings.TrimSpace(got.out)
}

// waitFor runs bash_output until a line matches.
func (b *bench) waitFor(id, what string) said {
	b.t.Helper()
	got := b.run("bash_output", "--bash_id", id, "--wait", what)
	require.Equal(b.t, 0, got.exit, "%+v", got)
	return got
}

func TestStatuses(t *testing.T) {
	b := newBench(t, nil)
	for _, row := range []struct {
		name, command, out, says string
		status                   Status
		exit                     int
	}{
		{"completed", "echo hi; echo no >&2", "hi\nno\n", `^ID: completed after \S+, exit code 0\n$`, Completed, 0},
		{"failed", "echo x; exit 7", "x\n", "failed after .*, exit code 7", Failed, 7},
		{"unknown command", "nosuchcommand-x", "bash: line 1: nosuchcommand-x: command not found\n", "failed after .*, exit code 127", Failed, 127},
		{"a syntax error", "if", "", "failed after .*, exit code 2", Failed, 2},
		{"a signal", "kill -9 $$", "", "terminated by SIGKILL after .*, exit code 137", Terminated, 137},
		{"no stdin", "cat; echo end", "end\n", "completed", Completed, 0},
		{"several lines", "a=1\nfor i in 1 2; do\n echo $i$a\ndone", "11\n21\n", "completed", Completed, 0},
		{"no newline at the end", "printf abc", "abc", "completed", Completed, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			id := b.start(row.command)
			got := b.waitFor(id, "exit")
			if row.name == "a syntax error" {
				require.Contains(t, got.out, "syntax error")
			} else {
				require.Equal(t, row.out, got.out)
			}
			require.Regexp(t, strings.Replace(row.says, "ID", id, 1), got.err)
			for _, j := range b.s.Jobs() {
				if j.ID == id {
					require.Equal(t, row.status, j.Status)
					require.Equal(t, row.exit, j.Exit)
				}
			}
			require.Equal(t, "", b.run("bash_output", id).out, "it was seen")
		})
	}
}

func TestOnlyWhatIsNew(t *testing.T) {
	b := newBench(t, nil)
	for _, name := range []string{"go1", "go2"} { // one each: a reader could see the end of the writer before
		require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, name), 0o600))
	}
	id := b.start("echo one; read x <go1; echo two; read x <go2; echo three")
	next := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte("\n"), 0)) }
	got := b.waitFor(id, "^one$")
	require.Equal(t, "one\n", got.out)
	require.Regexp(t, id+": running for .*, pid ", got.err)
	require.Equal(t, "", b.run("bash_output", id).out)
	next("go1")
	require.Equal(t, "two\n", b.waitFor(id, "two").out)
	next("go2")
	require.Equal(t, "three\n", b.waitFor(id, "exit").out)
	got = b.run("bash_output", id, "--wait", "four")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, `it ended, and no new line matched "four"`)
}

func TestFilter(t *testing.T) {
	b := newBench(t, nil)
	id := b.start(`printf 'a1\nb2\r\na3\nlast a'`)
	got := b.run("bash_output", id, "--wait", "exit", "--filter", "^a|a$|2$")
	require.Equal(t, "a1\nb2\r\na3\nlast a\n", got.out)
	id = b.start(`printf 'a1\nb2\na3\n'`)
	got = b.run("bash_output", id, "--wait", "exit", "--filter", "b")
	require.Equal(t, "b2\n", got.out)
	require.Contains(t, got.err, "2 other new lines did not match and count as seen; everything is in ")
	path := regexp.MustCompile(`everything is in (\S+)`).FindStringSubmatch(got.err)[1]
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "a1\nb2\na3\n", string(data))
	require.Equal(t, "", b.run("bash_output", id).out, "lines that did not match are seen")

	// the unfinished line of a shell that runs waits for its end
	fifo := filepath.Join(b.dir, "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	id = b.start("printf 'half'; read x <go; echo ' and half'")
	require.Equal(t, "", b.run("bash_output", id, "--wait", "half", "--filter", "half").out)
	require.NoError(t, os.WriteFile(fifo, []byte("\n"), 0))
	require.Equal(t, "half and half\n", b.run("bash_output", id, "--wait", "exit", "--filter", "half").out)
}

func TestWaitHasALimit(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("echo soon; sleep 1000")
	got := b.run("bash_output", id, "--wait", "never", "--timeout", "0.2")
	for got.out == "" { // the machine is busy
		got = b.run("bash_output", id, "--wait", "never", "--timeout", "0.2")
	}
	require.Equal(t, 124, got.exit)
	require.Equal(t, "soon\n", got.out, "what there is is shown all the same")
	require.Contains(t, got.err, `no new line matched "never" within 200ms`)
	got = b.run("bash_output", id, "--wait", "exit", "--timeout", "0")
	require.Equal(t, 124, got.exit)
	require.Contains(t, got.err, "it did not end within 0s")
}

func TestACopyOfTheCaller(t *testing.T) {
	b := newBench(t, nil)
	b.env = append(b.env, "MINE=of the caller", "AGENTBASH_SESSION=mark")
	id := b.start(`echo "$MINE|${AGENTBASH_SESSION-none}|$PWD"; pwd -P; [ -t 0 ] || echo no terminal; cat /proc/$$/stat | cut -d" " -f6; echo $$`)
	b.env[len(b.env)-2] = "MINE=changed since"
	lines := strings.Split(b.waitFor(id, "exit").out, "\n")
	require.Equal(t, "of the caller|none|"+b.dir, lines[0])
	require.Equal(t, b.dir, lines[1])
	require.Equal(t, "no terminal", lines[2])
	require.Equal(t, lines[4], lines[3], "it leads a session of its own")

	b.in = "echo from stdin\necho two lines\n"
	got := b.run("bash_start", "-")
	require.Equal(t, "from stdin\ntwo lines\n", b.waitFor(strings.TrimSpace(got.out), "exit").out)
}

func TestKillEndsTheTree(t *testing.T) {
	b := newBench(t, nil)
	id := b.start(`trap 'echo stopping; exit 3' TERM; sleep 1001 & echo ready; wait`)
	b.waitFor(id, "ready")
	got := b.run("bash_kill", id, "--grace", "60")
	require.Equal(t, 0, got.exit, got.err)
	require.Contains(t, got.out, "stopping\n", "what is left of its output comes back")
	require.Regexp(t, id+`: terminated after .*, exit code 3; \d+ processes ended`, got.err)

	// a child that ignores SIGTERM, one in a session of its own, one that lost its parent
	id = b.start(`(trap "" TERM; echo deaf $BASHPID; sleep 1001 & wait; sleep 1002) &
setsid bash -c 'echo apart $$; sleep 1003; true' &
(setsid bash -c 'echo orphan $$; sleep 1004; true' & )
echo ready; while :; do wait; done`)
	b.waitFor(id, "ready")
	var pids []int
	for !func() bool { return len(pids) == 3 }() {
		out, err := exec.Command("grep", "-rhoE", "(deaf|apart|orphan) [0-9]+", b.s.dir).Output()
		if err != nil {
			continue
		}
		pids = nil
		for line := range strings.Lines(string(out)) {
			pid, err := strconv.Atoi(strings.Fields(line)[1])
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	got = b.run("bash_kill", id, "--grace", "0.3")
	require.Equal(t, 0, got.exit, got.err)
	require.Regexp(t, id+`: terminated by \w+ after .*; \d+ processes ended`, got.err)
	for _, pid := range pids {
		require.False(t, lives(pid), "%d lives", pid)
	}
	got = b.run("bash_kill", id)
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "has ended already: terminated by")
	require.Equal(t, 0, b.run("bash_output", id).exit, "its end can still be looked at")
}

func TestKillOfSeveral(t *testing.T) {
	b := newBench(t, nil)
	ids := []string{b.start("echo one; sleep 1001"), b.start("echo two; sleep 1001"), b.start("true"), b.start("sleep 1001")}
	b.waitFor(ids[0], "one")
	b.waitFor(ids[1], "two")
	b.waitFor(ids[2], "exit")
	got := b.run("bash_kill", ids[0], ids[1])
	require.Equal(t, 0, got.exit, "%+v", got)
	require.Regexp(t, `^1: terminated [^\n]*; \d+ process(es)? ended\n2: terminated [^\n]*; \d+ process(es)? ended\n$`, got.err)
	got = b.run("bash_kill", ids[2], "none", ids[3])
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "4: terminated", "one that cannot be ended keeps no other from it")
	require.Contains(t, got.err, "background shell 3 has ended already")
	require.Contains(t, got.err, `there is no background shell "none"`)
	require.Zero(t, b.s.Running())
}

// Each of the two ends only when the other one is asked to end.
func TestKillOfSeveralIsAtOnce(t *testing.T) {
	b, dir := newBench(t, nil), t.TempDir()
	var ids []string
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		ids = append(ids, b.start(fmt.Sprintf(`cd %s; trap 'touch %s; until [ -e %s ]; do sleep 0.05; done; echo bye; exit 0' TERM; echo up; while :; do sleep 0.1; done`, dir, names[0], names[1])))
	}
	for _, id := range ids {
		b.waitFor(id, "up")
	}
	got := b.run("bash_kill", ids[0], ids[1], "--grace", "60")
	require.Equal(t, 0, got.exit, "%+v", got)
	require.Equal(t, 2, strings.Count(got.out, "bye\n"), "%+v", got)
}

func lives(pid int) bool {
	p, ok := proctable.Stat(pid)
	return ok && !p.Ended()
}

func TestKillOfWhatAShellLeftBehind(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("sleep 1005 & echo $!")
	pid, err := strconv.Atoi(strings.TrimSpace(b.waitFor(id, "exit").out))
	require.NoError(t, err)
	require.True(t, lives(pid))
	got := b.run("bash_kill", id)
	require.Equal(t, 0, got.exit, got.err)
	require.Contains(t, got.err, "completed after")
	require.Contains(t, got.err, "1 process ended")
	require.False(t, lives(pid))
}

func TestBadInput(t *testing.T) {
	b := newBench(t, nil)
	known := b.start("sleep 1006")
	for _, row := range []struct {
		name  string
		words []string
		exit  int
		says  string
	}{
		{"an unknown id", []string{"bash_output", "12345678"}, 1, `there is no background shell "12345678": those that are there: ` + known},
		{"an unknown id to kill", []string{"bash_kill", "x"}, 1, `there is no background shell "x"`},
		{"no id", []string{"bash_output"}, 2, "bash_id"},
		{"a filter that is no regular expression", []string{"bash_output", known, "--filter", "("}, 2, "--filter: error parsing regexp: missing closing )"},
		{"a wait that is none", []string{"bash_output", known, "--wait", "a["}, 2, "--wait: error parsing regexp"},
		{"a timeout alone", []string{"bash_output", known, "--timeout", "5"}, 2, "--timeout is for --wait"},
		{"a timeout out of range", []string{"bash_output", known, "--wait", "exit", "--timeout", "601"}, 2, "timeout"},
		{"an empty command", []string{"bash_start", "  "}, 2, "the command is empty"},
		{"nothing on stdin", []string{"bash_start", "-"}, 1, "there is nothing on stdin"},
		{"a NUL", []string{"bash_start", "a\x00b"}, 2, "NUL"},
	} {
		got := b.run(row.words...)
		require.Equal(t, row.exit, got.exit, "%s: %s", row.name, got.err)
		require.Contains(t, got.err, row.says, row.name)
		require.Empty(t, got.out, row.name)
	}
	b.dir = filepath.Join(b.dir, "gone")
	require.Equal(t, 1, b.run("bash_start", "true").exit, "a directory that is gone")

	alone := newBench(t, &Options{StateDir: t.TempDir(), Alone: true})
	got := alone.run("bash_start", "true")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "what it starts ends with agentbash, and this one ends at once")
	require.Contains(t, alone.run("bash_output", "x").err, "they end with the agentbash that started them")
	require.Contains(t, alone.run("bash_start").err, "there are no background shells")
}

func TestList(t *testing.T) {
	b := newBench(t, nil)
	one, two := b.start("echo a;\n  sleep 1007"), b.start("exit 3")
	b.waitFor(one, "exit|a")
	b.waitFor(two, "exit")
	got := b.run("bash_start")
	require.Regexp(t, `^`+one+`: running for \S+, pid \d+; 0 bytes not seen yet: echo a; sleep 1007\n`+two+`: failed after \S+, exit code 3; 0 bytes not seen yet: exit 3\n$`, got.out)
}

// However much and however many: what nobody looked at is there, and all of it in the log.
func TestNothingIsForgottenUnseen(t *testing.T) {
	b := newBench(t, &Options{StateDir: t.TempDir()})
	long := b.start("seq 6000000; echo the end")
	var ids []string
	for i := range maxEnded + 10 {
		ids = append(ids, b.start(fmt.Sprintf("echo done-%d", i)))
	}
	for _, id := range append(ids, long) {
		j, err := b.s.findJob(id)
		require.NoError(t, err)
		<-j.ended
	}
	for i, id := range ids {
		require.Equal(t, fmt.Sprintf("done-%d\n", i), b.run("bash_output", "--bash_id", id).out)
	}
	for range 10 {
		b.start("true")
	}
	require.Contains(t, b.run("bash_output", "--bash_id", ids[0]).err, "there is no background shell", "it was looked at after its end")
	require.Equal(t, 0, b.run("bash_output", "--bash_id", ids[len(ids)-1]).exit)
	got := b.run("bash_output", "--bash_id", long)
	require.True(t, strings.HasPrefix(got.out, "1\n2\n3\n"))
	require.True(t, strings.HasSuffix(got.out, "\n6000000\nthe end\n"))
	require.Greater(t, len(got.out), 40<<20)
	logs, err := filepath.Glob(filepath.Join(b.s.dir, "background-*-"+long+".log"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	data, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	require.True(t, got.out == string(data), "the log has all of it")
}

func TestCloseEndsEverything(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("trap 'echo bye >>log; exit' TERM; echo ready; while :; do sleep 0.01; done")
	deaf := b.start("trap '' TERM; echo $$; while :; do sleep 1; done")
	b.waitFor(id, "ready")
	pid, err := strconv.Atoi(strings.TrimSpace(b.waitFor(deaf, `\d`).out))
	require.NoError(t, err)
	require.NoError(t, b.s.Close())
	data, err := os.ReadFile(filepath.Join(b.dir, "log"))
	require.NoError(t, err)
	require.Equal(t, "bye\n", string(data), "SIGTERM came first")
	require.False(t, lives(pid))
	require.Contains(t, b.run("bash_start", "true").err, "agentbash is ending")
}

// The end of a shell is told when all that it wrote is in the log, however late.
func TestTheEndComesAfterTheOutput(t *testing.T) {
	b := newBench(t, nil)
	fifo := filepath.Join(b.dir, "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	j, err := b.s.findJob(b.start("read x <go; echo late"))
	require.NoError(t, err)
	j.log.mu.Lock()
	require.NoError(t, os.WriteFile(fifo, []byte("\n"), 0))
	require.Eventually(t, func() bool { return !lives(j.pid) }, 5*time.Minute, time.Millisecond)
	early := false
	select {
	case <-j.ended:
		early = true
	case <-time.After(3 * lastWords):
	}
	j.log.mu.Unlock()
	require.False(t, early, "it was told without the output")
	<-j.ended
	require.Equal(t, "late\n", b.run("bash_output", j.id).out)
}

func TestPrepareAndStart(t *testing.T) {
	var seen []string
	b := newBench(t, &Options{Prepare: func(c string) string { return "echo prepared; " + c },
		Start: func(ctx context.Context, cmd *exec.Cmd) (int, func() syscall.WaitStatus, error) {
			seen = cmd.Args
			cmd.Env = append(cmd.Env, "LAUNCHED=yes")
			if strings.Contains(cmd.Args[2], "forbidden") {
				return 0, nil, fmt.Errorf("not this one")
			}
			return StartDirectly(ctx, cmd)
		}})
	require.Equal(t, "prepared\nyes\n", b.waitFor(b.start("echo $LAUNCHED"), "exit").out)
	require.Equal(t, []string{"bash", "-c", "echo prepared; echo $LAUNCHED"}, seen)
	require.Contains(t, b.run("bash_start", "forbidden").err, "not this one")
	require.Len(t, b.s.Jobs(), 1)
}

func TestOldLogsGo(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "background-1.log"), filepath.Join(dir, "background-2.log")
	for path, age := range map[string]time.Duration{old: 8 * 24 * time.Hour, fresh: time.Hour} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	b := newBench(t, &Options{StateDir: dir})
	b.waitFor(b.start("true"), "exit")
	require.NoFileExists(t, old)
	require.FileExists(t, fresh)
}

func TestManyAtOnce(t *testing.T) {
	b := newBench(t, nil)
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			id := b.start(fmt.Sprintf("echo %d", i))
			for _, j := range b.s.Jobs() { // others are started and forgotten meanwhile
				_ = j.Line()
			}
			if j, err := b.s.findJob(id); err == nil {
				<-j.ended
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, len(b.s.Jobs()), 60)
	id := b.start("sleep 1008")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j, err := b.s.findJob(id)
	require.NoError(t, err)
	require.False(t, j.waitForLine(ctx, "exit", time.Hour, 0).Success)
}

// When the program is killed, its shells are too.
func TestTheProgramIsKilled(t *testing.T) {
	if dir := os.Getenv("SHELLS_TEST_HOST"); dir != "" {
		s := New(&Options{StateDir: dir})
		j, err := s.startJob(t.Context(), "setsid sleep 1009 & env -i sleep 1010 & echo $$ $! >pids.new; mv pids.new pids; wait", dir, os.Environ(), ports{})
		require.NoError(t, err)
		<-j.ended
		return
	}
	dir := t.TempDir()
	host := exec.Command(os.Args[0], "-test.run=^TestTheProgramIsKilled$")
	host.Env = append(os.Environ(), "SHELLS_TEST_HOST="+dir)
	require.NoError(t, host.Start())
	var data []byte
	for len(data) == 0 {
		data, _ = os.ReadFile(filepath.Join(dir, "pids"))
	}
	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	require.Eventually(t, func() bool {
		for _, f := range strings.Fields(string(data)) {
			if pid, err := strconv.Atoi(f); err != nil || lives(pid) {
				return false
			}
		}
		return true
	}, 5*time.Minute, 10*time.Millisecond)
}
