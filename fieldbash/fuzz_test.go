package fieldbash_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// shape is a JSON Schema of which values can be made.
type shape struct {
	typ      string // "" takes anything
	enum     []string
	items    *shape
	names    []string // of members
	props    []*shape
	required []string
	extra    *shape // of members that are not declared; nil: there are none
	anyOf    []*shape
	list     bool // anyOf is written as a list of types
}

func (s *shape) schema() map[string]any {
	m := map[string]any{}
	if s.typ != "" {
		m["type"] = s.typ
	}
	if s.enum != nil {
		m["enum"] = s.enum
	}
	if s.items != nil {
		m["items"] = s.items.schema()
	}
	if s.typ == "object" {
		props := map[string]any{}
		for i, name := range s.names {
			props[name] = s.props[i].schema()
		}
		m["properties"], m["required"], m["additionalProperties"] = props, append([]string{}, s.required...), false
		if s.extra != nil {
			m["additionalProperties"] = s.extra.schema()
		}
	}
	var types []string
	var any []any
	for _, u := range s.anyOf {
		types, any = append(types, u.typ), append(any, u.schema())
	}
	if s.list {
		m["type"] = types
	} else if any != nil {
		m["anyOf"] = any
	}
	return m
}

// takes reports whether a shape takes values of a type.
func (s *shape) takes(typ string) bool {
	return s.typ == typ || s.typ == "" && s.anyOf == nil || slices.ContainsFunc(s.anyOf, func(u *shape) bool { return u.takes(typ) })
}

func (s *shape) certain() bool { return s.typ != "" && s.anyOf == nil }

// node is a value, and the shape of its place.
type node struct {
	shape *shape
	typ   string
	text  string // JSON
	plain string // of a string
	keys  []string
	kids  []*node
}

type maker struct{ *rand.Rand }

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

