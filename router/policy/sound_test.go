package policy

import (
	"context"
	"math/rand"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzForeseesArguments asks bash what a command gets in a random script of
// builtins: whatever it is must have been foreseen.
func FuzzForeseesArguments(f *testing.F) {
	for seed := range int64(120) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		g := script{Rand: rand.New(rand.NewSource(seed))}
		g.block(2 + g.Intn(7))
		sound(t, g.b.String())
	})
}

// sound checks that whatever bash really passes to args was foreseen.
func sound(t *testing.T, text string) {
	calls, ok := runScript(t, text)
	if !ok {
		return
	}
	j := newJudge(&World{Dir: "/src/dir"}, text)
	j.text(j.src)
	if j.spent || slices.ContainsFunc(j.parts, func(p *Part) bool { return p.Kind == TextPart && len(p.set.list()) == len(inOrder) }) {
		return // it is unknown, and said to be
	}
	for _, argv := range calls {
		if len(argv) == 1 && argv[0] == "" {
			continue // no arguments and one empty one print the same
		}
		covered := false
		var seen []string
		for _, p := range j.parts {
			if p.Kind == CommandPart && p.words[0].text == "args" {
				covered = covered || covers(p.words[1:], argv)
				seen = append(seen, p.String())
			}
		}
		require.True(t, covered, "bash passes %q, foreseen are\n%s\nin\n%s", argv, strings.Join(seen, "\n"), text)
	}
}

// runScript asks bash what args gets. The script's commands are builtins that
// print, and functions; there is no PATH.
func runScript(t *testing.T, text string) (calls [][]string, ok bool) {
	const prelude = "set -f\nargs() { printf 'C'; printf '\\001%s' \"$@\"; printf '\\002'; }\n"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a script may not end
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "--norc", "--noprofile", "-c", "ulimit -v 4000000\n"+prelude+text)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nonexistent", "LC_ALL=C"}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	for _, call := range strings.Split(string(out), "\x02") {
		if i := strings.LastIndex(call, "C\x01"); i >= 0 {
			calls = append(calls, strings.Split(call[i+2:], "\x01"))
		}
	}
	return calls, ctx.Err() == nil && !strings.Contains(errs.String(), "syntax error") && !strings.Contains(errs.String(), "unexpected")
}

// covers reports whether a command line may be what words stand for.
func covers(words []word, argv []string) bool {
	if len(words) == 0 {
		return len(argv) == 0
	}
	if words[0].multi {
		for n := 0; n <= len(argv); n++ {
			if covers(words[1:], argv[n:]) {
				return true
			}
		}
		return false
	}
	return len(argv) > 0 && coversText(words[0].text, argv[0]) && covers(words[1:], argv[1:])
}

// coversText reports whether a text may be what one with holes stands for.
func coversText(pattern, s string) bool {
	for pattern != "" && pattern[0] != hole {
		if s == "" || s[0] != pattern[0] {
			return false
		}
		pattern, s = pattern[1:], s[1:]
	}
	if pattern == "" {
		return s == ""
	}
	least := 0
	if pattern[:2] == digits || pattern[:2] == aName {
		least = 1
	}
	for n := least; n <= len(s); n++ {
		if pattern[:2] == digits && strings.Trim(s[:n], "0123456789") != "" {
			return false
		}
		if coversText(pattern[2:], s[n:]) {
			return true
		}
	}
	return false
}
