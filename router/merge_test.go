package router

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// writes is a tool that writes pieces to its streams: "o" or "e", and the text.
func writes(name string, pieces func() []string) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Write", Params: registry.NewParams(), Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		for _, p := range pieces() {
			if p[0] == 'o' {
				fmt.Fprint(c.Stdout, p[1:])
			} else {
				fmt.Fprint(c.Stderr, p[1:])
			}
		}
		return registry.Success(""), nil
	}}
}

func TestStreamsAreShownInTheirOrder(t *testing.T) {
	var pieces []string
	r := newTest(t, writes("pieces", func() []string { return pieces }))
	long := strings.Repeat("x", maxWaiting)
	for _, row := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"stdout, then stderr", []string{"oa\n", "ob\n", "ee\n", "ef\n"}, "a\nb\n[stderr]\ne\nf\n"},
		{"by turns", []string{"oa\n", "ee\n", "ob\n", "ef\n"}, "a\n[stderr]\ne\n[stdout]\nb\n[stderr]\nf\n"},
		{"stderr first", []string{"ee\n", "oa\n"}, "[stderr]\ne\n[stdout]\na\n"},
		{"a line in pieces", []string{"oa", "ee\n", "ob\nc\n"}, "ab\n[stderr]\ne\n[stdout]\nc\n"},
		{"both lines in pieces", []string{"oa", "ee", "ob\nc", "ef\n", "od\n"}, "ab\n[stderr]\nef\n[stdout]\ncd\n"},
		{"an empty piece", []string{"oa", "ee", "o", "ob\n"}, "ab\n[stderr]\ne"},
		{"lines that do not end", []string{"oa", "ee"}, "a\n[stderr]\ne"},
		{"a line that does not end soon", []string{"oa", "e" + long + "\n", "ob\n", "ef\n"}, "a\n[stderr]\n" + long + "\n[stdout]\nb\n[stderr]\nf\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			pieces = row.pieces
			res := run(t, r, "pieces")
			if res.Truncated {
				whole, err := os.ReadFile(res.FullOutput)
				require.NoError(t, err)
				res.Output = string(whole)
			}
			require.Equal(t, row.want, res.Output)
		})
	}
}

// TestNoLineIsTorn: whatever comes in whatever pieces, each stream's lines are all
// there, whole and in their order, in the file of a cut output too.
func TestNoLineIsTorn(t *testing.T) {
	var pieces []string
	r := newTest(t, writes("pieces", func() []string { return pieces }))
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		pieces = nil
		var want [2]strings.Builder
		var rest [2]string
		for i := range 400 << (seed % 5) {
			k := random.IntN(2)
			if rest[k] == "" {
				rest[k] = fmt.Sprintf("%c line %d %s\n", "oe"[k], i, strings.Repeat("-", random.IntN(40)))
				want[k].WriteString(rest[k])
			}
			n := 1 + random.IntN(len(rest[k]))
			pieces, rest[k] = append(pieces, "oe"[k:k+1]+rest[k][:n]), rest[k][n:]
		}
		pieces = append(pieces, "o"+rest[0], "e"+rest[1], "o", "e")
		res := run(t, r, "pieces")
		require.Equal(t, want[0].String(), res.Stdout)
		require.Equal(t, want[1].String(), res.Stderr)
		if res.Truncated {
			whole, err := os.ReadFile(res.FullOutput)
			require.NoError(t, err)
			res.Output = string(whole)
		}
		var got [2]strings.Builder
		k := 0
		for line := range strings.Lines(res.Output) {
			switch line {
			case "[stdout]\n":
				k = 0
			case "[stderr]\n":
				k = 1
			default:
				got[k].WriteString(line)
			}
		}
		require.Equal(t, want[0].String(), got[0].String(), "seed %d", seed)
		require.Equal(t, want[1].String(), got[1].String(), "seed %d", seed)
	}
}
