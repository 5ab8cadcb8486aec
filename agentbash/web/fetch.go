package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

func (w *Web) fetchTool() *registry.Tool {
	return &registry.Tool{
		Name:     "web_fetch",
		Summary:  "print a web page as Markdown, or what else a URL has",
		Kind:     registry.Network,
		Category: "web",
		Tags:     []string{"http", "url", "download", "browse", "page", "curl", "internet"},
		Detail: `Gets a page by http or https. Of HTML it prints what the page is about as Markdown, with code blocks, tables and links to other sites, without
menus, scripts and styles; of feeds the items and of PDF the text. JSON and other text come as they are, in UTF-8; images and other binary bodies
are described, and --raw prints their bytes. A page is kept in memory for 15 minutes. Where it came from, the type and the title are on stderr. Redirects are followed within a host, ten at most. An HTTP error is exit status 1, with the beginning of
its body on stderr; 124 is no answer in time. Private addresses are refused but for servers that this session started and those that are allowed: ` + w.allowSetting("...") + `.`,
		Params: registry.NewParams(
			registry.Param{Name: "url", Type: registry.String, Required: true, Pattern: true, Role: registry.Contacts, Aliases: []string{"uri", "link"}, Description: "The address, with http:// or https://."},
			registry.Param{Name: "section", Type: registry.String, Aliases: []string{"anchor"}, Description: "Print one section alone: its heading, or the name of its anchor."},
			registry.Param{Name: "links", Type: registry.Boolean, Default: false, Description: "Print the addresses of links within the site and of pictures, too."},
			registry.Param{Name: "fresh", Type: registry.Boolean, Default: false, Description: "Ask the server, also for a page that was got less than 15 minutes ago."},
			registry.Param{Name: "raw", Type: registry.Boolean, Default: false, Description: "Print the body's bytes as they are, whatever it is."},
			registry.Param{Name: "timeout", Type: registry.Number, Min: registry.Float(0.1), Max: registry.Float(300), Description: fmt.Sprintf("Seconds until it is given up; the default is %v.", w.opts.Timeout.Seconds())},
			registry.Param{Name: "max_bytes", Type: registry.Integer, Min: registry.Float(1), Max: registry.Float(1 << 30), Description: fmt.Sprintf("Read at most this much of the body; the default is %d.", w.opts.MaxBytes)},
		),
		Examples: []string{
			"web_fetch --url https://go.dev/doc/effective_go | head -n 40",
			"web_fetch https://docs.python.org/3/library/functions.html --section print",
			"web_fetch 'https://api.github.com/repos/golang/go' | jq .stargazers_count",
			"web_fetch --raw https://example.com/logo.png > logo.png",
		},
		Uses: func(k registry.Kwargs, _ []registry.Use, known bool) ([]registry.Use, bool) {
			text, _ := k["url"].(string)
			if u, err := parseURL(text); err == nil && w.staysHere(u) {
				return nil, known
			}
			return []registry.Use{{Role: registry.Contacts, Value: strings.TrimSpace(text)}}, known
		},
		Run: w.runFetch,
	}
}

var (
	errRedirects = fmt.Errorf("more than %d redirects: it may be a loop", maxRedirects)
	errTime      = errors.New("time limit")
)

// checkURL says what is wrong with a URL, also with one that a server redirects to.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the scheme %q is not http or https", u.Scheme)
	case u.Hostname() == "":
		return errors.New("there is no host in it")
	}
	return nil
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, registry.Usagef("url: %v: quote it, and write it as in https://example.com/page", err)
	}
	if err := checkURL(u); err != nil {
		return nil, registry.Usagef("url %q: %v: write it as in https://example.com/page", text, err)
	}
	return u, nil
}

func (w *Web) runFetch(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	u, err := parseURL(call.String("url"))
	if err != nil {
		return registry.ToolResult{}, err
	}
	limit, most := w.opts.Timeout, w.opts.MaxBytes
	if s := call.Float("timeout"); s > 0 {
		limit = time.Duration(s * float64(time.Second))
	}
	if n := call.Int("max_bytes"); n > 0 {
		most = int64(n)
	}
	u.Fragment, u.RawFragment = "", ""
	wanted := view{raw: call.Bool("raw"), links: call.Bool("links"), section: call.String("section")}
	if p, at, ok := w.cache.find(u.String(), most); ok && !call.Bool("fresh") {
		p.view, p.kept = wanted, time.Since(at)
		return p.print(ctx, call)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return registry.ToolResult{}, registry.Usagef("url: %v", err)
	}
	req.Header.Set("User-Agent", w.agent())
	req.Header.Set("Accept", "text/html,application/xhtml+xml,text/markdown,application/json;q=0.9,text/plain;q=0.9,*/*;q=0.8")
	res, err := w.newClient(true).Do(req)
	if err != nil {
		return w.noAnswer(ctx, u, limit, err)
	}
	defer res.Body.Close()
	p := page{url: res.Request.URL, header: res.Header, status: res.StatusCode, most: most, view: wanted}
	if p.body, p.more, err = readBody(res.Body, most); err != nil && errors.Is(context.Cause(ctx), errTime) {
		p.problem = fmt.Errorf("the body did not end within %v, %d bytes came: --timeout waits longer", limit, len(p.body))
	} else if ctx.Err() != nil {
		return registry.ToolResult{}, ctx.Err()
	} else if err != nil {
		p.problem = fmt.Errorf("the body broke off after %d bytes: %w: try again", len(p.body), err)
	}
	if !w.staysHere(u) { // that is being worked on
		w.cache.keep(u.String(), p)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return p.failure(ctx, call)
	}
	return p.print(ctx, call)
}

