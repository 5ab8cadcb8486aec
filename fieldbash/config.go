package fieldbash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// Config names the groups of field tools. Values are final: ${V} was expanded
// by whoever read the file.
type Config struct {
	MCPServers map[string]Server     `json:"mcpServers,omitempty"`
	Functions  map[string][]Function `json:"functions,omitempty"`
}

// Server is one MCP server, in the form that MCP clients share. It has a
// Command or a URL.
type Server struct {
	Type     string `json:"type,omitempty"`     // "stdio", "http", "streamable-http" or "sse"; empty: by what is set
	Disabled bool   `json:"disabled,omitempty"` // keeps the entry and leaves the server out

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // on top of the minimal environment
	Cwd     string            `json:"cwd,omitempty"` // relative to Options.Dir; empty: Options.Dir

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"` // sent to the URL's own origin only

	OAuth *OAuth `json:"oauth,omitempty"` // how to log in; nil: as the server says, when it says so

	KeepAlive KeepAlive `json:"keepAlive,omitempty"` // stays for the next program, with a command

	Timeout      float64  `json:"timeout,omitempty"`      // seconds for a call; 0: 120
	StartTimeout float64  `json:"startTimeout,omitempty"` // seconds for a start; 0: 30
	Allow        []string `json:"allow,omitempty"`        // patterns of tools that are offered; empty: all
	Deny         []string `json:"deny,omitempty"`         // patterns of tools that are not, whatever Allow says
	Log          string   `json:"log,omitempty"`          // the least level of its log messages that is shown; empty: warning
	Sampling     bool     `json:"sampling,omitempty"`     // it may have our model answer it
	Trust        bool     `json:"trust,omitempty"`        // its claims that a tool only reads are believed

	Sandbox *Sandbox `json:"sandbox,omitempty"` // what holds it, with a command; nil: nothing

	Roles map[string]Roles `json:"roles,omitempty"` // what its tools' parameters are, by the tools' own names
}

// OAuth says how to log in at a server with a URL where its own word is not enough.
type OAuth struct {
	ClientID          string `json:"clientId,omitempty"`          // of a client registered beforehand
	ClientSecret      string `json:"clientSecret,omitempty"`      // of that client
	ClientCredentials bool   `json:"clientCredentials,omitempty"` // as ourselves: no one is asked to log in
	Disabled          bool   `json:"disabled,omitempty"`          // not at all: a refusal is an error
}

// Function is one function definition and how to run it.
type Function struct {
	Name        string
	Description string
	Parameters  json.RawMessage // the JSON Schema of its arguments, whole; nil: takes anything
	Exec        *Exec           // either this
	HTTP        *HTTP           // or this
	Timeout     float64         // seconds; 0: 120
	Roles       Roles           // what its parameters are; nil: as the schema says

	later func() json.RawMessage // makes Parameters, of an OpenAPI operation; nil: they are there

	Auth map[string]string // of an OpenAPI operation: values by the names of security schemes
}

// Exec runs a function as a program: the arguments are one JSON object on its
// stdin, its stdout is the result, and a status other than 0 is failure. The
// function's name is in AGENTBASH_FUNCTION, for a program that runs several.
type Exec struct {
	Argv []string          `json:"argv"`
	Env  map[string]string `json:"env,omitempty"` // on top of the minimal environment
	Cwd  string            `json:"cwd,omitempty"` // relative to Options.Dir; empty: Options.Dir

	Sandbox *Sandbox `json:"sandbox,omitempty"` // what holds it; nil: nothing
}

