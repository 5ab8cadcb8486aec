package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/stretchr/testify/require"
)

func shell(script string, args ...string) config.Hook {
	return config.Hook{Name: "h", Argv: append([]string{"bash", "-c", script, "h"}, args...)}
}

// opened runs one hook, before or after a call.
func opened(t *testing.T, cfg config.Hooks) []router.Hook {
	return New(cfg, &Options{Dir: t.TempDir(), Env: os.Environ()})
}

func TestBefore(t *testing.T) {
	for _, row := range []struct{ name, script, want, err string }{
		{"nothing", "", `map[n:1]`, ""},
		{"it does not read", "exec <&-", `map[n:1]`, ""},
		{"allow", `echo '{"decision":"allow"}'`, `map[n:1]`, ""},
		{"another input", `echo '{"input":{"n":2,"s":"x"}}'`, `map[n:2 s:x]`, ""},
		{"made of the input", `jq '{input: (.input + {cwd, name, event, inside})}'`, `map[cwd:/d event:before inside:true n:1 name:write]`, ""},
		{"deny", `echo '{"decision":"deny","reason":"no ♥"}'`, "", "no ♥"},
		{"deny, without a reason", `echo '{"decision":"deny"}'`, "", "it gave no reason"},
		{"another decision", `echo '{"decision":"ask"}'`, "", `the decision is "ask": it can be allow or deny`},
		{"nonsense", `echo ok`, "", `its answer is no answer`},
		{"an unknown key", `echo '{"verdict":"deny"}'`, "", `unknown field "verdict"`},
		{"two answers", `echo '{} {}'`, "", "there is more after the JSON object"},
		{"an input that is no object", `echo '{"input":[1]}'`, "", "its answer is no answer"},
		{"it fails", `echo bad luck >&2; exit 3`, "", "it failed (exit status 3): bad luck"},
		{"it is killed", `kill -9 $$`, "", "it failed (signal: killed)"},
		{"an allowance before it fails", `echo '{"decision":"allow"}'; exit 1`, "", "it failed (exit status 1)"},
		{"too much", `head -c 70000000 /dev/zero`, "", "it failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			call := &router.HookCall{Name: "write", Input: registry.Kwargs{"n": 1}, Dir: "/d", Inside: true}
			err := opened(t, config.Hooks{Before: []config.Hook{shell(row.script)}})[0].Before(context.Background(), call)
			if row.err != "" {
				require.ErrorContains(t, err, row.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.want, fmt.Sprint(map[string]any(call.Input)))
		})
	}
}

func TestAfter(t *testing.T) {
	for _, row := range []struct{ name, script, stdout, stderr, err string }{
		{"nothing", "cat >/dev/null", "out", "err", ""},
		{"another stdout", `jq '{stdout: (.stdout + "!")}'`, "out!", "err", ""},
		{"both", `jq '{stdout: "", stderr: "\(.exit_code) \(.duration_ms) \(.event)"}'`, "", "4 1500 after", ""},
		{"a decision comes too late", `echo '{"decision":"deny"}'`, "out", "err", `unknown field "decision"`},
		{"it fails", "exit 1", "out", "err", "it failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := &router.HookOutput{Stdout: "out", Stderr: "err", ExitCode: 4, Duration: 1500 * time.Millisecond}
			err := opened(t, config.Hooks{After: []config.Hook{shell(row.script)}})[0].After(context.Background(), &router.HookCall{Name: "x"}, out)
			if row.err != "" {
				require.ErrorContains(t, err, row.err)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, row.stdout, out.Stdout)
			require.Equal(t, row.stderr, out.Stderr)
		})
	}
}

// A program that hangs is ended with all that it started.
func TestAHookThatHangs(t *testing.T) {
	h := shell("sleep 1000")
	h.Timeout = 0.5
	err := opened(t, config.Hooks{Before: []config.Hook{h}})[0].Before(context.Background(), &router.HookCall{Name: "x"})
	require.ErrorContains(t, err, "it did not answer within 500ms")

	fifo := filepath.Join(t.TempDir(), "child")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	child := make(chan string, 1)
	go func() {
		defer cancel()
		text, _ := os.ReadFile(fifo) // waits for the child
		child <- strings.TrimSpace(string(text))
	}()
	h = shell(`trap '' TERM; sleep 1000 & echo $! > "$1"; wait; sleep 1000`, fifo)
	err = opened(t, config.Hooks{Before: []config.Hook{h}})[0].Before(ctx, &router.HookCall{Name: "x"})
	require.ErrorIs(t, err, context.Canceled)
	pid, err := strconv.Atoi(<-child)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return gone(pid) }, waitLimit, 10*time.Millisecond)
}

// waitLimit is how long a test waits for what must come.
const waitLimit = 5 * time.Minute

// gone reports whether a process has ended; whoever inherits it may not have
// looked yet.
func gone(pid int) bool {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(status), ") Z ") || syscall.Kill(pid, 0) != nil
}

func TestAHookThatIsMissing(t *testing.T) {
	for _, argv := range [][]string{{"no-such-program-anywhere"}, {"/no/such/file"}, {"./none"}} {
		err := opened(t, config.Hooks{Before: []config.Hook{{Name: "h", Argv: argv}}})[0].Before(context.Background(), &router.HookCall{Name: "x"})
		require.ErrorContains(t, err, "cannot start "+argv[0]+": not found: install it, or correct")
	}
	err := opened(t, config.Hooks{Before: []config.Hook{{Name: "h", Argv: []string{"true"}, Cwd: "/no/such/dir"}}})[0].Before(context.Background(), &router.HookCall{Name: "x"})
	require.ErrorContains(t, err, "cannot start true")
}

func TestItsOwnEnvironmentAndDirectory(t *testing.T) {
	h := shell(`printf '{"decision":"deny","reason":"%s %s %s"}' "$X" "$PWD" "$1"`, "arg")
	h.Env, h.Cwd = map[string]string{"X": "y"}, "/usr"
	err := opened(t, config.Hooks{Before: []config.Hook{h}})[0].Before(context.Background(), &router.HookCall{Name: "x"})
	require.EqualError(t, err, "y /usr arg")
}
