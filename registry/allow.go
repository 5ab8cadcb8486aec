package registry

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

type allowKey struct{}

// Allow returns a context in which tools may read and write the given absolute
// paths, and all that is below them, whatever rules of their own would keep
// them from it: somebody who may say so did. Without paths it returns ctx.
func Allow(ctx context.Context, paths ...string) context.Context {
	if len(paths) == 0 {
		return ctx
	}
	old, _ := ctx.Value(allowKey{}).([]string)
	return context.WithValue(ctx, allowKey{}, append(slices.Clone(old), paths...))
}

// Allowed reports whether Allow named the absolute path or a directory above it.
func Allowed(ctx context.Context, path string) bool {
	paths, _ := ctx.Value(allowKey{}).([]string)
	return slices.ContainsFunc(paths, func(p string) bool { return Below(path, p) })
}

// Below reports whether a clean absolute path is root, or lies in it.
func Below(path, root string) bool {
	root = filepath.Clean(root)
	return path == root || root == "/" || strings.HasPrefix(path, root) && path[len(root)] == '/'
}
