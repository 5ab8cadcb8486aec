package fieldbash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/fieldbash/kept"
	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// keeper is this test binary as the program that Options.Keeper starts.
func keeper(args []string) int {
	var cfg fieldbash.Config
	if err := json.Unmarshal([]byte(args[2]), &cfg); err != nil {
		panic(err)
	}
	f, err := fieldbash.New(cfg, &fieldbash.Options{Dir: args[3], State: args[1], Env: os.Environ(), Keeper: func(string, *os.File) error { panic("a keeper needs none") }})
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if f.ServeKept(context.Background(), args[0], os.NewFile(3, "listener")) != nil {
		return 1
	}
	return 0
}

// stub is a server that logs each message that it gets. Its first tool counts.
func stub(log string) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(file, "start %d\n", os.Getpid())
	fmt.Fprintln(os.Stderr, "a stub that starts")
	fmt.Println("this is no message")
	say := func(format string, args ...any) { fmt.Printf(`{"jsonrpc":"2.0",`+format+"}\n", args...) }
	text := func(id json.RawMessage, text string) {
		b, _ := json.Marshal(text)
		say(`"id":%s,"result":{"content":[{"type":"text", "text":%s}]}`, id, b)
	}
	count, asked := 0, json.RawMessage(nil)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Fprintln(file, in.Text())
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name string
				Meta struct{ ProgressToken string } `json:"_meta"`
			}
			Result json.RawMessage
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			panic(err)
		}
		switch m.Method + m.Params.Name {
		case "":
			text(asked, string(m.Result))
		case "initialize":
			say(`"id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}`, m.ID)
		case "tools/list":
			say(`"id":%s,"result":{"tools":[{"name":"count","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}},{"name":"wait","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}}]}`, m.ID)
		case "tools/callcount":
			count++
			say(`"method":"notifications/progress","params":{"progressToken":%q,"progress":%d,"total":9}`, m.Params.Meta.ProgressToken, count)
			text(m.ID, fmt.Sprint("count ", count))
		case "tools/callask":
			asked = m.ID
			say(`"id":"q","method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"who":{"type":"string"}}}}`)
		case "tools/calldie":
			fmt.Fprint(os.Stderr, "last words")
			os.Exit(3)
		case "tools/callwait", "notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed":
		default:
			say(`"id":%s,"error":{"code":-32601,"message":"no such method"}`, m.ID)
		}
	}
}

// keptBench is what programs that share a kept server have in common.
type keptBench struct {
	cfg             fieldbash.Config
	dir, state, log string
}

func newKept(t *testing.T, s fieldbash.Server) *keptBench {
	b := &keptBench{dir: t.TempDir(), state: t.TempDir()}
	b.log = filepath.Join(b.dir, "log")
	if s.Command == "" {
		s.Command, s.Args = "/proc/self/exe", []string{"stub", b.log}
		exe, err := os.Executable()
		require.NoError(t, err)
		s.Command = exe
	}
	b.cfg = fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}
	t.Cleanup(func() {
		_, err := kept.Each(context.Background(), filepath.Join(b.state, "kept"), true, func(kept.Status) bool { return true })
		require.NoError(t, err)
	})
	return b
}

// program is one program that uses the server.
func (b *keptBench) program(t *testing.T, opts fieldbash.Options) bench {
	opts.Dir, opts.State = b.dir, b.state
	cfg, err := json.Marshal(b.cfg)
	require.NoError(t, err)
	opts.Keeper = func(server string, listener *os.File) error {
		cmd := exec.Command("/proc/self/exe", server, b.state, string(cfg), b.dir)
		cmd.Env, cmd.ExtraFiles, cmd.SysProcAttr = append(os.Environ(), "FIELD_TEST_ROLE=keeper"), []*os.File{listener}, &syscall.SysProcAttr{Setsid: true}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		go cmd.Wait()
		return nil
	}
	return layer(t, b.cfg, &opts)
}

// starts are how often the stub was started.
func (b *keptBench) starts(t *testing.T) int {
	text, err := os.ReadFile(b.log)
	require.NoError(t, err)
	return strings.Count(string(text), "start ")
}

func (b *keptBench) status(t *testing.T) []kept.Status {
	all, err := kept.Each(t.Context(), filepath.Join(b.state, "kept"), false, func(kept.Status) bool { return true })
	require.NoError(t, err)
	return all
}

// wait waits for an event; it fails after minutes.
func wait(t *testing.T, event func() bool) {
	t.Helper()
	require.Eventually(t, event, 3*time.Minute, 2*time.Millisecond)
}

var keptFor = fieldbash.KeepAlive(time.Hour)

