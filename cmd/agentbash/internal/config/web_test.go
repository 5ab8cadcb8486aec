package config

import (
	"testing"

	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/stretchr/testify/require"
)

func TestWeb(t *testing.T) {
	w := newTestHome(t, map[string]string{
		userFile:   `{"webFetch": {"allow": ["localhost:3000"], "timeout": 20}, "webSearch": {"provider": "searxng", "url": "http://127.0.0.1:8080"}}`,
		projectOwn: `{"webFetch": {"allow": ["10.0.0.0/8"]}, "webSearch": {"provider": "tavily", "url": "http://evil.example"}}`,
	})
	r := w.load()
	require.Equal(t, &WebFetch{Allow: []string{"localhost:3000"}, Timeout: 20}, r.WebFetch)
	require.Equal(t, &WebSearch{Provider: "searxng", URL: "http://127.0.0.1:8080"}, r.WebSearch)
	require.Len(t, r.Warnings, 2)
	require.ErrorContains(t, r.Warnings[0], "webFetch: a project's file cannot say what may be reached")
	require.ErrorContains(t, r.Warnings[1], "webSearch: a project's file cannot choose who is asked")
}

func TestSearch(t *testing.T) {
	env := map[string]string{"EXA_API_KEY": "exa", "BRAVE_API_KEY": "brave", "MINE": "mine"}
	for _, row := range []struct {
		name string
		s    *WebSearch
		want web.Search
	}{
		{"not configured", nil, web.Search{Provider: "brave", Key: "brave", KeyVar: "BRAVE_API_KEY"}},
		{"Exa", &WebSearch{Provider: "exa"}, web.Search{Provider: "exa", Key: "exa", KeyVar: "EXA_API_KEY"}},
		{"a variable of its own", &WebSearch{Provider: "tavily", KeyVar: "MINE"}, web.Search{Provider: "tavily", Key: "mine", KeyVar: "MINE"}},
		{"one that is not set", &WebSearch{Provider: "tavily", KeyVar: "NONE"}, web.Search{Provider: "tavily", KeyVar: "NONE"}},
		{"SearXNG gets nobody's", &WebSearch{Provider: "searxng", URL: "http://x"}, web.Search{Provider: "searxng", URL: "http://x"}},
		{"SearXNG with a key", &WebSearch{Provider: "searxng", KeyVar: "MINE"}, web.Search{Provider: "searxng", Key: "mine", KeyVar: "MINE"}},
		{"DuckDuckGo though there are keys", &WebSearch{Provider: "duckduckgo"}, web.Search{Provider: "duckduckgo"}},
	} {
		lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		require.Equal(t, row.want, (&Result{Settings: Settings{WebSearch: row.s}}).Search(lookup), row.name)
	}
	require.Zero(t, (&Result{}).Search(func(string) (string, bool) { return "", false }))
}

func TestWebErrors(t *testing.T) {
	for _, row := range []struct{ name, file, want string }{
		{"an unknown key", `{"webFetch": {"alow": []}}`, "webFetch.alow: unknown key: did you mean allow?"},
		{"an unknown provider", `{"webSearch": {"provider": "google"}}`, `webSearch.provider: "google" is not known: write one of tavily, brave, exa, searxng, duckduckgo`},
		{"a key in place of its variable", `{"webSearch": {"provider": "tavily", "keyVar": "a=b"}}`, "webSearch.keyVar: it is the name of an environment variable"},
		{"below 0", `{"webFetch": {"timeout": -1}}`, "webFetch.timeout: it is below 0"},
		{"a wrong type", `{"webFetch": {"allow": "localhost"}}`, "webFetch.allow: a string stands where a list [...] is wanted"},
	} {
		w := newTestHome(t, map[string]string{userFile: row.file})
		_, err := w.try()
		require.ErrorContains(t, err, row.want, row.name)
	}
}
