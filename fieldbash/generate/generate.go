// Package generate writes clients for the tools of a server: a function for each, with
// the types that its schema says, which runs the tool as a command of agentbash. What a
// language cannot say of a schema is left to the command, which checks the arguments.
package generate

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/agentbash/agentbash/registry"
)

//go:embed *.tmpl
var templates embed.FS

// Languages are those that Write knows.
var Languages = []string{"go", "python", "ts"}

// language says how types and names are written.
type language struct {
	types    map[string]string // by JSON Schema type; "" is what is not known
	list     string            // of %s
	enum     string            // of %s; "": values are no types, and types are not joined
	between  string            // the values of one
	object   func(g *language, members []registry.Param) string
	name     func(words []string) string
	reserved string
}

var languages = map[string]*language{
	"go": {
		types: map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool", "object": "map[string]any", "": "any"},
		list:  "[]%s", object: (*language).goStruct, reserved: "Result Program",
		name: func(words []string) string { return strings.Join(titled(words), "") },
	},
	"ts": {
		types: map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "object": "Record<string, unknown>", "": "unknown"},
		list:  "Array<%s>", enum: "%s", between: " | ", object: (*language).tsObject, reserved: keywords,
		name: func(words []string) string {
			return strings.ToLower(words[0][:1]) + words[0][1:] + strings.Join(titled(words[1:]), "")
		},
	},
	"python": {
		types: map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict[str, Any]", "": "Any"},
		list:  "list[%s]", enum: "Literal[%s]", between: ", ", reserved: keywords,
		name: func(words []string) string { return strings.Join(words, "_") },
	},
}

// keywords are those of TypeScript and Python, and names that the templates and types use.
const keywords = `Any False Literal None Result RuntimeError True ValueError and arguments as assert async await bool break case catch class const continue dataclass
debugger def default del delete dict do elif else enum eval except execFile export extends false finally float for from function global if implements import in
instanceof int interface is isinstance json lambda let list new nonlocal not null or package pass private program protected public raise return runTool static str
subprocess super switch this throw true try typeof var void while with yield`

// function is one tool, as a template sees it.
type function struct {
	Name, Command, Summary string
	Params                 []param
	Type                   string // of all parameters together
	Required               bool   // one of them is
}

type param struct {
	registry.Param
	Var, Type string
}

// Write writes the client for tools of a group in a language.
func Write(w io.Writer, lang, group string, tools []*registry.Tool) error {
	l := languages[lang]
	if l == nil {
		return fmt.Errorf("no language %q: it is %s", lang, strings.Join(Languages, ", "))
	}
	t, err := template.New("").Funcs(template.FuncMap{"quote": quote, "line": oneLine}).ParseFS(templates, lang+".tmpl")
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	var functions []function
	for _, tool := range tools {
		short := tool.Name[strings.LastIndex(tool.Name, ":")+1:]
		f := function{Name: l.unique(short, taken), Command: tool.Name, Summary: tool.Summary, Type: l.types["object"]}
		taken[f.Name+"Args"] = true
		list := tool.Params.List()
		if len(list) > 0 && l.object != nil {
			f.Type = l.object(l, list)
		}
		vars := map[string]bool{}
		for _, p := range list {
			f.Params = append(f.Params, param{p, l.unique(p.Name, vars), l.typeOf(&p)})
			f.Required = f.Required || p.Required
		}
		slices.SortStableFunc(f.Params, func(a, b param) int {
			return strings.Compare(strconv.FormatBool(b.Required), strconv.FormatBool(a.Required))
		})
		functions = append(functions, f)
	}
	name := strings.ToLower(strings.Join(wordsOf(group), ""))
	if token.IsKeyword(name) || name == "main" {
		name += "tools"
	}
	var text bytes.Buffer
	err = t.ExecuteTemplate(&text, lang+".tmpl", map[string]any{"Group": group, "Package": name, "Tools": functions})
	out := text.Bytes()
	if err == nil && lang == "go" {
		out, err = format.Source(out)
	}
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}

// typeOf is the type of a parameter.
func (l *language) typeOf(p *registry.Param) string {
	switch {
	case len(p.AnyOf) > 0 && l.enum != "":
		var types []string
		for i := range p.AnyOf {
			types = append(types, l.typeOf(&p.AnyOf[i]))
		}
		slices.Sort(types)
		return strings.Join(slices.Compact(types), " | ")
	case len(p.AnyOf) > 0:
		return l.types[""]
	case p.Type == registry.String && p.Enum != nil && l.enum != "":
		var values []string
		for _, v := range p.Enum {
			values = append(values, quote(v))
		}
		return fmt.Sprintf(l.enum, strings.Join(values, l.between))
	case p.Type == "array" && p.Items != nil:
		return fmt.Sprintf(l.list, l.typeOf(p.Items))
	case p.Type == "array":
		return fmt.Sprintf(l.list, l.types[""])
	case p.Type == "object" && l.object != nil && len(p.Props.List()) > 0:
		return l.object(l, p.Props.List())
	}
	return cmp.Or(l.types[p.Type], l.types[""])
}

// goStruct is a struct type; what is not required is a pointer, so that false and 0 can be said.
func (l *language) goStruct(members []registry.Param) string {
	taken := map[string]bool{}
	var b strings.Builder
	b.WriteString("struct {\n")
	for _, p := range members {
		if strings.ContainsAny(p.Name, "\"`,\\") || p.Name == "-" {
			return l.types["object"] // a tag cannot say it
		}
		kind, tag := l.typeOf(&p), p.Name
		if !p.Required {
			if tag += ",omitzero"; !strings.HasPrefix(kind, "[]") && !strings.HasPrefix(kind, "map") && kind != "any" {
				kind = "*" + kind
			}
		}
		fmt.Fprintf(&b, "%s %s `json:\"%s\"` // %s\n", l.unique(p.Name, taken), kind, tag, oneLine(p.Description))
	}
	return b.String() + "}"
}

func (l *language) tsObject(members []registry.Param) string {
	var out []string
	for _, p := range members {
		mark := "?"
		if p.Required {
			mark = ""
		}
		out = append(out, quote(p.Name)+mark+": "+l.typeOf(&p))
	}
	return "{ " + strings.Join(out, "; ") + " }"
}

// unique is a name as the language writes it, and no other's.
func (l *language) unique(name string, taken map[string]bool) string {
	base := l.name(wordsOf(name))
	if slices.Contains(strings.Fields(l.reserved), base) {
		base += "_"
	}
	for n, out := 2, base; ; n++ {
		if !taken[out] {
			taken[out] = true
			return out
		}
		out = base + strconv.Itoa(n)
	}
}

// wordsOf are the words of a name; there is one at least, and no digit begins them.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 || unicode.IsDigit(rune(words[0][0])) {
		words = append([]string{"x"}, words...)
	}
	return words
}

func titled(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return out
}

// oneLine is a text as a comment can hold it.
func oneLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ReplaceAll(strings.TrimSpace(text), "*/", "* /")
}

// quote is a text as each of the languages writes it, which is as JSON does.
func quote(text string) string {
	b, _ := json.Marshal(text) // a text is never an error
	return string(b)
}
