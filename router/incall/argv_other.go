//go:build !linux

package incall

import "os"

// commandLine is the process's argv. Without /proc the package os has to be initialised first, which costs a call some time.
func commandLine() []string { return os.Args }
