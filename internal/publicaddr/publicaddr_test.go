package publicaddr

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublicAddresses(t *testing.T) {
	for _, row := range []struct {
		name, ip string
		public   bool
	}{
		{"a public address", "93.184.215.14", true},
		{"a public IPv6 address", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", true},
		{"loopback", "127.0.0.1", false},
		{"the rest of loopback", "127.8.9.10", false},
		{"IPv6 loopback", "::1", false},
		{"unspecified", "0.0.0.0", false},
		{"this network", "0.1.2.3", false},
		{"IPv6 unspecified", "::", false},
		{"private 10", "10.0.0.1", false},
		{"private 172", "172.31.255.255", false},
		{"beyond private 172", "172.32.0.1", true},
		{"private 192", "192.168.1.1", false},
		{"unique local", "fd00:ec2::254", false},
		{"link-local: cloud metadata", "169.254.169.254", false},
		{"IPv6 link-local", "fe80::1", false},
		{"with a zone", "fe80::1%eth0", false},
		{"site-local", "fec0::1", false},
		{"carrier-grade NAT", "100.64.0.1", false},
		{"beyond it", "100.128.0.1", true},
		{"multicast", "224.0.0.1", false},
		{"IPv6 multicast", "ff02::1", false},
		{"broadcast", "255.255.255.255", false},
		{"reserved", "240.0.0.1", false},
		{"benchmarks", "198.18.0.1", false},
		{"documentation", "203.0.113.7", false},
		{"IPv6 documentation", "2001:db8::1", false},
		{"mapped loopback", "::ffff:127.0.0.1", false},
		{"mapped public", "::ffff:93.184.215.14", true},
		{"compatible loopback", "::127.0.0.1", false},
		{"NAT64 of a private address", "64:ff9b::a00:1", false},
		{"NAT64 of a public address", "64:ff9b::5db8:d70e", true},
		{"local NAT64", "64:ff9b:1::5db8:d70e", false},
		{"6to4 of loopback", "2002:7f00:1::", false},
		{"Teredo", "2001:0:53aa:64c::1", false},
	} {
		require.Equal(t, row.public, Contains(netip.MustParseAddr(row.ip)), "%s: %s", row.name, row.ip)
	}
}
