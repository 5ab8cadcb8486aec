package fieldbash

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// operation is what an OpenAPI document says of a request beyond its method and address.
type operation struct {
	path      string           // in the document
	places    map[string]place // by the parameters' names here
	body      string           // the parameter that is the body; "" is none
	mediaType string           // of the body
	files     []string         // the body's members that are files
	security  [][]credential   // what it wants: all of one of the lists
}

// place is where a parameter goes, as OpenAPI's Parameter Object has it.
type place struct {
	in, name string // "path", "query", "header" or "cookie"; its name there
	style    string // "form", "simple", "deepObject", ...
	explode  bool
	json     bool // it goes there as JSON
}

// credential is a Security Scheme Object.
type credential struct {
	scheme         string // its name in the document
	kind, in, name string // "apiKey" with its place, "basic", or "" for a bearer's token
}

// methods are those of a Path Item Object.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// parseOpenAPI makes a function of each operation of an OpenAPI 3 document.
func parseOpenAPI(root gjson.Result) (list []Function, err error) {
	if version := root.Get("openapi").String(); !strings.HasPrefix(version, "3.") {
		return nil, fmt.Errorf("it is an OpenAPI document of version %q: convert it to version 3", cmp.Or(version, root.Get("swagger").String()))
	}
	doc := newDocument(root)
	if ref := doc.missing(); ref != "" {
		return nil, fmt.Errorf("it refers to %s, which is not in the document: bundle all into one", cleanText(ref, maxName))
	}
	schemes := root.Get("components.securitySchemes")
	doc.Get("paths").ForEach(func(path, item gjson.Result) bool {
		item = doc.deref(item)
		for _, method := range methods {
			if op := item.Get(method); op.IsObject() {
				list = append(list, doc.function(item, op, schemes, method, path.String()))
			}
		}
		return true
	})
	if list == nil {
		return nil, errors.New("the OpenAPI document has no operations")
	}
	return list, nil
}

// function makes the function of one operation.
func (d *document) function(item, op, schemes gjson.Result, method, path string) Function {
	f := Function{Name: op.Get("operationId").String(), HTTP: &HTTP{Method: strings.ToUpper(method)}}
	if f.Name == "" {
		f.Name = strings.Trim(method+strings.NewReplacer("/", "_", "{", "", "}", "").Replace(path), "_")
	}
	about := []string{op.Get("summary").String(), op.Get("description").String()}
	if strings.HasPrefix(about[1], strings.TrimSuffix(about[0], ".")) {
		about = about[1:]
	}
	if op.Get("deprecated").Bool() {
		about = append(about, "Deprecated.")
	}
	f.Description = strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), "\n\n")
	var server gjson.Result
	for _, one := range []gjson.Result{d.server, item.Get("servers.0"), op.Get("servers.0")} {
		if one.Exists() {
			server = one
		}
	}
	f.HTTP.URL = serverURL(server) + path
	wanted := op.Get("security")
	if !wanted.Exists() {
		wanted = d.security
	}
	o := &operation{path: path, places: map[string]place{}, security: d.securityOf(wanted, schemes)}
	f.HTTP.operation = o
	var all []parameter
	for _, p := range d.parametersOf(item, op) {
		at, schema := placeOf(p)
		name := at.name
		if _, taken := o.places[name]; taken {
			name = at.in + "_" + name
		}
		o.places[name] = at
		all = append(all, parameter{name, p.Get("description").String(), schema, p.Get("required").Bool() || at.in == "path"})
	}
	if body := d.deref(op.Get("requestBody")); body.Exists() {
		o.body = "body"
		if _, taken := o.places[o.body]; taken {
			o.body = "request_body"
		}
		media, schema := mediaOf(body.Get("content"))
		o.mediaType = media
		d.deref(schema).Get("properties").ForEach(func(name, one gjson.Result) bool {
			if one.Get("format").String() == "binary" || one.Get("contentMediaType").Exists() {
				o.files = append(o.files, name.String())
			}
			return true
		})
		all = append(all, parameter{o.body, body.Get("description").String(), schema, body.Get("required").Bool()})
	}
	f.later = sync.OnceValue(func() json.RawMessage { return d.schemaOf(all) })
	return f
}

// parameter is one of an operation.
type parameter struct {
	name, description string
	schema            gjson.Result
	required          bool
}

// schemaOf is the schema of all parameters of an operation.
func (d *document) schemaOf(list []parameter) json.RawMessage {
	form := &schemaForm{}
	var properties, required []string
	for _, p := range list {
		text := "{}"
		if p.schema.Exists() {
			text = form.convert(p.schema)
		}
		if p.description != "" && text[0] == '{' && !p.schema.Get("description").Exists() {
			text = `{"description":` + quoteJSON(p.description) + strings.TrimSuffix(","+text[1:], ",}")
			if !strings.HasSuffix(text, "}") {
				text += "}"
			}
		}
		properties = append(properties, quoteJSON(p.name)+":"+text)
		if p.required {
			required = append(required, quoteJSON(p.name))
		}
	}
	return []byte(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") +
		`],"additionalProperties":false` + d.definitions(form.refs) + "}")
}

