package router

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// says is a tool that writes given texts.
func says(name, out, notes string) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Say it", Params: registry.NewParams(), Kind: registry.ReadOnly, Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		io.WriteString(c.Stdout, out)
		io.WriteString(c.Stderr, notes)
		return registry.Success(""), nil
	}}
}

func TestOutput(t *testing.T) {
	rows := []struct{ name, command, output string }{
		{"text", "echo hi", "hi\n"},
		{"no newline at the end", "printf hi", "hi"},
		{"nothing", "true", "(no output)"},
		{"nothing and a status", "(exit 3)", "[exit code: 3]"},
		{"only a newline", "echo", "\n"},
		{"stderr", "echo out; echo err >&2", "out\n[stderr]\nerr\n"},
		{"stderr alone", "echo err >&2", "[stderr]\nerr\n"},
		{"stderr after a line that does not end", "printf out; printf err >&2", "out\n[stderr]\nerr"},
		{"stderr and a status", "printf err >&2; false", "[stderr]\nerr\n[exit code: 1]"},
		{"a status", "printf out; false", "out\n[exit code: 1]"},
		{"a usage error", "edit --nope x", "[stderr]\nedit: unknown parameter --nope (its parameters: file_path, old_string, new_string, replace_all)\nedit: missing --file_path: write --file_path TEXT\nsee: edit --help\n[exit code: 2]"},
		{"a command that is not there", "agent:nope", "[stderr]\nagent:nope: no such command: type `agent:` to list the commands, or `field:` to list the servers\n[exit code: 127]"},
		{"an empty command", "  ", "[stderr]\nthe command is empty: send one, such as `ls` or `read --file_path README.md`\n[exit code: 2]"},
		{"NUL", "echo a\x00b", "[stderr]\nthe command holds a NUL byte, which no bash command can: leave it out, or write it as printf '\\0'\n[exit code: 2]"},
		{"control sequences", `printf '\033[1mbold\033[0m \033]0;title\a\033(Bx\b\r\n'`, "bold x\r\n"},
		{"a control sequence that does not end", `printf '\033]0;rest'`, "]0;rest"},
		{"C1 controls", `printf '\302\2331mx'`, "1mx"},
		{"tabs and UTF-8 stay", `printf 'a\tgrün 日本 🔥\n'`, "a\tgrün 日本 🔥\n"},
		{"invalid UTF-8", `printf 'a\xffb\xc3(long enough not to be binary)'`, "a\ufffdb\ufffd(long enough not to be binary)"},
		{"a tool's", "talk", "said\n[stderr]\nnoted\n"},
		{"a tool's in a pipe", "talk 2>&1 | sort", "noted\nsaid\n"},
		{"a hint", "grep -i TODO", "[stderr]\nhint: grep had no file and nothing on its stdin: to search the files below this directory type grep --pattern TEXT [--path DIR] [--ignore_case], or give grep -r and a file\n[exit code: 1]"},
		{"no hint where grep had something to search", "echo x | grep -i TODO", "[exit code: 1]"},
		{"a hint to read", "read Makefile", "[stderr]\nhint: bash's own read fills variables: to see the file type read ./Makefile, or read --file_path Makefile\n[exit code: 1]"},
		{"a hint where calls could not be found", "declare -A m; m[a b]=1; grep --pattern x", "[stderr]\ngrep: unrecognized option '--pattern'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\nhint: that was not the tool: where a program or a script's own text runs it, grep is called agent:grep\n[exit code: 2]"},
		{"no hint where bash says what is wrong", "read ./x )", "[stderr]\nbash: -c: line 1: syntax error near unexpected token `)'\nbash: -c: line 1: `read ./x )'\n[exit code: 2]"},
		{"read where there is no such file", "read nosuch", "[stderr]\nhint: bash's own read fills variables and had nothing to read, and there is no file nosuch here: look for it with glob '**/nosuch*'\n[exit code: 1]"},
		{"read a directory", "mkdir src; read src", "[stderr]\nhint: bash's own read fills variables, and src is a directory: list it with ls src, or what is below it with glob '**' --path src\n[exit code: 1]"},
		{"no hint where a text goes on without the file", "read nosuch; true", "(no output)"},
	}
	r := newTest(t, says("talk", "said\n", "noted\n"))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "Makefile"), []byte("all:\n"), 0o644))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.output, run(t, r, row.command).Output, "%q", row.command)
		})
	}
}

