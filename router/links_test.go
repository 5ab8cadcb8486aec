package router

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestManyToolsCanBeCalledAtOnce(t *testing.T) {
	reg := registry.New()
	for n := range 500 {
		require.NoError(t, reg.Register(text(fmt.Sprint("field:many:t", n), stringParam("x", true))))
	}
	r, err := New(reg, nil)
	require.NoError(t, err)
	defer r.Close()
	// The name stands nowhere in the text, and xargs is no shell that could ask.
	res := r.Run(context.Background(), "printf '%s:%s' fie many:t499 | sed s/fie/field/ | xargs -I{} env {} --x 1", nil)
	require.Equal(t, "x=1\n", res.Output)
}

// TestKnownToolsOfGroups: a script finds tools of a group that was not loaded.
func TestKnownToolsOfGroups(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		reg := registry.New()
		require.NoError(t, reg.RegisterGroup(registry.Group{Name: "st", Known: func() []string { return []string{"field:st:hit", "field:st:gone"} },
			Load: func(context.Context) ([]*registry.Tool, error) {
				return []*registry.Tool{text("field:st:hit", stringParam("s", true))}, nil
			}}))
		r, err := newRouter(reg, &Options{Dir: t.TempDir()}, small)
		require.NoError(t, err)
		defer r.Close()
		res := r.Run(context.Background(), `printf '%s:st:hit --s q\n' field > known.sh; sh known.sh`, nil)
		require.Equal(t, "s=q\n", res.Output)
		res = r.Run(context.Background(), `printf 'x' | xargs $(echo fie)ld:st:gone`, nil)
		require.Contains(t, res.Output, "field:st:gone")
		require.Equal(t, 123, res.ExitCode)
	})
}

// BenchmarkKnownTools is the first text of a session whose groups know 500 tools.
func BenchmarkKnownTools(b *testing.B) {
	names := make([]string, 500)
	for n := range names {
		names[n] = fmt.Sprint("field:many:t", n)
	}
	for _, known := range []int{0, len(names)} {
		b.Run(fmt.Sprint(known), func(b *testing.B) {
			for range b.N {
				reg := registry.New()
				require.NoError(b, reg.RegisterGroup(registry.Group{Name: "many", Known: func() []string { return names[:known] },
					Load: func(context.Context) ([]*registry.Tool, error) { return nil, nil }}))
				r, err := New(reg, nil)
				require.NoError(b, err)
				r.Run(context.Background(), ":", nil)
				require.NoError(b, r.Close())
			}
		})
	}
}
