package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// attempt is one attempt of an agent that is a bash script at a task with a check.
func attempt(t *testing.T, agent, check string, limit time.Duration) (Attempt, error) {
	dir := filepath.Join(t.TempDir(), "one")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for name, text := range map[string]string{"task.md": "do it", "check": check} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	tasks, err := Load(filepath.Dir(dir))
	require.NoError(t, err)
	out, err := Run(t.Context(), tasks, &Options{Agent: []string{"bash", "-c", agent}, Env: append(os.Environ(), "TASK="+dir), Limit: time.Hour, Check: limit, Repeat: 1})
	return out[0], err
}

func TestAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		agent, check string
		limit        time.Duration
		why          string // "" is done
	}{
		"done":                             {`cat > said; echo '{"tool_calls": 3, "usage": {"prompt": 5, "completion": 2}, "cost": null}'`, `[ "$(cat said)" = "do it" ]`, 0, ""},
		"not done":                         {`echo oh >&2; exit 7`, `echo no; false; echo unseen`, 0, "exit status 7: no\noh"},
		"the agent writes its own check":   {`echo true > "$TASK/check"`, "echo as it was; false", 0, "as it was"},
		"a check finds what is beside it":  {"true", `cat "$(dirname "$0")/task.md" && [ "$(cat "$(dirname "$0")/task.md")" = "do it" ]`, 0, ""},
		"a check leaves something running": {"true", "sleep 100000 & true", 0, ""},
		"and fails":                        {"true", "sleep 100000 & echo no; false", 0, "no"},
		"a check hangs":                    {"true", "echo begun; sleep 100000; true", 50 * time.Millisecond, "begun"},
		"a check hangs in a child":         {"true", "(trap '' TERM INT; sleep 100000; true) | cat", 50 * time.Millisecond, ""},
		"the agent closes a directory":     {"mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 500 a", "test -d a", 0, ""},
		"no text":                          {"true", `printf 'a\xff\0b'; false`, 0, "a\xff\x00b"},
		"much text":                        {"true", `yes | head -c 10000000; echo the end; false`, 0, "the end"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := attempt(t, c.agent, c.check, c.limit)
			require.NoError(t, err)
			require.Equal(t, c.why == "" && c.limit == 0, a.Done, "%q", a.Why)
			require.Less(t, len(a.Why), 100_000)
			require.Contains(t, a.Why, c.why)
			data, err := json.Marshal(a)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &a))
			if name == "done" {
				require.Equal(t, []float64{3, 7, 0}, []float64{a.Calls, a.Tokens, a.Cost})
			}
		})
	}
}

// TestACheckThatCannotRunIsNoAttempt: the task is wrong then, whatever the agent did.
func TestACheckThatCannotRunIsNoAttempt(t *testing.T) {
	_, err := attempt(t, "true", "# "+strings.Repeat("x", 1<<20), 0)
	require.ErrorContains(t, err, "task one: check: ")
	_, err = Load(t.TempDir())
	require.ErrorContains(t, err, "a task is a directory with task.md and check in it")
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "task.md"), 0o700))
	_, err = Load(dir)
	require.Error(t, err)
}

// TestIntervals: those of the literature's examples (Newcombe 1998: 81 of 263; 56 of 70 and 48 of
// 80), and of tables of Student's distribution.
func TestIntervals(t *testing.T) {
	s := Share(81, 263)
	require.InDelta(t, 0.2553, s.Low, 5e-4)
	require.InDelta(t, 0.3662, s.High, 5e-4)
	require.Equal(t, Interval{High: 1}, Share(0, 0))
	require.InDelta(t, 0.2775, Share(0, 10).High, 5e-4)
	require.Zero(t, Share(0, 10).Low)
	d := Share(48, 80).To(Share(56, 70))
	require.InDelta(t, 0.0524, d.Low, 5e-4)
	require.InDelta(t, 0.3339, d.High, 5e-4)
	tie := Share(3, 4).To(Share(3, 4))
	require.Zero(t, tie.Value)
	require.InDelta(t, -tie.Low, tie.High, 1e-9, "a tie lies in the middle")

	for n, want := range map[float64]float64{1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 9: 2.2622, 19: 2.0930, 29: 2.0452, 60: 2.0003, 1e6: 1.96} {
		require.InDelta(t, want, student(n), 0.01, "%v degrees of freedom", n)
	}
	m := Mean([]float64{1, 2, 3})
	require.InDelta(t, 2-4.3027/1.7320508, m.Low, 1e-3)
	require.InDelta(t, 2+4.3027/1.7320508, m.High, 1e-3)
	require.Equal(t, Interval{2, 2, 2}, Mean([]float64{2, 2, 2}))
	require.Equal(t, Interval{5, 5, 5}, Mean([]float64{5}))
	require.Equal(t, Interval{}, Mean(nil))
}
