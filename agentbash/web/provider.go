package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/registry"
	"golang.org/x/net/html"
)

// Provider is a search service that web_search can ask.
type Provider struct {
	Name   string
	KeyVar string // the environment variable that holds its key; "": it needs none

	site    string        // that gives a key
	url     string        // where it is; "": somebody runs one of his own
	path    string        // of its searches
	header  string        // that takes the key
	post    bool          // the parameters are a JSON object and not a query
	pause   time.Duration // between two requests
	refuses string        // why it answers with 202 or 403, if not for the key
	params  func(query string, most int) map[string]any
	read    func(body []byte) ([]found, [][]any, error)
}

// The services that web_search can ask.
const (
	Tavily     = "tavily"
	Brave      = "brave"
	Exa        = "exa"
	SearXNG    = "searxng"
	DuckDuckGo = "duckduckgo"
)

// Providers are all services; of those that have a key the first is asked, if none is configured,
// and without a key the last.
func Providers() []Provider {
	return []Provider{
		{Name: Tavily, KeyVar: "TAVILY_API_KEY", site: "https://app.tavily.com", url: "https://api.tavily.com", path: "/search", header: "Authorization: Bearer ", post: true, read: readJSON,
			params: func(q string, n int) map[string]any { return map[string]any{"query": q, "max_results": n} }},
		{Name: Brave, KeyVar: "BRAVE_API_KEY", site: "https://api-dashboard.search.brave.com", url: "https://api.search.brave.com", path: "/res/v1/web/search", header: "X-Subscription-Token: ", read: readJSON,
			params: func(q string, n int) map[string]any { return map[string]any{"q": q, "count": n} }},
		{Name: Exa, KeyVar: "EXA_API_KEY", site: "https://dashboard.exa.ai", url: "https://api.exa.ai", path: "/search", header: "X-Api-Key: ", post: true, read: readJSON,
			params: func(q string, n int) map[string]any {
				return map[string]any{"query": q, "numResults": n, "contents": map[string]any{"text": map[string]any{"maxCharacters": 500}}}
			}},
		{Name: SearXNG, path: "/search", header: "Authorization: Bearer ", read: readJSON, refuses: "the server must allow JSON: add json to search.formats in its settings.yml",
			params: func(q string, _ int) map[string]any { return map[string]any{"q": q, "format": "json"} }},
		{Name: DuckDuckGo, url: "https://html.duckduckgo.com", path: "/html/", pause: time.Second, read: readDuckDuckGo, refuses: "it wants to see that a person asks: wait, set TAVILY_API_KEY, BRAVE_API_KEY or EXA_API_KEY, or SETTING",
			params: func(q string, _ int) map[string]any { return map[string]any{"q": q} }},
	}
}

func providerNames() (names []string) {
	for _, p := range Providers() {
		names = append(names, p.Name)
	}
	return names
}

// Search says whom web_search asks. The zero value asks DuckDuckGo.
type Search struct {
	Provider string // a name; "": Tavily if there is a key, else DuckDuckGo
	URL      string // of the service; "" is the provider's own
	Key      string // of the service
	KeyVar   string // the environment variable that holds the key, for messages; "" is the provider's
}

func (s *Search) check() error {
	if s.Provider == "" {
		s.Provider = DuckDuckGo
		if s.Key != "" {
			s.Provider = Tavily
		}
	}
	if names := providerNames(); !slices.Contains(names, s.Provider) {
		return fmt.Errorf("web_search: provider %q is not known: it is %s", s.Provider, strings.Join(names, ", "))
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

func (s *Search) provider() Provider {
	all := Providers()
	return all[slices.IndexFunc(all, func(p Provider) bool { return p.Name == s.Provider })]
}

func (s *Search) keyVar() string { return cmp.Or(s.KeyVar, s.provider().KeyVar) }

// ready says what is missing, or nil.
func (s *Search) ready(settings registry.Settings) error {
	switch p := s.provider(); {
	case s.address() == "":
		return &setupError{"the search service is " + p.Name + ", and it has no url: " + settings.WebSearch}
	case p.KeyVar != "" && s.Key == "":
		return &setupError{fmt.Sprintf("the search service %s has no key: set %s in the environment (%s has one)", p.Name, s.keyVar(), p.site)}
	}
	return nil
}

// address is where the service is, without a slash at its end.
func (s *Search) address() string {
	return strings.TrimSuffix(cmp.Or(s.URL, s.provider().url), "/")
}

// request is the one that the service wants.
func (s *Search) request(ctx context.Context, query string, most int) (*http.Request, error) {
	p, at := s.provider(), s.address()
	if !strings.HasSuffix(at, strings.TrimSuffix(p.path, "/")) {
		at += p.path
	}
	params, method, body := p.params(query, most), http.MethodGet, []byte(nil)
	if p.post {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return nil, err
		}
		method = http.MethodPost
	} else {
		q := url.Values{}
		for name, v := range params {
			q.Set(name, fmt.Sprint(v))
		}
		at += "?" + q.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, text/html;q=0.9")
	if p.post {
		req.Header.Set("Content-Type", "application/json")
	}
	if name, prefix, _ := strings.Cut(p.header, ": "); s.Key != "" && name != "" {
		req.Header.Set(name, prefix+s.Key)
	}
	return req, nil
}

// readJSON reads what the services with an API send, as far as it is used.
func readJSON(body []byte) (results []found, failed [][]any, err error) {
	type list []struct{ Title, URL, Content, Description, Text string }
	var a struct {
		Results list
		Web     struct{ Results list } // of Brave
		Failed  [][]any                `json:"unresponsive_engines"` // of SearXNG: name and reason
	}
	err = json.Unmarshal(body, &a)
	for _, r := range append(a.Results, a.Web.Results...) {
		results = append(results, found{r.Title, r.URL, cmp.Or(r.Content, r.Description, r.Text)})
	}
	return results, a.Failed, err
}

// readDuckDuckGo reads the page that is for browsers without scripts. Its links lead to
// DuckDuckGo, which has the address in a parameter; advertisements are left out.
func readDuckDuckGo(body []byte) (results []found, _ [][]any, err error) {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	hasClass := func(name string) func(*html.Node) bool {
		return func(n *html.Node) bool { return slices.Contains(strings.Fields(attr(n, "class")), name) }
	}
	if first(doc, hasClass("results")) == nil && first(doc, hasClass("no-results")) == nil {
		return nil, nil, fmt.Errorf("there is no list of results in it")
	}
	for e := range elements(doc) {
		a := first(e, hasClass("result__a"))
		if !hasClass("result")(e) || hasClass("result--ad")(e) || a == nil {
			continue
		}
		f := found{Title: textOf(a), URL: attr(a, "href")}
		if u, err := url.Parse(f.URL); err == nil && u.Query().Has("uddg") {
			f.URL = u.Query().Get("uddg")
		}
		if s := first(e, hasClass("result__snippet")); s != nil {
			f.Content = textOf(s)
		}
		results = append(results, f)
	}
	return results, nil, nil
}

// pace keeps requests apart.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns when it is the caller's turn.
func (p *pace) wait(ctx context.Context, pause time.Duration) error {
	p.mu.Lock()
	at := time.Now()
	if at.Before(p.next) {
		at = p.next
	}
	p.next = at.Add(pause)
	p.mu.Unlock()
	select {
	case <-time.After(time.Until(at)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