// noAnswer says why there is no response.
func (w *Web) noAnswer(ctx context.Context, u *url.URL, limit time.Duration, err error) (registry.ToolResult, error) {
	var refused *refusedError
	var name *net.DNSError
	res := registry.ToolResult{ExitStatus: 1}
	var wrapped *url.Error
	at := u.Redacted()
	if errors.As(err, &wrapped) {
		at, err = wrapped.URL, wrapped.Err
		if to, err := url.Parse(at); err == nil { // of a redirect, as the server sent it
			at = to.Redacted()
		}
	}
	switch {
	case errors.As(err, &refused):
		res.ExitStatus = refused.ExitStatus()
		res.Error = fmt.Sprintf("%s: %v, and was not fetched: if it is meant, %s allows it", at, refused, w.allowSetting(strconv.Quote(urlHost(at))))
	case errors.Is(context.Cause(ctx), errTime):
		res.ExitStatus = 124
		res.Error = fmt.Sprintf("%s: no answer within %v: --timeout waits longer", at, limit)
	case ctx.Err() != nil:
		return res, ctx.Err()
	case errors.Is(err, errRedirects):
		res.Error = fmt.Sprintf("%s: %v", at, err)
	case errors.As(err, &name) && name.IsNotFound:
		res.Error = fmt.Sprintf("%s: there is no host %s: check the name", at, name.Name)
	default:
		res.Error = fmt.Sprintf("%s: %v", at, err)
	}
	return res, nil
}

func urlHost(rawURL string) string {
	if u, err := url.Parse(rawURL); err == nil {
		return u.Host
	}
	return rawURL
}

// readBody reads up to most bytes, of what decompression makes of the body, and
// reports whether there are more.
func readBody(r io.Reader, most int64) (body []byte, more bool, err error) {
	if most < math.MaxInt64 {
		most++
	}
	body, err = io.ReadAll(io.LimitReader(r, most))
	if int64(len(body)) == most {
		return body[:most-1], true, err
	}
	return body, false, err
}

// page is a response with what was read of its body.
type page struct {
	url     *url.URL // after redirects
	header  http.Header
	status  int
	body    []byte
	most    int64
	more    bool          // the body is longer
	problem error         // why the body is not complete; nil: it is, or it was cut
	kept    time.Duration // since when it is in the cache; 0: it is fresh
	view
}

// view is how a page is wanted.
type view struct {
	raw     bool   // the bytes of the body
	links   bool   // with those within the site
	section string // this one alone; "": all
}

// kind is the media type, from the body itself where the server says none.
func (p *page) kind() string {
	said := p.header.Get("Content-Type")
	if t, _, err := mime.ParseMediaType(said); err == nil && t != "application/octet-stream" {
		return t
	}
	t, _, _ := mime.ParseMediaType(http.DetectContentType(p.body))
	return t
}

// print shows the page; what is said about it goes to stderr.
func (p *page) print(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	out, about, err := p.content(ctx)
	if err != nil {
		return registry.Failure("%s: %v", p.url.Redacted(), err), nil
	}
	if p.kept > 0 {
		about = append(about, fmt.Sprintf("kept since %v ago, --fresh asks again", max(p.kept.Round(time.Second), time.Second)))
	}
	fmt.Fprintf(call.Stderr, "%s: %s\n", p.url.Redacted(), strings.Join(about, "; "))
	if p.more {
		fmt.Fprintf(call.Stderr, "only the first %d bytes were read: --max_bytes reads more\n", p.most)
	}
	if _, err := call.Stdout.Write(out); err != nil {
		return registry.ToolResult{}, err
	}
	if p.problem != nil {
		res := registry.Failure("%s: %v", p.url.Redacted(), p.problem)
		if strings.Contains(p.problem.Error(), "did not end") {
			res.ExitStatus = 124
		}
		return res, nil
	}
	return registry.ToolResult{Success: true, Display: fmt.Sprintf("fetched %s, %d bytes", p.url.Redacted(), len(p.body)), Metadata: map[string]any{
		"url": p.url.Redacted(), "http_status": p.status, "content_type": p.kind(), "bytes": len(p.body), "truncated": p.more,
	}}, nil
}

// maxErrorBody is how much of an error's body is shown, in bytes.
const maxErrorBody = 1500

// failure is an HTTP error with the beginning of its body.
func (p *page) failure(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	p.view = view{}
	text, _, err := p.content(ctx)
	shown := strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
	if len(shown) > maxErrorBody {
		shown = strings.ToValidUTF8(shown[:maxErrorBody], "") + "..."
	}
	if err == nil && shown != "" {
		fmt.Fprintln(call.Stderr, shown)
	}
	next := ""
	switch {
	case p.status == 401 || p.status == 403:
		next = ": it wants a login, or no programs; curl in bash can send headers"
	case p.status == 404 || p.status == 410:
		next = ": check the address"
	case p.status == 429 || p.status >= 500:
		next = ": try again later"
		if after := p.header.Get("Retry-After"); after != "" {
			next += ", after " + after
		}
	}
	return registry.Failure("%s: HTTP %d %s%s", p.url.Redacted(), p.status, http.StatusText(p.status), next), nil
}

// allowSetting says what allows an address.
func (w *Web) allowSetting(address string) string {
	return strings.ReplaceAll(w.opts.Settings.WebAllow, "ADDRESS", address)
}
