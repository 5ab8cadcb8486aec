package fieldbash

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// maxBody bounds what a function's endpoint may answer, in bytes.
const maxBody = 64 << 20

// runHTTP runs a function as one request.
func (f *Fields) runHTTP(ctx context.Context, fn *Function, call *registry.Call) error {
	req, err := fn.HTTP.request(ctx, fn, call)
	if err != nil {
		return err
	}
	client := &http.Client{CheckRedirect: sameOrigin(req.URL)}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return exitError(3, `%v: check that the endpoint runs and that "url" of this function is right`, err)
	}
	defer resp.Body.Close()
	body := io.LimitReader(resp.Body, maxBody)
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		if _, err := io.Copy(call.Stdout, body); err != nil {
			return exitError(3, "the answer broke off: %v", err)
		}
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(body, maxDetail))
	answer := fmt.Sprintf("the endpoint answered %s", resp.Status)
	if s := cleanText(string(text), maxDetail); s != "" {
		answer += ": " + s
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		next := `put a valid token into "headers" of this function`
		if o := fn.HTTP.operation; o != nil {
			if _, missing := o.credentials(fn.Auth); missing != nil {
				next = fmt.Sprintf(`write "auth": {%q: "${VARIABLE}"} beside its "file"`, missing[0])
			}
		}
		return exitError(4, `%s: %s`, answer, next)
	}
	return exitError(1, "%s", answer)
}

// request makes the request: {name} in the path takes that argument; the rest
// goes into the query of a request without a body, else into a JSON body.
func (def *HTTP) request(ctx context.Context, fn *Function, call *registry.Call) (*http.Request, error) {
	method := strings.ToUpper(def.Method)
	if method == "" {
		method = http.MethodPost
	}
	kwargs := map[string]any(maps.Clone(call.Kwargs))
	target, err := def.target(fn.Name, kwargs)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, exitError(3, `%q is no URL: correct "url" of this function`, def.URL)
	}
	var body io.Reader
	switch {
	case def.operation != nil:
	case method == http.MethodGet, method == http.MethodHead, method == http.MethodDelete:
		q := u.Query()
		for name, v := range kwargs {
			list, ok := v.([]any)
			if !ok {
				list = []any{v}
			}
			for i, one := range list {
				path := []string{name, strconv.Itoa(i)}
				if !ok {
					path = path[:1]
				}
				q.Add(name, argText(one, call.Order, path...))
			}
		}
		u.RawQuery = q.Encode()
	default:
		b, err := call.Order.JSON(kwargs)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, exitError(3, `%v: correct "http" of this function`, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if def.operation != nil {
		err = def.operation.fill(req, kwargs, call.Order, fn.Auth)
	}
	for k, v := range def.Headers {
		req.Header.Set(k, v)
	}
	return req, err
}

// target is the address with its holes filled; the arguments that went into it
// are taken out of kwargs.
func (def *HTTP) target(function string, kwargs map[string]any) (string, error) {
	target := def.URL
	for name, v := range kwargs {
		at := place{name: name}
		text := url.PathEscape(argText(v, nil))
		if def.operation != nil {
			if at = def.operation.places[name]; at.in != "path" {
				continue
			}
			text = at.simple(v, nil)
		}
		if hole := "{" + at.name + "}"; strings.Contains(target, hole) {
			if text == "." || text == ".." || text == "" {
				return "", registry.Usagef("--%s is a part of the address, and %q is none: write another value", name, text)
			}
			target = strings.ReplaceAll(target, hole, text)
			delete(kwargs, name)
		}
	}
	if def.operation == nil {
		target = strings.ReplaceAll(target, "{function}", url.PathEscape(function))
	}
	if left := urlHole().FindStringSubmatch(target); left != nil {
		return "", registry.Usagef("--%s is required: it is a part of the address", left[1])
	}
	return target, nil
}

// urlHole is a place in an address that takes an argument.
var urlHole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`) })

// argText is the argument in a place as text: strings bare, everything else as JSON.
func argText(v any, order *registry.Order, path ...string) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := order.JSON(v, path...)
	if err != nil {
		return ""
	}
	return string(b)
}

// sameOrigin lets a request be redirected within its origin only: its headers
// may be secrets.
func sameOrigin(first *url.URL) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
			return fmt.Errorf("it redirects to %s://%s: make that address its \"url\" if you trust it", req.URL.Scheme, req.URL.Host)
		}
		if len(via) > 5 {
			return fmt.Errorf("too many redirects")
		}
		return nil
	}
}
