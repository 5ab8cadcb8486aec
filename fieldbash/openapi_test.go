package fieldbash_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

// petAPI has each way in which OpenAPI sends a parameter.
const petAPI = `{
  "openapi": "3.0.3",
  "info": {"title": "Pets", "version": "1"},
  "servers": [{"url": "SERVER/{stage}", "variables": {"stage": {"default": "v1"}}}],
  "security": [{"key": []}],
  "paths": {
    "/pets/{petId}": {
      "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}},
                     {"$ref": "#/components/parameters/Trace"}],
      "get": {"operationId": "getPet", "summary": "Shows a pet.", "description": "By its number.", "deprecated": true, "parameters": [
        {"name": "fields", "in": "query", "description": "What to show.", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "tags", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "pipes", "in": "query", "style": "pipeDelimited", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "filter", "in": "query", "style": "deepObject", "schema": {"type": "object", "properties": {"age": {"type": "integer"}, "sex": {"type": "string"}}}},
        {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
        {"name": "petId", "in": "query", "schema": {"type": "string", "nullable": true}},
        {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        {"name": "Accept", "in": "header", "schema": {"type": "string"}}]},
      "put": {"requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
              "security": [{"basic": []}]}
    },
    "/pets": {
      "post": {"operationId": "addPet", "requestBody": {"$ref": "#/components/requestBodies/Pet"}, "security": [{"key": [], "other": []}, {"bearer": []}]},
      "patch": {"operationId": "upload", "security": [], "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object",
        "properties": {"note": {"type": "string"}, "photo": {"type": "string", "format": "binary"}}}}}}}
    },
    "/m/{a}/{b}/{c}": {"get": {"operationId": "styles", "security": [{}], "parameters": [
      {"name": "a", "in": "path", "required": true, "style": "label", "schema": {"type": "array", "items": {"type": "string"}}},
      {"name": "b", "in": "path", "required": true, "style": "matrix", "explode": true, "schema": {"type": "array", "items": {"type": "string"}}},
      {"name": "c", "in": "path", "required": true, "schema": {"type": "array", "items": {"type": "string"}}}]}}
  },
  "components": {
    "parameters": {"Trace": {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}},
    "requestBodies": {"Pet": {"required": true, "content": {"text/plain": {}, "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
    "schemas": {"Pet": {"type": "object", "required": ["name", "id"], "properties": {
      "name": {"type": "string"}, "id": {"type": "integer", "readOnly": true}, "age": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
      "mother": {"$ref": "#/components/schemas/Pet"}, "home": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/Home"}]}}},
      "Home": {"type": "string", "example": "x"}},
    "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}, "other": {"type": "apiKey", "in": "header", "name": "X-Other"},
      "basic": {"type": "http", "scheme": "Basic"}, "bearer": {"type": "oauth2"}}
  }
}`

// openAPI has the operations of a document as commands, as an entry of a configuration does.
func openAPI(t *testing.T, text, entry string) bench {
	list, err := fieldbash.ParseFunctions([]byte(text))
	require.NoError(t, err)
	var all fieldbash.Function
	require.NoError(t, json.Unmarshal([]byte(entry), &all))
	for i := range list {
		list[i].Inherit(all)
	}
	return functions(t, list...)
}