var (
	memberNames = []string{"a", "b_c", "d-e", "$f", "größe", "json", "help", "o", "no_a", "x1", "file", "n.m"}
	someText    = []string{"", "a b", "true", "no", "ON", "null", "5", "007", "+49", "1.0", "1e3", "-x", "--a", "--a=b", "-o", "@f", "-", "[x", "{", "[1]", `{"a":1}`, "é\n", "it's", "a=b", "x,y", "raw", "\t", `"`, "-5"}
	someNumbers = []string{"0", "5", "-3", "9007199254740993", "1.5", "-0.25", "123456789012345678901234567890", "1e3", "1.50", "2.0"}
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

func (m maker) shape(depth int) *shape {
	types := []string{"string", "integer", "number", "boolean", "", "string", "enum", "union", "nullable", "mixed"}
	if depth > 0 {
		types = append(types, "object", "array", "object", "array")
	}
	switch typ := pick(m, types...); typ {
	case "enum":
		return &shape{typ: "string", enum: []string{"fast", "slow", "a b", "[x]"}}
	case "union", "nullable":
		s := &shape{}
		if typ == "nullable" {
			s.anyOf = []*shape{{typ: "null"}}
		}
		for range 1 + m.IntN(2) {
			u := m.shape(max(depth-1, 0))
			for u.takes("anything") { // then the others say nothing
				u = m.shape(max(depth-1, 0))
			}
			s.anyOf = append(s.anyOf, u)
		}
		m.Shuffle(len(s.anyOf), func(i, j int) { s.anyOf[i], s.anyOf[j] = s.anyOf[j], s.anyOf[i] })
		return s
	case "mixed":
		return pick(m, &shape{list: true, anyOf: []*shape{{typ: "string"}, {typ: "number"}}}, &shape{list: true, anyOf: []*shape{{typ: "boolean"}, {typ: "null"}}},
			&shape{anyOf: []*shape{{typ: "string"}, {typ: "array", items: &shape{typ: "string"}}}}, &shape{list: true, anyOf: []*shape{{typ: "integer"}, {typ: "boolean"}, {typ: "string"}}})
	case "array":
		return &shape{typ: typ, items: m.shape(depth - 1)}
	case "object":
		return m.object(depth-1, memberNames)
	default:
		return &shape{typ: typ}
	}
}

func (m maker) object(depth int, names []string) *shape {
	s := &shape{typ: "object"}
	for _, i := range m.Perm(len(names))[:1+m.IntN(4)] {
		s.names, s.props = append(s.names, names[i]), append(s.props, m.shape(depth))
		if m.IntN(3) == 0 {
			s.required = append(s.required, names[i])
		}
	}
	if m.IntN(3) == 0 {
		s.extra = m.shape(max(depth-1, 0))
	}
	return s
}

// value makes a value that fits.
func (m maker) value(s *shape) *node {
	at := s
	for s.anyOf != nil {
		s = pick(m, s.anyOf...)
	}
	n := &node{shape: at, typ: s.typ}
	if n.typ == "" {
		n.typ = pick(m, "string", "integer", "number", "boolean", "object", "array")
	}
	switch n.typ {
	case "string":
		if n.plain = pick(m, someText...); s.enum != nil {
			n.plain = pick(m, s.enum...)
		}
		n.text = quoteJSON(n.plain)
	case "integer", "number":
		for n.text = pick(m, someNumbers...); n.typ == "integer" && strings.Contains(n.text, ".") && n.text != "2.0"; {
			n.text = pick(m, someNumbers...)
		}
	case "boolean":
		n.text = pick(m, "true", "false")
	case "null":
		n.text = "null"
	case "array":
		items := s.items
		if items == nil {
			items = &shape{}
		}
		var texts []string
		for range m.IntN(4) {
			kid := m.value(m.flat(items))
			kid.shape = items
			n.kids, texts = append(n.kids, kid), append(texts, kid.text)
		}
		n.text = "[" + strings.Join(texts, ",") + "]"
	case "object":
		m.members(n, s)
	}
	return n
}

// flat keeps values of no type from nesting for ever.
func (m maker) flat(s *shape) *shape {
	if s.typ == "" && s.anyOf == nil {
		return &shape{typ: pick(m, "string", "number", "boolean")}
	}
	return s
}

func (m maker) members(n *node, s *shape) {
	add := func(name string, of *shape) {
		kid := m.value(m.flat(of))
		kid.shape = of // which may be none
		n.keys, n.kids = append(n.keys, name), append(n.kids, kid)
	}
	for _, i := range m.Perm(len(s.names)) {
		if slices.Contains(s.required, s.names[i]) || m.IntN(2) == 0 {
			add(s.names[i], s.props[i])
		}
	}
	if s.extra != nil || s.typ == "" {
		for _, name := range []string{"zebra", "apple"}[:m.IntN(3)] {
			if s.extra != nil {
				add(name, s.extra)
			} else {
				add(name, &shape{})
			}
		}
	}
	var texts []string
	for i, key := range n.keys {
		texts = append(texts, quoteJSON(key)+":"+n.kids[i].text)
	}
	n.text = "{" + strings.Join(texts, ",") + "}"
}

func quoteJSON(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSpace(b.String())
}

// word is how a value is typed; ok is false where a word says another value, as the
// documentation has it: then --key:= is the way. sure says that its place is of its shape alone.
func (n *node) word(sure bool) (word string, ok bool) {
	sure = sure && n.shape.certain()
	switch n.typ {
	case "string":
		return n.plain, sure || !json.Valid([]byte(n.plain))
	case "integer", "number":
		return n.text, sure || plainNumber.MatchString(n.text) && !strings.HasSuffix(n.text, ".0")
	}
	return n.text, n.typ != "null" || !n.shape.takes("anything") // where text is null too
}

// option says a value in one word.
func (n *node) option(key string, sure bool) string {
	if word, ok := n.word(sure); ok {
		return "--" + key + "=" + word
	}
	return "--" + key + ":=" + n.text
}

// dotted says every scalar on its own.
func (n *node) dotted(key string, sure bool) (words []string) {
	for i, kid := range n.kids {
		name := strconv.Itoa(i)
		if n.keys != nil {
			name = n.keys[i]
		}
		words = append(words, kid.dotted(key+"."+name, sure && n.shape.certain())...)
	}
	if len(n.kids) == 0 {
		return []string{n.option(key, sure)}
	}
	return words
}

// style is one way to write a call; exact must be accepted.
type style struct {
	name  string
	words []string
	stdin string
	exact bool
}

func (b fuzzBench) styles(v *node) []style {
	all := filepath.Join(b.dir, "all.json")
	os.WriteFile(all, []byte(v.text), 0o600)
	out := []style{{"stdin alone", nil, v.text, true}}
	if !slices.Contains(v.shape.names, "json") { // a parameter of that name is itself
		out = append(out, style{"json", []string{"--json", v.text}, "", true}, style{"json stdin", []string{"--json", "-"}, v.text, true},
			style{"json file", []string{"--json", "@all.json"}, "", true})
	}
	if len(v.kids) == 0 {
		return out
	}
	per := func(name string, exact bool, say func(key string, n *node) []string) {
		var words []string
		for i, key := range v.keys {
			words = append(words, say(key, v.kids[i])...)
		}
		out = append(out, style{name, words, "", exact})
	}
	per(":=", true, func(key string, n *node) []string { return []string{"--" + key + ":=" + n.text} })
	per("=", false, func(key string, n *node) []string { return []string{n.option(key, true)} })
	per("space", false, func(key string, n *node) []string {
		if word, ok := n.word(true); ok && key != "help" {
			return []string{"--" + key, word}
		}
		return []string{n.option(key, true)}
	})
	per("repeated", false, func(key string, n *node) (words []string) {
		for _, kid := range n.kids {
			if word, ok := kid.word(true); ok && n.typ == "array" && n.shape.certain() && key != "help" {
				words = append(words, "--"+key, word)
			}
		}
		alone := len(n.kids) == 1 && n.kids[0].typ == "array" // a word that is an array is the whole
		if len(words) == 2*len(n.kids) && len(n.kids) > 0 && !alone {
			return words
		}
		return []string{n.option(key, true)}
	})
	per("dotted", false, func(key string, n *node) []string { return n.dotted(key, true) })
	files := 0
	file := func(n *node) string {
		files++
		name := fmt.Sprintf("v%d", files)
		text := n.text + "\n"
		if word, ok := n.word(true); ok && n.typ == "string" {
			text = word
		} else if !ok {
			return ""
		}
		os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600)
		return name
	}
	per("@=", false, func(key string, n *node) []string {
		if name := file(n); name != "" {
			return []string{"--" + key + "@=" + name}
		}
		return []string{n.option(key, true)}
	})
	per("@", false, func(key string, n *node) []string {
		if name := file(n); name != "" && n.shape.certain() && len(n.kids) > 0 && key != "help" {
			return []string{"--" + key, "@" + name}
		}
		return []string{n.option(key, true)}
	})
	return out
}

