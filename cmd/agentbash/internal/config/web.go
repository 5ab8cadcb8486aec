package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/web"
)

// The keys of webFetch and webSearch.
const (
	webFetchKeys  = "allow timeout maxBytes"
	webSearchKeys = "provider url keyVar"
)

// WebFetch is what web_fetch may do. Only the user's own files say it.
type WebFetch struct {
	Allow    []string `json:"allow"`    // hosts, host:port, addresses and ranges that may be reached although they are private
	Timeout  float64  `json:"timeout"`  // seconds; 0: the default
	MaxBytes int64    `json:"maxBytes"` // 0: the default
}

// WebSearch is whom web_search asks. Only the user's own files say it: it gets
// what is searched for, and a key.
type WebSearch struct {
	Provider string `json:"provider"` // one of web.Providers
	URL      string `json:"url"`
	KeyVar   string `json:"keyVar"` // the environment variable that holds the key; "": the provider's
}

// decodeWeb reads both.
func (s *source) decodeWeb(v *value, f *file) (errs []error) {
	if m := v.find("webFetch"); m != nil {
		f.webFetch = &WebFetch{}
		if err := s.decodeInto(m, "webFetch", f.webFetch); err != nil {
			errs = append(errs, err)
		} else if f.webFetch.Timeout < 0 || f.webFetch.MaxBytes < 0 {
			errs = append(errs, s.errorAt(m.offset, "webFetch", "timeout and maxBytes are above 0: leave one out for its default"))
		}
	}
	if m := v.find("webSearch"); m != nil {
		f.webSearch = &WebSearch{}
		if err := s.decodeInto(m, "webSearch", f.webSearch); err != nil {
			errs = append(errs, err)
		} else if _, ok := searchProvider(f.webSearch.Provider); !ok {
			var names []string
			for _, p := range web.Providers() {
				names = append(names, p.Name)
			}
			errs = append(errs, s.errorAt(m.offset, "webSearch.provider", fmt.Sprintf("%q is not known: write one of %s", f.webSearch.Provider, strings.Join(names, ", "))))
		} else if strings.ContainsAny(f.webSearch.KeyVar, "= ") {
			errs = append(errs, s.errorAt(m.offset, "webSearch.keyVar", "it is the name of an environment variable, not the key itself"))
		}
	}
	return errs
}

// takeWeb merges what a file of the user says.
func (l *loader) takeWeb(f *file) {
	if l.result.WebFetch == nil {
		l.result.WebFetch = f.webFetch
	}
	if l.result.WebSearch == nil {
		l.result.WebSearch = f.webSearch
	}
}

// leaveWeb says that a project's file cannot open private addresses, or choose
// who gets what is searched for.
func (l *loader) leaveWeb(f *file) {
	if f.webFetch != nil {
		l.warn(f.path, "webFetch", "a project's file cannot say what may be reached: write it in your own file")
	}
	if f.webSearch != nil {
		l.warn(f.path, "webSearch", "a project's file cannot choose who is asked: write it in your own file")
	}
}

func searchProvider(name string) (web.Provider, bool) {
	all := web.Providers()
	i := slices.IndexFunc(all, func(p web.Provider) bool { return p.Name == name })
	return all[max(i, 0)], i >= 0
}

// Search is whom web_search asks: the service that is configured, else the first that has a
// key. A key goes to its own service only.
func (r *Result) Search(lookup func(string) (string, bool)) (s web.Search) {
	if c := r.WebSearch; c != nil {
		p, _ := searchProvider(c.Provider)
		s = web.Search{Provider: c.Provider, URL: c.URL, KeyVar: cmp.Or(c.KeyVar, p.KeyVar)}
		s.Key, _ = lookup(s.KeyVar)
		return s
	}
	for _, p := range web.Providers() {
		if key, _ := lookup(p.KeyVar); key != "" {
			return web.Search{Provider: p.Name, Key: key, KeyVar: p.KeyVar}
		}
	}
	return s
}
