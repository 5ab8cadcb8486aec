package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/oauth2"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

// tokenFile is what is kept of a login: the token, and what it takes to renew it.
type tokenFile struct {
	Server       string        `json:"server"` // the endpoint that it is for
	Token        *oauth2.Token `json:"token"`
	ClientID     string        `json:"clientID"`
	ClientSecret string        `json:"clientSecret,omitempty"`
	TokenURL     string        `json:"tokenURL"`
	AuthStyle    int           `json:"authStyle"`
}

// saveTokens is called by the login flow with a fresh token: it is written to the
// file, as is each later one.
func (h *oauthHandler) saveTokens(ctx context.Context, conf *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	file := tokenFile{
		Server: h.server, Token: token, ClientID: conf.ClientID, ClientSecret: conf.ClientSecret,
		TokenURL: conf.Endpoint.TokenURL, AuthStyle: int(conf.Endpoint.AuthStyle),
	}
	if err := file.write(h.conf.File); err != nil {
		return nil, err
	}
	return &keptSource{source: conf.TokenSource(ctx, token), file: file, path: h.conf.File}, nil
}

// loadTokens returns the tokens of the file, or nil if there are none for this
// server. It is called with h.mu held.
func (h *oauthHandler) loadTokens() oauth2.TokenSource {
	if h.conf.File == "" {
		return nil
	}
	b, err := os.ReadFile(h.conf.File)
	if err != nil {
		return nil
	}
	var file tokenFile
	if json.Unmarshal(b, &file) != nil || file.Token == nil || file.Server != h.server {
		return nil // another server's tokens are not sent here
	}
	conf := oauth2.Config{
		ClientID: file.ClientID, ClientSecret: file.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: file.TokenURL, AuthStyle: oauth2.AuthStyle(file.AuthStyle)},
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, h.client)
	return &keptSource{source: conf.TokenSource(ctx, file.Token), file: file, path: h.conf.File}
}

// keptSource writes renewed tokens to the file.
type keptSource struct {
	source oauth2.TokenSource
	path   string

	mu   sync.Mutex
	file tokenFile
}

// Token returns a valid token, renewing it if need be.
func (s *keptSource) Token() (*oauth2.Token, error) {
	token, err := s.source.Token()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken != s.file.Token.AccessToken {
		s.file.Token = token
		if err := s.file.write(s.path); err != nil {
			return nil, err
		}
	}
	return token, nil
}

// write replaces the file whole; only its owner can read it.
func (f tokenFile) write(path string) error {
	if path == "" {
		return nil
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = atomicfile.Write(path, append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	return nil
}
