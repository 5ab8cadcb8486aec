package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableRow is a line and its verdict.
type tableRow struct{ danger, effects, line string }

func readTable(t testing.TB, file string) (rows []tableRow) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, l := range strings.Split(string(b), "\n") {
		if l == "" || strings.HasPrefix(l, "# ") || strings.HasPrefix(l, "## ") || l == "#" {
			continue
		}
		f := strings.SplitN(l, " ", 3)
		require.Len(t, f, 3, l)
		rows = append(rows, tableRow{f[0], f[1], strings.ReplaceAll(f[2], "␤", "\n")})
	}
	return rows
}

// letters are the effects of a verdict as the tables write them.
func letters(v *Verdict) string {
	out := ""
	for _, e := range v.Effects {
		out += map[Effect]string{Read: "r", Write: "w", Execute: "x", Network: "n", Unknown: "u"}[e]
	}
	if out == "" {
		return "-"
	}
	return out
}

func dangerOf(v *Verdict) string {
	if v.Danger == NoDanger {
		return "-"
	}
	return string(v.Danger)
}

func TestAdversarialLines(t *testing.T) { checkTable(t, "testdata/adversarial.txt", 150) }

func TestHarmlessLines(t *testing.T) { checkTable(t, "testdata/harmless.txt", 100) }

func checkTable(t *testing.T, file string, least int) {
	rows := readTable(t, file)
	require.GreaterOrEqual(t, len(rows), least)
	w := ws()
	for _, r := range rows {
		t.Run(r.line, func(t *testing.T) {
			v := judgeLine(r.line, w)
			require.Equal(t, r.danger+" "+r.effects, dangerOf(&v)+" "+letters(&v), "%s\n%+v", r.line, v.Reasons)
			for _, reason := range v.Reasons {
				require.True(t, 0 <= reason.Start && reason.Start <= reason.End && reason.End <= len(r.line), "%s: %+v", r.line, reason)
			}
		})
	}
}
