package web

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAllowance(t *testing.T) {
	a, err := newAllowance([]string{"10.1.0.0/16", "LocalHost:3000", "::1", "intranet.example"})
	require.NoError(t, err)
	require.True(t, a.address(netip.MustParseAddr("10.1.2.3")))
	require.True(t, a.address(netip.MustParseAddr("::ffff:10.1.2.3")))
	require.False(t, a.address(netip.MustParseAddr("10.2.0.1")))
	require.True(t, a.address(netip.MustParseAddr("::1")))
	require.True(t, a.host("localhost:3000"))
	require.False(t, a.host("localhost:3001"))
	require.True(t, a.host("Intranet.example:443"))
	for _, bad := range []string{"", "http://x", "a b", "10.0.0.0/99", "*.example"} {
		_, err := newAllowance([]string{bad})
		require.Error(t, err, bad)
	}
}
