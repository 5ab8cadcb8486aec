package shells

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAShellWithoutANumberHasNoProcesses: one that ended before its number was known has 0, and
// session 0 is that of what has nothing to do with it.
func TestAShellWithoutANumberHasNoProcesses(t *testing.T) {
	require.Empty(t, (&job{mark: "AGENTBASH_TEST_NOBODY=1"}).tree(nil))
	require.Empty(t, sessionMembers(0))
}