// parametersOf are those of an operation, and those of its path that it does not override.
func (d *document) parametersOf(item, op gjson.Result) (list []gjson.Result) {
	seen := map[[2]string]bool{}
	for _, from := range []gjson.Result{op, item} {
		for _, p := range from.Get("parameters").Array() {
			p = d.deref(p)
			in, name := p.Get("in").String(), p.Get("name").String()
			ignored := in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name))
			if !seen[[2]string{in, name}] && !ignored && name != "" {
				list = append(list, p)
			}
			seen[[2]string{in, name}] = true
		}
	}
	slices.SortStableFunc(list, func(a, b gjson.Result) int {
		return strings.Index("path", b.Get("in").String()) - strings.Index("path", a.Get("in").String()) // 0 or -1
	})
	return list
}

// placeOf is where a parameter goes, and its schema.
func placeOf(p gjson.Result) (place, gjson.Result) {
	at := place{in: p.Get("in").String(), name: p.Get("name").String(), style: p.Get("style").String()}
	if at.style == "" {
		at.style = "simple"
		if at.in == "query" || at.in == "cookie" {
			at.style = "form"
		}
	}
	at.explode = at.style == "form"
	if explode := p.Get("explode"); explode.Exists() {
		at.explode = explode.Bool()
	}
	schema := p.Get("schema")
	if content := p.Get("content"); content.Exists() {
		_, schema = mediaOf(content)
		at.json = true
	}
	return at, schema
}

// mediaOf is the media type that is sent of those that are taken, and its schema.
func mediaOf(content gjson.Result) (name string, schema gjson.Result) {
	rank := func(name string) int {
		plain, _, _ := strings.Cut(strings.ToLower(name), ";")
		switch {
		case plain == "application/json", strings.HasSuffix(plain, "+json"):
			return 4
		case plain == formMedia:
			return 3
		case plain == multipartMedia:
			return 2
		}
		return 1
	}
	content.ForEach(func(key, media gjson.Result) bool {
		if name == "" || rank(key.String()) > rank(name) {
			name, schema = key.String(), media.Get("schema")
		}
		return true
	})
	return name, schema
}

// serverURL is the address of a Server Object, its variables at their defaults.
func serverURL(server gjson.Result) string {
	address := server.Get("url").String()
	server.Get("variables").ForEach(func(name, v gjson.Result) bool {
		address = strings.ReplaceAll(address, "{"+name.String()+"}", v.Get("default").String())
		return true
	})
	return strings.TrimSuffix(address, "/")
}

// securityOf are the credentials that are wanted, by their schemes.
func (d *document) securityOf(wanted, schemes gjson.Result) (out [][]credential) {
	for _, alternative := range wanted.Array() {
		list := []credential{}
		alternative.ForEach(func(name, _ gjson.Result) bool {
			s := d.deref(member(schemes, name.String()))
			c := credential{scheme: name.String(), in: s.Get("in").String(), name: s.Get("name").String()}
			switch {
			case s.Get("type").String() == "apiKey":
				c.kind = "apiKey"
			case strings.EqualFold(s.Get("scheme").String(), "basic"):
				c.kind = "basic"
			}
			list = append(list, c)
			return true
		})
		out = append(out, list)
	}
	return out
}

// credentials are the values that an operation wants, by where they go: those of the
// first alternative of which all are there. missing are names of those that are not.
func (o *operation) credentials(auth map[string]string) (found map[place]string, missing []string) {
alternatives:
	for _, list := range o.security {
		found = map[place]string{}
		for _, c := range list {
			value, ok := auth[c.scheme]
			if !ok {
				missing = append(missing, c.scheme)
				continue alternatives
			}
			at := place{in: "header", name: "Authorization"}
			switch c.kind {
			case "apiKey":
				at = place{in: c.in, name: c.name}
			case "basic":
				value = "Basic " + base64.StdEncoding.EncodeToString([]byte(value))
			default:
				value = "Bearer " + value
			}
			found[at] = value
		}
		return found, nil
	}
	return nil, missing
}

// Inherit takes over what an entry says of all functions of a file: how they are run,
// where that is not said, and of operations the address of the server and what else
// goes along.
func (f *Function) Inherit(all Function) {
	switch {
	case f.HTTP != nil && f.HTTP.operation != nil:
		f.Auth = all.Auth
		if all.HTTP == nil {
			break
		}
		h := *f.HTTP
		h.Headers = maps.Clone(all.HTTP.Headers)
		if base := strings.TrimSuffix(all.HTTP.URL, "/"); base != "" {
			h.URL = base + h.operation.path
		}
		f.HTTP = &h
	case f.Exec == nil && f.HTTP == nil:
		f.Exec, f.HTTP = all.Exec, all.HTTP
	}
	f.Timeout = cmp.Or(f.Timeout, all.Timeout)
	if f.Roles == nil {
		f.Roles = all.Roles
	}
}
