package web

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"github.com/agentbash/agentbash/internal/publicaddr"
)

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
	return publicaddr.Contains(ip) || slices.ContainsFunc(a.prefixes, func(p netip.Prefix) bool { return p.Contains(ip) })
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
