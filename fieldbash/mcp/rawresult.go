package mcp

import (
	"bytes"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rawKey is the _meta key under which a result travels through the SDK as the
// server wrote it.
const rawKey = "agentbash/raw"

// keepResult hides a result's own bytes in its _meta, so that they come out of
// the SDK unharmed, and leaves the SDK only what it needs and can decode: it
// fails on content types that it does not know, turns numbers into float64 and
// loses the order of a schema's properties. A result of which it needs nothing
// (the answer to initialize, or a request for more input) is returned as it is.
func keepResult(result json.RawMessage) json.RawMessage {
	var in struct {
		Content    json.RawMessage   `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		Contents   json.RawMessage   `json:"contents"`
		Messages   json.RawMessage   `json:"messages"`
		Resources  json.RawMessage   `json:"resources"`
		Templates  json.RawMessage   `json:"resourceTemplates"`
		Prompts    json.RawMessage   `json:"prompts"`
		Tools      []json.RawMessage `json:"tools"`
		Task       json.RawMessage   `json:"task"`
		Type       string            `json:"resultType"`
		NextCursor string            `json:"nextCursor"`
		TTL        json.RawMessage   `json:"ttlMs"`
		Scope      json.RawMessage   `json:"cacheScope"`
	}
	if json.Unmarshal(result, &in) != nil {
		return result
	}
	out := map[string]any{"_meta": map[string]string{rawKey: string(result)}}
	switch none := []string{}; {
	case in.Content != nil, in.Structured != nil, in.Task != nil, in.Type == "task":
		out["content"] = none
	case isArray(in.Contents):
		out["contents"] = none
	case isArray(in.Messages):
		out["messages"] = none
	case isArray(in.Resources):
		out["resources"] = none
	case isArray(in.Templates):
		out["resourceTemplates"] = none
	case isArray(in.Prompts):
		out["prompts"] = none
	case in.Tools != nil:
		out["tools"] = decodableTools(in.Tools)
	default:
		return result
	}
	if in.NextCursor != "" {
		out["nextCursor"] = in.NextCursor
	}
	if in.TTL != nil {
		out["ttlMs"] = in.TTL
	}
	if in.Scope != nil {
		out["cacheScope"] = in.Scope
	}
	b, err := json.Marshal(out)
	if err != nil {
		return result
	}
	return b
}

// keepSchemas does for the schemas of a server's questions, in requests and in results
// that ask for more input, what keepResult does for results: properties are asked
// for in the order in which they were written.
func keepSchemas(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"requestedSchema"`)) {
		return message
	}
	message = changeAt(message, keepSchema, "params")
	if bytes.Contains(message, []byte(`"inputRequests"`)) {
		message = changeAt(message, keepSchema, "result", "inputRequests", "*", "params")
	}
	return message
}

func keepSchema(params json.RawMessage) json.RawMessage {
	var in struct {
		Schema json.RawMessage            `json:"requestedSchema"`
		Meta   map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(params, &in) != nil || in.Schema == nil {
		return params
	}
	if in.Meta == nil {
		in.Meta = map[string]json.RawMessage{}
	}
	in.Meta[rawKey], _ = json.Marshal(string(in.Schema)) // a string and raw JSON
	meta, err := json.Marshal(in.Meta)
	if err != nil {
		return params
	}
	out := map[string]json.RawMessage{}
	json.Unmarshal(params, &out) // it is an object
	out["_meta"] = meta
	b, err := json.Marshal(out)
	if err != nil {
		return params
	}
	return b
}

// changeAt changes the values at a path in a JSON text; * is every key.
func changeAt(text json.RawMessage, change func(json.RawMessage) json.RawMessage, path ...string) json.RawMessage {
	if len(path) == 0 {
		return change(text)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return text
	}
	for key, v := range members {
		if path[0] == "*" || path[0] == key {
			members[key] = changeAt(v, change, path[1:]...)
		}
	}
	b, err := json.Marshal(members)
	if err != nil {
		return text
	}
	return b
}

// keepInMessage applies keepResult to a JSON-RPC response, and keepSchemas; any other
// text is returned as it is.
func keepInMessage(message []byte) []byte {
	message = keepSchemas(message)
	if !bytes.Contains(message, []byte(`"result"`)) {
		return message
	}
	var m struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Method  json.RawMessage `json:"method,omitempty"`
	}
	if json.Unmarshal(message, &m) != nil || m.Result == nil || m.Method != nil {
		return message
	}
	m.Result = keepResult(m.Result)
	b, err := json.Marshal(m)
	if err != nil {
		return message
	}
	return b
}

// keptBytes returns a result's own bytes: what keepResult hid, or the SDK's
// encoding of a result that did not pass through it.
func keptBytes(meta sdk.Meta, result any) json.RawMessage {
	if s, ok := meta[rawKey].(string); ok {
		return json.RawMessage(s)
	}
	b, err := json.Marshal(result)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// decodableTools leaves out the tools that the SDK cannot decode: one of them would
// cost the whole listing. The SDK wants them for HTTP headers only.
func decodableTools(tools []json.RawMessage) []json.RawMessage {
	out := []json.RawMessage{}
	for _, raw := range tools {
		var t sdk.Tool
		if json.Unmarshal(raw, &t) == nil {
			out = append(out, raw)
		}
	}
	return out
}

func isArray(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}
