package fieldbash

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// schemaForm makes JSON Schema 2020-12 of a schema of Gemini, or of OpenAPI 3.0 and 3.1,
// with the order of its keys.
type schemaForm struct {
	refs []string // what it refers to, each once
}

// The keywords whose values hold schemas by names, and those whose values are schemas or
// lists of them; those that say nothing to JSON Schema; those whose numbers Gemini writes
// as texts.
const (
	schemaMaps  = " properties patternProperties $defs definitions dependentSchemas "
	schemaParts = " items prefixItems additionalProperties not anyOf allOf oneOf if then else contains propertyNames "
	schemaNoise = " nullable discriminator xml externalDocs example propertyOrdering readOnly writeOnly "
	schemaSizes = " minItems maxItems minLength maxLength minProperties maxProperties "
)

func isWord(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// convert returns a schema, or a list of schemas, rewritten.
func (f *schemaForm) convert(v gjson.Result) string {
	switch {
	case v.IsArray():
		var list []string
		for _, one := range v.Array() {
			list = append(list, f.convert(one))
		}
		return "[" + strings.Join(list, ",") + "]"
	case !v.IsObject():
		return v.Raw // true and false are schemas
	}
	hidden := readOnlyProperties(v.Get("properties"))
	var out []string
	v.ForEach(func(key, one gjson.Result) bool {
		if value := f.keyword(v, key.String(), one, hidden); value != "" {
			out = append(out, quoteJSON(key.String())+":"+value)
		}
		return true
	})
	text := "{" + strings.Join(out, ",") + "}"
	if v.Get("nullable").Bool() && !v.Get("type").Exists() {
		return `{"anyOf":[` + text + `,{"type":"null"}]}`
	}
	return text
}

// keyword returns the value of a keyword of schema, rewritten; "" leaves it out.
func (f *schemaForm) keyword(schema gjson.Result, key string, v gjson.Result, hidden []string) string {
	exclusive := key == "exclusiveMinimum" || key == "exclusiveMaximum"
	switch {
	case isWord(schemaNoise, key):
		return ""
	case key == "$ref":
		ref := v.String()
		if !slices.Contains(f.refs, ref) {
			f.refs = append(f.refs, ref)
		}
		return quoteJSON("#/$defs/" + escapePointer(definitionName(ref)))
	case key == "type":
		return typeForm(v, schema.Get("nullable").Bool())
	case key == "required" && v.IsArray():
		return withoutNames(v, hidden)
	case isWord(schemaMaps, key):
		return f.convertMembers(v, hidden, key == "properties")
	case isWord(schemaParts, key):
		return f.convert(v)
	case isWord(schemaSizes, key) && v.Type == gjson.String:
		if _, err := strconv.Atoi(v.String()); err == nil {
			return v.String()
		}
	case exclusive && v.Type == gjson.True: // of OpenAPI 3.0
		return schema.Get(strings.ToLower(key[len("exclusive"):])).Raw
	case exclusive && v.Type == gjson.False:
		return ""
	}
	return v.Raw
}

// convertMembers rewrites schemas that stand by their names.
func (f *schemaForm) convertMembers(v gjson.Result, hidden []string, properties bool) string {
	var out []string
	v.ForEach(func(name, one gjson.Result) bool {
		if !properties || !slices.Contains(hidden, name.String()) {
			out = append(out, name.Raw+":"+f.convert(one))
		}
		return true
	})
	return "{" + strings.Join(out, ",") + "}"
}

// readOnlyProperties are those that only answers have.
func readOnlyProperties(properties gjson.Result) (names []string) {
	properties.ForEach(func(name, one gjson.Result) bool {
		if one.Get("readOnly").Bool() {
			names = append(names, name.String())
		}
		return true
	})
	return names
}

func withoutNames(list gjson.Result, names []string) string {
	left := []string{}
	for _, one := range list.Array() {
		if !slices.Contains(names, one.String()) {
			left = append(left, one.Raw)
		}
	}
	return "[" + strings.Join(left, ",") + "]"
}

// typeForm is a type in small letters, with null where the schema takes it; "" is any.
func typeForm(v gjson.Result, nullable bool) string {
	name := strings.ToLower(v.String())
	switch {
	case v.Type != gjson.String:
		return v.Raw
	case name == "type_unspecified":
		return ""
	case nullable && name != "null":
		return "[" + quoteJSON(name) + `,"null"]`
	}
	return quoteJSON(name)
}

// document is an OpenAPI document.
type document struct {
	gjson.Result
	server, security gjson.Result            // of operations that say nothing else
	components       map[string]gjson.Result // by the references to them

	mu        sync.Mutex
	converted map[string]convertedSchema // by the references to them
}

// convertedSchema is one as JSON Schema, and what it refers to.
type convertedSchema struct {
	text string
	refs []string
}

func newDocument(root gjson.Result) *document {
	d := &document{Result: root, server: root.Get("servers.0"), security: root.Get("security"), components: map[string]gjson.Result{}, converted: map[string]convertedSchema{}}
	root.Get("components").ForEach(func(kind, all gjson.Result) bool {
		all.ForEach(func(name, one gjson.Result) bool {
			d.components["#/components/"+kind.String()+"/"+escapePointer(name.String())] = one
			return true
		})
		return true
	})
	return d
}

// definitions are the schemas that are referred to, and those that these refer to: the
// member of the schema that holds them, "" for none.
func (d *document) definitions(refs []string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	seen := map[string]bool{}
	for todo := refs; len(todo) > 0; {
		ref := todo[0]
		if todo = todo[1:]; seen[ref] {
			continue
		}
		seen[ref] = true
		one, ok := d.converted[ref]
		if !ok {
			form := &schemaForm{}
			one.text = form.convert(d.resolve(ref))
			one.refs = form.refs
			d.converted[ref] = one
		}
		out = append(out, quoteJSON(definitionName(ref))+":"+one.text)
		todo = append(slices.Clone(todo), one.refs...)
	}
	if out == nil {
		return ""
	}
	return `,"$defs":{` + strings.Join(out, ",") + "}"
}

// resolve is what a reference within the document (RFC 6901) points at.
func (d *document) resolve(ref string) gjson.Result {
	if v, ok := d.components[ref]; ok {
		return v
	}
	v := d.Result
	for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		v = member(v, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return v
}

// deref follows a reference that stands in the place of an object.
func (d *document) deref(v gjson.Result) gjson.Result {
	for range maxNesting {
		ref := v.Get("$ref")
		if !ref.Exists() {
			break
		}
		v = d.resolve(ref.String())
	}
	return v
}

// missing is a reference that leads to nothing in the document; "" if there is none.
func (d *document) missing() string {
	seen := map[string]bool{}
	for _, m := range reference().FindAllStringSubmatch(d.Raw, -1) {
		var ref string
		if json.Unmarshal([]byte(m[1]), &ref) != nil || seen[ref] {
			continue
		}
		if seen[ref] = true; !strings.HasPrefix(ref, "#/") || !d.resolve(ref).Exists() {
			return ref
		}
	}
	return ""
}

// reference is one in a document's text.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"\$ref"\s*:\s*("(?:[^"\\]|\\.)*")`) })

// definitionName is what a schema is called among the definitions.
func definitionName(ref string) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(ref, "#/components/schemas/"), "#/"), "/", ".")
}

// member is a member of an object by its name, whatever characters that has.
func member(v gjson.Result, name string) gjson.Result { return v.Get(gjson.Escape(name)) }

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("fieldbash: " + err.Error()) // a string
	}
	return strings.TrimSpace(b.String())
}
