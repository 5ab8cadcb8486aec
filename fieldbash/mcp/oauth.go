package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// authorizeWait is how long a person has to log in.
const authorizeWait = 5 * time.Minute

// OAuth lets a person log in at an HTTP server that asks for it (MCP
// authorization: OAuth 2.1 with discovery, dynamic registration and PKCE). The
// browser comes back to a port of the loopback interface.
type OAuth struct {
	// Open shows the address at which the person logs in, in a browser or in
	// words; it returns at once. Nil: there is no one to ask, and a server that
	// has no stored token for us is an authentication error.
	Open func(ctx context.Context, url string) error

	File         string // keeps the tokens, 0600; "": they are forgotten with the client
	ClientID     string // of a client registered beforehand; "": registered now
	ClientSecret string
	AsClient     bool   // we log in as ourselves, with ClientID and ClientSecret (client credentials grant); no one is asked
	MetadataURL  string // of our client metadata document, offered where the server takes one; "": none
}

// oauthHandler logs in for one client; it is the SDK's auth.OAuthHandler.
type oauthHandler struct {
	conf   OAuth
	server string // the endpoint that the tokens are for
	client *http.Client

	mu     sync.Mutex // one login at a time
	flow   auth.OAuthHandler
	listen *callback
	stored oauth2.TokenSource // of the file
	loaded bool
}

// TokenSource returns the tokens that we have, or nil.
func (h *oauthHandler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.flow != nil {
		if ts, err := h.flow.TokenSource(ctx); ts != nil || err != nil {
			return ts, err
		}
	}
	if !h.loaded {
		h.loaded = true
		h.stored = h.loadTokens()
	}
	if h.stored == nil {
		return nil, nil
	}
	if _, err := h.stored.Token(); err != nil { // expired, and not renewed: the person is asked again
		h.stored = nil
		return nil, nil
	}
	return h.stored, nil
}

// Authorize runs the login that the server's refusal asks for.
func (h *oauthHandler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	once, _ := ctx.Value(loginKey{}).(*login)
	if once != nil && once.failed != nil { // the SDK tries several requests in a row
		resp.Body.Close()
		return once.failed
	}
	if h.renewedSince(req) {
		resp.Body.Close()
		return nil
	}
	err := h.login(ctx, req, resp)
	if once != nil {
		once.failed = err
	}
	return err
}

// renewedSince reports whether we have another token than the one that was
// refused: somebody logged in while this request was under way. It is called
// with h.mu held.
func (h *oauthHandler) renewedSince(req *http.Request) bool {
	ts := h.stored
	if h.flow != nil {
		if fresh, err := h.flow.TokenSource(req.Context()); err == nil && fresh != nil {
			ts = fresh
		}
	}
	if ts == nil {
		return false
	}
	token, err := ts.Token()
	return err == nil && req.Header.Get("Authorization") != "Bearer "+token.AccessToken
}

// loginKey is the context key of the *login of one start or request.
type loginKey struct{}

// login remembers that a person was asked in vain.
type login struct{ failed error }

func (h *oauthHandler) login(ctx context.Context, req *http.Request, resp *http.Response) error {
	if h.conf.AsClient {
		return h.loginAsClient(ctx, req, resp)
	}
	if h.conf.Open == nil {
		resp.Body.Close()
		return errNoOne
	}
	if pause, ok := ctx.Value(pauseKey{}).(func() (resume func())); ok {
		defer pause()() // a person is not held to a server's time limit
	}
	if h.flow == nil {
		if err := h.prepareFlow(); err != nil {
			resp.Body.Close()
			return err
		}
	}
	if err := h.listen.open(); err != nil {
		resp.Body.Close()
		return err
	}
	defer h.listen.close()
	return h.flow.Authorize(ctx, req, resp)
}

var errNoOne = errors.New("the server wants a login, and there is no one to ask")

// pauseKey is the context key of a func() (resume func()) that suspends the
// time limit of what is being done.
type pauseKey struct{}

// loginAsClient gets a token for the client itself (RFC 6749, section 4.4).
func (h *oauthHandler) loginAsClient(ctx context.Context, req *http.Request, resp *http.Response) error {
	if h.flow == nil {
		flow, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
			Credentials: h.credentials(), HTTPClient: h.client,
		})
		if err != nil {
			resp.Body.Close()
			return fmt.Errorf("log in as a client: %w", err)
		}
		h.flow = flow
	}
	return h.flow.Authorize(ctx, req, resp)
}

// credentials are those of a client registered beforehand, or nil.
func (h *oauthHandler) credentials() *oauthex.ClientCredentials {
	if h.conf.ClientID == "" {
		return nil
	}
	c := &oauthex.ClientCredentials{ClientID: h.conf.ClientID}
	if h.conf.ClientSecret != "" {
		c.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: h.conf.ClientSecret}
	}
	return c
}

// prepareFlow makes the SDK's login flow, with a redirect to a port of ours.
func (h *oauthHandler) prepareFlow() error {
	listen, err := newCallback()
	if err != nil {
		return err
	}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              listen.url,
		AuthorizationCodeFetcher: h.fetchCode,
		RequestRefreshToken:      true,
		Client:                   h.client,
		NewTokenSource:           h.saveTokens,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName:   "agentbash",
			RedirectURIs: []string{listen.url},
			GrantTypes:   []string{"authorization_code", "refresh_token"},
		}},
	}
	if h.conf.MetadataURL != "" {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: h.conf.MetadataURL}
	}
	config.PreregisteredClient = h.credentials()
	flow, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return fmt.Errorf("prepare the login: %w", err)
	}
	h.flow, h.listen = flow, listen
	return nil
}

// fetchCode sends the person to the login and waits for the browser to come back.
func (h *oauthHandler) fetchCode(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, authorizeWait, &timeoutError{after: authorizeWait, what: "no login"})
	defer cancel()
	if err := h.conf.Open(ctx, args.URL); err != nil {
		return nil, fmt.Errorf("show the login: %w", err)
	}
	select {
	case q := <-h.listen.answers:
		if problem := q.Get("error"); problem != "" {
			return nil, fmt.Errorf("the login was refused: %s %s", plainText(problem), plainText(q.Get("error_description")))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
