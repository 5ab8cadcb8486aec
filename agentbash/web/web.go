package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/net/http/httpproxy"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	// Allow are hosts (localhost), hosts with a port (localhost:3000), addresses
	// and CIDR ranges that web_fetch may reach although they are private.
	Allow []string

	// DialOwn connects to a server that the session started, at an address of this
	// machine; ErrNotOwn says that none is there. nil: there is no session.
	DialOwn func(ctx context.Context, at netip.AddrPort) (net.Conn, error)

	// AskHost asks a person whether another server of this machine may be reached, and
	// says no where nobody can be asked. nil: nobody can.
	AskHost func(ctx context.Context, host string, port int) (bool, error)

	// Timeout bounds a fetch or a search; 0 means 15 seconds.
	Timeout time.Duration

	// MaxBytes bounds a body after decompression; 0 means 5 MiB.
	MaxBytes int64

	// Version is the program's, for the user agent.
	Version string

	// Lookup is the environment, for HTTP_PROXY, HTTPS_PROXY and NO_PROXY; nil: no
	// proxy is used. Behind one, what names mean is the proxy's to say, and they
	// are looked at only as far as this machine can resolve them.
	Lookup func(name string) (string, bool)

	// Search is the service that web_search asks.
	Search Search

	// Settings are the words for what a person may change.
	Settings registry.Settings
}

// Web makes the tools, and keeps the pages that they got. It is safe for concurrent use.
type Web struct {
	opts  Options
	allow allowance
	proxy func(*url.URL) (*url.URL, error) // nil: none
	cache cache
	pace  pace // of searches
}

const (
	defaultTimeout  = 15 * time.Second
	defaultMaxBytes = 5 << 20
	maxRedirects    = 10
)

// New checks the options; an error names the entry that is wrong.
func New(opts *Options) (*Web, error) {
	w := &Web{}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Timeout <= 0 {
		w.opts.Timeout = defaultTimeout
	}
	if w.opts.MaxBytes <= 0 {
		w.opts.MaxBytes = defaultMaxBytes
	}
	w.opts.Settings = w.opts.Settings.WithDefaults()
	if w.opts.Version == "" {
		w.opts.Version = "dev"
	}
	var err error
	if w.allow, err = newAllowance(w.opts.Allow); err != nil {
		return nil, fmt.Errorf("web_fetch: allow: %w", err)
	}
	if err := w.opts.Search.check(); err != nil {
		return nil, err
	}
	if w.opts.Lookup != nil {
		w.proxy = proxyOf(w.opts.Lookup)
	}
	return w, nil
}

func proxyOf(lookup func(string) (string, bool)) func(*url.URL) (*url.URL, error) {
	get := func(upper, lower string) string {
		if v, _ := lookup(upper); v != "" {
			return v
		}
		v, _ := lookup(lower)
		return v
	}
	c := httpproxy.Config{HTTPProxy: get("HTTP_PROXY", "http_proxy"), HTTPSProxy: get("HTTPS_PROXY", "https_proxy"), NoProxy: get("NO_PROXY", "no_proxy")}
	if c.HTTPProxy == "" && c.HTTPSProxy == "" {
		return nil
	}
	return c.ProxyFunc()
}

// Tools returns web_fetch and web_search. The Metadata of their results are, of
// web_fetch, url (after redirects), http_status, content_type, bytes (of the body,
// as far as it was read) and truncated; of web_search, host and results.
func (w *Web) Tools() []*registry.Tool {
	return []*registry.Tool{w.fetchTool(), w.searchTool()}
}

func (w *Web) agent() string { return "agentbash/" + w.opts.Version }

// newClient makes a client of its own for one fetch: nothing is shared or kept.
// With guarded it connects to public and allowed addresses only.
func (w *Web) newClient(guarded bool) *http.Client {
	free := &net.Dialer{Timeout: w.opts.Timeout}
	dialer := &net.Dialer{Timeout: w.opts.Timeout, Control: w.allow.control}
	var proxies sync.Map // host:port
	isProxy := func(addr string) bool { _, ok := proxies.Load(addr); return ok }
	t := &http.Transport{
		DisableKeepAlives: true, TLSHandshakeTimeout: w.opts.Timeout, MaxResponseHeaderBytes: 1 << 20, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if !guarded || isProxy(addr) || w.allow.host(addr) {
				return free.DialContext(ctx, network, addr)
			}
			conn, err := dialer.DialContext(ctx, network, addr)
			if refused := (*refusedError)(nil); errors.As(err, &refused) && isOwn(refused.at.Addr()) {
				return w.dialHere(ctx, refused, free)
			}
			return conn, err
		},
	}
	if w.proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			p, err := w.proxy(r.URL)
			if p == nil || err != nil {
				return p, err
			}
			if guarded {
				if err := w.beforeProxy(r.Context(), r.URL); err != nil {
					return nil, err
				}
			}
			proxies.Store(hostPort(p), true)
			return p, nil
		}
	}
	return &http.Client{Transport: t, CheckRedirect: w.checkRedirect}
}

// checkRedirect keeps a request to the host that its address names, which is what was
// allowed.
func (w *Web) checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	if err := checkURL(r.URL); err != nil {
		return err
	}
	from, to := hostPort(via[0].URL), hostPort(r.URL)
	if upgraded, ok := strings.CutSuffix(from, ":80"); strings.EqualFold(from, to) || ok && strings.EqualFold(upgraded+":443", to) {
		return nil
	}
	if ip, err := netip.ParseAddr(r.URL.Hostname()); err == nil && !w.allow.host(to) && !w.allow.address(ip) {
		return &refusedError{netip.AddrPortFrom(ip, 0)}
	}
	return &redirectError{r.URL}
}

// redirectError says that a server sends a request to another host.
type redirectError struct{ to *url.URL }

func (e *redirectError) Error() string {
	return fmt.Sprintf("a redirect to another host is not followed: if it is meant, web_fetch %s", quote.Word(e.to.Redacted()))
}

// beforeProxy looks at a host that a proxy is going to connect to.
func (w *Web) beforeProxy(ctx context.Context, u *url.URL) error {
	if w.allow.host(hostPort(u)) {
		return nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil // only the proxy knows the name
	}
	for _, ip := range ips {
		if !w.allow.address(ip) {
			return &refusedError{netip.AddrPortFrom(ip.Unmap(), 0)}
		}
	}
	return nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
