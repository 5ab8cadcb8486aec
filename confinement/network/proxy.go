package network

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	Rules Rules

	// Ask asks a person whether a host that no rule knows may be connected to. nil:
	// nobody is there, and the answer is no. It is called for every connection, so it
	// remembers its answers, but connections that wait for the same host and port
	// share one call, and calls come one after another. ctx ends when none of them waits.
	Ask func(ctx context.Context, host string, port int) (bool, error)

	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver

	// Idle is how long a connection lives on which nothing is sent; 0 is half an hour.
	Idle time.Duration
}

// Listeners are where the clients of a Proxy connect to, made in their namespace. Any
// may be missing.
type Listeners struct {
	HTTP        net.Listener   // the HTTP proxy, TCP
	DNS         net.PacketConn // the name server, UDP
	Transparent []net.Listener // on every address, on the ports to which tools connect that know no proxy
}

// A Proxy connects its clients to the hosts that it may. It starts closed: see
// SetOpen. It is safe for concurrent use.
type Proxy struct {
	opts  Options
	names names
	http  *http.Server
	pool  *http.Transport

	life context.Context // ends with Close: what was accepted has no other context
	end  context.CancelFunc
	work sync.WaitGroup

	mu        sync.Mutex // guards what follows
	open      bool
	ended     bool
	granted   []*Rules
	refusals  []Refusal
	asking    map[target]*question
	listeners []interface{ Close() error }

	oneQuestion sync.Mutex // held while Ask runs
}

// New returns a proxy that serves nobody yet.
func New(opts *Options) *Proxy {
	p := &Proxy{asking: map[target]*question{}}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Idle = cmp.Or(p.opts.Idle, 30*time.Minute)
	p.life, p.end = context.WithCancel(context.Background())
	p.http, p.pool = p.newHTTP()
	return p
}

// Serve begins to serve listeners, which are the proxy's from then on, and returns.
func (p *Proxy) Serve(l Listeners) {
	if l.HTTP != nil {
		p.serve(l.HTTP, func() { p.http.Serve(p.limit(l.HTTP)) })
	}
	if l.DNS != nil {
		p.serve(l.DNS, func() { p.serveDNS(l.DNS) })
	}
	for _, t := range l.Transparent {
		p.serve(t, func() { p.serveTransparent(p.limit(t)) })
	}
}

func (p *Proxy) serve(l interface{ Close() error }, run func()) {
	p.mu.Lock()
	p.listeners = append(p.listeners, l)
	p.mu.Unlock()
	if !p.start(run) {
		l.Close()
	}
}

// start runs something that Close waits for, unless Close was called.
func (p *Proxy) start(run func()) bool {
	ok := p.begin()
	if ok {
		go func() {
			defer p.work.Done()
			run()
		}()
	}
	return ok
}

// begin reports whether something may begin that ends with p.work.Done.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.work.Add(1)
	}
	return !p.ended
}

// Close ends all connections, and returns when what served them has ended.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.ended = true
	listeners := p.listeners
	p.listeners = nil
	p.mu.Unlock()
	p.end()
	errs := []error{p.http.Close()}
	for _, l := range listeners {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) { // the HTTP server closed its own
			errs = append(errs, err)
		}
	}
	p.work.Wait()
	p.pool.CloseIdleConnections()
	return errors.Join(errs...)
}

// SetOpen says whether there is a network at all. While the proxy is closed all new
// connections are refused; those that were made go on.
func (p *Proxy) SetOpen(open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = open
}

// Grant allows hosts until revoke is called, as rules in [Rules].Allow would. What
// [ParseRule] cannot read grants nothing.
func (p *Proxy) Grant(hosts []string) (revoke func()) {
	g := &Rules{}
	for _, text := range hosts {
		if r, err := ParseRule(text); err == nil {
			g.Allow = append(g.Allow, r)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.granted = append(slices.Clone(p.granted), g)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.granted = slices.DeleteFunc(slices.Clone(p.granted), func(other *Rules) bool { return other == g })
	}
}

// maxRefusals bounds what is remembered between two calls of Refusals.
const maxRefusals = 32

// Refusals takes what was refused or failed since the last call, each once, oldest first, at
// most 32.
func (p *Proxy) Refusals() []Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.refusals
	p.refusals = nil
	return taken
}

func (p *Proxy) note(r *Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := func(other Refusal) bool { // a failure may have another text each time
		return other == *r || r.Failed && other.Failed && other.Host == r.Host && other.Port == r.Port
	}
	if len(p.refusals) < maxRefusals && !slices.ContainsFunc(p.refusals, told) {
		p.refusals = append(p.refusals, *r)
	}
}