type fuzzBench struct {
	bench
	body *string
}

// A call sends what was written, in each style that takes it, or is refused.
func FuzzSchema(f *testing.F) {
	text := &shape{typ: "string"}
	known := []*shape{
		{typ: "object", names: []string{"s", "i", "b", "o", "nb"}, props: []*shape{text, {typ: "integer"}, {typ: "boolean"}, {typ: "object", extra: &shape{}}, {list: true, anyOf: []*shape{{typ: "boolean"}, {typ: "null"}}}}},
		{typ: "object", names: []string{"x", "l", "sn", "u"}, props: []*shape{{}, {typ: "array"}, {list: true, anyOf: []*shape{text, {typ: "number"}}}, {anyOf: []*shape{text, {typ: "array", items: text}}}}},
		{typ: "object", names: []string{"name", "description", "private"}, props: []*shape{text, text, {typ: "boolean"}}, required: []string{"name"}},
		{typ: "object", names: []string{"names"}, props: []*shape{{typ: "array", items: text}}, required: []string{"names"}},
		{typ: "object", names: []string{"opts", "rows"}, props: []*shape{{typ: "object", names: []string{"label", "deep"}, props: []*shape{text, {typ: "object", extra: text}}},
			{typ: "array", items: &shape{typ: "object", names: []string{"z", "a"}, props: []*shape{text, {typ: "number"}}}}}, required: []string{"opts"}},
	}
	for which := range uint8(len(known) + 1) {
		for seed := range uint64(40) {
			f.Add(which, seed)
		}
	}
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}))
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		m := maker{rand.New(rand.NewPCG(seed, uint64(which)))}
		s := m.object(3, memberNames)
		if int(which) < len(known) {
			s = known[which]
		}
		schema, err := json.Marshal(s.schema())
		require.NoError(t, err)
		v := m.value(s)
		b := fuzzBench{functions(t, fieldbash.Function{Name: "f", Parameters: schema, HTTP: &fieldbash.HTTP{URL: srv.URL}}), &body}
		for _, way := range b.styles(v) {
			body = "nothing"
			b.stdin = nil
			if way.stdin != "" {
				b.stdin = strings.NewReader(way.stdin)
			}
			o := b.run(t, append([]string{"field:fn:f"}, way.words...)...)
			if o.status != 0 {
				require.False(t, way.exact, "%s: %s\nschema %s\nvalue %s", way.name, o.stderr, schema, v.text)
				require.Equal(t, "nothing", body)
				continue
			}
			require.Equal(t, canonical(t, v.text), canonical(t, body), "%s: %q\nschema %s\nvalue %s\nsent  %s", way.name, way.words, schema, v.text, body)
		}
		b.bind(t, v, string(schema))
	})
}

