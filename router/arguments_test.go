package router

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestParseArguments(t *testing.T) {
	for _, row := range []struct {
		json string
		want Arguments
		err  string
	}{
		{`{"command":"ls"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"","timeout":null}`, Arguments{}, ""},
		{`{"command":"ls","timeout":1.5}`, Arguments{Command: "ls", Timeout: 1500 * time.Millisecond}, ""},
		{`{"command":"ls","timeout":"60"}`, Arguments{Command: "ls", Timeout: time.Minute}, ""},
		{`{"command":"ls","timeout_ms":500}`, Arguments{Command: "ls", Timeout: 500 * time.Millisecond}, ""},
		{`{"cmd":"ls","description":"lists","sandbox":false,"env":null,"timeout":""}`, Arguments{Command: "ls"}, ""},
		{`{"command":"ls","workdir":"/srv/"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"ls","workdir":"./"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"ls","is_background":true,"workdir":"/srv"}`, Arguments{Command: "agent:bash_start --command=ls"}, ""},
		{`["ls"]`, Arguments{Command: "ls"}, ""},
		{`[{"command":"ls"}]`, Arguments{Command: "ls"}, ""},
		{`[1]`, Arguments{}, "not a JSON object"},
		{`"ls"`, Arguments{}, "not a JSON object"},
		{`ls -l`, Arguments{}, "not a JSON object"},
		{`command: ls`, Arguments{}, "not a JSON object"},
		{`{"command":"ls"} {"command":"pwd"}`, Arguments{}, "at character 17 of 34"},
		{``, Arguments{}, "have no command"},
		{`{}`, Arguments{}, "have no command"},
		{`{"command":5}`, Arguments{}, "command is not a string"},
		{`{"command":null}`, Arguments{}, "have no command"},
		{`{"command":["ls",5]}`, Arguments{}, "command is not a string"},
		{`{"command":"ls","cmd":"pwd"}`, Arguments{}, "two commands"},
		{`{"command":"ls","cwd":5}`, Arguments{}, "cwd is not a string"},
		{`{"command":"ls -l","restart":true}`, Arguments{}, "bash has no argument restart, and nothing ran"},
		{`{"command":"read","file_path":"a b.go","limit":3}`, Arguments{}, `{"command": "read '--file_path=a b.go' --limit=3"}`},
		// almost JSON
		{`{"command": "grep '\d' a.txt; echo \$HOME it\'s"}`, Arguments{Command: `grep '\d' a.txt; echo \$HOME it\'s`}, ""},
		{"{\"command\": \"printf 'a\tb'\"}", Arguments{Command: "printf 'a\tb'"}, ""},
		{`{"command": "ls"`, Arguments{Command: "ls"}, ""},
		{`{"command": "ls"}}`, Arguments{Command: "ls"}, ""},
		{`{"command": "ls",}`, Arguments{Command: "ls"}, ""},
		{`{'command': 'echo "a" it\'s', 'restart': None}`, Arguments{Command: `echo "a" it's`}, ""},
		{"```json\n{\"command\": \"ls\"}\n```", Arguments{Command: "ls"}, ""},
		{`{"command": "rm -rf /tmp/x`, Arguments{}, "cut off"},
		{`{"command": "echo \"one`, Arguments{}, "cut off"},
		{`{"command": "rm -rf *",`, Arguments{}, "cut off"},
		{`{"command": "make", "timeout": 1`, Arguments{}, "cut off"},
		{`{"command": "find . -delete -name "`, Arguments{}, "cut off"},
		{`{"command": "make", "kill": true`, Arguments{Command: "make", Kill: true}, ""},
		{`{"command": "grep '\bx\d' a.txt"}`, Arguments{Command: `grep '\bx\d' a.txt`}, ""},
		{`{"command": ["a", "b"`, Arguments{}, "cut off"},
		{`{"command": "grep "x" f"}`, Arguments{}, `at character 19 of 25 near`},
		// by other names
		{`{"code":"ls"}`, Arguments{Command: "ls"}, ""},
		{`{"input":{"command":"ls"}}`, Arguments{Command: "ls"}, ""},
		{`{"parameters":{"command":"ls"}}`, Arguments{Command: "ls"}, ""},
		{`{"name":"bash","arguments":{"command":"ls"}}`, Arguments{Command: "ls"}, ""},
		{`{"commands":["cd a","ls"]}`, Arguments{Command: "cd a &&\nls"}, ""},
		{`{"commands":["ls","cat <<E\nx\nE","cd a; ls","cd b","pwd"]}`, Arguments{Command: "ls\ncat <<E\nx\nE\ncd a; ls\ncd b &&\npwd"}, ""},
		{`{"commands":["ls","cd b"]}`, Arguments{Command: "ls\ncd b"}, ""},
		{`{"command":"cat","input":"x"}`, Arguments{}, "bash has no argument input"},
		// times
		{`{"command":"ls","timeout":"30s"}`, Arguments{Command: "ls", Timeout: 30 * time.Second}, ""},
		{`{"command":"ls","timeout":"5 minutes"}`, Arguments{Command: "ls", Timeout: 5 * time.Minute}, ""},
		{`{"command":"ls","timeout":"500 milliseconds"}`, Arguments{Command: "ls", Timeout: 500 * time.Millisecond}, ""},
		{`{"command":"ls","timeout":0}`, Arguments{Command: "ls", Note: "timeout 0 was left out: the limit is 120 seconds"}, ""},
		{`{"command":"ls","timeout":-1}`, Arguments{Command: "ls", Note: "timeout -1 was left out: the limit is 120 seconds"}, ""},
		{`{"command":"ls","timeout":"none"}`, Arguments{Command: "ls", Note: "timeout none was left out: the limit is 120 seconds"}, ""},
		{`{"command":"ls","timeout":"NaN"}`, Arguments{}, "timeout is"},
		{`{"command":"ls","timeout":[1]}`, Arguments{}, "timeout is"},
		// encoded twice, raw newlines, words
		{`"{\"command\": \"ls\"}"`, Arguments{Command: "ls"}, ""},
		{"{\"command\": \"cat <<'X'\n\ta \\\"b\\\" \\\\\nX\"}", Arguments{Command: "cat <<'X'\n\ta \"b\" \\\nX"}, ""},
		{`{"command":["bash","-lc","echo $x | wc"]}`, Arguments{Command: "echo $x | wc"}, ""},
		{`{"command":["ls","-l","a b"]}`, Arguments{Command: "ls -l 'a b'"}, ""},
		{`{"command":["cd src && ls"]}`, Arguments{Command: "cd src && ls"}, ""},
		// what stands around a command
		{"{\"command\":\"```bash\\nls | wc\\n```\"}", Arguments{Command: "ls | wc"}, ""},
		{"{\"command\":\"```\\nls\"}", Arguments{Command: "ls"}, ""},
		{"{\"command\":\"```python\\nprint(1)\\n```\"}", Arguments{}, "python in Markdown"},
		{"{\"command\":\"```sh\\nls\\n```\\nand\\n```sh\\npwd\\n```\"}", Arguments{}, "Markdown around the command"},
		{"{\"command\":\"Do this\\n```sh\\npwd\\n```\"}", Arguments{}, "Markdown around the command"},
		{"{\"command\":\"cat <<'X'\\n```sh\\npwd\\n```\\nX\"}", Arguments{Command: "cat <<'X'\n```sh\npwd\n```\nX"}, ""},
		{"{\"command\":\"echo `pwd`\"}", Arguments{Command: "echo `pwd`"}, ""},
		{"{\"command\":\"`ls -l`\"}", Arguments{Command: "ls -l"}, ""},
		{`{"command":"$ cd a\n$ ls"}`, Arguments{Command: "cd a\nls"}, ""},
		{`{"command":"$ ls\na.txt"}`, Arguments{}, "begins with a prompt"},
		{`{"command":"<command>ls</command>"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"{\"command\": \"ls\", \"timeout\": 5}"}`, Arguments{Command: "ls", Timeout: 5 * time.Second}, ""},
		{`{"command":"<tool_call>{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}</tool_call>"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"{ ls; }"}`, Arguments{Command: "{ ls; }"}, ""},
		{`{"command":"read {\"file_path\": \"a b\"}"}`, Arguments{Command: "agent:read '--file_path=a b'"}, ""},
		{`{"command":"jq '{\"a\": 1}'"}`, Arguments{Command: `jq '{"a": 1}'`}, ""},
	} {
		got, err := ParseArguments([]byte(row.json), "/srv")
		if row.err != "" {
			require.ErrorContains(t, err, row.err, row.json)
			continue
		}
		require.NoError(t, err, row.json)
		require.Equal(t, row.want, got, row.json)
	}
}

