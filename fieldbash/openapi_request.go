package fieldbash

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentbash/agentbash/registry"
)

// Media types of bodies that are not JSON.
const (
	formMedia      = "application/x-www-form-urlencoded"
	multipartMedia = "multipart/form-data"
)

// fill puts arguments into a request where an operation wants them. Those of the path
// are in its address already.
func (o *operation) fill(req *http.Request, kwargs map[string]any, order *registry.Order, auth map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(kwargs)) {
		at, ok := o.places[name]
		var err error
		switch {
		case !ok && name != o.body:
			err = registry.Usagef("--%s is no parameter of this operation: leave it out", name)
		case ok && at.in == "header":
			err = at.put(req, "--"+name, at.name, at.simple(kwargs[name], order, name))
		case ok:
			for _, pair := range at.pairs(kwargs[name], order, name) {
				err = cmp.Or(err, at.put(req, "--"+name, pair[0], pair[1]))
			}
		}
		if err != nil {
			return err
		}
	}
	found, _ := o.credentials(auth)
	for at, value := range found {
		if err := at.put(req, "what \"auth\" says", at.name, value); err != nil {
			return err
		}
	}
	body, given := kwargs[o.body]
	if o.body == "" || !given {
		return nil
	}
	return o.setBody(req, body, order)
}

// put adds a text to a request under a name; whose it is stands in the error.
func (p place) put(req *http.Request, whose, name, text string) error {
	switch p.in {
	case "query":
		pair := url.QueryEscape(name) + "=" + strings.ReplaceAll(url.QueryEscape(text), "%2C", ",")
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+pair, "&")
	case "header":
		if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\t' }) {
			return registry.Usagef("%s goes into a header, which has no line ends and control characters: write another value", whose)
		}
		req.Header.Add(name, text)
	case "cookie":
		cookie := &http.Cookie{Name: name, Value: text}
		if cookie.Valid() != nil {
			return registry.Usagef("%s goes into a cookie, which has no quotes, semicolons, backslashes, control characters and letters beyond ASCII: write another value", whose)
		}
		req.AddCookie(cookie)
	}
	return nil
}

// setBody makes the body of a request.
func (o *operation) setBody(req *http.Request, v any, order *registry.Order) error {
	var b bytes.Buffer
	media := o.mediaType
	members, isObject := v.(map[string]any)
	switch plain, _, _ := strings.Cut(strings.ToLower(media), ";"); {
	case plain == "application/json" || strings.HasSuffix(plain, "+json"):
		text, err := order.JSON(v, o.body)
		if err != nil {
			return err
		}
		b.Write(text)
	case plain == formMedia && isObject:
		values := url.Values{}
		for name, one := range members {
			for _, pair := range (place{name: name, style: "form", explode: true}).pairs(one, order, o.body, name) {
				values.Add(pair[0], pair[1])
			}
		}
		b.WriteString(values.Encode())
	case plain == multipartMedia && isObject:
		w := multipart.NewWriter(&b)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			part, err := w.CreateFormField(name)
			if slices.Contains(o.files, name) {
				part, err = w.CreateFormFile(name, name)
			}
			if err == nil {
				_, err = io.WriteString(part, argText(members[name], order, o.body, name))
			}
			if err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
		media = w.FormDataContentType()
	default:
		b.WriteString(argText(v, order, o.body))
	}
	req.Header.Set("Content-Type", media)
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(b.Bytes())), int64(b.Len())
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return nil
}

// parts are the texts of an array, or the names and texts of an object one after the
// other.
func (p place) parts(v any, order *registry.Order, path []string) (texts []string, object bool) {
	if p.json {
		text, _ := order.JSON(v, path...) // came of JSON
		return []string{string(text)}, false
	}
	switch v := v.(type) {
	case []any:
		for i, one := range v {
			texts = append(texts, argText(one, order, append(slices.Clone(path), strconv.Itoa(i))...))
		}
		return texts, false
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, key, argText(v[key], order, append(slices.Clone(path), key)...))
		}
		return texts, true
	}
	return []string{argText(v, order, path...)}, false
}

// pairs are a parameter's value as a query and a cookie have it: the styles form,
// spaceDelimited, pipeDelimited and deepObject.
func (p place) pairs(v any, order *registry.Order, path ...string) (out [][2]string) {
	texts, object := p.parts(v, order, path)
	switch {
	case object && (p.explode || p.style == "deepObject"):
		for i := 0; i < len(texts); i += 2 {
			name := texts[i]
			if p.style == "deepObject" {
				name = p.name + "[" + name + "]"
			}
			out = append(out, [2]string{name, texts[i+1]})
		}
	case p.explode:
		for _, text := range texts {
			out = append(out, [2]string{p.name, text})
		}
	default:
		between := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[p.style]
		if between == "" {
			between = ","
		}
		out = [][2]string{{p.name, strings.Join(texts, between)}}
	}
	return out
}

// simple is a parameter's value as a path and a header have it: the styles simple, label
// and matrix. In a path each part is escaped.
func (p place) simple(v any, order *registry.Order, path ...string) string {
	texts, object := p.parts(v, order, path)
	for i, text := range texts {
		if p.in == "path" {
			texts[i] = url.PathEscape(text)
		}
	}
	if object && p.explode {
		var joined []string
		for i := 0; i < len(texts); i += 2 {
			joined = append(joined, texts[i]+"="+texts[i+1])
		}
		texts = joined
	}
	switch {
	case p.style == "label" && p.explode:
		return "." + strings.Join(texts, ".")
	case p.style == "label":
		return "." + strings.Join(texts, ",")
	case p.style == "matrix" && p.explode && object:
		return ";" + strings.Join(texts, ";")
	case p.style == "matrix" && p.explode:
		return fmt.Sprintf(";%s=%s", p.name, strings.Join(texts, fmt.Sprintf(";%s=", p.name)))
	case p.style == "matrix":
		return ";" + p.name + "=" + strings.Join(texts, ",")
	}
	return strings.Join(texts, ",")
}
