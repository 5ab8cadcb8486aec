package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
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
type refusedError struct{ at netip.AddrPort }

func (e *refusedError) Error() string {
	return fmt.Sprintf("%s is not a public address", e.at.Addr())
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
		return &refusedError{at}
	}
	return nil
}

// ErrNotOwn says that no server of the session is at an address.
var ErrNotOwn = errors.New("no server of this session listens there")

// isOwn reports whether an address is this machine's.
func isOwn(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	addrs, _ := net.InterfaceAddrs()
	return ip.IsLoopback() || ip.IsUnspecified() || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == ip
	})
}

// staysHere reports whether a URL is of this machine's loopback, and nobody allowed more of it than
// the session's own servers: dialHere asks about others.
func (w *Web) staysHere(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	loopback := err == nil && ip.Unmap().IsLoopback() && !w.allow.address(ip) || strings.EqualFold(u.Hostname(), "localhost")
	return w.opts.DialOwn != nil && loopback && !w.allow.host(hostPort(u))
}

// dialHere connects to a server of this machine: one of the session's own, else one that a
// person says yes to.
func (w *Web) dialHere(ctx context.Context, refused *refusedError, free *net.Dialer) (net.Conn, error) {
	if w.opts.DialOwn != nil {
		if conn, err := w.opts.DialOwn(ctx, refused.at); !errors.Is(err, ErrNotOwn) {
			return conn, err
		}
	}
	if w.opts.AskHost != nil {
		if yes, err := w.opts.AskHost(ctx, refused.at.Addr().String(), int(refused.at.Port())); err == nil && yes {
			return free.DialContext(ctx, "tcp", refused.at.String())
		}
	}
	return nil, refused
}
