package config

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/agentbash/agentbash/chat"
)

// EnvProvider names a provider by environment.
const EnvProvider = "AGENTBASH_PROVIDER"

// Provider is a model server that is known by name.
type Provider struct {
	Name    string
	BaseURL string
	KeyVar  string // the environment variable that holds its key; "": it needs none
	Model   string // taken where none is named; "": the first that it lists
	API     string // the protocol; "": Chat Completions, or what the server says
}

// Providers are the presets, the one that is preferred first. Any other server
// that is compatible with OpenAI's is named by its base URL.
func Providers() []Provider {
	return []Provider{
		{"openai", "https://api.openai.com/v1", EnvKey, "gpt-5", ""},
		{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "claude-sonnet-4-5", chat.APIMessages},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "gemini-2.5-pro", ""},
		{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openai/gpt-5", ""},
		{"deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek-chat", ""},
		{"minimax", "https://api.minimax.io/v1", "MINIMAX_API_KEY", "MiniMax-M2", ""},
		{"ollama", "http://127.0.0.1:11434/v1", "", "", ""},
		{"lmstudio", "http://127.0.0.1:1234/v1", "", "", ""},
		{"vllm", "http://127.0.0.1:8000/v1", "", "", ""},
	}
}

// ModelFacts are what a file says of a model, by its name.
type ModelFacts struct {
	API     string  `json:"api"`     // chat, responses or messages; "": what the server says
	Effort  string  `json:"effort"`  // how much it is to think; "": what the server does
	Window  int     `json:"window"`  // tokens
	Silence float64 `json:"silence"` // seconds that a reply may be silent
	Input   float64 `json:"input"`   // dollars for a million tokens
	Cached  float64 `json:"cached"`
	Output  float64 `json:"output"`
}

// APIOf is the protocol of the provider at baseURL, or "".
func APIOf(baseURL string) string {
	for _, p := range Providers() {
		if chat.BaseURL(baseURL) == p.BaseURL {
			return p.API
		}
	}
	return ""
}

// applyProvider fills in what the provider's name stands for. What OPENAI_BASE_URL and
// OPENAI_API_KEY say is meant for OpenAI's protocol at large, and counts less
// than a provider that was named: its key must not go to another's server.
func (l *loader) applyProvider() {
	r := l.result
	r.KeyVar = EnvKey
	if r.Provider == "" {
		return
	}
	var names []string
	for _, p := range Providers() {
		names = append(names, p.Name)
		if p.Name != r.Provider {
			continue
		}
		if r.KeyVar = p.KeyVar; p.KeyVar != EnvKey {
			l.unsetValue("apiKey", &r.APIKey, EnvKey)
			l.unsetValue("baseURL", &r.BaseURL, EnvBaseURL)
		}
		if k := l.keyed; k != nil && k.Provider == r.Provider {
			l.merge(&Settings{APIKey: k.APIKey}, k.path)
		} else if k != nil && (k.Provider != "" || k.BaseURL != "" && k.BaseURL != r.BaseURL) { // it is for the server that it stands beside
			l.unsetValue("apiKey", &r.APIKey, k.path)
		}
		if p.KeyVar != "" {
			key, _ := l.opts.Lookup(p.KeyVar)
			l.merge(&Settings{APIKey: strings.TrimSpace(key)}, p.KeyVar)
		}
		l.merge(&Settings{BaseURL: p.BaseURL, Model: p.Model}, "the provider "+p.Name)
		return
	}
	l.errs = append(l.errs, &Error{Key: "provider", Text: fmt.Sprintf("%q (from %s) is not known: use %s, or name a server with --base-url", r.Provider, r.From["provider"], strings.Join(names, ", "))})
}

// unsetValue takes back a value that came from a variable.
func (l *loader) unsetValue(key string, value *string, from string) {
	if l.result.From[key] == from {
		*value = ""
		delete(l.result.From, key)
	}
}

// mendBaseURL puts a scheme before a base URL that has none: http for this machine and
// others that are named by an address or a port, https otherwise.
func (l *loader) mendBaseURL() {
	r := l.result
	if r.BaseURL == "" {
		return
	}
	r.BaseURL = WithScheme(r.BaseURL)
	if u, err := url.Parse(r.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		l.errs = append(l.errs, &Error{Key: "baseURL", Text: fmt.Sprintf("%q (from %s) is no address of a server: it looks like http://127.0.0.1:8080/v1", r.BaseURL, r.From["baseURL"])})
	}
}

// WithScheme is a base URL as it was meant.
func WithScheme(base string) string {
	base = strings.TrimSpace(base)
	host, _, _ := strings.Cut(base, "/")
	switch name, port, _ := strings.Cut(host, ":"); {
	case strings.Contains(base, "://"):
		return base
	case port != "" || !strings.Contains(name, ".") || net.ParseIP(name) != nil:
		return "http://" + base
	}
	return "https://" + base
}