// bind gives the value as Go values, of which those that a word could not say are left out.
func (b fuzzBench) bind(t *testing.T, v *node, schema string) {
	kwargs, text := registry.Kwargs{}, map[string]json.RawMessage{}
	for i, key := range v.keys {
		if _, ok := v.kids[i].word(true); ok {
			kwargs[key], text[key] = must(registry.DecodeJSON([]byte(v.kids[i].text))), json.RawMessage(v.kids[i].text)
		}
	}
	tool, err := b.reg.Resolve(t.Context(), "field:fn:f")
	require.NoError(t, err)
	bound, err := tool.Bind(kwargs, false)
	if err != nil {
		return
	}
	want, err := json.Marshal(text)
	require.NoError(t, err)
	got, err := json.Marshal(map[string]any(bound))
	require.NoError(t, err)
	require.Equal(t, sorted(t, string(want)), sorted(t, string(got)), "Bind\nschema %s\nvalue %s", schema, v.text)
	words, err := tool.Words(bound)
	require.NoError(t, err)
	parsed, err := tool.Parse(words, false)
	require.NoError(t, err, "%q", words)
	again, err := json.Marshal(map[string]any(parsed.Kwargs))
	require.NoError(t, err)
	require.Equal(t, sorted(t, string(got)), sorted(t, string(again)), "Words %q", words)
}

func must(v any, err error) any {
	if err != nil {
		panic(err)
	}
	return v
}

// canonical is a JSON text with its numbers in one spelling, keys in their order.
func canonical(t *testing.T, text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var b strings.Builder
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		require.NoError(t, err, text)
		if n, ok := tok.(json.Number); ok {
			r, ok := new(big.Rat).SetString(n.String())
			require.True(t, ok)
			tok = r.String()
		}
		fmt.Fprintf(&b, "%T %v\n", tok, tok)
	}
}

// sorted is canonical with the keys sorted.
func sorted(t *testing.T, text string) string {
	v, err := registry.DecodeJSON([]byte(text))
	require.NoError(t, err)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return canonical(t, string(b))
}