func TestKeptServerIsSharedByPrograms(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	first := b.program(t, fieldbash.Options{})
	require.Equal(t, "count 1\n", first.ok(t, "field:s:count"))
	require.NoError(t, first.Close())
	second := b.program(t, fieldbash.Options{})
	require.Equal(t, "count 2\n", second.ok(t, "field:s:count"))

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			o := b.program(t, fieldbash.Options{}).run(t, "field:s:count")
			if o.status != 0 || strings.Count(o.stderr, "[progress]") != 1 {
				t.Errorf("%+v: each sees its own progress", o)
			}
		})
	}
	all.Wait()
	require.Equal(t, "count 11\n", second.ok(t, "field:s:count"))
	require.Equal(t, 1, b.starts(t))
	all2 := b.status(t)
	require.Len(t, all2, 1)
	require.Equal(t, "s", all2[0].Server)
	require.Equal(t, b.dir, all2[0].Dir)

	_, err := second.Kept(t.Context(), []string{"other"}, true)
	require.NoError(t, err)
	require.Len(t, b.status(t), 1)
	stopped, err := second.Kept(t.Context(), nil, true)
	require.NoError(t, err)
	require.Len(t, stopped, 1)
	require.Empty(t, b.status(t))
	wait(t, func() bool { return syscall.Kill(stopped[0].PID, 0) != nil })
	require.Equal(t, "count 1\n", second.ok(t, "field:s:count"), "a program whose server was stopped has it started")
}

func TestFirstCallsAtOnceStartOneServer(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { b.program(t, fieldbash.Options{}).run(t, "field:s:count") })
	}
	all.Wait()
	require.Equal(t, "count 7\n", b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
	require.Equal(t, 1, b.starts(t))
}

// TestKeptAnswersAreTheSame: what a kept server answers is, byte for byte, what a
// started one does.
func TestKeptAnswersAreTheSame(t *testing.T) {
	s := server(t, "server-everything")
	s.KeepAlive = keptFor
	b := newKept(t, s)
	var asked []string
	elicit := fieldbash.Options{Elicit: func(_ string, q mcp.Question) mcp.Answer {
		asked = append(asked, q.Message)
		return mcp.Answer{Action: "accept", Content: map[string]any{"name": "Ada", "check": true}}
	}}
	plain := fieldbash.Options{Elicit: elicit.Elicit, Dir: b.dir}
	for _, words := range [][]string{
		{"field:s:echo", "--message", "naïve <&> ☃"},
		{"field:s:echo", "--message", "raw", "-o", "raw"},
		{"field:s:get-sum", "--a", "1.5", "--b=2"},
		{"field:s:get-sum", "--a", "1"},
		{"field:s:get-structured-content", "--location", "New York", "-o", "json"},
		{"field:s:get-annotated-message", "--messageType", "error"},
		{"field:s:get-roots-list"},
		{"field:s:get-resource-links", "--count", "2", "-o", "raw"},
		{"field:s:trigger-long-running-operation", "--duration", "0.2", "--steps", "2"},
		{"field:s:trigger-elicitation-request"},
		{"field:s:nope"},
	} {
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			want := layer(t, fieldbash.Config{MCPServers: b.cfg.MCPServers}, &plain).run(t, words...)
			program := b.program(t, elicit)
			require.Equal(t, want, program.run(t, words...))
			require.NoError(t, program.Close())
			require.Equal(t, want, b.program(t, elicit).run(t, words...), "once more, by another program")
		})
	}
	require.Len(t, asked, 3)
	require.Len(t, b.status(t), 1)
}

