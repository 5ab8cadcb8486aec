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

// setupError says that no service can be asked. Its exit status is that of a
// missing login.
type setupError struct{ text string }

func (e *setupError) Error() string   { return e.text }
func (e *setupError) ExitStatus() int { return 4 }

func (w *Web) searchTool() *registry.Tool {
	return &registry.Tool{
		Name:     "web_search",
		Summary:  "search the web: titles, addresses and excerpts",
		Kind:     registry.Network,
		Category: "web",
		Tags:     append([]string{"internet", "google", "find", "news"}, providerNames()...),
		Detail: `Asks the search service of the configuration, else one that has a key, else DuckDuckGo, and prints for each result its
title, address and an excerpt. --json prints an array of objects with title, url and content. Exit status 1 when nothing was found.`,
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

func (w *Web) runSearch(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	s := &w.opts.Search
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
	results, failed, err := w.ask(req)
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
	results = results[:min(len(results), most)]
	for _, e := range failed {
		fmt.Fprintf(call.Stderr, "did not answer: %v\n", e)
	}
	if len(results) == 0 {
		return registry.Failure("nothing was found for %q: try other words", query), nil
	}
	res := registry.Success(asText(results))
	if call.Bool("json") {
		if res.Output, err = asJSON(results); err != nil {
			return registry.ToolResult{}, err
		}
	}
	res.Display, res.Metadata = fmt.Sprintf("web_search: %d results", len(results)), map[string]any{"host": req.URL.Host, "results": len(results)}
	if len(results) == 1 {
		res.Display = "web_search: 1 result"
	}
	return res, nil
}

// ask sends the request; the address was configured and may be private.
func (w *Web) ask(req *http.Request) (results []found, failed [][]any, err error) {
	p, host := w.opts.Search.provider(), req.URL.Host
	if err := w.pace.wait(req.Context(), p.pause); err != nil {
		return nil, nil, err
	}
	c := w.newClient(false)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a key goes to one address
	res, err := c.Do(req)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return nil, nil, fmt.Errorf("search: %s cannot be reached: %w", host, wrapped.Err)
	} else if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, more, err := readBody(res.Body, w.opts.MaxBytes)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("search: the answer of %s broke off: %w", host, err)
	case more:
		return nil, nil, fmt.Errorf("search: the answer of %s is longer than %d bytes", host, w.opts.MaxBytes)
	case res.StatusCode != http.StatusOK:
		return nil, nil, w.refusal(host, res, body)
	}
	if results, failed, err = p.read(body); err != nil {
		err = fmt.Errorf("search: the answer of %s is not what a search service sends (%w): check the url of the search service", host, err)
	}
	return results, failed, err
}

// refusal is the error for another status than 200.
func (w *Web) refusal(host string, res *http.Response, body []byte) error {
	s := &w.opts.Search
	said := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 300)]), "")), " ")
	text := fmt.Sprintf("search: HTTP %d from %s: %s", res.StatusCode, host, said)
	switch code := res.StatusCode; {
	case (code == 202 || code == 403) && s.provider().refuses != "":
		return &setupError{fmt.Sprintf("search: HTTP %d from %s: %s", code, host, strings.ReplaceAll(s.provider().refuses, "SETTING", w.opts.Settings.WebSearch))}
	case code == 401 || code == 403:
		return &setupError{text + ": check the key in " + s.keyVar()}
	case code == 402 || code == 429 || code == 432 || code == 433:
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
