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
