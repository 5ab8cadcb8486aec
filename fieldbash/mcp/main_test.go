package mcp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/internal/testneeds"
)

// The test binary is also the misbehaving servers, the host that is killed and the client of the conformance suite.
func TestMain(m *testing.M) {
	switch os.Getenv("MCP_TEST_ROLE") {
	case "server":
		fakeServer(os.Args[1:])
		return
	case "host":
		killedHost(os.Args[1:])
		return
	case "conformance":
		if err := conformanceClient(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// fake is a server as they are found in the wild; traits say what is wrong with it.
func fake(t testing.TB, traits ...string) mcp.Spec {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return mcp.Spec{Command: &mcp.Command{
		Name: self, Args: traits, Dir: t.TempDir(),
		Env: []string{"MCP_TEST_ROLE=server", "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE")},
	}}
}

// npm is one of the real servers of testdata/mcp.
func npm(t testing.TB, name string, args ...string) mcp.Spec {
	t.Helper()
	return mcp.Spec{Command: &mcp.Command{
		Name: "node", Args: append([]string{testneeds.NPM(t, "mcp", "@modelcontextprotocol/"+name+"/dist/index.js")}, args...), Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()},
	}}
}

// open makes a client that is closed with the test.
func open(t testing.TB, spec mcp.Spec, opts *mcp.Options) *mcp.Client {
	t.Helper()
	c := mcp.NewClient(spec, opts)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// waitLimit is how long a test waits for what must come.
const waitLimit = 5 * time.Minute

// patiently runs a test of a time limit, anew with twice the limit while the
// machine is too slow for what must be done within it.
func patiently(t *testing.T, limit time.Duration, test func(t *testing.T, limit time.Duration) error) {
	t.Helper()
	err := test(t, limit)
	for e := (*mcp.Error)(nil); errors.As(err, &e) && e.ExitStatus() == 124 && limit < waitLimit; err = test(t, limit) {
		limit *= 2
		t.Logf("%v: too slow: with %v now", err, limit)
	}
	require.NoError(t, err)
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Cursor    string
		Arguments json.RawMessage
		Meta      struct {
			Token any `json:"progressToken"`
		} `json:"_meta"`
	}
}

// fakeServer speaks just enough MCP, badly where a trait says so.
func fakeServer(traits []string) {
	delay, _ := time.ParseDuration(os.Getenv("MCP_TEST_DELAY")) // of what is slow
	has := func(t string) bool { return strings.Contains(" "+strings.Join(traits, " ")+" ", " "+t+" ") }
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	if has("stubborn") {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	if has("die") {
		fmt.Fprintln(os.Stderr, "\x1b[31mError:\x1b[0m no API key\nset FAKE_KEY")
		os.Exit(7)
	}
	if has("child") {
		c := exec.Command("sleep", "1000")
		c.Start()
		fmt.Fprintln(os.Stderr, "child", c.Process.Pid)
	}
	if has("noise") {
		say("Starting server...\n\n{\"not\": \"rpc\"}\n[1,2]\n{broken")
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	calls := 0
	for in.Scan() {
		var r request
		json.Unmarshal(in.Bytes(), &r)
		answer := func(result string) { say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result) }
		switch r.Method {
		case "server/discover":
			switch {
			case has("mute"):
			case has("late"):
				time.AfterFunc(delay, func() {
					say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"late"}}`, r.ID)
				})
			case has("modern"):
				time.AfterFunc(delay, func() {
					answer(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
				})
			case has("crash-on-discover"):
				fmt.Fprintln(os.Stderr, "unexpected method")
				os.Exit(1)
			default:
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, r.ID)
			}
		case "initialize":
			if has("never") {
				continue
			}
			if has("refuses") {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not today"}}`, r.ID)
				continue
			}
			if has("modern") {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, r.ID)
				continue
			}
			if has("log") {
				appendLog("started")
			}
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
		case "tools/list":
			listTools(has, r, answer)
		case "tools/call":
			calls++
			callTool(r, calls, delay, say, answer)
		case "notifications/cancelled":
			appendLog("cancelled " + string(in.Bytes()))
		}
	}
	if has("stubborn") {
		select {}
	}
}