// HTTP runs a function as a request: the arguments are the JSON body, or the
// query of a GET, HEAD or DELETE; {name} in the URL's path takes the argument of
// that name, and {function} the function's name.
type HTTP struct {
	Method  string            `json:"method,omitempty"` // empty: POST
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`

	operation *operation // of an OpenAPI document; nil: none
}

// UnmarshalJSON takes OpenAI's {"type":"function","function":{...}}, the bare
// inner object, and Anthropic's {"name","description","input_schema"}, each
// with "exec" or "http", and "roles", beside its name or around it.
func (f *Function) UnmarshalJSON(b []byte) error {
	type form struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		Parameters   json.RawMessage `json:"parameters"`
		InputSchema  json.RawMessage `json:"input_schema"`
		InputSchema2 json.RawMessage `json:"inputSchema"`
		Exec         *Exec           `json:"exec"`
		HTTP         *HTTP           `json:"http"`
		Timeout      float64         `json:"timeout"`
		Roles        Roles           `json:"roles"`

		Schema json.RawMessage   `json:"parametersJsonSchema"` // Gemini's
		Auth   map[string]string `json:"auth"`
	}
	var outer struct {
		form
		Function *form `json:"function"`
	}
	if err := json.Unmarshal(b, &outer); err != nil {
		return fmt.Errorf("function definition: %w", err)
	}
	in := outer.form
	if outer.Function != nil {
		in = *outer.Function
		if in.Exec == nil {
			in.Exec = outer.Exec
		}
		if in.HTTP == nil {
			in.HTTP = outer.HTTP
		}
		if in.Timeout == 0 {
			in.Timeout = outer.Timeout
		}
		if in.Roles == nil {
			in.Roles = outer.Roles
		}
	}
	*f = Function{Name: in.Name, Description: in.Description, Exec: in.Exec, HTTP: in.HTTP, Timeout: in.Timeout, Roles: in.Roles, Auth: in.Auth}
	for _, schema := range []json.RawMessage{in.Parameters, in.InputSchema, in.InputSchema2, in.Schema} {
		if f.Parameters == nil && len(schema) > 0 && !bytes.Equal(schema, []byte("null")) {
			f.Parameters = schema
		}
	}
	return nil
}

// ParseFunctions reads definitions as files hold them: a list, an object with the
// list as "tools", "functions" or Gemini's "functionDeclarations", or one definition,
// each in a form that [Function.UnmarshalJSON] takes; or an OpenAPI 3 document, of which
// each operation is a function.
func ParseFunctions(text []byte) ([]Function, error) {
	if !json.Valid(text) {
		return nil, errors.New("it holds no function definitions: write a list [...] of them")
	}
	doc := gjson.ParseBytes(text)
	if doc.Get("openapi").Exists() || doc.Get("swagger").Exists() {
		return parseOpenAPI(doc)
	}
	return parseDefinitions(doc, false)
}

// parseDefinitions reads a list of definitions, or what holds one. Schemas of Gemini's
// functionDeclarations have a form of their own.
func parseDefinitions(v gjson.Result, gemini bool) (out []Function, err error) {
	for _, key := range []string{"tools", "functions", "functionDeclarations", "function_declarations"} {
		if list := v.Get(key); list.Exists() && !v.IsArray() {
			if !list.IsArray() {
				return nil, fmt.Errorf("%q is no list of function definitions: write [...]", key)
			}
			return parseDefinitions(list, strings.HasPrefix(key, "function") && key != "functions")
		}
	}
	if v.IsArray() {
		for i, one := range v.Array() {
			list, err := parseDefinitions(one, gemini)
			if err != nil {
				return nil, fmt.Errorf("definition %d: %w", i+1, err)
			}
			out = append(out, list...)
		}
		return out, nil
	}
	if !v.IsObject() {
		return nil, errors.New("it holds no function definitions: write a list [...] of them")
	}
	var f Function
	if err := json.Unmarshal([]byte(v.Raw), &f); err != nil {
		return nil, err
	}
	if gemini && v.Get("parameters").Exists() {
		f.Parameters = []byte((&schemaForm{}).convert(v.Get("parameters")))
	}
	return []Function{f}, nil
}

// MarshalJSON writes the bare form.
func (f Function) MarshalJSON() ([]byte, error) {
	if f.later != nil {
		f.Parameters = f.later()
	}
	return json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Exec        *Exec           `json:"exec,omitempty"`
		HTTP        *HTTP           `json:"http,omitempty"`
		Timeout     float64         `json:"timeout,omitempty"`
		Roles       Roles           `json:"roles,omitempty"`
	}{f.Name, f.Description, f.Parameters, f.Exec, f.HTTP, f.Timeout, f.Roles})
}

// check says what is wrong with an entry, and what to write.
func (s Server) check() error {
	switch {
	case s.Command == "" && s.URL == "":
		return errors.New(`it has neither "command" nor "url": set one`)
	case s.Command != "" && s.URL != "":
		return errors.New(`it has both "command" and "url": remove one`)
	case s.Sandbox != nil && s.Command == "":
		return errors.New(`it has a "sandbox" and no "command": nothing of it runs here`)
	case s.KeepAlive > 0 && s.Command == "":
		return errors.New(`it has "keepAlive" and no "command": what has an address runs by itself`)
	case s.Timeout < 0 || s.StartTimeout < 0:
		return errors.New(`"timeout" and "startTimeout" are seconds, and not below 0`)
	}
	if s.Log != "" && !slices.Contains(mcp.LogLevels, s.Log) {
		return fmt.Errorf(`"log" is %q: write one of %s`, s.Log, strings.Join(mcp.LogLevels, ", "))
	}
	for _, tool := range slices.Sorted(maps.Keys(s.Roles)) {
		if err := s.Roles[tool].check(); err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
	}
	switch s.Type {
	case "", "stdio", "http", "streamable-http", "streamableHttp", "sse":
		return nil
	}
	return fmt.Errorf(`unknown "type" %q: write "stdio", "http" or "sse"`, s.Type)
}

func (f Function) check() error {
	switch {
	case f.Name == "":
		return errors.New(`a definition has no "name"`)
	case f.Exec == nil && f.HTTP == nil:
		return fmt.Errorf(`%s has neither "exec" nor "http": add "exec": {"argv": [...]}`, f.Name)
	case f.Exec != nil && f.HTTP != nil:
		return fmt.Errorf(`%s has both "exec" and "http": remove one`, f.Name)
	case f.Exec != nil && (len(f.Exec.Argv) == 0 || f.Exec.Argv[0] == ""):
		return fmt.Errorf(`%s: "argv" is empty: name the program first`, f.Name)
	case f.HTTP != nil && f.HTTP.operation != nil && !strings.Contains(f.HTTP.URL, "://"):
		return fmt.Errorf(`%s: the OpenAPI document names no server: write "http": {"url": "https://..."} beside "file"`, f.Name)
	case f.HTTP != nil && f.HTTP.URL == "":
		return fmt.Errorf(`%s: "http" has no "url"`, f.Name)
	case f.Timeout < 0:
		return fmt.Errorf(`%s: "timeout" is seconds, and not below 0`, f.Name)
	}
	if err := f.Roles.check(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// secondsDuration makes a duration; 0 stays 0.
func secondsDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
