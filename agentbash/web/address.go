package web

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// specialRanges are ranges that are not for the public web, beyond what netip knows
// by itself (the special-purpose address registries of IANA, RFC 6890).
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

// isPublic reports whether an address belongs to the public web. An IPv6 address
// that stands for an IPv4 one (mapped, compatible, 6to4, NAT64) is what that is.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		b := ip.As16()
		v4 := -1
		switch {
		case netip.MustParsePrefix("::/96").Contains(ip), netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
			v4 = 12
		case netip.MustParsePrefix("2002::/16").Contains(ip):
			v4 = 2
		}
		if v4 >= 0 {
			return isPublic(netip.AddrFrom4([4]byte(b[v4 : v4+4])))
		}
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(specialRanges(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// allowance is what may be reached although it is not public.
type allowance struct {
	hosts    []string // "localhost", "localhost:3000", "intranet.example:443"; lower case
	prefixes []netip.Prefix
}

// newAllowance reads host names, host:port, addresses and CIDR ranges.
func newAllowance(list []string) (a allowance, err error) {
	for _, s := range list {
		s = strings.ToLower(strings.TrimSpace(s))
		if p, err := netip.ParsePrefix(s); err == nil {
			a.prefixes = append(a.prefixes, p.Masked())
			continue
		}
		if ip, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
			a.prefixes = append(a.prefixes, netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()))
			continue
		}
		if s == "" || strings.ContainsAny(s, "/ *@") {
			return a, fmt.Errorf("%q is no host, host:port, address or range such as 10.0.0.0/8", s)
		}
		a.hosts = append(a.hosts, s)
	}
	return a, nil
}

// host reports whether the host:port of a URL was allowed by name.
func (a *allowance) host(addr string) bool {
	addr = strings.ToLower(addr)
	name, _, err := net.SplitHostPort(addr)
	return slices.Contains(a.hosts, addr) || err == nil && slices.Contains(a.hosts, name)
}

// address reports whether an address may be connected to.
func (a *allowance) address(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return isPublic(ip) || slices.ContainsFunc(a.prefixes, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// refusedError says that an address is not for this tool.
type refusedError struct{ ip netip.Addr }

func (e *refusedError) Error() string {
	return fmt.Sprintf("%s is not a public address", e.ip)
}

// ExitStatus is that of what was denied.
func (e *refusedError) ExitStatus() int { return 126 }

// control is net.Dialer's hook: it sees the address that is about to be
// connected to, after all names are resolved.
func (a *allowance) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %s: %w", address, err)
	}
	if !a.address(at.Addr()) {
		return &refusedError{at.Addr()}
	}
	return nil
}
