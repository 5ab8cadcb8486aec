// Package testneeds is where tests say what they need beyond Go and bash: a
// terminal multiplexer, a server. With -short such tests are left out; where the
// thing is not there they are skipped, aloud, and in CI they fail.
package testneeds

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Program is the path of a program, which install brings.
func Program(t testing.TB, name, install string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require(t, name, install, err)
	return path
}

// NPM is the path of a file below node_modules, in testdata/mcp or a directory
// below it, which npm ci installs there.
func NPM(t testing.TB, dir, name string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	dir = filepath.Join(filepath.Dir(here), "../../testdata", dir)
	path := filepath.Join(dir, "node_modules", name)
	_, err := os.Stat(path)
	require(t, name, "npm ci in "+dir, err)
	return path
}

func require(t testing.TB, name, install string, missing error) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skipf("-short leaves out what needs %s", name)
	case missing != nil && os.Getenv("CI") != "":
		t.Fatalf("%s is not there, and CI must have it: %s", name, install)
	case missing != nil:
		t.Skipf("SKIPPED: %s is not there: %s", name, install)
	}
}
