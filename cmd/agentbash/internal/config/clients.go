package config

import (
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

	"github.com/BurntSushi/toml"
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
}

func clients() []client {
	return []client{
		{name: "claude-desktop", user: []string{".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json"}},
		{name: "claude-code", user: []string{".claude.json"}, project: []string{".mcp.json"}},
		{name: "cursor", user: []string{".cursor/mcp.json"}, project: []string{".cursor/mcp.json"}},
		{name: "vscode", user: []string{".config/Code/User/mcp.json", ".config/Code/User/settings.json", "Library/Application Support/Code/User/mcp.json"},
			project: []string{".vscode/mcp.json", ".vscode/settings.json"}},
		{name: "codex", user: []string{".codex/config.toml"}, project: []string{".codex/config.toml"}, literal: true},
		{name: "windsurf", user: []string{".codeium/windsurf/mcp_config.json"}},
		{name: "gemini", user: []string{".gemini/settings.json"}, project: []string{".gemini/settings.json"}, ms: true, dollar: true},
		{name: "opencode", user: []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, project: []string{"opencode.json", "opencode.jsonc"}, ms: true},
		{name: "zed", user: []string{".config/zed/settings.json"}, project: []string{".zed/settings.json"}, literal: true},
		{name: "mcporter", user: []string{".mcporter/mcporter.json", ".mcporter/mcporter.jsonc"}, project: []string{"config/mcporter.json"}},
		{name: "continue", user: []string{".continue/config.yaml", ".continue/mcpServers/*"}, project: []string{".continue/mcpServers/*"}},
	}
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
	look := func(c client, root, path, pattern string) {
		if at, ok := strings.CutPrefix(pattern, ".config/"); ok && root == "" {
			if config, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
				path, pattern = config, at
			}
		}
		files, _ := filepath.Glob(filepath.Join(path, pattern)) // the pattern is one of the table
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
				look(c, d, d, pattern)
			}
		}
		for _, pattern := range c.user {
			if home != "" {
				look(c, "", home, pattern)
			}
		}
	}
	return found, errs
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
	doc, err := readDocument(path)
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

// readDocument reads JSON, which may have comments and commas at ends, TOML or YAML.
func readDocument(path string) (doc map[string]any, err error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, &Error{File: path, Text: strings.TrimPrefix(err.Error(), path+": ")}
	}
	switch filepath.Ext(path) {
	case ".toml":
		err = toml.Unmarshal(data, &doc)
	case ".yaml", ".yml":
		err = yaml.Unmarshal(data, &doc)
	default:
		if data, err = hujson.Standardize(data); err == nil {
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

// checkServer has a server read as it would be from a configuration file. An error says
// why it would be left out, but for variables that are not set: these are returned.
func checkServer(name string, server fieldbash.Server, lookup func(string) (string, bool)) (unset []string, err error) {
	raw, err := json.Marshal(map[string]fieldbash.Server{name: server})
	if err != nil {
		return nil, err
	}
	s := &source{data: raw}
	v, err := s.parseValue()
	if err != nil {
		return nil, err
	}
	for _, m := range bareVariable().FindAllSubmatch(raw, -1) {
		if _, ok := lookup(string(m[1])); !ok && !slices.Contains(unset, string(m[1])) {
			unset = append(unset, string(m[1]))
		}
	}
	var f file
	s.decodeServers(v, &f, func(name string) (string, bool) {
		text, _ := lookup(name)
		return cmp.Or(text, "http://x"), true // fit for every place
	})
	if err := errors.Join(f.warnings...); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return nil, &Error{Key: strings.TrimPrefix(e.Key, "mcpServers."), Text: e.Text}
		}
		return nil, err
	}
	if _, err = fieldbash.New(fieldbash.Config{MCPServers: f.fields.MCPServers}, nil); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "mcpServers."+name+": "))
	}
	return unset, nil
}

// bareVariable is a variable without a default.
var bareVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^$])\$\{([A-Za-z_]\w*)\}`) })
