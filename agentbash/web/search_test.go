package web

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// The shapes are those that the services' own servers send.
const (
	tavilyAnswer = `{"query":"go","follow_up_questions":null,"answer":null,"images":[],"results":[{"url":"https://go.dev/","title":"The Go\n Programming Language","content":"Build simple, secure & scalable systems.","score":0.97,"raw_content":null},{"url":"https://go.dev/doc/","title":"Documentation","content":"","score":0.5,"raw_content":null}],"response_time":1.09,"request_id":"c5ce1e43-55ad-4bd3-9a8a-4a7f7a0a2a0e"}`
	searxAnswer  = `{"query": "go", "number_of_results": 0, "results": [{"url": "https://go.dev/", "title": "Go", "content": "Build systems.", "thumbnail": null, "engine": "duckduckgo", "template": "default.html", "parsed_url": ["https", "go.dev", "/", "", "", ""], "engines": ["duckduckgo"], "positions": [1], "score": 1.0, "category": "general"}], "answers": [], "corrections": [], "infoboxes": [], "suggestions": ["golang"], "unresponsive_engines": [["google", "CAPTCHA"]]}`
	braveAnswer  = `{"type":"search","query":{"original":"go & more","more_results_available":true},"mixed":{"type":"mixed","main":[{"type":"web","index":0,"all":false}]},"web":{"type":"search","results":[{"title":"Go","url":"https://go.dev/","is_source_local":false,"description":"Build systems.","page_age":"2026-01-02T00:00:00","profile":{"name":"Go","url":"https://go.dev/"},"language":"en","family_friendly":true}],"family_friendly":true}}`
	exaAnswer    = `{"requestId":"b5947044c4b78efa9552a7c89b306d95","resolvedSearchType":"neural","results":[{"id":"https://go.dev/","title":"Go","url":"https://go.dev/","publishedDate":"2026-01-02T00:00:00.000Z","author":"","text":"Build\nsystems."}],"costDollars":{"total":0.005}}`
	duckAnswer   = `<!DOCTYPE html><html><body><div class="serp__results"><div id="links" class="results">
<div class="result results_links results_links_deep result--ad "><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Buy go</a></h2></div>
<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2Fdoc%3Fa%3D1%26b&amp;rut=68e8">The <b>Go</b> Programming Language</a></h2>
<div class="result__extras"><a class="result__url" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2F&amp;rut=68e8"> go.dev </a></div>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2F&amp;rut=68e8">Build simple, <b>secure</b> systems.</a></div></div>
<div class="nav-link"><form action="/html/" method="post"><input type="submit" class="btn" value="Next"></form></div></div></div></body></html>`
)

