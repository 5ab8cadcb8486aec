package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/quote"
)

// compositionFiles are what the calls of testdata/composition.txt find.
var compositionFiles = map[string]string{
	"a.go": "package a\n", "src/b.go": "package src // foo 1\n", "src/deep/c.go": "package deep // needle 1\n",
	"f.txt": "one\nTWO\nthree needle\n", "LICENSE": "free\n", "x1.log": "n1\n", "x2.log": "n2\n",
	"open": "a\nb", "empty": "", "crlf": "one\r\ntwo\r\n", "latin1": "caf\xe9\n", "bin": "a\x00b\n", "long": strings.Repeat("x", 3000) + "\nend\n",
	"two words.txt": "1\n2\n", "-dash": "dash --fixed\n", "a*b": "star\n", "stars": "a ** b\n", "plus": "a+b\na|b\n",
	"name.txt": "f.txt", "pat.txt": "TWO", "call.json": `{"file_path":"f.txt","offset":3}`, "edits.json": `[{"old_string":"one","new_string":"uno"}]`,
	"p.diff": "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n-one\n+uno\n TWO\n", "p.env": "*** Begin Patch\n*** Update File: f.txt\n-one\n+uno\n*** End Patch\n",
	"o.json": `{"z":1,"label":"x","a":[1.50,"t"]}`, "echo.json": `{"s":"from a file","i":7}`,
}

// compositionTools answer with the arguments that they get.
const compositionTools = `[
{"name":"echo","input_schema":{"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"},"b":{"type":"boolean"},"o":{"type":"object"},"nb":{"type":["boolean","null"]}}}},
{"name":"any","input_schema":{"type":"object","properties":{"x":{},"l":{"type":"array"},"sn":{"type":["string","number"]},"u":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}},
{"name":"repo","input_schema":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},"private":{"type":"boolean"}},"required":["name"]}},
{"name":"names","input_schema":{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}},
{"name":"nested","input_schema":{"type":"object","properties":{"opts":{"type":"object","properties":{"label":{"type":"string"},"deep":{"type":"object"}}},"rows":{"type":"array","items":{"type":"object"}}},"required":["opts"]}},
{"name":"none","input_schema":{"type":"object","properties":{},"additionalProperties":false}},
{"name":"hit","input_schema":{"type":"object","properties":{"s":{"type":"string"}},"required":["s"]},"exec":{"argv":["jq","-j",".s"]}},
{"name":"words","input_schema":{"type":"object"},"exec":{"argv":["printf","w1\\nw2\\nw3"]}}]`

// A composedCall is a row of the table.
type composedCall struct{ row, setup, input, call string }

func (c composedCall) name() string { name, _, _ := strings.Cut(c.call, " "); return name }
func (c composedCall) words() string {
	_, words, _ := strings.Cut(c.call, " ")
	return words
}

// unmistakable reports whether the call has the form of a tool's also where Unix
// has a program of its name.
func (c composedCall) unmistakable() bool {
	return strings.HasPrefix(c.words(), "--") && c.words() != "--help" || strings.Contains(c.name(), ":")
}

// forced is the call by a name that is no other program's.
func (c composedCall) forced() string {
	if strings.Contains(c.name(), ":") {
		return c.call
	}
	return "agent:" + c.call
}

// anywhere is the call as an argument of another program.
func (c composedCall) anywhere() string {
	if c.unmistakable() {
		return c.call
	}
	return c.forced()
}

func (c composedCall) with(command string) string {
	if c.input != "" {
		return c.input + " | " + command
	}
	return command
}

// status ends a command line with the call's own exit status.
const status = "; (exit ${PIPESTATUS[%d]})"

func (c composedCall) piped(command, to string) string {
	at := 0
	if c.input != "" {
		at = 1
	}
	return c.with(command) + " | " + to + fmt.Sprintf(status, at)
}

