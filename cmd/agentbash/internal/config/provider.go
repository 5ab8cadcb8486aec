package config

import (
	"fmt"
	"strings"
)

// EnvProvider names a provider by environment.
const EnvProvider = "AGENTBASH_PROVIDER"

// Provider is a model server that is known by name.
type Provider struct {
	Name    string
	BaseURL string
	KeyVar  string // the environment variable that holds its key; "": it needs none
	Model   string // taken where none is named; "": the first that it lists
}

// Providers are the presets, the one that is preferred first. Any other server
// that is compatible with OpenAI's is named by its base URL.
func Providers() []Provider {
	return []Provider{
		{"openai", "https://api.openai.com/v1", EnvKey, "gpt-5"},
		{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "claude-sonnet-4-5"},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "gemini-2.5-pro"},
		{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openai/gpt-5"},
		{"deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek-chat"},
		{"minimax", "https://api.minimax.io/v1", "MINIMAX_API_KEY", "MiniMax-M2"},
		{"ollama", "http://127.0.0.1:11434/v1", "", ""},
		{"lmstudio", "http://127.0.0.1:1234/v1", "", ""},
		{"vllm", "http://127.0.0.1:8000/v1", "", ""},
	}
}

// ModelFacts are what a file says of a model, by its name.
type ModelFacts struct {
	API     string  `json:"api"`     // chat or responses; "": what the server says
	Window  int     `json:"window"`  // tokens
	Silence float64 `json:"silence"` // seconds that a reply may be silent
	Input   float64 `json:"input"`   // dollars for a million tokens
	Cached  float64 `json:"cached"`
	Output  float64 `json:"output"`
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
		if p.KeyVar != "" {
			key, _ := l.opts.Lookup(p.KeyVar)
			l.setValue("apiKey", strings.TrimSpace(key), p.KeyVar)
		}
		l.setValue("baseURL", p.BaseURL, "the provider "+p.Name)
		l.setValue("model", p.Model, "the provider "+p.Name)
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
