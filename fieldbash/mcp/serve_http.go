package mcp

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstSessionless is the MCP revision from which on HTTP has no sessions.
const firstSessionless = "2026-07-28"

// keptAnswers bounds what is kept for clients that come back, of all of them, in bytes.
const keptAnswers = 32 << 20

// Handler serves clients over streamable HTTP at every path. A request that a
// browser sends for a page of another origin is refused, and so is one to
// another host's name that came by the loopback address (DNS rebinding).
func (s *Server) Handler() http.Handler {
	of := func(server *sdk.Server, opts *sdk.StreamableHTTPOptions) http.Handler {
		opts.MaxRequestBodyBytes = mostMessage
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, opts)
	}
	answers := sdk.NewMemoryEventStore(nil) // for clients whose connection broke under a call
	answers.SetMaxBytes(keptAnswers)
	sessions := of(s.sessions, &sdk.StreamableHTTPOptions{SessionTimeout: s.opts.Idle, EventStore: answers})
	sessionless := of(s.sessionless, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !sameOrigin(r):
			http.Error(w, "requests from pages of other origins are refused", http.StatusForbidden)
		case s.opts.Token != "" && !s.hasToken(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token that the server was started with: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		case r.Header.Get("Mcp-Protocol-Version") >= firstSessionless:
			sessionless.ServeHTTP(w, r)
		case r.Header.Get("Mcp-Session-Id") == "" && s.full():
			w.Header().Set("Retry-After", "60")
			http.Error(w, errFull.Error(), http.StatusServiceUnavailable)
		default:
			sessions.ServeHTTP(w, r)
		}
	})
}

// full reports whether there are as many sessions as there may be.
func (s *Server) full() bool {
	n := 0
	for range s.sessions.Sessions() {
		n++
	}
	return n >= s.clients.most
}

// sameOrigin reports whether a request comes from no page, or from one of ours.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host
}

func (s *Server) hasToken(r *http.Request) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(got), []byte(s.opts.Token)) == 1
}