func TestKeptServerThatDies(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	plain := layer(t, b.cfg, &fieldbash.Options{Dir: b.dir}).run(t, "field:s:die")
	require.Equal(t, 3, plain.status)
	require.Contains(t, plain.stderr, "the server ended (exit status 3)")
	for _, line := range []string{"a stub that starts", "(stdout) this is no message", "last words"} {
		require.Contains(t, plain.stderr, "\n  "+line)
	}
	o := b.program(t, fieldbash.Options{}).run(t, "field:s:die")
	lines := func(text string) []string { return slices.Sorted(strings.Lines(text)) } // two streams have no order
	require.Equal(t, lines(plain.stderr), lines(o.stderr))
	require.Equal(t, 3, o.status)
	require.Equal(t, "count 1\n", b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
}

func TestKilledKeeper(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	b.program(t, fieldbash.Options{}).ok(t, "field:s:count")
	text, err := os.ReadFile(b.log)
	require.NoError(t, err)
	var pid int
	_, err = fmt.Sscanf(string(text), "start %d", &pid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(b.status(t)[0].PID, syscall.SIGKILL))
	wait(t, func() bool { return syscall.Kill(pid, 0) != nil })
	require.Equal(t, "count 1\n", b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
	require.Equal(t, 2, b.starts(t))

	// under a call
	o := make(chan out, 1)
	go func() { o <- b.program(t, fieldbash.Options{}).run(t, "field:s:wait") }()
	wait(t, func() bool { return b.logs(`"name":"wait"`) })
	require.NoError(t, syscall.Kill(b.status(t)[0].PID, syscall.SIGKILL))
	require.Equal(t, 3, (<-o).status)
}

func (b *keptBench) logs(part string) bool {
	text, err := os.ReadFile(b.log) // it may not be there yet
	return err == nil && strings.Contains(string(text), part)
}

func TestChangedServerIsStartedAnew(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	old := b.program(t, fieldbash.Options{})
	require.Equal(t, "count 1\n", old.ok(t, "field:s:count"))
	s := b.cfg.MCPServers["s"]
	s.Env = map[string]string{"CHANGED": "1"}
	b.cfg = fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}
	require.Equal(t, "count 1\n", b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
	require.Equal(t, "count 2\n", old.ok(t, "field:s:count"), "who has the old one keeps it")
	require.Len(t, b.status(t), 1)
	require.NoError(t, old.Close())
	require.Equal(t, "count 2\n", b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
}

func TestInterruptedCallOfAKeptServer(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	ctx, cancel := context.WithCancel(t.Context())
	program := b.program(t, fieldbash.Options{})
	o := make(chan out, 1)
	go func() { o <- program.runCtx(ctx, t, "field:s:wait") }()
	wait(t, func() bool { return b.logs(`"name":"wait"`) })
	cancel()
	require.Equal(t, 130, (<-o).status)
	wait(t, func() bool { return b.logs(`"notifications/cancelled"`) })
	text, err := os.ReadFile(b.log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"name":"wait"`) {
			var call struct{ ID json.Number }
			require.NoError(t, json.Unmarshal([]byte(line), &call))
			require.Contains(t, string(text), `"requestId":`+call.ID.String())
		}
	}
	require.Equal(t, "count 1\n", program.ok(t, "field:s:count"))
}

// TestQuestionsGoToWhoCalls: not to another program that has the server too.
func TestQuestionsGoToWhoCalls(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	who := func(name string) bench {
		p := b.program(t, fieldbash.Options{Elicit: func(string, mcp.Question) mcp.Answer {
			return mcp.Answer{Action: "accept", Content: map[string]any{"who": name}}
		}})
		p.ok(t, "field:s:count")
		return p
	}
	ada, eve := who("Ada"), who("Eve")
	require.Contains(t, ada.ok(t, "field:s:ask"), "Ada")
	require.Contains(t, eve.ok(t, "field:s:ask"), "Eve")
	require.Contains(t, ada.ok(t, "field:s:ask"), "Ada")
}

func TestKeptUntilItIsIdle(t *testing.T) {
	b := newKept(t, fieldbash.Server{KeepAlive: fieldbash.KeepAlive(time.Millisecond)})
	p := b.program(t, fieldbash.Options{})
	require.Equal(t, "count 1\n", p.ok(t, "field:s:count"))
	require.Equal(t, "count 2\n", p.ok(t, "field:s:count"), "a server that is connected is not idle")
	require.NoError(t, p.Close())
	sockets := func() int {
		left, err := filepath.Glob(filepath.Join(b.state, "kept", "*.sock"))
		require.NoError(t, err)
		return len(left)
	}
	wait(t, func() bool { return sockets() == 0 })
}

func TestKeepForATime(t *testing.T) {
	b := newKept(t, fieldbash.Server{})
	p := b.program(t, fieldbash.Options{})
	require.Equal(t, "count 1\n", p.ok(t, "field:s:count"))
	require.Empty(t, b.status(t), "nothing is kept unasked")
	require.NoError(t, p.Keep(t.Context(), "s"))
	for _, want := range []string{"count 1\n", "count 2\n"} {
		require.Equal(t, want, b.program(t, fieldbash.Options{}).ok(t, "field:s:count"))
	}
	require.ErrorContains(t, p.Keep(t.Context(), "nope"), `no server "nope"`)
}

func TestWhatIsNotKept(t *testing.T) {
	var said []string
	log := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	b := newKept(t, fieldbash.Server{KeepAlive: keptFor})
	dir := filepath.Join(b.state, "kept")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o755))
	require.Equal(t, "count 1\n", b.program(t, fieldbash.Options{Log: log}).ok(t, "field:s:count"))
	require.Len(t, said, 1)
	require.Contains(t, said[0], "others can get at it")
	require.NoError(t, os.Chmod(dir, 0o700))

	refuse := b.program(t, fieldbash.Options{Permit: func(string, fieldbash.Server) error { return fmt.Errorf("not in this mode") }})
	o := b.program(t, fieldbash.Options{}).run(t, "field:s:count")
	require.Equal(t, 0, o.status)
	o = refuse.run(t, "field:s:count")
	require.Equal(t, 126, o.status, "a kept server is under the same rules")
	o = b.program(t, fieldbash.Options{Check: func([]string, string) error { return fmt.Errorf("it changed") }}).run(t, "field:s:count")
	require.Equal(t, 126, o.status)
	require.Contains(t, o.stderr, "it changed")

	for entry, want := range map[string]string{
		`{"mcpServers": {"s": {"command": "x", "keepAlive": "soon"}}}`:   `"keepAlive" is true or`,
		`{"mcpServers": {"s": {"url": "http://x", "keepAlive": "10m"}}}`: "",
	} {
		var cfg fieldbash.Config
		err := json.Unmarshal([]byte(entry), &cfg)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		_, err = fieldbash.New(cfg, nil)
		require.ErrorContains(t, err, "runs by itself")
	}
}
