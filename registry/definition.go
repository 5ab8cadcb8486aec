package registry

import (
	"bytes"
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

// withoutStdin is the tool's schema for callers that have no stdin to give what
// a command line may give there.
func (t *Tool) withoutStdin() json.RawMessage {
	schema := objectSchema(t.Params.Schema())
	var required []string
	from := false
	if p := t.Params.readSchema(); p != nil {
		for _, q := range p.List() {
			if q.Required {
				required = append(required, q.Name)
				from = from || q.Stdin
			}
		}
	}
	o, err := decodeObject(schema)
	if !from || err != nil {
		return schema
	}
	var out members
	for _, m := range o {
		if m.key != "required" {
			out = append(out, m)
		}
	}
	return append(out, member{"required", mustJSON(required)}).render()
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
	out := members{{"type", json.RawMessage(`"object"`)}}
	for _, m := range o {
		if m.key != "type" {
			out = append(out, m)
		}
	}
	return out.render()
}

// The formats of a definition.
const (
	OpenAI    = "openai"    // of Chat Completions
	Anthropic = "anthropic" // of Messages
	MCP       = "mcp"       // of tools/list
)

// Formats are the formats that there are.
func Formats() []string { return []string{OpenAI, Anthropic, MCP} }

// In returns the definition as JSON in one of the formats.
func (d Definition) In(format string) (json.RawMessage, error) {
	switch format {
	case OpenAI:
		return marshalPlain(map[string]any{"type": "function", "function": openAI{d.Name, d.Description, d.Parameters}})
	case Anthropic:
		return marshalPlain(anthropic{d.Name, d.Description, d.Parameters})
	case MCP:
		m := mcpTool{Name: d.Name, Description: d.Description, InputSchema: d.Parameters}
		m.Annotations.ReadOnlyHint = d.ReadOnly
		return marshalPlain(m)
	}
	return nil, fmt.Errorf("%q is no format of a definition: it is %s", format, strings.Join(Formats(), ", "))
}

type openAI struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type anthropic struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type mcpTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnlyHint bool `json:"readOnlyHint"`
	} `json:"annotations"`
}

func marshalPlain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
