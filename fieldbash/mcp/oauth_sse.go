package mcp

import (
	"errors"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

// loginTripper logs in for the event stream of the 2024-11-05 revision, whose
// transport in the SDK knows no login: it adds the token to requests to the
// configured origin, and answers a refusal with a login and one more try.
type loginTripper struct {
	next *roundTripper
	auth *oauthHandler
}

// RoundTrip sends one request.
func (l *loginTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if originOf(req) != l.next.origin {
		return l.next.RoundTrip(req)
	}
	sent, resp, err := l.send(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if sent.URL, err = url.Parse(l.auth.server); err != nil { // the login is for the configured address, not for where messages go
		resp.Body.Close()
		return nil, err
	}
	if err := l.auth.Authorize(req.Context(), sent, resp); err != nil {
		return nil, err
	}
	_, resp, err = l.send(req)
	return resp, err
}

// send sends a copy of the request, with a body of its own and the token that
// there is now.
func (l *loginTripper) send(req *http.Request) (*http.Request, *http.Response, error) {
	out := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, nil, err
		}
		out.Body = body
	}
	ts, err := l.auth.TokenSource(req.Context())
	if err != nil {
		return nil, nil, err
	}
	if ts != nil {
		token, err := ts.Token()
		var refused *oauth2.RetrieveError
		switch {
		case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant": // it was taken back: the server will say so, and we log in
		case err != nil:
			return nil, nil, err
		default:
			out.Header.Set("Authorization", "Bearer "+token.AccessToken)
		}
	}
	resp, err := l.next.RoundTrip(out)
	return out, resp, err
}
