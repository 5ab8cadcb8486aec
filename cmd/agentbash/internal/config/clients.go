package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/agentbash/agentbash/fieldbash"
)

// client is a program that has MCP servers in files of its own.
type client struct {
	name    string
	user    []string // its files below the home directory; patterns
	project []string // its files in a project
	ms      bool     // its timeouts are in milliseconds
	literal bool     // ${X} is text
	dollar  bool     // $X is a variable

	dir string // the variable that names the directory of its files; "": none does

	// How we are written into its first file.
	at     string   // where servers stand there; "": we are not
	says   []member // what an entry says besides its command
	joined bool     // program and arguments are one list
	env    string   // the key of what we get of its environment
	pass   string   // how the value of a variable is written there; "": a list of names
}

func clients() []client {
	return []client{
		{name: "claude-desktop", user: []string{".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json"}},
		{name: "claude-code", user: []string{".claude.json"}, project: []string{".mcp.json"}, dir: "CLAUDE_CONFIG_DIR",
			at: "mcpServers", says: keyValues("type", "stdio"), env: "env", pass: "${%s}"},
		{name: "cursor", user: []string{".cursor/mcp.json"}, project: []string{".cursor/mcp.json"}, at: "mcpServers", env: "env", pass: "${env:%s}"},
		{name: "vscode", user: []string{".config/Code/User/mcp.json", ".config/Code/User/settings.json", "Library/Application Support/Code/User/mcp.json"},
			project: []string{".vscode/mcp.json", ".vscode/settings.json"}, at: "servers", says: keyValues("type", "stdio"), env: "env", pass: "${env:%s}"},
		{name: "codex", user: []string{".codex/config.toml"}, project: []string{".codex/config.toml"}, literal: true, dir: "CODEX_HOME",
			at: "mcp_servers", says: keyValues("tool_timeout_sec", json.Number("600")), env: "env_vars"},
		{name: "windsurf", user: []string{".codeium/windsurf/mcp_config.json"}, at: "mcpServers", env: "env", pass: "${env:%s}"},
		{name: "gemini", user: []string{".gemini/settings.json"}, project: []string{".gemini/settings.json"}, ms: true, dollar: true, at: "mcpServers", env: "env", pass: "$%s"},
		{name: "opencode", user: []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, project: []string{"opencode.json", "opencode.jsonc"}, ms: true,
			at: "mcp", says: keyValues("type", "local", "enabled", true), joined: true, env: "environment", pass: "{env:%s}"},
		{name: "zed", user: []string{".config/zed/settings.json"}, project: []string{".zed/settings.json"}, literal: true, at: "context_servers", says: keyValues("source", "custom"), env: "env"},
		{name: "mcporter", user: []string{".mcporter/mcporter.json", ".mcporter/mcporter.jsonc"}, project: []string{"config/mcporter.json"}},
		{name: "continue", user: []string{".continue/config.yaml", ".continue/mcpServers/*"}, project: []string{".continue/mcpServers/*"}},
	}
}

// keyValues are members of an object: names and values by turns.
func keyValues(words ...any) (out []member) {
	for i := 0; i < len(words); i += 2 {
		out = append(out, member{key: words[i].(string), value: &value{scalar: words[i+1]}})
	}
	return out
}

// serverPaths are where in a file servers stand; * is any key. What is found by one is
// not looked for by those after it.
var serverPaths = []string{"mcpServers", "projects.*.mcpServers", "mcp_servers", "context_servers", "mcp.servers", "servers", "mcp"}

// FoundServer is a server in another client's file, in our form.
type FoundServer struct {
	Client  string           `json:"client"` // "": it is not known whose file this is
	File    string           `json:"file"`
	Project string           `json:"project,omitempty"` // the directory for which the file has it
	Name    string           `json:"name"`
	Server  fieldbash.Server `json:"-"`
	Ignored []string         `json:"ignored,omitempty"` // keys that mean nothing here
	Unset   []string         `json:"unset,omitempty"`   // variables that it needs, and that are not set
	Err     error            `json:"-"`                 // why it cannot be taken
}