func TestWriteHint(t *testing.T) {
	r := newTest(t)
	res := run(t, r, "echo hi | write nosuchuser")
	require.NotZero(t, res.ExitCode)
	require.Contains(t, res.Output, "hint: this was write(1), which sends a message to a user: to write a file type write ./FILE")
	require.Equal(t, 1, strings.Count(res.Output, "hint:"))
}

func TestRawBytesInsideBash(t *testing.T) {
	r := newTest(t, says("raw", "\x00\xff\x1b[1m\r\n", ""))
	require.Equal(t, "00ff1b5b316d0d0a\n", run(t, r, `raw | od -An -tx1 | tr -d ' '`).Stdout)
	require.Equal(t, "\x00\xff\x1b[1m\r\n", run(t, r, `raw | cat`).Stdout)
	require.Equal(t, "\x00\xff\x1b[1m\r\n", run(t, r, `raw`).Stdout)
}

var omitted = regexp.MustCompile(`<system_hint type="tool_output_omitted" tool="(.*)" reason="(?:too_long|long_lines)" actual_chars="(\d+)" max_chars="(\d+)" full_output="(.*)">(.*)</system_hint>`)

func TestTruncation(t *testing.T) {
	lines := func(n int) string { return numbered(1, n) }
	wide := strings.Repeat(strings.Repeat("日", 500)+"\n", 80)
	rows := []struct {
		name, command, tool string
		head, tail          string // what the shown text starts and ends with
		chars               int    // of the whole
		file, advice        string
	}{
		{"a command: head and tail", "seq -f 'line %g' 10000", "bash", numbered(1, 601)[:20], "line 9999\nline 10000\n", len(lines(10000)), lines(10000), "read --file_path "},
		{"with stderr", "seq -f 'line %g' 10000; echo bad >&2; (exit 4)", "bash", "line 1\n", "line 10000\n[stderr]\nbad\n[exit code: 4]", len(lines(10000)) + len("[stderr]\nbad\n"), lines(10000) + "[stderr]\nbad\n", ""},
		{"stderr alone", "seq -f 'line %g' 10000 >&2", "bash", "[stderr]\nline 1\n", "line 10000\n", len(lines(10000)) + len("[stderr]\n"), "[stderr]\n" + lines(10000), ""},
		{"read: head only", "read ./long", "read", "line 1\n", "</system_hint>", len(lines(10000)), lines(10000), ""},
		{"another tool: head and tail", "much", "much", "line 1\n", "line 10000\n", len(lines(10000)), lines(10000), ""},
		{"characters, not bytes", "cat wide", "bash", "日日日", "日日日\n", 80 * 501, wide, "read --file_path "},
	}
	r := newTest(t, says("much", lines(10000), ""))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "long"), []byte(lines(10000)), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "wide"), []byte(wide), 0o644))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			res := run(t, r, row.command)
			require.True(t, res.Truncated)
			m := omitted.FindStringSubmatch(res.Output)
			require.NotNil(t, m, "%s", res.Output)
			require.Equal(t, []string{row.tool, fmt.Sprint(row.chars), "30000", res.FullOutput}, m[1:5])
			require.True(t, strings.HasPrefix(res.Output, row.head), "%.60s", res.Output)
			require.True(t, strings.HasSuffix(res.Output, row.tail), "%q", res.Output[len(res.Output)-60:])
			require.Contains(t, m[5], row.advice)
			head, tail, _ := strings.Cut(res.Output, m[0])
			require.True(t, utf8.ValidString(res.Output))
			require.LessOrEqual(t, utf8.RuneCountInString(head+tail), 30_000+len("\n\n[exit code: 4]"))
			require.Greater(t, utf8.RuneCountInString(head+tail), 28_900)
			if row.tool != "read" {
				require.InDelta(t, 6000, utf8.RuneCountInString(head), 510)
			}
			kept, err := os.ReadFile(res.FullOutput)
			require.NoError(t, err)
			require.Equal(t, row.file, string(kept))
			info, err := os.Stat(res.FullOutput)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}

