package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProviders(t *testing.T) {
	tests := []struct {
		name  string
		env   map[string]string
		flags Flags
		file  string
		want  [3]string // base URL, key, model
		err   string
	}{
		{"by flag", map[string]string{"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://o"}, Flags{Provider: "anthropic"}, "",
			[3]string{"https://api.anthropic.com/v1", "a", "claude-sonnet-4-5"}, ""},
		{"by environment, with a model", map[string]string{"AGENTBASH_PROVIDER": "deepseek", "DEEPSEEK_API_KEY": "d\n"}, Flags{Model: "m"}, "",
			[3]string{"https://api.deepseek.com/v1", "d", "m"}, ""},
		{"by file", nil, Flags{}, `{"provider": "ollama"}`, [3]string{"http://127.0.0.1:11434/v1", "", ""}, ""},
		{"a key never goes to another's server", map[string]string{"OPENAI_API_KEY": "o"}, Flags{Provider: "gemini"}, "", [3]string{"https://generativelanguage.googleapis.com/v1beta/openai", "", "gemini-2.5-pro"}, ""},
		{"a key in a file is for the provider beside it", map[string]string{"OPENAI_API_KEY": "o"}, Flags{}, `{"provider": "anthropic", "apiKey": "a", "model": "m"}`, [3]string{"https://api.anthropic.com/v1", "a", "m"}, ""},
		{"and for no other", map[string]string{"GEMINI_API_KEY": "g"}, Flags{Provider: "gemini", Model: "m"}, `{"provider": "anthropic", "apiKey": "a"}`, [3]string{"https://generativelanguage.googleapis.com/v1beta/openai", "g", "m"}, ""},
		{"that of a server stays with it", nil, Flags{Provider: "deepseek"}, `{"baseURL": "http://here/v1", "apiKey": "h"}`, [3]string{"http://here/v1", "h", "deepseek-chat"}, ""},
		{"and goes to no other", nil, Flags{Provider: "deepseek", BaseURL: "http://there/v1"}, `{"baseURL": "http://here/v1", "apiKey": "h"}`, [3]string{"http://there/v1", "", "deepseek-chat"}, ""},
		{"a base URL by flag stays", map[string]string{"OPENROUTER_API_KEY": "r"}, Flags{Provider: "openrouter", BaseURL: "http://proxy", Model: "m"}, "", [3]string{"http://proxy", "r", "m"}, ""},
		{"openai with a base URL", map[string]string{"OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://o"}, Flags{Provider: "openai"}, "", [3]string{"http://o", "o", "gpt-5"}, ""},
		{"unknown", nil, Flags{Provider: "nosuch"}, "", [3]string{}, "is not known: use openai, anthropic"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			env := map[string]string{"HOME": dir}
			for k, v := range tt.env {
				env[k] = v
			}
			if tt.file != "" {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, ".config", "agentbash"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, ".config", "agentbash", "config.json"), []byte(tt.file), 0o600))
			}
			r, err := Load(&Options{Flags: tt.flags, Dir: dir, Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, [3]string{r.BaseURL, r.APIKey, r.Model})
		})
	}
}

func TestAProjectCannotChooseTheProvider(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".agentbash"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".agentbash", "config.json"), []byte(`{"provider": "ollama", "models": {"m": {"window": 5}}}`), 0o600))
	r, err := Load(&Options{Dir: dir, Lookup: func(n string) (string, bool) { return map[string]string{"HOME": "/nonexistent"}[n], n == "HOME" }})
	require.NoError(t, err)
	require.Empty(t, r.Provider)
	require.Empty(t, r.Models)
	require.Equal(t, []string{`provider: "ollama"`}, r.Pending[0].Adds)
}

func TestABaseURLWithoutASchemeIsMended(t *testing.T) {
	for given, want := range map[string]string{"127.0.0.1:8080/v1": "http://127.0.0.1:8080/v1", "localhost/v1": "http://localhost/v1", "10.1.2.3/v1": "http://10.1.2.3/v1",
		"models.example.com/v1": "https://models.example.com/v1", "gpu.example.com:8000": "http://gpu.example.com:8000", "https://a/v1": "https://a/v1", " http://b/v1 ": "http://b/v1"} {
		require.Equal(t, want, WithScheme(given), given)
	}
}

func TestAFileWithAKeyIsASecret(t *testing.T) {
	for text, secret := range map[string]bool{`{"apiKey": "k"}`: true, `{"apiKey": "${KEY}"}`: false, `{"model": "m"}`: false} {
		dir := t.TempDir()
		path := filepath.Join(dir, ".config", "agentbash", "config.json")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		r, err := Load(&Options{Dir: dir, Lookup: func(n string) (string, bool) { v, ok := map[string]string{"HOME": dir, "KEY": "k"}[n]; return v, ok }})
		require.NoError(t, err)
		require.Equal(t, secret, len(r.Confine.Secrets) == 1 && r.Confine.Secrets[0] == path, text)
	}
}
