//go:build linux

package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fuzzTimeout is how long a fuzzed command may run.
const fuzzTimeout = 200 * time.Millisecond

// FuzzSessionAgreesWithBash runs a text in a new session and in bash -c, both
// confined: they can run no program and write to no file but below one
// directory. Whatever the text is, the session must be well afterwards; and
// what bash -c makes of it twice, and says of it, the session must make and say
// too, unless the text asks for what is different by nature.
func FuzzSessionAgreesWithBash(f *testing.F) {
	if !landlocked() {
		f.Skip("this kernel has no Landlock: arbitrary text is not run unconfined")
	}
	for i, row := range slices.Concat(agrees, says) {
		if i%5 == 0 { // the others are in other tests; here they take long
			f.Add(row.command)
		}
	}
	for _, row := range differs {
		f.Add(row.command)
	}
	for _, command := range hostile {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if strings.IndexByte(command, 0) >= 0 || len(command) > 10000 {
			t.Skip("cannot be a command, or is too long to be told in a failure")
		}
		root := t.TempDir()
		dir, state, shell := filepath.Join(root, "work"), filepath.Join(root, "state"), confine(t, root)
		require.NoError(t, os.Mkdir(dir, 0o700))
		s := openNamed(t, &Options{Shell: shell, Dir: dir, StateDir: state, Env: []string{"PATH=/nowhere"}, OutputLimit: 1 << 20})
		r, err := s.Run(context.Background(), command, &RunOptions{Timeout: fuzzTimeout})
		require.NoError(t, err)
		if got := withoutPlaces(answerOf(r)); !r.TimedOut && !r.OutputLimited && !byNature.MatchString(command) {
			if want, ok := confinedBashC(t, shell, dir, command); ok && got != want {
				second, ok := confinedBashC(t, shell, dir, command)
				require.True(t, !ok || second != want, "want %+v, got %+v", want, got)
			}
		}
		well, err := s.Run(context.Background(), "\\unset -f echo builtin; \\builtin unalias -a; \\builtin trap - DEBUG; set +eu\n\\builtin echo ok",
			&RunOptions{Timeout: 2 * time.Minute})
		require.NoError(t, err)
		require.Contains(t, string(well.Stdout), "ok\n", "%+v", well)
	})
}

// byNature is what a text is not compared for: what the shell says of itself,
// of time and of chance, jobs, options and traps, and the ways to end a shell.
var byNature = regexp.MustCompile(`\$[-_$!0]|\$\{[-_$!0]|\$\{?!|&([^&>]|$)|[A-Z]{4}|coproc|declare|typeset|local|export|readonly|unset|set|shopt|trap|exec|exit|logout|alias|jobs|kill|wait|fg|bg|disown|suspend|` +
	`times|time|ulimit|umask|history|fc|bind|enable|help|compgen|complete|hash|type|command|builtin|return|__|/proc|/dev|-i|dirs|caller|[<>]\(|!|\\$|return|\[\[|\?|[0-9]{5}|[1-9][0-9]*[<>]`)

// withoutPlaces takes out the places whose names differ (see differs), and the order
// in which the parts of a pipe say something.
func withoutPlaces(a answer) answer {
	lines := strings.SplitAfter(strings.NewReplacer("bash: eval: ", "bash: -c: ", "environment: ", "main: ").Replace(a.stderr), "\n")
	slices.Sort(lines)
	a.stderr = strings.Join(lines, "")
	return a
}

// confinedBashC returns what bash -c makes of command, if it can be compared:
// it ended in time and by itself.
func confinedBashC(t *testing.T, shell, dir, command string) (answer, bool) {
	require.NoError(t, os.RemoveAll(dir)) // what the run before has left
	require.NoError(t, os.Mkdir(dir, 0o700))
	ctx, cancel := context.WithTimeout(context.Background(), fuzzTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "--noprofile", "--norc", "-O", "expand_aliases", "-c", "--", command, "bash")
	cmd.Dir, cmd.Env = dir, append(childEnv([]string{"PATH=/nowhere"}, nil), "PWD="+dir)
	cmd.WaitDelay = time.Second
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	a := answer{stdout.String(), child.ReplaceAllString(stderr.String(), "${1}PID "), cmd.ProcessState.ExitCode()}
	return withoutPlaces(a), ctx.Err() == nil && a.code >= 0
}
