package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/policy"
)

// private is what the rules of these tests are about.
const private = "private/x"

// paths are the roles of parameters that hold a path.
var paths = []registry.Role{registry.ReadsFile, registry.ReadsTree, registry.WritesFile, registry.WritesTree}

// spellings are the ways to give a parameter a value, each as words.
func spellings(p *registry.Param, value string) (out [][]string) {
	names := append([]string{p.Name}, p.Aliases...)
	for _, n := range slices.Clone(names) {
		if dashed := strings.ReplaceAll(n, "_", "-"); dashed != n {
			names = append(names, dashed)
		}
	}
	for _, n := range names {
		out = append(out, []string{"--" + n, value}, []string{"--" + n + "=" + value})
	}
	if p.Short != "" {
		out = append(out, []string{"-" + p.Short, value}, []string{"-" + p.Short + value})
	}
	return out
}

// orders are the word lists of a call that gives p a value in one spelling: with
// the other required parameters and each flag before and after it.
func orders(t *registry.Tool, p *registry.Param, given []string) (out [][]string) {
	var others []string
	for _, q := range t.Params.List() {
		needed := q.Required || q.Name == "old_string" || q.Name == "new_string" // as edit's Check says
		if needed && q.Name != p.Name && q.Type == registry.String {
			others = append(others, "--"+q.Name, q.Name)
		}
	}
	add := func(words ...[]string) { out = append(out, slices.Concat(words...)) }
	add(given, others)
	add(others, given)
	for _, q := range t.Params.List() {
		if q.Type != registry.Boolean || q.Name == "list" || q.Name == "dry_run" {
			continue
		}
		for _, flag := range [][]string{{"--" + q.Name}, {"--no-" + q.Name}, {"--" + q.Name + "=false"}, {"--" + q.Name, "true"}} {
			add(flag, given, others)
			add(given, flag, others)
			add(others, given, flag)
		}
	}
	return out
}

// eachSpelling calls f with every call of a tool that gives one of its paths.
func eachSpelling(tools []*registry.Tool, f func(t *registry.Tool, words []string)) {
	for _, t := range tools {
		first := true
		for _, p := range t.Params.List() {
			if !slices.Contains(paths, p.Role) {
				continue
			}
			for _, given := range spellings(&p, private) {
				for _, words := range orders(t, &p, given) {
					f(t, words)
				}
			}
			if p.Required && first { // by its place
				for _, words := range orders(t, &p, []string{private}) {
					f(t, words)
				}
				for _, words := range orders(t, &p, nil) {
					f(t, append(words, "--", private))
				}
			}
			first = first && !p.Required
		}
	}
}

func typed(name string, words []string) string {
	line := "agent:" + name
	for _, w := range words {
		line += " '" + w + "'"
	}
	return line
}

// newPrivate is a bench with a private file, and rules that deny it.
func newPrivate(t *testing.T, mode policy.Mode) *bench {
	rules, err := policy.ParseRules("rules", []byte(`["deny read private/**", "deny write private/**"]`), false)
	require.NoError(t, err)
	b := newBench(t, Options{Mode: mode, Rules: []*policy.Rules{rules}})
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "private"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, private), []byte("SECRET\n"), 0o600))
	return b
}

// TestEverySpellingIsDenied: however a call names its file, it is judged by the
// file that its tool gets.
func TestEverySpellingIsDenied(t *testing.T) {
	for _, mode := range []policy.Mode{policy.PlanMode, policy.AskMode, policy.AutoMode, policy.FullMode} {
		b := newPrivate(t, mode)
		n := 0
		eachSpelling(b.r.Registry().All(), func(tool *registry.Tool, words []string) {
			n++
			for _, line := range []string{typed(tool.Name, words), typed(tool.Name, words) + " | cat"} {
				p := b.r.Plan(line)
				require.NoError(t, p.Err, line)
				e := b.g.Explain(p, b.dir)
				require.Equal(t, policy.Deny, e.Decision.Answer, "mode %s: %s", mode, line)
				require.NotEqual(t, "", e.Decision.Rule+map[bool]string{true: "plan"}[mode == policy.PlanMode], line)
			}
		})
		require.Greater(t, n, 500)
	}
}

// TestEverySpellingIsDeniedWhereItRuns runs them, alone and from inside bash.
func TestEverySpellingIsDeniedWhereItRuns(t *testing.T) {
	b := newPrivate(t, policy.FullMode)
	forms := []string{"%s", "%s | cat", "for i in 1; do %s; done", "x=$(%s); echo \"$x\"; false", "(cd . && %s)", "echo | xargs %s", "find . -maxdepth 0 -exec %s \\; -quit; false",
		"f() { %s; }; f", "eval \"%s\""}
	n := 0
	eachSpelling(b.r.Registry().All(), func(tool *registry.Tool, words []string) {
		n++
		line := typed(tool.Name, words)
		if n%7 == 0 { // each way of writing meets each surrounding in time
			line = fmt.Sprintf(forms[n/7%len(forms)], line)
		} else if n%40 != 1 {
			return
		}
		res := b.run(line)
		require.NotContains(t, res.Output, "SECRET", line)
		require.NotEqual(t, 0, res.ExitCode, "%s\n%s", line, res.Output)
		require.Contains(t, res.Output, `the rule "deny`, line)
		content, err := os.ReadFile(filepath.Join(b.dir, private))
		require.NoError(t, err)
		require.Equal(t, "SECRET\n", string(content), line)
	})
	for _, line := range []string{
		"f=private/x; agent:read \"$f\"", "f=filePath; agent:read --$f private/x", "cd private && agent:read x", "agent:read ./../" + filepath.Base(b.dir) + "/private/x",
		"echo private/x | xargs agent:read --show_line_numbers", "printf 'private/x\\0' | xargs -0 -n1 agent:read", "find private -name x -exec agent:read {} \\;",
		"while read -r f; do agent:read --filePath=\"$f\"; done <<< private/x", "bash -c 'agent:read --path private/x'", "agent:read priv*/x", "n=agent:read; $n private/x",
		"echo NEW | agent:write --force private/x", "agent:write --append private/x <<'EOF'\nNEW\nEOF", "agent:grep --path private SECRE | cat", "agent:glob 'private/**' | cat", "agent:glob '*' --path private",
	} {
		res := b.run(line)
		require.NotContains(t, res.Output, "SECRET", line)
		require.Contains(t, res.Output, `the rule "deny`, line)
	}
}

// TestOtherDirectoriesAreFree: a flag does not make another word the path.
func TestOtherDirectoriesAreFree(t *testing.T) {
	b := newPrivate(t, policy.FullMode)
	require.NoError(t, os.MkdirAll(filepath.Join(b.dir, "open"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "open", "f"), []byte("foo\n"), 0o600))
	for _, line := range []string{"agent:grep --ignore_case foo open", "agent:grep -i foo open", "agent:grep foo --path open --no-ignore_case", "agent:read --show_line_numbers open/f", "agent:glob '*' open"} {
		res := b.run(line)
		require.Equal(t, 0, res.ExitCode, "%s\n%s", line, res.Output)
	}
}
