package registry

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAllow(t *testing.T) {
	ctx := Allow(Allow(context.Background(), "/a/file", "/b"), "/c/")
	for _, row := range []struct {
		path string
		want bool
	}{
		{"/a/file", true}, {"/a/file2", false}, {"/a/file/x", true}, {"/a", false},
		{"/b", true}, {"/b/x/y", true}, {"/bb", false}, {"/c/d", true}, {"/", false},
	} {
		require.Equal(t, row.want, Allowed(ctx, row.path), row.path)
	}
	require.False(t, Allowed(context.Background(), "/a"))
	require.True(t, Allowed(Allow(context.Background(), "/"), "/anything"))
	require.Equal(t, context.Background(), Allow(context.Background()))
}