// FindServers looks for the files of other clients, in the home directory and in the
// project of a directory. Errors are those of files that cannot be read.
func FindServers(dir string, lookup func(string) (string, bool)) (found []FoundServer, errs []error) {
	home, _ := lookup("HOME")
	seen := map[string]bool{}
	look := func(c client, root, pattern string) {
		files, _ := filepath.Glob(pattern) // one of the table
		for _, file := range files {
			if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() || seen[file] {
				continue
			}
			seen[file] = true
			list, err := c.read(file, root, lookup)
			if found = append(found, list...); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for _, c := range clients() {
		for _, d := range projectDirs(dir) {
			for _, pattern := range c.project {
				look(c, d, filepath.Join(d, pattern))
			}
		}
		for _, pattern := range c.user {
			if home != "" {
				look(c, "", c.userFile(pattern, lookup))
			}
		}
	}
	return found, errs
}

// userFile is the path of one of the client's files of the user.
func (c client) userFile(pattern string, lookup func(string) (string, bool)) string {
	home, _ := lookup("HOME")
	if dir, _ := lookup(c.dir); c.dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, filepath.Base(pattern))
	}
	at, ok := strings.CutPrefix(pattern, ".config/")
	if config, _ := lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(config) {
		return filepath.Join(config, at)
	}
	return filepath.Join(home, pattern)
}

// installFile is the file that we are written into: the first of its files, or as it is
// with comments.
func (c client) installFile(lookup func(string) (string, bool)) string {
	path := c.userFile(c.user[0], lookup)
	if _, err := os.Stat(path); err != nil && len(c.user) > 1 && c.user[1] == c.user[0]+"c" {
		if _, err := os.Stat(path + "c"); err == nil {
			return path + "c"
		}
	}
	return path
}

// entry is ours in the client's file: it starts a command line, which gets variables of
// the client's environment.
func (c client) entry(argv, variables []string) clientEntry {
	list := func(words []string) *value {
		v := &value{isList: true}
		for _, w := range words {
			v.list = append(v.list, &value{scalar: w})
		}
		return v
	}
	v := &value{object: true, members: slices.Clone(c.says)}
	add := func(key string, m *value) { v.members = append(v.members, member{key: key, value: m}) }
	if c.joined {
		add("command", list(argv))
	} else {
		add("command", &value{scalar: argv[0]})
		add("args", list(argv[1:]))
	}
	switch {
	case len(variables) == 0:
	case c.pass != "":
		env := &value{object: true}
		for _, name := range variables {
			env.members = append(env.members, member{key: name, value: &value{scalar: fmt.Sprintf(c.pass, name)}})
		}
		add(c.env, env)
	case c.env == "env_vars":
		add(c.env, list(variables))
	}
	text := string(v.compact())
	if filepath.Ext(c.user[0]) == ".toml" { // whose texts, numbers and lists are written as JSON's are
		text = fmt.Sprintf("[%s.%s]\n", c.at, ourEntry)
		for _, m := range v.members {
			text += fmt.Sprintf("%s = %s\n", m.key, m.value.compact())
		}
	}
	return clientEntry{ourEntry, text, true}
}

// ReadServers returns the servers of a file that some client wrote.
func ReadServers(path string, lookup func(string) (string, bool)) ([]FoundServer, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &Error{File: path, Text: err.Error()}
	}
	home, _ := lookup("HOME")
	var whose client
	root := ""
	for _, c := range clients() {
		for _, pattern := range append(c.user, c.project...) {
			above, below := splitPath(abs, strings.Count(pattern, "/")+1)
			if ok, _ := filepath.Match(pattern, below); ok && whose.name == "" {
				whose = c
				if above != home && slices.Contains(c.project, pattern) {
					root = above
				}
			}
		}
	}
	list, err := whose.read(path, root, lookup)
	if err == nil && len(list) == 0 {
		err = &Error{File: path, Text: "it has no MCP servers: name a file that an MCP client wrote"}
	}
	return list, err
}

// splitPath cuts a path before its last n parts.
func splitPath(path string, n int) (above, below string) {
	parts := strings.Split(path, "/")
	n = max(0, len(parts)-n)
	return strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")
}

// read returns the servers in a file. root is the project that it belongs to; "" is none.
func (c client) read(path, root string, lookup func(string) (string, bool)) (found []FoundServer, err error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, &Error{File: path, Text: strings.TrimPrefix(err.Error(), path+": ")}
	}
	return c.parse(path, data, root, lookup)
}

// parse is read for a file that was read.
func (c client) parse(path string, data []byte, root string, lookup func(string) (string, bool)) (found []FoundServer, err error) {
	doc, err := parseDocument(path, data)
	if err != nil {
		return nil, err
	}
	inputs := map[string]map[string]any{}
	for _, at := range []string{"inputs", "mcp.inputs"} {
		for _, v := range valuesAt(doc, at) {
			list, _ := v.value.([]any)
			for _, one := range list {
				if input, ok := one.(map[string]any); ok {
					inputs[fmt.Sprint(input["id"])] = input
				}
			}
		}
	}
	for _, at := range serverPaths {
		for _, v := range valuesAt(doc, at) {
			t := translation{client: c, root: cmp.Or(v.star, root), inputs: inputs}
			for _, one := range namedEntries(v.value) {
				f := FoundServer{Client: c.name, File: path, Project: t.root, Name: one.key}
				f.Server, f.Ignored, f.Err = t.server(one.value)
				if f.Err == nil {
					f.Unset, f.Err = checkServer(one.key, f.Server, lookup)
				}
				found = append(found, f)
			}
		}
		if len(found) > 0 && at != "mcpServers" {
			break
		}
	}
	return found, nil
}