func TestSearch(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("Authorization") != "Bearer tvly-key":
			w.WriteHeader(401)
			io.WriteString(w, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`)
		case strings.Contains(string(body), "nothing"):
			io.WriteString(w, `{"query":"nothing","results":[]}`)
		case strings.Contains(string(body), "limit"):
			w.WriteHeader(432)
			io.WriteString(w, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`)
		case strings.Contains(string(body), "nonsense"):
			io.WriteString(w, `<html>`)
		default:
			require.JSONEq(t, `{"query":"go & more","max_results":2}`, string(body))
			require.Equal(t, "application/json", r.Header.Get("Content-Type"))
			io.WriteString(w, tavilyAnswer)
		}
	})
	mux.HandleFunc("GET /sx/search", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("q") == "forbidden" {
			w.WriteHeader(403)
			return
		}
		require.Equal(t, url.Values{"q": {"go & more"}, "format": {"json"}}, r.URL.Query())
		io.WriteString(w, searxAnswer)
	})
	mux.HandleFunc("GET /res/v1/web/search", func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "brave-key", r.Header.Get("X-Subscription-Token"))
		require.Equal(t, url.Values{"q": {"go & more"}, "count": {"3"}}, r.URL.Query())
		io.WriteString(w, braveAnswer)
	})
	mux.HandleFunc("POST /exa/search", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		require.Equal(t, "exa-key", r.Header.Get("x-api-key"))
		require.JSONEq(t, `{"query":"go & more","numResults":5,"contents":{"text":{"maxCharacters":500}}}`, string(body))
		io.WriteString(w, exaAnswer)
	})
	mux.HandleFunc("GET /html/", func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "agentbash/dev", r.UserAgent())
		switch r.URL.Query().Get("q") {
		case "robot":
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, `<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>`)
		case "nothing":
			io.WriteString(w, `<div id="links" class="results"><div class="result results_links result--no-result"><div class="no-results">No results.</div></div></div>`)
		case "another page":
			io.WriteString(w, `<p>hello`)
		default:
			io.WriteString(w, duckAnswer)
		}
	})
	at := serve(t, mux.ServeHTTP)
	brave := &Options{Search: Search{Provider: Brave, URL: at, Key: "brave-key"}}
	exa := &Options{Search: Search{Provider: Exa, URL: at + "/exa", Key: "exa-key"}}
	duck := &Options{Search: Search{URL: at}, Settings: registry.Settings{WebSearch: "configure another"}}
	tavily := &Options{Search: Search{URL: at, Key: "tvly-key"}}
	searx := &Options{Search: Search{Provider: SearXNG, URL: at + "/sx/"}}
	text := "1. The Go Programming Language\n   https://go.dev/\n   Build simple, secure & scalable systems.\n\n2. Documentation\n   https://go.dev/doc/\n"
	for _, row := range []struct {
		name     string
		opts     *Options
		words    []string
		exit     int
		out, err string
	}{
		{"Tavily", tavily, []string{"go & more", "--max_results", "2"}, 0, text, ""},
		{"Tavily, fewer", tavily, []string{"--query", "go & more", "--max_results=2", "--json"}, 0, "[\n  {\n    \"title\": \"The Go\\n Programming Language\",\n    \"url\": \"https://go.dev/\",\n    \"content\": \"Build simple, secure & scalable systems.\"\n  },\n  {\n    \"title\": \"Documentation\",\n    \"url\": \"https://go.dev/doc/\",\n    \"content\": \"\"\n  }\n]\n", ""},
		{"SearXNG", searx, []string{"go & more"}, 0, "1. Go\n   https://go.dev/\n   Build systems.\n", "did not answer: [google CAPTCHA]"},
		{"Brave", brave, []string{"go & more", "--max_results", "3"}, 0, "1. Go\n   https://go.dev/\n   Build systems.\n", ""},
		{"Exa", exa, []string{"go & more"}, 0, "1. Go\n   https://go.dev/\n   Build systems.\n", ""},
		{"DuckDuckGo", duck, []string{"go & more"}, 0, "1. The Go Programming Language\n   https://go.dev/doc?a=1&b\n   Build simple, secure systems.\n", ""},
		{"DuckDuckGo, nothing", duck, []string{"nothing"}, 1, "", `nothing was found for "nothing"`},
		{"DuckDuckGo, another page", duck, []string{"another page"}, 1, "", "there is no list of results in it"},
		{"DuckDuckGo wants a person", duck, []string{"robot"}, 4, "", "wait, set TAVILY_API_KEY, BRAVE_API_KEY or EXA_API_KEY, or configure another"},
		{"nobody there", &Options{Search: Search{URL: "http://127.0.0.1:1"}}, []string{"go"}, 1, "", "search: 127.0.0.1:1 cannot be reached: dial tcp"},
		{"nothing", tavily, []string{"nothing"}, 1, "", `nothing was found for "nothing"`},
		{"a wrong key", &Options{Search: Search{Provider: Tavily, URL: at, Key: "x", KeyVar: "MY_KEY"}}, []string{"go"}, 4, "", "HTTP 401 from 127.0.0.1"},
		{"a wrong key's name", &Options{Search: Search{Provider: Tavily, URL: at, Key: "x", KeyVar: "MY_KEY"}}, []string{"go"}, 4, "", "check the key in MY_KEY"},
		{"the limit", tavily, []string{"limit"}, 1, "", "the service's limit is reached"},
		{"nonsense", tavily, []string{"nonsense"}, 1, "", "is not what a search service sends"},
		{"no JSON allowed", searx, []string{"forbidden"}, 4, "", "add json to search.formats in its settings.yml"},
		{"no key", &Options{Search: Search{Provider: Tavily, KeyVar: "MY_KEY"}}, []string{"go"}, 4, "", "the search service tavily has no key: set MY_KEY in the environment (https://app.tavily.com has one)"},
		{"another's key", &Options{Search: Search{Provider: Exa}}, []string{"go"}, 4, "", "set EXA_API_KEY in the environment"},
		{"no url", &Options{Search: Search{Provider: SearXNG}}, []string{"go"}, 4, "", "is searxng, and it has no url: set web.Options.Search"},
		{"an empty query", tavily, []string{" "}, 2, "", "the query is empty"},
		{"too many", tavily, []string{"x", "--max_results", "21"}, 2, "", "max_results"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := run(t, row.opts, append([]string{"web_search"}, row.words...)...)
			require.Equal(t, row.exit, got.exit, got.err)
			require.Equal(t, row.out, got.out)
			require.Contains(t, got.err, row.err)
		})
	}
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not see that the client has gone
		<-r.Context().Done()
	})
	got := run(t, &Options{Timeout: 100 * time.Millisecond, Search: Search{URL: slow, Key: "k"}}, "web_search", "go")
	require.Equal(t, 124, got.exit)
	require.Contains(t, got.err, "did not answer within 100ms")
	_, err := New(&Options{Search: Search{Provider: "google"}})
	require.ErrorContains(t, err, "web_search: provider")
	_, err = New(&Options{Search: Search{URL: "localhost"}})
	require.ErrorContains(t, err, "web_search: url")
}

// Searches that come at once go a second apart.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		start, ends := time.Now(), make(chan time.Duration)
		for range 3 {
			go func() {
				require.NoError(t, p.wait(t.Context(), time.Second))
				ends <- time.Since(start)
			}()
		}
		for i := range 3 {
			require.Equal(t, time.Duration(i)*time.Second, <-ends)
		}
	})
}
