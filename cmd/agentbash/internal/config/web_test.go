package config

import (
	"testing"

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

func TestSearchKey(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{EnvSearchKey: "tvly", "MINE": "mine"}[name]
		return v, ok
	}
	for _, row := range []struct {
		name          string
		s             *WebSearch
		key, variable string
	}{
		{"not configured", nil, "tvly", EnvSearchKey},
		{"Tavily", &WebSearch{Provider: "tavily"}, "tvly", EnvSearchKey},
		{"a variable of its own", &WebSearch{Provider: "tavily", KeyVar: "MINE"}, "mine", "MINE"},
		{"one that is not set", &WebSearch{Provider: "tavily", KeyVar: "NONE"}, "", "NONE"},
		{"SearXNG does not get Tavily's", &WebSearch{Provider: "searxng"}, "", ""},
		{"SearXNG with a key", &WebSearch{Provider: "searxng", KeyVar: "MINE"}, "mine", "MINE"},
	} {
		key, variable := (&Result{WebSearch: row.s}).SearchKey(env)
		require.Equal(t, []string{row.key, row.variable}, []string{key, variable}, row.name)
	}
}

func TestWebErrors(t *testing.T) {
	for _, row := range []struct{ name, file, want string }{
		{"an unknown key", `{"webFetch": {"alow": []}}`, "webFetch.alow: unknown key: did you mean allow?"},
		{"an unknown provider", `{"webSearch": {"provider": "google"}}`, `webSearch.provider: "google" is not known: write tavily or searxng`},
		{"a key in place of its variable", `{"webSearch": {"provider": "tavily", "keyVar": "a=b"}}`, "webSearch.keyVar: it is the name of an environment variable"},
		{"below 0", `{"webFetch": {"timeout": -1}}`, "webFetch: timeout and maxBytes are above 0"},
		{"a wrong type", `{"webFetch": {"allow": "localhost"}}`, "webFetch.allow: a string stands where a list [...] is wanted"},
	} {
		w := newTestHome(t, map[string]string{userFile: row.file})
		_, err := w.try()
		require.ErrorContains(t, err, row.want, row.name)
	}
}
