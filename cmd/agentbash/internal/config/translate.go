package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/fieldbash"
)

// ourKeys are what other clients' keys of a server are called here.
var ourKeys = map[string]string{
	"environment": "env", "serverUrl": "url", "httpUrl": "url", "baseUrl": "url", "server_url": "url", "http_headers": "headers",
	"includeTools": "allow", "enabled_tools": "allow", "allowedTools": "allow", "tools": "allow",
	"excludeTools": "deny", "disabled_tools": "deny", "blockedTools": "deny", "disabledTools": "deny",
	"tool_timeout_sec": "timeout", "startup_timeout_sec": "startTimeout", "workingDirectory": "cwd", "transport": "type",
}

// ourTypes are what other clients' transports are called here.
var ourTypes = map[string]string{"local": "stdio", "remote": "", "streamable_http": "http"}

// unsaid are keys that say nothing of how a server is reached.
var unsaid = []string{"name", "source", "description"}

// ownKeys are ours alone: what they grant is not another client's to say.
var ownKeys = []string{"trust", "roles", "sampling", "sandbox"}

// otherForms are keys whose values have another form here. They put what they say into
// a server, and report whether the value is of that form.
func otherForms() map[string]func(out map[string]any, v any) bool {
	header := func(key, format string) func(map[string]any, any) bool {
		return func(out map[string]any, v any) bool {
			addTo(out, "headers", map[string]any{key: fmt.Sprintf(format, v)})
			return true
		}
	}
	return map[string]func(map[string]any, any) bool{
		"command": func(out map[string]any, v any) bool {
			switch v := v.(type) {
			case []any: // the program and its arguments
				if len(v) > 0 {
					out["command"], out["args"] = v[0], v[1:]
				}
				return len(v) > 0
			case map[string]any: // {"path", "args", "env"}
				out["command"], out["args"], out["env"] = v["path"], v["args"], v["env"]
				return true
			}
			return false
		},
		"enabled": func(out map[string]any, v any) bool {
			on, is := v.(bool)
			if is && !on {
				out["disabled"] = true
			}
			return is
		},
		"env_vars": func(out map[string]any, v any) bool {
			list, is := v.([]any)
			for _, name := range list {
				addTo(out, "env", map[string]any{fmt.Sprint(name): fmt.Sprintf("${%v}", name)})
			}
			return is
		},
		"env_http_headers": func(out map[string]any, v any) bool {
			m, is := v.(map[string]any)
			for name, variable := range m {
				header(name, "${%v}")(out, variable)
			}
			return is
		},
		"requestOptions": func(out map[string]any, v any) bool {
			m, _ := v.(map[string]any)
			headers, is := m["headers"].(map[string]any)
			addTo(out, "headers", headers)
			return is
		},
		"bearerToken":          header("Authorization", "Bearer %v"),
		"bearerTokenEnv":       header("Authorization", "Bearer ${%v}"),
		"bearer_token_env_var": header("Authorization", "Bearer ${%v}"),
	}
}

// translation makes servers of other clients ours.
type translation struct {
	client client
	root   string                    // the project's directory; "": the one that we will run in
	inputs map[string]map[string]any // of VS Code, by their names
}

// server makes a server of an entry, and lists the keys that mean nothing here.
func (t *translation) server(raw any) (s fieldbash.Server, ignored []string, err error) {
	translated, err := t.value(raw)
	if err != nil {
		return s, nil, err
	}
	in, ok := translated.(map[string]any)
	if !ok {
		return s, nil, &Error{Text: "it is no object"}
	}
	out, forms, keys := map[string]any{}, otherForms(), keyNames(reflect.TypeFor[fieldbash.Server]())
	for _, e := range sortedEntries(in) {
		if form := forms[e.key]; form != nil && form(out, e.value) {
			continue
		}
		key := cmp.Or(ourKeys[e.key], e.key)
		text, _ := e.value.(string)
		members, isObject := e.value.(map[string]any)
		seconds, isNumber := e.value.(float64)
		known, isType := ourTypes[text]
		switch {
		case !slices.Contains(keys, key) || slices.Contains(ownKeys, key):
			if !slices.Contains(unsaid, key) {
				ignored = append(ignored, e.key)
			}
		case key == "type" && isType:
			out[key] = known
		case key == "timeout" && isNumber && t.client.ms:
			out[key] = seconds / 1000
		case isObject:
			addTo(out, key, members)
		default:
			out[key] = e.value
		}
	}
	return decodeServer(out, ignored)
}

// decodeServer makes a server of its members.
func decodeServer(out map[string]any, ignored []string) (s fieldbash.Server, _ []string, err error) {
	b, err := json.Marshal(out)
	if err != nil {
		return s, nil, err
	}
	source := &source{data: b}
	v, err := source.parseValue()
	if err == nil {
		err = source.decodeInto(v, "", &s)
	}
	if e, ok := err.(*Error); ok {
		err = &Error{Key: e.Key, Text: e.Text} // its place is of no file
	}
	return s, ignored, err
}

// addTo adds members to an object that is a member of m.
func addTo(m map[string]any, key string, more map[string]any) {
	if have, ok := m[key].(map[string]any); ok {
		maps.Copy(have, more)
	} else if len(more) > 0 {
		m[key] = more
	}
}

// value translates the variables in all texts of a value.
func (t *translation) value(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return t.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = t.value(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			var err error
			if out[key], err = t.value(v[key]); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
		return out, nil
	}
	return v, nil
}

// reference is what clients write for a variable.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}|\$env:[A-Za-z_]\w*|\$[A-Za-z_]\w*`)
})

// noVariable is what no name of a variable has.
var noVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]`) })

func (t *translation) text(s string) (out string, err error) {
	if t.client.literal {
		return strings.ReplaceAll(s, "${", "$${"), nil
	}
	return reference().ReplaceAllStringFunc(s, func(ref string) string {
		text, problem := t.reference(ref)
		if problem != nil {
			err = problem
		}
		return text
	}), err
}

// reference is a reference as we write it.
func (t *translation) reference(ref string) (string, error) {
	inner := strings.TrimSuffix(strings.TrimLeft(ref, "${"), "}")
	kind, name, _ := strings.Cut(inner, ":")
	switch {
	case ref[0] == '$' && ref[1] != '{' && kind != "env":
		if t.client.dollar {
			return "${" + inner + "}", nil
		}
		return ref, nil
	case kind == "env":
		return "${" + name + "}", nil
	case kind == "input":
		variable := strings.ToUpper(noVariable().ReplaceAllString(name, "_"))
		if value, ok := t.inputs[name]["default"].(string); ok && value != "" {
			variable += ":-" + value
		}
		return "${" + variable + "}", nil
	case kind == "workspaceFolder", kind == "workspaceRoot":
		return cmp.Or(t.root, "."), nil
	case kind == "workspaceFolderBasename" && t.root != "":
		return filepath.Base(t.root), nil
	case kind == "userHome":
		return "${HOME}", nil
	case kind == "pathSeparator", kind == "/":
		return "/", nil
	}
	if variable().MatchString(kind) && (kind == inner || strings.HasPrefix(name, "-")) {
		return ref, nil
	}
	return "", &Error{Text: fmt.Sprintf("%s has no meaning outside of %s: write the value, or a variable of the environment: ${NAME}", ref, cmp.Or(t.client.name, "its client"))}
}
