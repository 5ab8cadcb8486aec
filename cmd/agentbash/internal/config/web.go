package config

import (
	"fmt"
	"strings"
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
	Provider string `json:"provider"` // tavily or searxng
	URL      string `json:"url"`
	KeyVar   string `json:"keyVar"` // the environment variable that holds the key; "": EnvSearchKey
}

// EnvSearchKey holds the key of the search service where keyVar names no other.
const EnvSearchKey = "TAVILY_API_KEY"

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
		} else if p := f.webSearch.Provider; p != "tavily" && p != "searxng" {
			errs = append(errs, s.errorAt(m.offset, "webSearch.provider", fmt.Sprintf("%q is not known: write tavily or searxng", p)))
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

// SearchKey is the key of the search service, and the variable that holds it;
// "" where there is none. A key of Tavily's goes to nobody else.
func (r *Result) SearchKey(lookup func(string) (string, bool)) (key, variable string) {
	variable = EnvSearchKey
	if s := r.WebSearch; s != nil && s.KeyVar != "" {
		variable = s.KeyVar
	} else if s != nil && s.Provider != "tavily" {
		return "", ""
	}
	key, _ = lookup(variable)
	return key, variable
}