// numbered is the lines from first to last.
func numbered(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestAdviceIsRight follows the hint: what it says to type shows the first line
// that was left out.
func TestAdviceIsRight(t *testing.T) {
	r := newTest(t)
	res := run(t, r, "seq -f 'line %g' 20000")
	m := regexp.MustCompile(`follows after line (\d+): read --file_path (\S+) --offset (\d+) `).FindStringSubmatch(res.Output)
	require.NotNil(t, m, "%s", res.Output)
	kept, err := os.ReadFile(m[2])
	require.NoError(t, err)
	var n int
	fmt.Sscan(m[3], &n)
	next := strings.Split(string(kept), "\n")[n-1]
	require.NotContains(t, res.Output, next+"\n")
	require.Contains(t, res.Output, fmt.Sprintf("line %d\n<system_hint", n-1))
}

func TestMaxChars(t *testing.T) {
	reg := registry.New()
	r, err := New(reg, &Options{Dir: t.TempDir(), StateDir: filepath.Join(t.TempDir(), "a state"), MaxChars: 100})
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, strings.Repeat("x", 99)+"\n", run(t, r, "printf '%099d\n' 0 | tr 0 x").Output)
	res := run(t, r, "printf '%0101d' 0 | tr 0 x")
	require.True(t, res.Truncated)
	require.Contains(t, res.Output, "tail -c +21 '"+res.FullOutput+"' | head")
}

func TestBinaryOutput(t *testing.T) {
	r := newTest(t)
	res := run(t, r, `printf '\211PNG\r\n\032\n\0\0\0'; echo note >&2`)
	require.Equal(t, "(binary output: 11 bytes, kept in "+res.FullOutput+")\n[stderr]\nnote\n", res.Output)
	kept, err := os.ReadFile(res.FullOutput)
	require.NoError(t, err)
	require.Equal(t, "\x89PNG\r\n\x1a\n\x00\x00\x00", string(kept), "only the bytes, no stderr")

	res = run(t, r, `echo note; head -c 50000 /dev/urandom >&2`)
	require.Regexp(t, `^note\n\[stderr\]\n\(binary output: 50000 bytes, kept in .*\)\n$`, res.Output)

	res = run(t, r, `yes text | head -n 50000; head -c 50000 /dev/urandom`)
	require.Regexp(t, `^\(binary output: 300000 bytes`, res.Output, "binary at the end is not dumped")

	res = run(t, r, `head -c 50000 /dev/urandom; yes note | head -n 20000 >&2`)
	require.True(t, res.Truncated)
	kept, err = os.ReadFile(res.FullOutput)
	require.NoError(t, err)
	require.Equal(t, strings.Count(string(kept), "note\n"), 20000)
	require.True(t, strings.HasPrefix(string(kept), "(binary output: 50000 bytes, kept in "))

	res = run(t, r, `printf 'a text\n\0'`)
	require.Equal(t, "a text\n", res.Output, "a text that a NUL ends is text")
	require.Regexp(t, `^\(binary output: 1 bytes`, run(t, r, `printf '\0'`).Output)

	res = run(t, r, `printf 'caf\351 au lait, et puis encore\n'`)
	require.Equal(t, "caf\ufffd au lait, et puis encore\n", res.Output, "a little Latin-1 is text")
}

// What has the form of a secret is not shown either, wherever an output is cut, and
// programs get every byte.
func TestFormsOfSecretsAreNotShown(t *testing.T) {
	r := newRouter1000(t)
	token, key := "ghp_"+strings.Repeat("aB3dE6gH9j", 4), strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 50)
	pem := "-----BEGIN PRIVATE KEY-----\n" + key + "-----END PRIVATE KEY-----\n"
	res := run(t, r, "echo "+token+" | tee copy; wc -c < copy")
	require.Equal(t, "[redacted: GitHub token]\n45\n", res.Output)
	require.Equal(t, token+"\n45\n", res.Stdout)
	require.NotContains(t, run(t, r, "no-such-command-"+token).Error, token)
	for pad := 0; pad < 1100; pad += 13 {
		for _, secret := range []string{" " + token + " ", "\n" + pem} {
			for _, text := range []string{strings.Repeat("x ", pad/2) + secret + strings.Repeat("y ", 3000), strings.Repeat("x ", 3000) + secret + strings.Repeat("y ", pad/2)} {
				require.NoError(t, os.WriteFile(filepath.Join(r.opts.Dir, "f"), []byte(text), 0o600))
				out := run(t, r, "cat f").Output
				require.NotContains(t, out, "aB3dE6", "%d", pad)
				require.NotContains(t, out, "MIIEvQ", "%d", pad)
				require.NotContains(t, out, "hkiG9w0", "%d", pad)
			}
		}
	}
}