// byteOrderMark begins files of some editors.
var byteOrderMark = []byte("\ufeff")

// parseDocument parses JSON, which may have comments and commas at ends, TOML or YAML.
func parseDocument(path string, data []byte) (doc map[string]any, err error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	switch filepath.Ext(path) {
	case ".toml":
		err = toml.Unmarshal(data, &doc)
	case ".yaml", ".yml":
		err = yaml.Unmarshal(data, &doc)
	default:
		if data, err = hujson.Standardize(bytes.Clone(data)); err == nil { // it writes over its argument
			err = json.Unmarshal(data, &doc)
		}
	}
	if err != nil {
		return nil, &Error{File: path, Text: fmt.Sprintf("it cannot be read: %v", err)}
	}
	return doc, nil
}

// valueAt is a value in a document, and the key for which * stood on the way to it.
type valueAt struct {
	star  string
	value any
}

// valuesAt are the values at a path.
func valuesAt(doc any, path string) (out []valueAt) {
	head, rest, more := strings.Cut(path, ".")
	m, _ := doc.(map[string]any)
	for _, e := range sortedEntries(m) {
		switch {
		case head != "*" && head != e.key:
		case !more:
			out = append(out, valueAt{value: e.value})
		default:
			for _, v := range valuesAt(e.value, rest) {
				if head == "*" {
					v.star = e.key
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// entry is a key and its value.
type entry struct {
	key   string
	value any
}

func sortedEntries(m map[string]any) (out []entry) {
	for key, v := range m {
		out = append(out, entry{key, v})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return out
}

// namedEntries are the members of an object, or the objects of a list by their names.
func namedEntries(v any) (out []entry) {
	if m, ok := v.(map[string]any); ok {
		return sortedEntries(m)
	}
	list, _ := v.([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		name, _ := m["name"].(string)
		out = append(out, entry{name, one})
	}
	return out
}

// Variables are those that a server needs: ${NAME} in its values, without a default.
func (f FoundServer) Variables() (names []string) {
	raw, _ := json.Marshal(f.Server) // texts, numbers and lists
	for _, m := range bareVariable().FindAllSubmatch(raw, -1) {
		if !slices.Contains(names, string(m[1])) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// Expanded is the server as it is started: its variables replaced.
func (f FoundServer) Expanded(lookup func(string) (string, bool)) (fieldbash.Server, error) {
	raw, err := json.Marshal(map[string]fieldbash.Server{f.Name: f.Server})
	if err != nil {
		return fieldbash.Server{}, err
	}
	s := &source{data: raw, lookup: lookup}
	v, err := s.parseValue()
	if err != nil {
		return fieldbash.Server{}, err
	}
	servers := s.decodeServers(v)
	var e *Error
	if err := errors.Join(s.warnings...); errors.As(err, &e) {
		return fieldbash.Server{}, &Error{Key: strings.TrimPrefix(e.Key, "mcpServers."), Text: e.Text}
	} else if err != nil {
		return fieldbash.Server{}, err
	}
	return servers[f.Name], nil
}

// checkServer has a server read as it would be from a configuration file. An error
// says why it would be left out, but for variables that are not set: these are returned.
func checkServer(name string, server fieldbash.Server, lookup func(string) (string, bool)) (unset []string, err error) {
	f := FoundServer{Name: name, Server: server}
	for _, variable := range f.Variables() {
		if _, ok := lookup(variable); !ok {
			unset = append(unset, variable)
		}
	}
	s, err := f.Expanded(func(name string) (string, bool) {
		text, _ := lookup(name)
		return cmp.Or(text, "http://x"), true // fit for every place
	})
	if err != nil {
		return nil, err
	}
	if _, err = fieldbash.New(fieldbash.Config{MCPServers: map[string]fieldbash.Server{name: s}}, nil); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "mcpServers."+name+": "))
	}
	return unset, nil
}

// bareVariable is a variable without a default.
var bareVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^$])\$\{([A-Za-z_]\w*)\}`) })