func TestOpenAPI(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/denied" {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		parts := []string{r.Method, r.URL.RequestURI(), media, string(body)}
		for _, name := range []string{"Authorization", "X-Trace", "X-Other", "Cookie", "X-Own"} {
			if v := r.Header.Get(name); v != "" {
				parts = append(parts, name+": "+v)
			}
		}
		io.WriteString(w, strings.Join(parts, " | "))
	}))
	defer srv.Close()
	text := strings.ReplaceAll(petAPI, "SERVER", srv.URL)
	b := openAPI(t, text, `{"auth": {"key": "k&1", "basic": "u:p", "bearer": "tok"}, "http": {"headers": {"X-Own": "o"}}}`)
	for _, row := range []struct{ command, want string }{
		{"getPet 7", "GET | /v1/pets/7?api_key=k%261 |  |  | X-Own: o"},
		{"getPet --petId 7 --fields a --fields b&c --X-Trace t --session s", "GET | /v1/pets/7?fields=a&fields=b%26c&api_key=k%261 |  |  | X-Trace: t | Cookie: session=s | X-Own: o"},
		{"getPet --petId 7 --tags a --tags b --pipes a --pipes b", "GET | /v1/pets/7?pipes=a%7Cb&tags=a,b&api_key=k%261 |  |  | X-Own: o"},
		{"getPet --petId 7 --filter.age 3 --filter.sex f", "GET | /v1/pets/7?filter%5Bage%5D=3&filter%5Bsex%5D=f&api_key=k%261 |  |  | X-Own: o"},
		{`getPet --petId 7 --where {"z":1,"a":2} --query_petId x`, `GET | /v1/pets/7?petId=x&where=%7B%22z%22%3A1,%22a%22%3A2%7D&api_key=k%261 |  |  | X-Own: o`},
		{"addPet --body.name Rex --body.mother.name Ada", `POST | /v1/pets | application/json | {"name":"Rex","mother":{"name":"Ada"}} | Authorization: Bearer tok | X-Own: o`},
		{"put_pets_petId --petId 7 --body.name Rex&Co", "PUT | /v1/pets/7 | application/x-www-form-urlencoded | name=Rex%26Co | Authorization: Basic dTpw | X-Own: o"},
		{"styles --a x --a y/z --b 1 --b 2 --c p --c q", "GET | /v1/m/.x,y%2Fz/;b=1;b=2/p,q |  |  | X-Own: o"},
	} {
		words := strings.Fields("field:fn:" + row.command)
		require.Equal(t, row.want+"\n", b.ok(t, words...), row.command)
	}
	sent := b.ok(t, "field:fn:upload", "--body.note", "hi", "--body.photo", "bytes")
	require.Contains(t, sent, "PATCH | /v1/pets | multipart/form-data | --")
	require.Contains(t, sent, "name=\"note\"\r\n\r\nhi\r\n")
	require.Contains(t, sent, "name=\"photo\"; filename=\"photo\"\r\nContent-Type: application/octet-stream\r\n\r\nbytes\r\n")

	o := b.run(t, "field:fn:addPet", "--body.mother.age", "0")
	require.Equal(t, 2, o.status)
	require.Contains(t, o.stderr, "--body.name is required")
	require.Contains(t, o.stderr, "--body.mother.age")
	require.Equal(t, 2, b.run(t, "field:fn:getPet", "x").status)
	for _, words := range [][]string{{"--X-Trace", "t\r\nX-Other: 1"}, {"--session", "a; b=c"}, {"--session", `a"b`}} {
		o = b.run(t, append([]string{"field:fn:getPet", "7"}, words...)...)
		require.Equal(t, 2, o.status, words)
		require.Contains(t, o.stderr, words[0]+" goes into a ")
	}
	require.Equal(t, 2, b.run(t, "field:fn:styles", "--a", "..", "--b", "1", "--c", "..").status, "no argument climbs out of the path")
	tool, err := b.reg.Resolve(t.Context(), "field:fn:getPet")
	require.NoError(t, err)
	help := tool.Help(true)
	require.Contains(t, help, "Shows a pet.")
	require.Contains(t, help, "By its number.\n\nDeprecated.")
	require.Contains(t, help, "What to show.")
	require.NotContains(t, help, "Accept")

	// another server than the document's, and a credential that is not there
	b = openAPI(t, `{"openapi": "3.1.0", "paths": {"/denied": {"get": {"security": [{"login": []}]}}}, "components": {"securitySchemes": {"login": {"type": "http", "scheme": "bearer"}}}}`,
		`{"http": {"url": "`+srv.URL+`/v1/"}}`)
	o = b.run(t, "field:fn:get_denied")
	require.Equal(t, 4, o.status)
	require.Contains(t, o.stderr, `401 Unauthorized: who?: write "auth": {"login": "${VARIABLE}"} beside its "file"`)
}

func TestOpenAPIThatCannotBeUsed(t *testing.T) {
	for name, row := range map[string][2]string{
		"version 2":                  {`{"swagger": "2.0", "paths": {}}`, `version "2.0": convert it to version 3`},
		"nothing":                    {`{"openapi": "3.0.0", "paths": {}}`, "has no operations"},
		"another document":           {`{"openapi": "3.0.0", "paths": {"/": {"get": {"parameters": [{"$ref": "other.json#/x"}]}}}}`, "refers to other.json#/x, which is not in the document: bundle"},
		"a schema that is not there": {`{"openapi": "3.0.0", "paths": {"/": {"get": {"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}]}}}}`, "refers to #/components/schemas/A"},
	} {
		_, err := fieldbash.ParseFunctions([]byte(row[0]))
		require.ErrorContains(t, err, row[1], name)
	}
	list, err := fieldbash.ParseFunctions([]byte(`{"openapi": "3.0.0", "paths": {"/": {"get": {}}}}`))
	require.NoError(t, err)
	_, err = fieldbash.New(fieldbash.Config{Functions: map[string][]fieldbash.Function{"g": list}}, nil)
	require.ErrorContains(t, err, `names no server: write "http": {"url"`)
}

func TestGeminiDeclarations(t *testing.T) {
	const schema = `{"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": true}, "type": {"type": "STRING", "enum": ["STRING"]},
		"list": {"type": "ARRAY", "minItems": "1", "items": {"type": "NUMBER"}}, "any": {"type": "TYPE_UNSPECIFIED"}}, "required": ["type"], "propertyOrdering": ["n"]}`
	const want = `{"type":"object","properties":{"n":{"type":["integer","null"]},"type":{"type":"string","enum":["STRING"]},"list":{"type":"array","minItems":1,"items":{"type":"number"}},"any":{}},"required":["type"]}`
	const declared = `{"name": "gm", "description": "d", "parameters": ` + schema + `}`
	for _, text := range []string{
		`{"functionDeclarations": [` + declared + `]}`, `[{"function_declarations": [` + declared + `]}]`, `{"tools": [{"functionDeclarations": [` + declared + `]}]}`,
		`{"functionDeclarations": [{"name": "gm", "description": "d", "parametersJsonSchema": ` + want + `}]}`,
	} {
		list, err := fieldbash.ParseFunctions([]byte(text))
		require.NoError(t, err)
		require.Equal(t, []fieldbash.Function{{Name: "gm", Description: "d", Parameters: json.RawMessage(want)}}, list)
	}
}