// compositions are the ways in which a call can stand in a text, "" where it
// cannot stand so.
var compositions = []struct {
	name string
	line func(c composedCall) string
}{
	{"alone", func(c composedCall) string { return c.with(c.call) }},
	{"pipe", func(c composedCall) string { return c.piped(c.call, "cat") }},
	{"substitution", func(c composedCall) string {
		if strings.Contains(c.call, "--null") || strings.Contains(c.call, "--encoding raw") {
			return "" // bash drops bytes that are NUL
		}
		return "x=$(" + c.with(c.call) + "; s=$?; echo .; exit $s); s=$?; printf %s \"${x%.?}\" | sed '$s/\\.$//' | head -c -0; (exit $s)"
	}},
	{"redirection", func(c composedCall) string { return c.with(c.call+" >../out") + "; s=$?; cat ../out; (exit $s)" }},
	{"loop", func(c composedCall) string { return "for i in 1; do " + c.with(c.call) + "; done" }},
	{"function", func(c composedCall) string { return "f() { " + c.with(c.call) + "; }; f" }},
	{"list", func(c composedCall) string { return "true && { " + c.with(c.call) + "; }" }},
	{"time", func(c composedCall) string { return c.with("command " + c.anywhere()) }},
	{"eval", func(c composedCall) string { return "eval " + quote.Word(c.with(c.call)) }},
	{"child", func(c composedCall) string { return c.with("bash -c " + quote.Word("set -f; "+c.anywhere())) }},
	{"timeout", func(c composedCall) string { return c.with("timeout 600 env nice " + c.anywhere()) }},
	{"find", func(c composedCall) string {
		if c.input != "" || strings.Contains(c.call, "{") {
			return ""
		}
		return "find . -maxdepth 0 -exec " + c.anywhere() + ` \;`
	}},
	{"xargs", func(c composedCall) string {
		first, rest, _ := strings.Cut(c.words(), " ")
		if c.input != "" || strings.Contains(c.call, "<") || strings.ContainsAny(first, `'"\$*?[@{`) || rest == "" {
			return ""
		}
		return "set -f; printf '%s\\0' " + rest + " | xargs -r0 " + strings.TrimSuffix(c.anywhere(), c.words()) + first + "; s=$?; set +f; (exit $s)"
	}},
	{"script", func(c composedCall) string {
		return "printf '%s\\n' " + quote.Word("set -f\n"+c.forced()) + " >../s.sh; " + c.with("bash ../s.sh")
	}},
}

// ran is what came of a call: what it said, and the files after it.
type ran struct {
	Stdout, Stderr string
	Status         int
	Files          string
}

// TestComposition runs each call of the table alone, in every kind of command, and
// from a terminal: it always does the same.
func TestComposition(t *testing.T) {
	table, err := os.ReadFile("../../testdata/composition.txt")
	require.NoError(t, err)
	var calls []composedCall
	for _, row := range strings.Split(string(table), "\n") {
		if row == "" || row[0] == '#' {
			continue
		}
		c := composedCall{row: row, call: row}
		if setup, rest, ok := strings.Cut(c.call, " ;; "); ok {
			c.setup, c.call = setup, rest
		}
		if input, rest, ok := strings.Cut(c.call, " |> "); ok {
			c.input, c.call = input, rest
		}
		calls = append(calls, c)
	}
	require.GreaterOrEqual(t, len(calls), 150)
	web := webServer(t.Cleanup)
	alone := newCompositionWorld(t, web).inSession(t, calls, compositions[0].line)
	for _, way := range compositions[1:] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			compareRuns(t, way.name, calls, alone, newCompositionWorld(t, web).inSession(t, calls, way.line))
		})
	}
	t.Run("terminal", func(t *testing.T) {
		t.Parallel()
		compareRuns(t, "terminal", calls, alone, newCompositionWorld(t, web).inTerminal(t, calls))
	})
}

func compareRuns(t *testing.T, way string, calls []composedCall, alone, other []ran) {
	t.Helper()
	for i, c := range calls {
		want, got := alone[i], other[i]
		switch {
		case got == ran{}: // it cannot stand so
			continue
		case way == "xargs" && want.Status > 0 && got.Status == 123:
			want.Status = 123 // xargs(1), "Exit status": the command failed
		case way == "find":
			want.Status = 0 // find(1), -exec: it goes on
		case way == "terminal" && sessions.MatchString(c.call):
			want.Stderr = got.Stderr
		}
		if want != got {
			t.Errorf("%s\nalone: %+v\n%s: %+v", c.row, want, way, got)
		}
	}
}

// compositionWorld is a home, a web, and a directory with the files.
type compositionWorld struct {
	*fieldWorld
	web string
}