func TestTimeoutsAboveTheLimit(t *testing.T) {
	for _, row := range []struct {
		timeout string
		want    time.Duration
		note    string
	}{
		{"120000", 2 * time.Minute, "read as milliseconds"},
		{"12500", 12500 * time.Millisecond, "read as milliseconds"},
		{"5000", 5 * time.Second, "read as milliseconds"},
		{`"3600000"`, MaxTimeout, "bash_start"},
		{"600", MaxTimeout, ""},
		{"601", MaxTimeout, "600 seconds, the longest"},
		{"1800", MaxTimeout, "600 seconds, the longest"},
	} {
		got, err := ParseArguments([]byte(`{"command":"ls","timeout":`+row.timeout+`}`), "")
		require.NoError(t, err)
		require.Equal(t, row.want, got.Timeout, row.timeout)
		require.Contains(t, got.Noted("x\n"), row.note, row.timeout)
		require.Equal(t, row.note == "", got.Noted("x\n") == "x\n")
	}
}

// TestCallsOfOtherTools: each call of a tool of another agent, by a command that a real router runs.
func TestCallsOfOtherTools(t *testing.T) {
	reg := registry.New()
	require.NoError(t, reg.Register(append(files.Tools(nil), &registry.Tool{Name: "task", Summary: "an own one", Kind: registry.ReadOnly, Params: registry.NewParams(),
		Run: func(context.Context, *registry.Call) (registry.ToolResult, error) {
			return registry.Success("our own task"), nil
		}})...))
	r, err := New(reg, &Options{Dir: t.TempDir(), StateDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	has := func(name string) bool { _, ok := r.Registry().Lookup(name); return ok }
	require.Zero(t, run(t, r, "mkdir -p src sub; printf 'one\\ntwo\\nthree\\nfour\\n' > 'src/a b.txt'; pwd > sub/where").ExitCode)
	for _, row := range []struct{ name, arguments, want string }{
		{"Bash", `{"command":"echo hi","description":"says hi"}`, "hi\n"},
		{"functions.execute_bash", `{"command":"echo hi"}`, "hi\n"},
		{"shell", `{"command":["bash","-lc","echo hi"],"workdir":"src"}`, "hi\n"},
		{"exec_command<|channel|>", `{"cmd":"echo hi"}`, "hi\n"},
		{"bash", `{"command":"basename $PWD","working_directory":"src"}`, "src\n"},
		{"bash", `{"command":"cat <<X\nbody\nX","cwd":"src"}`, "body\n"},
		{"bash", `{"command":"basename $PWD","cwd":"nowhere"}`, "nowhere: No such file"},
		{"read_file", `{"path":"src/a b.txt"}`, "one\ntwo\nthree\nfour\n"},
		{"Read", `{"file_path":"src/a b.txt","offset":2,"limit":1}`, "two\n"},
		{"read_file", `{"target_file":"src/a b.txt","start_line":2,"end_line":3,"explanation":"why"}`, "two\nthree\n"},
		{"str_replace_based_edit_tool", `{"command":"view","path":"src/a b.txt","view_range":[3,-1]}`, "three\nfour\n"},
		{"str_replace_based_edit_tool", `{"command":"drop","path":"x"}`, "it is view, create"},
		{"create_file", `{"path":"n.txt","content":"it's $HOME\n"}`, ""},
		{"read", `{"path":"n.txt"}`, "it's $HOME\n"},
		{"str_replace", `{"path":"n.txt","old_str":"$HOME","new_str":"here"}`, "+it's here"},
		{"Edit", `{"file_path":"n.txt","old_string":"here","new_string":"","replace_all":true}`, "+it's \n"},
		{"list_dir", `{"path":"src","recursive":false}`, "a b.txt"},
		{"list_files", `{"path":"src","recursive":true}`, "glob '**' --path DIR"},
		{"Glob", `{"pattern":"*.txt","path":"src"}`, "src/a b.txt\n"},
		{"grep_search", `{"query":"thre+","includePattern":"*.txt"}`, "src/a b.txt:3:three\n"},
		{"Grep", `{"pattern":"THREE","-i":true,"path":"src"}`, "three\n"},
		{"create_directory", `{"path":"made/deep"}`, ""},
		{"move_file", `{"destination":"made/n.txt","source":"n.txt"}`, ""},
		{"delete_file", `{"path":"made/n.txt"}`, ""},
		{"ls", `{"path":"made"}`, "deep"},
		{"task", `{}`, "our own task"},
		{"Task", `{}`, "no other agents here"},
		{"TodoWrite", `{"todos":[]}`, "no list of tasks"},
		{"attempt_completion", `{"result":"done"}`, "in words, without a call"},
		{"mcp__db__query", `{"sql":"select 1"}`, "field:db:query"},
		{"raed", `{"path":"x"}`, "did you mean read?"},
		{"", `{"a":1}`, `{"command": "ls -l"`},
		{" bash", `{"command":"echo hi"}`, "hi\n"},
		{"", `{"command":"echo hi"}`, "hi\n"},
		{"functions.bash", `{"command":"echo hi"}`, "hi\n"},
		{"bash<|channel|>commentary", `{"command":"echo hi"}`, "hi\n"},
		{"bash", `echo hi there`, "hi there\n"},
		{"python", `{"code":"print(1)"}`, "python3 - <<'EOF'"},
		{"final_answer", `{"answer":"42"}`, "in words, without a call"},
		{"cat", `{"file":"src/a b.txt"}`, "one\ntwo"},
		{"ls", `{}`, "src"},
		{"functions.bash:0", `{"command":"echo hi"}`, "hi\n"},
		{"what is this", `{}`, "the only tool is bash"},
	} {
		a, err := ParseCall(row.name, []byte(row.arguments), r.Dir(), has)
		got := ""
		if err == nil {
			res := run(t, r, a.Command)
			got = res.Stdout + res.Stderr
			require.True(t, row.want != "" || res.Success, "%s: %s", row.name, got)
		} else {
			got = err.Error()
		}
		require.Contains(t, got, row.want, "%s %s\n%s", row.name, row.arguments, a.Command)
	}
	require.Equal(t, "sub", filepath.Base(strings.TrimSpace(run(t, r, "cd sub; pwd").Stdout)))
}

func TestCommands(t *testing.T) {
	for text, want := range map[string][]string{
		"cd x && git push --force": {"git push"},
		"rm -rf a; (touch 'b c')":  {"rm", "touch b c"},
		"agent:write a $(date)":    {"write a", "date"},
		" > f ":                    {"> f"},
		"if":                       {"if"},
	} {
		require.Equal(t, want, Commands(text), text)
	}
}

// FuzzParseArguments: whatever is sent, there is a command or an error, and an object with a plain command means that command.
func FuzzParseArguments(f *testing.F) {
	f.Add(`{"command":"ls"}`)
	f.Add("{\"command\":\"```bash\\nls\\n```\"}")
	f.Add(`"{\"command\": [\"bash\",\"-c\",\"x\"]}"`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ParseArguments([]byte(text), "")
		if err == nil && !json.Valid([]byte(text)) {
			_, err = registry.DecodeJSON([]byte(repairJSON(text)))
			require.NoError(t, err)
		}
	})
}

func TestKillInACall(t *testing.T) {
	for text, kill := range map[string]bool{
		`{"command":"x","kill":true}`: true, `{"command":"x","kill":"true","timeout":5}`: true, `{"command":"x","kill":false}`: false, `{"command":"x"}`: false,
	} {
		args, err := ParseArguments([]byte(text), "/")
		require.NoError(t, err)
		require.Equal(t, kill, args.Kill, text)
		require.Equal(t, kill, args.Context(t.Context()).Value(killKey{}) != nil, text)
	}
}
