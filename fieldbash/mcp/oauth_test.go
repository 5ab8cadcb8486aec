package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// loginServer is an MCP server and its authorization server in one. A token is
// good while it is the newest.
type loginServer struct {
	*httptest.Server
	expires         int // seconds that tokens say they last
	tokens, renewed atomic.Int64
	deny            bool
}

func newLoginServer(t testing.TB) *loginServer {
	s := &loginServer{expires: 3600}
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
			"registration_endpoint": s.URL + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		answer := "?code=c0de&state=" + q.Get("state")
		if s.deny {
			answer = "?error=access_denied&error_description=not+today&state=" + q.Get("state")
		}
		http.Redirect(w, r, q.Get("redirect_uri")+answer, http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		if r.Form.Get("grant_type") == "refresh_token" {
			s.renewed.Add(1)
		}
		reply(w, map[string]any{"access_token": fmt.Sprint("t", s.tokens.Add(1)), "token_type": "Bearer", "expires_in": s.expires, "refresh_token": "r"})
	})
	mcpServer := rpcServer(t, func(w http.ResponseWriter, r *http.Request, method string, body []byte) bool {
		if r.Header.Get("Authorization") == fmt.Sprint("Bearer t", s.tokens.Load()) {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	mux.Handle("/mcp", mcpServer.Config.Handler)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// browser is a person who follows the link.
func browser(logins *atomic.Int64) func(context.Context, string) error {
	return func(_ context.Context, url string) error {
		logins.Add(1)
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
}

func TestLogin(t *testing.T) {
	s := newLoginServer(t)
	file := filepath.Join(t.TempDir(), "state", "tokens.json")
	var logins atomic.Int64
	spec := mcp.Spec{URL: s.URL + "/mcp", OAuth: &mcp.OAuth{Open: browser(&logins), File: file}}
	ctx := t.Context()
	call := func(spec mcp.Spec) error {
		_, err := open(t, spec, nil).Call(ctx, mcp.Call{Tool: "x"})
		return err
	}

	require.NoError(t, call(spec))
	require.EqualValues(t, 1, logins.Load())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())

	spec.OAuth = &mcp.OAuth{File: file} // nobody to ask
	require.NoError(t, call(spec), "the login is kept")

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var kept struct{ Token struct{ Expiry time.Time } }
	require.NoError(t, json.Unmarshal(text, &kept))
	past, err := json.Marshal(time.Now().Add(-time.Hour))
	require.NoError(t, err)
	future, err := json.Marshal(kept.Token.Expiry)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), string(future), string(past), 1)), 0o600))
	require.NoError(t, call(spec), "an expired token is renewed")
	require.EqualValues(t, 1, s.renewed.Load())
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `"t2"`, "and kept")

	other := newLoginServer(t)
	spec.URL = other.URL + "/mcp"
	err = call(spec)
	var e *mcp.Error
	require.ErrorAs(t, err, &e, "tokens of one server are not for another")
	require.Equal(t, 4, e.ExitStatus())
	require.ErrorContains(t, err, "the server wants a login, and there is no one to ask")
	require.Zero(t, other.tokens.Load())
}

func TestSignOut(t *testing.T) {
	s := newLoginServer(t)
	file := filepath.Join(t.TempDir(), "tokens.json")
	var logins atomic.Int64
	spec := mcp.Spec{URL: s.URL + "/mcp", OAuth: &mcp.OAuth{Open: browser(&logins), File: file}}
	c := open(t, spec, nil)
	standing := func(c *mcp.Client, want bool) {
		t.Helper()
		in, wanted := c.SignedIn()
		require.Equal(t, want, in)
		require.True(t, wanted)
	}
	standing(c, false)
	_, err := c.Start(t.Context())
	require.NoError(t, err)
	standing(c, true)
	standing(open(t, spec, nil), true)
	c.Disconnect()
	require.False(t, c.Running())
	_, err = c.Start(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, logins.Load(), "the login outlasts the connection")

	require.NoError(t, c.SignOut())
	standing(c, false)
	require.NoFileExists(t, file)
	c.Disconnect()
	_, err = c.Start(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, logins.Load())
	require.NoError(t, c.LastError())

	other := open(t, mcp.Spec{Command: &mcp.Command{Name: "/nowhere/server"}}, nil)
	_, err = other.Start(t.Context())
	require.Error(t, err)
	require.Equal(t, err, other.LastError())
	require.ErrorContains(t, other.SignOut(), "no login that is kept here")
}

func TestRefusedLoginAsksOnce(t *testing.T) {
	s := newLoginServer(t)
	s.deny = true
	var logins atomic.Int64
	c := open(t, mcp.Spec{URL: s.URL + "/mcp", OAuth: &mcp.OAuth{Open: browser(&logins)}}, nil)
	_, err := c.Tools(t.Context())
	var e *mcp.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 4, e.ExitStatus())
	require.ErrorContains(t, err, "the login was refused: access_denied not today")
	require.EqualValues(t, 1, logins.Load())
}

func TestLoginIsNotHeldToTheStartLimit(t *testing.T) {
	patiently(t, 500*time.Millisecond, func(t *testing.T, limit time.Duration) error {
		s := newLoginServer(t)
		var logins atomic.Int64
		slow := func(ctx context.Context, url string) error {
			timer := time.NewTimer(limit * 7 / 5) // a person types a password
			defer timer.Stop()
			select {
			case <-timer.C:
				return browser(&logins)(ctx, url)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c := open(t, mcp.Spec{URL: s.URL + "/mcp", StartTimeout: limit, OAuth: &mcp.OAuth{Open: slow}}, nil)
		if _, err := c.Start(t.Context()); err != nil {
			return err
		}
		_, err := c.Call(t.Context(), mcp.Call{Tool: "x"})
		require.NoError(t, err)
		require.EqualValues(t, 1, logins.Load())
		return nil
	})
}