func newCompositionWorld(t *testing.T, web string) *compositionWorld {
	var tools []map[string]any
	require.NoError(t, json.Unmarshal([]byte(compositionTools), &tools))
	for _, tool := range tools {
		if tool["exec"] == nil {
			tool["exec"] = map[string]any{"argv": []string{"cat"}}
		}
	}
	w := &compositionWorld{newFieldWorld(t, map[string]any{"functions": map[string]any{"st": tools}}), web}
	w.env = append(w.env, "WEB="+web)
	return w
}

// newDir is a directory with the files, for the call of a row.
func (w *compositionWorld) newDir(t *testing.T, row int) string {
	dir := filepath.Join(w.dir, "work", strconv.Itoa(row))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700)) // notes stand in the repository
	for name, content := range compositionFiles {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

// changes are the files of a directory that are not as newDir made them.
func changes(t *testing.T, dir string) string {
	left := maps.Clone(compositionFiles)
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		content, err := os.ReadFile(path)
		if before, ok := left[name]; !ok || before != string(content) {
			fmt.Fprintf(&b, "%s: %q\n", name, content)
		}
		delete(left, name)
		return err
	}))
	return b.String() + strings.Join(slices.Sorted(maps.Keys(left)), " is gone\n")
}

// differs is what no two runs have in common: the numbers by which undo tells changes,
// and times.
var differs = regexp.MustCompile(`\b(edit|write|apply_patch|undo) \d+\b|\b\d{4}-\d\d-\d\dT[0-9:]+Z`)

// sessions are calls of what is of one session; a terminal's errors say so.
var sessions = regexp.MustCompile(`^(bash_output|bash_kill|agent:nosuch) `)

func (w *compositionWorld) ran(t *testing.T, dir, stdout, stderr string, status int) ran {
	clean := func(s string) string {
		s = strings.NewReplacer(dir, "DIR/work", w.dir, "DIR").Replace(strings.ToValidUTF8(s, "\ufffd"))
		return differs.ReplaceAllString(s, "N")
	}
	return ran{clean(stdout), clean(stderr), status, clean(changes(t, dir))}
}

func (w *compositionWorld) inSession(t *testing.T, calls []composedCall, line func(composedCall) string) []ran {
	var commands, dirs []string
	at := make([]int, len(calls)) // of a row's command, 0 if it cannot stand so
	for i, c := range calls {
		dirs = append(dirs, "")
		text := line(c)
		if text == "" {
			continue
		}
		dirs[i] = w.newDir(t, i)
		commands = append(commands, "cd "+dirs[i]+"; set +f")
		if c.setup != "" {
			commands = append(commands, c.setup)
		}
		at[i] = len(commands)
		commands = append(commands, text)
	}
	got := w.lines(t, commands...)
	all := make([]ran, len(calls))
	for i := range calls {
		if at[i] > 0 {
			r := got[at[i]]
			all[i] = w.ran(t, dirs[i], r.Stdout, r.Stderr, r.ExitCode)
		}
	}
	return all
}

func (w *compositionWorld) inTerminal(t *testing.T, calls []composedCall) []ran {
	self, err := os.Executable()
	require.NoError(t, err)
	all := make([]ran, len(calls))
	for i, c := range calls {
		dir := w.newDir(t, i)
		shell := func(text string) ran {
			cmd := exec.CommandContext(context.Background(), "bash", "-c", "set -f; agentbash() { "+quote.Word(self)+` "$@"; }; `+text)
			cmd.Dir, cmd.Env = dir, w.env
			var out, notes bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &notes
			err := cmd.Run()
			if exit := (*exec.ExitError)(nil); err != nil {
				require.ErrorAs(t, err, &exit)
			}
			return w.ran(t, dir, out.String(), notes.String(), cmd.ProcessState.ExitCode())
		}
		if c.setup != "" {
			before := shell("agentbash " + c.setup)
			require.Zero(t, before.Status, "%s: %+v", c.row, before)
		}
		all[i] = shell(c.with("agentbash " + c.call))
	}
	return all
}

// Lines of calls that run at once stay apart.
func TestCallsAtOnce(t *testing.T) {
	w := newCompositionWorld(t, "")
	got := w.lines(t, "seq 200 | xargs -P 20 -n 1 field:st:hit --s | sort -u | wc -l")
	require.Equal(t, "200\n", got[0].Stdout)
}
