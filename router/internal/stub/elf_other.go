//go:build !(linux && amd64)

package stub

// Program returns nil: there is no such program for this system.
func Program(string) []byte { return nil }
