package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Definition is a tool as programs other than a command line are told of it.
type Definition struct {
	Name        string // letters, digits, _ and -, at most 64
	Description string
	Parameters  json.RawMessage // a JSON Schema of an object
	ReadOnly    bool            // it changes nothing
}

// Definition describes the tool with its own schema. Colons in its name become
// two underscores (field__db__query), since providers take none.
func (t *Tool) Definition() Definition {
	text := t.Summary
	if t.Detail != "" {
		text = strings.TrimSpace(text + "\n\n" + t.Detail)
	}
	return Definition{Name: definitionName(t.Name), Description: text, Parameters: t.withoutStdin(), ReadOnly: t.Kind == ReadOnly}
}

// withoutStdin is the tool's schema for callers that have no stdin.
func (t *Tool) withoutStdin() json.RawMessage {
	schema := objectSchema(t.Params.Schema())
	var required []string
	from := false
	for _, q := range t.Params.List() {
		if q.Required {
			required = append(required, q.Name)
			from = from || q.Stdin
		}
	}
	o, err := decodeObject(schema)
	if !from || err != nil {
		return schema
	}
	return append(o.without("required"), member{"required", mustJSON(required)}).render()
}

// mostName is the length of a name that every provider takes.
const mostName = 64

// definitionName is a name that providers take: colons become two underscores,
// other characters that they do not take one. What is too long is cut, and told
// apart by a hash.
func definitionName(name string) string {
	var b strings.Builder
	for _, c := range name {
		switch {
		case c == ':':
			b.WriteString("__")
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-':
			b.WriteRune(c)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() <= mostName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(name))
	return b.String()[:mostName-9] + "_" + hex.EncodeToString(sum[:4])
}

// objectSchema is a schema that says of itself that it is an object's.
func objectSchema(schema json.RawMessage) json.RawMessage {
	o, err := decodeObject(schema)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if decodeText(o.at("type")) == "object" {
		return schema
	}
	return append(members{{"type", mustJSON(Object)}}, o.without("type")...).render()
}

// The formats of a definition.
const (
	OpenAI    = "openai"    // of Chat Completions
	Anthropic = "anthropic" // of Messages
	MCP       = "mcp"       // of tools/list
	Gemini    = "gemini"    // of a list of functionDeclarations
)

// Formats are the formats that there are.
func Formats() []string { return []string{OpenAI, Anthropic, MCP, Gemini} }

// In returns the definition as JSON in one of the formats.
func (d Definition) In(format string) (json.RawMessage, error) {
	key := map[string]string{OpenAI: "parameters", Anthropic: "input_schema", MCP: "inputSchema", Gemini: "parametersJsonSchema"}[format]
	if key == "" {
		return nil, fmt.Errorf("%q is no format of a definition: it is %s", format, strings.Join(Formats(), ", "))
	}
	parameters, err := encodeJSON(d.Parameters)
	o := members{{"name", mustJSON(d.Name)}, {"description", mustJSON(d.Description)}, {key, parameters}}
	switch format {
	case OpenAI:
		o = members{{"function", o.render()}, {"type", mustJSON("function")}}
	case MCP:
		o = append(o, member{"annotations", mustJSON(map[string]bool{"readOnlyHint": d.ReadOnly})})
	}
	return o.render(), err
}