func newRouter1000(t *testing.T) *Router {
	r, err := New(registry.New(), &Options{Dir: t.TempDir(), StateDir: t.TempDir(), MaxChars: 1000})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func TestSecretsAreNotShown(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	dir := t.TempDir()
	r, err := New(reg, &Options{Dir: dir, StateDir: t.TempDir(), Secrets: []string{secret, "short"}, MaxChars: 1000})
	require.NoError(t, err)
	defer r.Close()
	for _, command := range []string{"echo " + secret, "echo x >&2 " + secret + "; echo " + secret + " >&2", `printf 'sk-0123456789\033[1mabcdef'`, "glob --" + secret + " x", "agent:" + secret} {
		res := run(t, r, command)
		require.NotContains(t, res.Output, secret, "%s", command)
		require.NotContains(t, res.Error, secret, "%s", command)
		require.Contains(t, res.Output, "[redacted: key]", "%s", command)
	}
	require.Equal(t, "short\n", run(t, r, "echo short").Output)
	for pad := 170; pad < 220; pad++ { // across the place where the head is cut
		out := run(t, r, fmt.Sprintf("printf '%%0%dd%s%%03000d' 0 0", pad, secret)).Output
		require.NotRegexp(t, `sk-\d`, out, "%d", pad)
	}
	for pad := 780; pad < 820; pad++ { // and the tail
		out := run(t, r, fmt.Sprintf("printf '%%03000d%s%%0%dd' 0 0", secret, pad)).Output
		require.NotContains(t, out, "abcdef", "%d", pad)
	}
}

func TestTimeLimits(t *testing.T) {
	r := newTest(t)
	require.NoError(t, r.Start())
	limit := &RunOptions{Timeout: 300 * time.Millisecond}
	runInto := func(command string) Result {
		res := r.Run(context.Background(), command, limit)
		for res.Stdout == "" && limit.Timeout < MaxTimeout { // the machine is busy
			limit.Timeout *= 2
			res = r.Run(context.Background(), command, limit)
		}
		return res
	}
	res := runInto("echo before; sleep 1000")
	require.Equal(t, "before\n[exit code: 124]\n[timed out after "+formatSeconds(limit.Timeout)+"]", res.Output)
	require.Equal(t, 124, res.ExitCode)
	require.True(t, res.TimedOut)
	require.Equal(t, "timed out after "+formatSeconds(limit.Timeout), res.Error)

	res = runInto("hang")
	require.Equal(t, "waiting\n[stderr]\nhang: context deadline exceeded\n[exit code: 124]\n[timed out after "+formatSeconds(limit.Timeout)+"]", res.Output)

	res = r.Run(context.Background(), "hang | cat", limit)
	require.True(t, res.TimedOut)
	require.Equal(t, 124, res.ExitCode)

	ctx, cancel := context.WithCancel(context.Background())
	started := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	res = r.Run(ctx, "echo started; sleep 1000", &RunOptions{Stdout: started})
	require.True(t, res.Canceled)
	require.Equal(t, "started\n[exit code: 130]", res.Output)
	require.Equal(t, "still here\n", run(t, r, "echo still here").Output)

	require.Equal(t, MaxTimeout, r.timeLimit(time.Hour*24))
	require.Equal(t, DefaultTimeout, r.timeLimit(0))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestStubbornTool: a tool that does not stop is left behind, and what it
// writes later goes nowhere.
func TestStubbornTool(t *testing.T) {
	release, ended := make(chan struct{}), make(chan error, 1)
	r := newTest(t, &registry.Tool{Name: "stubborn", Summary: "Never stop", Params: registry.NewParams(), Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		io.WriteString(c.Stdout, "before\n")
		<-release
		_, err := io.WriteString(c.Stdout, "after\n")
		ended <- err
		return registry.Success(""), nil
	}})
	res := r.Run(context.Background(), "stubborn", &RunOptions{Timeout: 2 * time.Second})
	require.Equal(t, "before\n[exit code: 124]\n[timed out after 2s]", res.Output)
	close(release)
	require.Error(t, <-ended)
}

func TestStreamsPassAsTheyCome(t *testing.T) {
	r := newTest(t)
	for _, command := range []string{"printf 'a\\0b'; echo err >&2; seq 20000", "read ./big", "edit --nope"} {
		require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "big"), []byte(numbered(1, 20000)), 0o644))
		var out, notes bytes.Buffer
		res := r.Run(context.Background(), command, &RunOptions{Stdout: &out, Stderr: &notes})
		require.Equal(t, res.Stdout, out.String())
		require.Equal(t, res.Stderr, notes.String())
	}
}

func TestOwnStateDirIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r, err := New(registry.New(), nil)
	require.NoError(t, err)
	res := run(t, r, "seq 100000")
	require.FileExists(t, res.FullOutput)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)
	res = run(t, r, "echo x")
	require.ErrorIs(t, res.Err, ErrClosed)
	require.Equal(t, 3, res.ExitCode)
}

var outputBytes = flag.Int64("output.bytes", 48<<20, "how much TestLargeOutput has a command write")

// TestLargeOutput: memory stays bounded, and the file has everything.
func TestLargeOutput(t *testing.T) {
	r := newTest(t)
	require.NoError(t, r.Start())
	var before, during, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	seen := int64(0)
	watch := writerFunc(func(p []byte) (int, error) {
		if seen += int64(len(p)); seen%(8<<20) < int64(len(p)) {
			runtime.ReadMemStats(&now)
			during.HeapSys = max(during.HeapSys, now.HeapSys)
		}
		return len(p), nil
	})
	res := r.Run(context.Background(), fmt.Sprintf("yes 'a line of output' | head -c %d; echo end >&2", *outputBytes), &RunOptions{Stdout: watch, Timeout: MaxTimeout})
	require.True(t, res.Truncated)
	require.Equal(t, *outputBytes, seen)
	require.True(t, strings.HasSuffix(res.Output, "[stderr]\nend\n"))
	info, err := os.Stat(res.FullOutput)
	require.NoError(t, err)
	require.GreaterOrEqual(t, info.Size(), *outputBytes+int64(len("[stderr]\nend\n")))
	require.Less(t, int64(during.HeapSys)-int64(before.HeapSys), int64(128<<20), "heap while it ran")
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b[1mb\x1b]0;t\ac\xff\x00\x9b\u009b1m")
	f.Fuzz(func(t *testing.T, s string) {
		got := Safe(s)
		require.True(t, utf8.ValidString(got))
		require.Equal(t, got, Safe(got), "%q", s)
		for _, c := range got {
			require.False(t, c < 0x20 && !strings.ContainsRune("\t\n\r", c) || c >= 0x7f && c <= 0x9f, "%q", got)
		}
		for cut := range len(s) {
			var whole, pieces charCounter
			whole.add([]byte(s))
			pieces.add([]byte(s[:cut]))
			pieces.add([]byte(s[cut:]))
			if utf8.ValidString(s) {
				require.Equal(t, int64(utf8.RuneCountInString(s)), pieces.count())
				require.Equal(t, whole.count(), pieces.count())
			}
		}
	})
}

// What a tool has for a person and for an embedder does not go to the model.
func TestDisplayAndMetadataAreBesideTheOutput(t *testing.T) {
	r := withHooks(t)
	tool := text("show")
	tool.Run = func(context.Context, *registry.Call) (registry.ToolResult, error) {
		res := registry.Success("a thousand lines\n")
		res.Display, res.Metadata = "1,000 lines", map[string]any{"lines": 1000}
		return res, nil
	}
	require.NoError(t, r.Registry().Register(tool))
	res := run(t, r, "show")
	require.Equal(t, "a thousand lines\n", res.Output)
	require.Equal(t, "1,000 lines", res.Display)
	require.Equal(t, 1000, res.Metadata["lines"])
	whole := r.Registry().Execute(context.Background(), "show", nil, registry.InDir(r.Dir()))
	require.Equal(t, "1,000 lines", whole.Display)
	data, err := json.Marshal(whole)
	require.NoError(t, err)
	require.JSONEq(t, `{"success":true,"output":"a thousand lines\n","error":""}`, string(data))
}
