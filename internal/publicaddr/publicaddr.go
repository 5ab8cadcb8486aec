// Package publicaddr tells the addresses of the public Internet from all others:
// this machine's, private networks', a cloud's metadata and reserved ones.
package publicaddr

import (
	"net/netip"
	"slices"
)

// specialRanges are ranges that are not for the public Internet, beyond what netip
// knows by itself (the special-purpose address registries of IANA, RFC 6890).
func specialRanges() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4",
		"100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "64:ff9b:1::/48", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// Unwrap is the IPv4 address that an IPv6 one stands for (mapped, compatible, 6to4,
// NAT64); any other address is itself, without its zone.
func Unwrap(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if !ip.Is6() {
		return ip
	}
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("::/96").Contains(ip), netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:]))
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:]))
	}
	return ip
}

// Contains reports whether an address belongs to the public Internet. An IPv6
// address that stands for an IPv4 one is what that is.
func Contains(ip netip.Addr) bool {
	ip = Unwrap(ip)
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(specialRanges(), func(p netip.Prefix) bool { return p.Contains(ip) })
}
