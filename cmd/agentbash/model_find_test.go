package main

import (
	"context"
	"os"
	"testing"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/stretchr/testify/require"
)

func TestChooseAModelByName(t *testing.T) {
	a := &app{lookup: func(name string) (string, bool) {
		if name == "DEEPSEEK_API_KEY" {
			return " dk\n", true
		}
		return "", false
	}}
	b := &configuredBash{cfg: &config.Result{Dirs: config.Dirs{State: t.TempDir()}, Settings: config.Settings{Models: map[string]config.ModelFacts{"m2": {Window: 5, Input: 1}}}}}
	now := chat.Model{Name: "m1", BaseURL: "http://here/v1", APIKey: "k"}
	for _, c := range []struct {
		name string
		want chat.Model
		err  string
	}{
		{"m2", chat.Model{Name: "m2", BaseURL: "http://here/v1", APIKey: "k", Window: 5, Prices: chat.Prices{Input: 1}}, ""},
		{"llama3:8b", chat.Model{Name: "llama3:8b", BaseURL: "http://here/v1", APIKey: "k"}, ""},
		{"deepseek", chat.Model{Name: "deepseek-chat", BaseURL: "https://api.deepseek.com/v1", APIKey: "dk"}, ""},
		{"deepseek:deepseek-reasoner", chat.Model{Name: "deepseek-reasoner", BaseURL: "https://api.deepseek.com/v1", APIKey: "dk"}, ""},
		{"ollama:llama3:8b", chat.Model{Name: "llama3:8b", BaseURL: "http://127.0.0.1:11434/v1"}, ""},
		{"gemini", now, "set GEMINI_API_KEY"},
		{" ", now, "name a model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := a.findModel(context.Background(), b, now, c.name)
			require.Equal(t, c.want, got)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestWhatWasLearntOfAModelIsKept(t *testing.T) {
	b := &configuredBash{cfg: &config.Result{Dirs: config.Dirs{State: t.TempDir()}, Settings: config.Settings{Models: map[string]config.ModelFacts{"configured": {API: "chat"}}}}}
	m := chat.Model{Name: "m", BaseURL: "http://here/v1/"}
	require.Empty(t, b.addFacts(m).KnownAPI)
	b.knownProtocols().saveProtocol(chat.Model{Name: "m", BaseURL: "http://here/v1", KnownAPI: chat.APIResponses})
	require.Equal(t, chat.APIResponses, b.addFacts(m).KnownAPI)
	require.Empty(t, b.addFacts(chat.Model{Name: "m", BaseURL: "http://there/v1"}).KnownAPI, "another server")
	b.knownProtocols().saveProtocol(chat.Model{Name: "configured", BaseURL: "http://here/v1", KnownAPI: chat.APIResponses})
	require.Empty(t, b.addFacts(chat.Model{Name: "configured", BaseURL: "http://here/v1"}).KnownAPI, "what is configured counts")
	b.knownProtocols().saveProtocol(chat.Model{Name: "m", BaseURL: "http://here/v1", KnownAPI: chat.APIChat})
	require.Empty(t, b.addFacts(m).KnownAPI)
	require.NoError(t, os.WriteFile(b.knownProtocols().path, []byte("{"), 0o600))
	require.Empty(t, b.addFacts(m).KnownAPI)
	require.NoError(t, os.Remove(b.knownProtocols().path))
	entries, err := os.ReadDir(b.cfg.Dirs.State)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is left lying about")
}
