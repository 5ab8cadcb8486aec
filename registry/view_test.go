package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestView(t *testing.T) {
	v := View{{At: "/tmp", Is: "/private/x"}, {At: "/tmp/ws", Is: "/tmp/ws"}}
	for seen, real := range map[string]string{"/tmp": "/private/x", "/tmp/a/b": "/private/x/a/b", "/tmp/ws/f": "/tmp/ws/f", "/tmpx": "/tmpx", "/etc": "/etc"} {
		require.Equal(t, real, v.Real(seen))
		require.Equal(t, seen, v.Shown(real))
	}
	c := &Call{Dir: "/tmp/d", View: v}
	require.Equal(t, "/private/x/d/f", c.Path("f"))
	require.Equal(t, "f", c.Rel("/private/x/d/f"))
	require.Equal(t, "/tmp/f", c.Rel("/private/x/f"))
	require.Equal(t, "/a", (&Call{Dir: "/"}).Path("a"))
}