func listTools(has func(string) bool, r request, answer func(string)) {
	tool := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"x-big":9007199254740993}}`, name)
	}
	switch {
	case has("pages") && r.Params.Cursor == "":
		answer(`{"tools":[` + tool("one") + `],"nextCursor":"2"}`)
	case has("pages") && r.Params.Cursor == "2":
		answer(`{"tools":[` + tool("two") + `],"nextCursor":"3"}`)
	case has("pages"):
		answer(`{"tools":[` + tool("three") + `],"nextCursor":"2"}`)
	case has("odd"):
		answer(`{"tools":[null,17,{"name":"bad","inputSchema":null,"annotations":"x"},` + tool("good") + `,{"description":"nameless"}]}`)
	case has("no-tools"):
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", r.ID)
	default:
		answer(`{"tools":[` + tool("one") + `]}`)
	}
}

func callTool(r request, calls int, delay time.Duration, say func(string, ...any), answer func(string)) {
	switch r.Params.Name {
	case "count":
		answer(fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, calls))
	case "echo":
		b, _ := json.Marshal(string(r.Params.Arguments))
		answer(`{"content":[{"type":"text","text":` + string(b) + `}],"structuredContent":` + string(r.Params.Arguments) + `}`)
	case "odd":
		answer(`{"content":[{"type":"hologram","depth":3},{"type":"text","text":17},{"type":"text","text":"ok"}],"structuredContent":{"n":9007199254740993},"later":true}`)
	case "big":
		answer(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 16<<20) + `"}]}`)
	case "slow":
	case "progress":
		token, _ := json.Marshal(r.Params.Meta.Token)
		for i := range 6 {
			time.Sleep(delay) // the pace of the work it plays
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":6,"message":"step"}}`, token, i+1)
		}
		for _, level := range []string{"debug", "info", "notice"} {
			say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","data":"chatter"}}`)
		}
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"careful"}}`)
		answer(`{"content":[{"type":"text","text":"done"}]}`)
	case "progress-flood":
		token, _ := json.Marshal(r.Params.Meta.Token)
		for i := range floodNotes {
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d}}`, token, i+1, floodNotes)
		}
		answer(`{"content":[{"type":"text","text":"done"}]}`)
	case "progress-forever":
		token, _ := json.Marshal(r.Params.Meta.Token)
		go func() {
			for i := 0; ; i++ {
				time.Sleep(20 * time.Millisecond) // the pace of the work it plays
				say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, i)
			}
		}()
	case "nonsense":
		for i := range 200 {
			say(`{"jsonrpc":"2.0","id":"q%d","method":"no/such/method","params":{}}`, i)
			say(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i)
			say(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, 900000+i)
			say(`{"jsonrpc":"2.0","method":"notifications/nothing/known","params":[1]}`)
			say(`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`)
			say(`{"jsonrpc":"1.0","id":1}`)
		}
		answer(`{"content":[{"type":"text","text":"sane"}]}`)
		answer(`{"content":[{"type":"text","text":"a second answer"}]}`)
	case "endless":
		for chunk := strings.Repeat("x", 1<<20); ; {
			if _, err := fmt.Print(chunk); err != nil {
				os.Exit(1)
			}
		}
	case "maybe-die":
		if calls%40 == 0 {
			os.Exit(9)
		}
		b, _ := json.Marshal(string(r.Params.Arguments))
		answer(`{"content":[{"type":"text","text":` + string(b) + `}]}`)
	case "half":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`, r.ID)
		os.Exit(0)
	case "wrong-shape":
		answer(`["not", "an", "object"]`)
	case "changed":
		say(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", burst))
		answer(`{"content":[]}`)
	case "die":
		fmt.Fprintln(os.Stderr, "segmentation fault, sort of")
		os.Exit(9)
	case "die-once":
		appendLog("call")
		if b, _ := os.ReadFile("log"); strings.Count(string(b), "call") == 1 {
			os.Exit(9)
		}
		answer(`{"content":[{"type":"text","text":"second time"}]}`)
	default:
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool"}}`, r.ID)
	}
}

// floodNotes is how many notes of progress the tool "progress-flood" sends at once.
const floodNotes = 5000

// burst is how many notifications the tool "changed" sends at once.
const burst = 5

// appendLog leaves a line in the server's directory for the test to read.
func appendLog(line string) {
	f, err := os.OpenFile("log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}
