package registry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestView(t *testing.T) {
	v := View{{At: "/tmp", Is: "/private/x"}, {At: "/tmp/ws", Is: "/tmp/ws"}}
	for seen, real := range map[string]string{"/tmp": "/private/x", "/tmp/a/b": "/private/x/a/b", "/tmp/ws/f": "/tmp/ws/f", "/tmpx": "/tmpx", "/etc": "/etc"} {
		require.Equal(t, real, v.Real(seen))
		require.Equal(t, seen, v.Shown(real))
	}
	home := t.TempDir()
	for _, name := range []string{"home/f", "home/d/x", "over/f", "over/new/y", "over/d/z"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), nil, 0o600))
	}
	layer := View{{At: "/h", Is: home + "/home", Over: home + "/over"}}
	for seen, real := range map[string]string{"/h/f": "/over/f", "/h/d": "/home/d", "/h/d/x": "/home/d/x", "/h/d/z": "/over/d/z", "/h/new": "/over/new", "/h/none": "/home/none"} {
		require.Equal(t, home+real, layer.Real(seen))
		require.Equal(t, seen, layer.Shown(home+real))
	}
	c := &Call{Dir: "/tmp/d", View: v}
	require.Equal(t, "/private/x/d/f", c.Path("f"))
	require.Equal(t, "f", c.Rel("/private/x/d/f"))
	require.Equal(t, "/tmp/f", c.Rel("/private/x/f"))
	require.Equal(t, "/a", (&Call{Dir: "/"}).Path("a"))
}
