//go:build linux

package session

import (
	"testing"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// portableLacks is what the portable half has not, and why. No other test is left out there.
var portableLacks = map[string]string{
	"sandbox":   "nothing confines a shell where there are no namespaces, no Landlock and no seccomp",
	"nameless":  "all pipes are FIFOs in the state directory, which is there from the start",
	"kernelDir": "the shell alone is asked for its directory: only the kernel knows better, and tells it below /proc",
}

// needsNative leaves a test out that needs one of portableLacks.
func needsNative(t testing.TB, what string) {
	t.Helper()
	why, ok := portableLacks[what]
	if !ok {
		t.Fatalf("%q is not in portableLacks", what)
	}
	if !syscalls.OpensOthers {
		t.Skip("SKIPPED in the portable half: " + why)
	}
}
