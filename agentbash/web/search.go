package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// The services that web_search can ask.
const (
	Tavily  = "tavily"
	SearXNG = "searxng"
)

// tavilyURL is where Tavily's API is.
const tavilyURL = "https://api.tavily.com"

// Search says whom web_search asks. The zero value asks nobody, and the tool
// then says how to set it up.
type Search struct {
	Provider string // Tavily or SearXNG; "": Tavily if there is a key
	URL      string // of the service; "" is Tavily's own
	Key      string // of the service; SearXNG needs none
	KeyVar   string // the environment variable that holds the key, for messages; "" is TAVILY_API_KEY
}

func (s *Search) check() error {
	if s.Provider != "" && s.Provider != Tavily && s.Provider != SearXNG {
		return fmt.Errorf("web_search: provider %q is not known: it is %s or %s", s.Provider, Tavily, SearXNG)
	}
	if s.URL == "" {
		return nil
	}
	u, err := url.Parse(s.URL)
	if err == nil {
		err = checkURL(u)
	}
	if err != nil {
		return fmt.Errorf("web_search: url %q: %w", s.URL, err)
	}
	return nil
}

// setupError says that no service can be asked. Its exit status is that of a
// missing login.
type setupError struct{ text string }

func (e *setupError) Error() string   { return e.text }
func (e *setupError) ExitStatus() int { return 4 }

// ready says what is missing, or nil.
func (s *Search) ready(settings registry.Settings) error {
	variable := s.KeyVar
	if variable == "" {
		variable = "TAVILY_API_KEY"
	}
	switch {
	case s.Provider == SearXNG && s.URL == "":
		return &setupError{"the search service is searxng, and it has no url: " + settings.WebSearch}
	case s.Provider == Tavily && s.Key == "":
		return &setupError{fmt.Sprintf("Tavily has no key: set %s in the environment (https://app.tavily.com has one)", variable)}
	case s.Provider == "" && s.Key == "":
		return &setupError{"no search service is set up: set TAVILY_API_KEY in the environment (https://app.tavily.com), or " + settings.WebSearch + ", and start again"}
	}
	return nil
}

func (w *Web) searchTool() *registry.Tool {
	return &registry.Tool{
		Name:     "web_search",
		Summary:  "search the web: titles, addresses and excerpts",
		Kind:     registry.Network,
		Category: "web",
		Tags:     []string{"internet", "google", "tavily", "searxng", "find", "news"},
		Detail: `Asks the search service of the configuration, Tavily or a SearXNG server, and prints for each result its title, address
and an excerpt. --json prints an array of objects with title, url and content. Exit status 1 when nothing was found.`,
		Params: registry.NewParams(
			registry.Param{Name: "query", Type: registry.String, Required: true, Pattern: true, Aliases: []string{"q"}, Description: "What to search for."},
			registry.Param{Name: "max_results", Type: registry.Integer, Default: 5, Min: registry.Float(1), Max: registry.Float(20), Aliases: []string{"limit", "count"}, Description: "How many results at most."},
			registry.Param{Name: "json", Type: registry.Boolean, Default: false, Description: "Print the results as JSON."},
		),
		Examples: []string{
			"web_search 'go 1.26 release notes'",
			"web_search --query 'mvdan sh parser' --json | jq -r '.[0].url' | xargs web_fetch --url",
		},
		Uses: func(registry.Kwargs, []registry.Use, bool) ([]registry.Use, bool) {
			return []registry.Use{{Role: registry.Contacts, Value: w.opts.Search.address()}}, true
		},
		Run: w.runSearch,
	}
}

// found is one result.
type found struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

// answer is what both services send, as far as it is used.
type answer struct {
	Results []found `json:"results"`
	Failed  [][]any `json:"unresponsive_engines"` // of SearXNG: name and reason
}

