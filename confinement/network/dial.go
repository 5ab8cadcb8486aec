package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/internal/publicaddr"
)

// Refusal is a connection that was not made, and why. It is comparable.
type Refusal struct {
	Host   string // as it was compared; in quotes if it is no host
	Port   int
	Rule   string // that denied it; "" if none did
	Reason string
	Allow  string // what [Rules] would have to allow; "" if that is not what it lacks
	Failed bool   // nothing was against it, but the host was not reached
}

// Error is the reason, with what would allow it, for the program that wanted to connect.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("the network refuses %s: %s", net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), r.Reason)
	if r.Allow != "" {
		text += fmt.Sprintf(": %q in network.allow allows it", r.Allow)
	}
	return text
}

// target is a host and port.
type target struct {
	host
	port int
}

func (t target) refuse(rule, format string, args ...any) *Refusal {
	return &Refusal{Host: t.host.String(), Port: t.port, Rule: rule, Reason: fmt.Sprintf(format, args...)}
}

// lacks refuses what h in the rules would allow.
func (t target) lacks(h host, format string, args ...any) *Refusal {
	r := t.refuse("", format, args...)
	r.Allow = h.String()
	return r
}

// route is a target that may be connected to.
type route struct {
	target
	named bool // by a rule or an approval that is about few hosts, not by "*"
}

// admit judges a host by name, and asks about it. It notes what it refuses.
func (p *Proxy) admit(ctx context.Context, name string, port int) (*route, error) {
	h, err := parseHost(name)
	if err == nil && fakeRange.Contains(h.addr) { // looked up with our name server
		if h.name = p.names.name(h.addr); h.name == "" {
			err = fmt.Errorf("no name has the address %s", h.addr)
		}
		h.addr = netip.Addr{}
	}
	t := target{h, port}
	if err != nil {
		r := &Refusal{Host: quoteText(name), Port: port, Reason: err.Error()}
		p.note(r)
		return nil, r
	}
	to := &route{target: t}
	if r := p.judge(ctx, to); r != nil {
		p.note(r)
		return nil, r
	}
	return to, nil
}

func (p *Proxy) judge(ctx context.Context, to *route) *Refusal {
	open, allow := p.state()
	if !open {
		return to.refuse("", "what only reads has no network")
	}
	if rule := p.opts.Rules.denies(to.host, to.port); rule != "" {
		return to.refuse(rule, "%q in network.deny denies it", rule)
	}
	allowed := false
	for _, r := range allow {
		allowed = allowed || r.allows(to.host, to.port)
		to.named = to.named || !r.any && r.matches(to.host, to.port)
	}
	if allowed {
		return nil
	}
	if p.opts.Ask != nil && mayAsk(to.addr) {
		yes, err := p.ask(ctx, to.target)
		if err != nil {
			return to.refuse("", "it could not be asked about: %v", err)
		}
		if open, _ = p.state(); yes && open {
			to.named = true
			return nil
		}
	}
	return to.lacks(to.host, "nobody allowed it")
}

// state is whether the proxy is open, and what is allowed now.
func (p *Proxy) state() (open bool, allow []Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	allow = slices.Clone(p.opts.Rules.Allow)
	for _, g := range p.granted {
		allow = append(allow, g.Allow...)
	}
	return p.open, allow
}

// mayAsk reports whether a person may allow an address: a cloud's metadata is
// nothing to say yes to in passing.
func mayAsk(ip netip.Addr) bool {
	ip = publicaddr.Unwrap(ip)
	return !ip.IsValid() || ip.IsGlobalUnicast() || ip.IsLoopback()
}

// dialTimeout bounds all attempts to connect to a host.
const dialTimeout = 30 * time.Second

// dial connects to a host that was admitted. Where its name leads to is judged when
// it is connected to, so that what was judged is what is dialed.
func (p *Proxy) dial(ctx context.Context, to *route) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Resolver: p.opts.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return p.judgeAddress(to, at.Addr().Unmap().WithZone(""))
		}}
	name := to.host.String()
	if strings.Contains(to.name, ".") {
		name += "." // no other name, made with the domains that resolvers append
	}
	ctx, cancel := context.WithCancel(ctx) // http.Transport detaches it from the request's
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(name, strconv.Itoa(to.port)))
	if r := (*Refusal)(nil); errors.As(err, &r) {
		p.note(r)
		return nil, r
	}
	if err != nil {
		if ctx.Err() == nil { // many programs show nothing of a proxy's answer but its status
			r := to.refuse("", "%v", err)
			r.Failed = true
			p.note(r)
		}
		return nil, err
	}
	return p.newConn(c, func() {}), nil
}

func (p *Proxy) judgeAddress(to *route, ip netip.Addr) error {
	if rule := p.opts.Rules.denies(host{addr: ip}, to.port); rule != "" {
		return to.refuse(rule, "it leads to %s, and %q in network.deny denies that", ip, rule)
	}
	_, allow := p.state()
	named := (&Rules{Allow: allow}).namesAddress(ip, to.port)
	if named || to.named && (to.name == "" || to.isLocal() && ip.IsLoopback()) {
		return nil
	}
	own, err := isOwn(ip)
	if err != nil {
		return err
	}
	if own || !publicaddr.Contains(ip) {
		return to.lacks(host{addr: ip}, "it leads to %s, which is not a public address", ip)
	}
	return nil
}

// isOwn reports whether an address is one of this machine's.
func isOwn(ip netip.Addr) (bool, error) {
	addrs, err := net.InterfaceAddrs()
	return slices.ContainsFunc(addrs, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == ip
	}), err
}
