package config

import (
	"cmp"

	"github.com/agentbash/agentbash/agentbash/web"
)

// searchProviders are the names of the services that web_search can ask.
func searchProviders() (names []string) {
	for _, p := range web.Providers() {
		names = append(names, p.Name)
	}
	return names
}

// Search is whom web_search asks: the service that is configured, else the first that has a
// key. A key goes to its own service only.
func (r *Result) Search(lookup func(string) (string, bool)) (s web.Search) {
	for _, p := range web.Providers() {
		c := &WebSearch{Provider: p.Name}
		if r.WebSearch != nil {
			c = r.WebSearch
		}
		s = web.Search{Provider: c.Provider, URL: c.URL, KeyVar: cmp.Or(c.KeyVar, p.KeyVar)}
		if s.Key, _ = lookup(s.KeyVar); c.Provider == p.Name && (r.WebSearch != nil || s.Key != "") {
			return s
		}
	}
	return web.Search{}
}