func (w *Web) runSearch(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	s := w.opts.Search
	if err := s.ready(w.opts.Settings); err != nil {
		return registry.ToolResult{}, err
	}
	query := strings.TrimSpace(call.String("query"))
	if query == "" {
		return registry.ToolResult{}, registry.Usagef("the query is empty: web_search 'WORDS'")
	}
	most := call.Int("max_results")
	ctx, cancel := context.WithTimeoutCause(ctx, w.opts.Timeout, errTime)
	defer cancel()
	req, err := s.request(ctx, query, most)
	if err != nil {
		return registry.ToolResult{}, err
	}
	req.Header.Set("User-Agent", w.agent())
	req.Header.Set("Accept", "application/json")
	a, err := w.ask(req)
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		res := registry.Failure("%s did not answer within %v: try again", req.URL.Host, w.opts.Timeout)
		res.ExitStatus = 124
		return res, nil
	case ctx.Err() != nil:
		return registry.ToolResult{}, ctx.Err()
	case err != nil:
		return registry.ToolResult{}, err
	}
	a.Results = a.Results[:min(len(a.Results), most)]
	for _, e := range a.Failed {
		fmt.Fprintf(call.Stderr, "did not answer: %v\n", e)
	}
	if len(a.Results) == 0 {
		return registry.Failure("nothing was found for %q: try other words", query), nil
	}
	res := registry.Success(asText(a.Results))
	if call.Bool("json") {
		if res.Output, err = asJSON(a.Results); err != nil {
			return registry.ToolResult{}, err
		}
	}
	res.Display, res.Metadata = fmt.Sprintf("web_search: %d results", len(a.Results)), map[string]any{"host": req.URL.Host, "results": len(a.Results)}
	if len(a.Results) == 1 {
		res.Display = "web_search: 1 result"
	}
	return res, nil
}

// address is where the service is, without a slash at its end.
func (s *Search) address() string {
	if s.URL == "" {
		return tavilyURL
	}
	return strings.TrimSuffix(s.URL, "/")
}

// request is the one that the service wants.
func (s *Search) request(ctx context.Context, query string, most int) (*http.Request, error) {
	if s.Provider == SearXNG {
		at := s.address()
		if !strings.HasSuffix(at, "/search") {
			at += "/search"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"?"+url.Values{"q": {query}, "format": {"json"}}.Encode(), nil)
		if err == nil && s.Key != "" {
			req.Header.Set("Authorization", "Bearer "+s.Key)
		}
		return req, err
	}
	body, err := json.Marshal(map[string]any{"query": query, "max_results": most})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address()+"/search", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Key)
	return req, nil
}

// ask sends the request; the address was configured and may be private.
func (w *Web) ask(req *http.Request) (*answer, error) {
	c := w.newClient(false)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a key goes to one address
	res, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer res.Body.Close()
	body, more, err := readBody(res.Body, w.opts.MaxBytes)
	switch {
	case err != nil:
		return nil, fmt.Errorf("search: the answer of %s broke off: %w", req.URL.Host, err)
	case more:
		return nil, fmt.Errorf("search: the answer of %s is longer than %d bytes", req.URL.Host, w.opts.MaxBytes)
	case res.StatusCode != http.StatusOK:
		return nil, w.opts.Search.refusal(req.URL.Host, res, body)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("search: the answer of %s is not what a search service sends (%w): check the url of the search service", req.URL.Host, err)
	}
	return &a, nil
}

// refusal is the error for another status than 200.
func (s *Search) refusal(host string, res *http.Response, body []byte) error {
	said := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 300)]), "")), " ")
	text := fmt.Sprintf("search: HTTP %d from %s: %s", res.StatusCode, host, said)
	switch code := res.StatusCode; {
	case code == 401 || code == 403 && s.Provider != SearXNG:
		variable := s.KeyVar
		if variable == "" {
			variable = "TAVILY_API_KEY"
		}
		return &setupError{text + ": check the key in " + variable}
	case code == 403:
		return &setupError{text + ": the server must allow JSON: add json to search.formats in its settings.yml"}
	case code == 429 || code == 432 || code == 433:
		return errors.New(text + ": the service's limit is reached: try again later")
	case code >= 300 && code < 400:
		return errors.New(text + ": it redirects to " + res.Header.Get("Location") + ": make that the url of the search service")
	}
	return errors.New(text)
}

func asJSON(results []found) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(results)
	return b.String(), err
}

// asText is for reading: a paragraph a result.
func asText(results []found) string {
	var b strings.Builder
	for i, f := range results {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, strings.Join(strings.Fields(f.Title), " "), f.URL)
		if text := strings.Join(strings.Fields(f.Content), " "); text != "" {
			fmt.Fprintf(&b, "   %s\n", text)
		}
	}
	return b.String()
}
