package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

// routeKey is the key of a request's *route in its context.
type routeKey struct{}

// newHTTP makes the HTTP proxy, and what it sends plain requests with.
func (p *Proxy) newHTTP() (*http.Server, *http.Transport) {
	pool := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return p.dial(ctx, ctx.Value(routeKey{}).(*route))
		},
		DisableCompression: true, MaxIdleConns: 32, IdleConnTimeout: time.Minute, ExpectContinueTimeout: time.Second,
	}
	quiet := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{Transport: pool, FlushInterval: -1, ErrorLog: quiet,
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery }, // also what Go would not parse
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { answerError(w, err) },
	}
	handle := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodConnect:
			p.connect(w, r)
		case r.URL.Scheme == "http" && r.URL.Host != "":
			p.forward(w, r, forward)
		default:
			http.Error(w, "agentbash: this is a proxy: it takes CONNECT HOST:PORT, and GET http://HOST/ and the like", http.StatusBadRequest)
		}
	}
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p.begin() {
				defer p.work.Done()
				handle(w, r)
			}
		}),
		BaseContext: func(net.Listener) context.Context { return p.life },
		ErrorLog:    quiet, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}, pool
}

// forward sends a plain request on. The URL says to whom; the server has put its host
// in the place of the Host header (RFC 9112, 3.2.2).
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, proxy http.Handler) {
	to, err := p.admitURL(r, "80")
	if err != nil {
		answerError(w, err)
		return
	}
	r.URL.User, r.URL.Host = nil, net.JoinHostPort(to.host.String(), strconv.Itoa(to.port))
	r.Host = strings.TrimSuffix(r.URL.Host, ":80")
	proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), routeKey{}, to)))
}

// connect makes a tunnel.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	to, err := p.admitURL(r, "")
	if err != nil {
		answerError(w, err)
		return
	}
	up, err := p.dial(r.Context(), to)
	if err != nil {
		answerError(w, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		up.Close()
		answerError(w, err)
		return
	}
	io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n") // an error comes back when the tunnel reads
	splice(client, buffered, up)
}

// errAuthority is the client's error.
var errAuthority = errors.New("write CONNECT HOST:PORT, without a user")

// admitURL judges the host of a request's URL. port is the one that is meant where the
// URL has none; "": it must have one.
func (p *Proxy) admitURL(r *http.Request, port string) (*route, error) {
	u := r.URL
	if u.Port() != "" {
		port = u.Port()
	}
	if port == "" || u.Hostname() == "" || u.User != nil && r.Method == http.MethodConnect {
		return nil, errAuthority
	}
	n, err := parsePort(port)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAuthority, err)
	}
	return p.admit(r.Context(), u.Hostname(), n)
}

// answerError says in plain text why there is no connection.
func answerError(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if r := (*Refusal)(nil); errors.As(err, &r) {
		status = http.StatusForbidden
	} else if errors.Is(err, errAuthority) {
		status = http.StatusBadRequest
	}
	http.Error(w, "agentbash: "+err.Error(), status)
}
