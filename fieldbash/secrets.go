package fieldbash

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretName is what options and variables that hold secrets are called.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(token|secret|passw|api[-_]?key|credential|auth)`)
})

// summary is one line about a server for listings: what it is, and none of its
// options, in which there may be secrets.
func (s Server) summary() string {
	if s.Command == "" {
		u, err := url.Parse(s.URL)
		if err != nil {
			return "MCP server"
		}
		return cleanText("MCP server at "+u.Scheme+"://"+u.Host+u.Path, maxSummary)
	}
	text := "MCP server: " + path.Base(s.Command)
	for _, arg := range s.Args {
		if !strings.HasPrefix(arg, "-") && !slices.Contains(s.secrets(), arg) {
			parts := strings.Split(arg, "/") // where it is installed says nothing
			text += " " + strings.Join(parts[max(0, len(parts)-3):], "/")
			break
		}
	}
	return cleanText(text, maxSummary)
}

// secrets are the texts of a server's configuration that messages must not
// show: header values, the values of variables, options and query parameters
// that are called like secrets, and a password in the URL.
func (s Server) secrets() []string {
	var out []string
	add := func(v string) {
		if v != "" {
			out = append(out, v)
		}
	}
	for _, v := range s.Headers {
		add(v)
		if _, token, ok := strings.Cut(v, " "); ok { // Bearer, Basic
			add(token)
		}
	}
	for k, v := range s.Env {
		if secretName().MatchString(k) {
			add(v)
		}
	}
	for i, arg := range s.Args {
		if !strings.HasPrefix(arg, "-") || !secretName().MatchString(arg) {
			continue
		}
		if _, v, ok := strings.Cut(arg, "="); ok {
			add(v)
		} else if i+1 < len(s.Args) {
			add(s.Args[i+1])
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		if p, ok := u.User.Password(); ok {
			add(p)
		}
		for k, list := range u.Query() {
			if secretName().MatchString(k) {
				for _, v := range list {
					add(v)
					add(url.QueryEscape(v))
				}
			}
		}
	}
	if s.OAuth != nil {
		add(s.OAuth.ClientSecret)
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) }) // the whole before its parts
	return slices.Compact(out)
}
