package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"
)

// UserFile is the path of the user's own file.
func (d Dirs) UserFile() string { return filepath.Join(d.Config, "config.json") }

// SetServer puts an MCP server into the user's file, in the place of one that
// has its name, and leaves the rest of the file as it is. What would not load is not
// written; the variables that it needs and that are not set are returned.
func SetServer(d Dirs, name string, s fieldbash.Server, lookup func(string) (string, bool)) (unset []string, err error) {
	if unset, err = checkServer(name, s, lookup); err != nil {
		return nil, fmt.Errorf("%s is not added: %w", name, err)
	}
	raw, err := json.MarshalIndent(s, "    ", "  ")
	if err != nil {
		return nil, err
	}
	_, err = editUserFile(d, func(b []byte) ([]byte, error) { return sjson.SetRawBytes(b, serverPath(name), raw) })
	return unset, err
}

// RemoveServer takes an MCP server out of the user's file and reports whether
// it was there.
func RemoveServer(d Dirs, name string) (bool, error) {
	found := false
	_, err := editUserFile(d, func(b []byte) ([]byte, error) {
		var f struct {
			Servers map[string]json.RawMessage `json:"mcpServers"`
		}
		if err := json.Unmarshal(b, &f); err != nil {
			return nil, err
		}
		if _, found = f.Servers[name]; !found {
			return b, nil
		}
		return sjson.DeleteBytes(b, serverPath(name))
	})
	return found, err
}

// serverPath is sjson's path of a server, the characters that mean something there escaped.
func serverPath(name string) string {
	return "mcpServers." + strings.NewReplacer(`\`, `\\`, ".", `\.`, "*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`, ":", `\:`).Replace(name)
}

// editUserFile changes the user's file as a whole or not at all, and returns what it holds then.
func editUserFile(d Dirs, edit func([]byte) ([]byte, error)) ([]byte, error) {
	path := d.UserFile()
	old, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing:
		old = []byte(noFile)
	case err != nil:
		return nil, &Error{File: path, Text: err.Error()}
	case !json.Valid(old):
		return nil, &Error{File: path, Text: "it is not valid JSON, and is left as it is: correct it first (agentbash config names the place)"}
	}
	fresh, err := edit(old)
	if err != nil {
		return nil, &Error{File: path, Text: err.Error()}
	}
	if string(fresh) == string(old) {
		return old, nil
	}
	fresh = append(bytes.TrimSpace(layOutLike(old, fresh)), '\n')
	if err := os.MkdirAll(d.Config, 0o700); err != nil {
		return nil, err
	}
	return fresh, atomicfile.Write(path, fresh)
}

// layOutLike lays a changed file out as it was before: with a line for each value, or with
// short lists in one line. Any other layout is left as it is.
func layOutLike(old, fresh []byte) []byte {
	indent := "  "
	if _, second, _ := bytes.Cut(old, []byte("\n")); len(bytes.TrimLeft(second, " \t")) < len(second) {
		indent = string(second[:len(second)-len(bytes.TrimLeft(second, " \t"))])
	}
	for _, width := range []int{0, 80} {
		o := &pretty.Options{Width: width, Indent: indent}
		if bytes.Equal(pretty.PrettyOptions(old, o), append(bytes.TrimSpace(old), '\n')) || string(old) == noFile {
			return pretty.PrettyOptions(fresh, o)
		}
	}
	return fresh
}

// noFile is what a file that is not there is changed from.
const noFile = "{\n}\n"

// SetValues sets texts of the user's file; "" takes one out.
func SetValues(d Dirs, values map[string]string) error {
	_, err := editUserFile(d, func(b []byte) (_ []byte, err error) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err == nil && values[key] == "" {
				b, err = sjson.DeleteBytes(b, key)
			} else if err == nil {
				b, err = sjson.SetBytes(b, key, values[key])
			}
		}
		return b, err
	})
	return err
}

// AddRules puts rules, each as it stands in a file, at the end of those of the
// user's file, but for those it has, and leaves the rest of the file as it is. It
// returns them in the lines and columns where they stand now.
func AddRules(d Dirs, rules []json.RawMessage) (Rules, error) {
	data, err := addToList(d, "rules", rules)
	if err != nil {
		return Rules{}, err
	}
	s := &source{path: d.UserFile(), data: data}
	all, err := s.parse()
	if err != nil {
		return Rules{}, err
	}
	list := all.find("rules")
	end := int(list.offset) + len(list.text)
	placed := blank(s.data[:end])
	placed[list.offset], placed[end-1] = '[', ']'
	comma := 0 // where one belongs before the next
	for _, v := range list.list {
		if !slices.ContainsFunc(rules, func(r json.RawMessage) bool { return isSameJSON(r, v.compact()) }) {
			continue
		}
		if comma > 0 {
			placed[comma] = ','
		}
		comma = int(v.offset) + copy(placed[v.offset:], v.text)
	}
	return Rules{File: s.path, Raw: placed}, nil
}

// blank is a text of blanks with the lines of another.
func blank(text []byte) []byte {
	b := bytes.Repeat([]byte(" "), len(text))
	for i, c := range text {
		if c == '\n' {
			b[i] = c
		}
	}
	return b
}

func isSameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// RemoveRule takes a rule out of the user's file, and reports whether it was there.
func RemoveRule(d Dirs, text string) (found bool, err error) {
	_, err = editUserFile(d, func(b []byte) (_ []byte, err error) {
		var f struct{ Rules []json.RawMessage }
		if err := json.Unmarshal(b, &f); err != nil {
			return nil, err
		}
		for i, raw := range slices.Backward(f.Rules) {
			var object struct{ Rule string }
			var plain string
			if json.Unmarshal(raw, &object) == nil && object.Rule == text || json.Unmarshal(raw, &plain) == nil && plain == text {
				found = true
				if b, err = sjson.DeleteBytes(b, fmt.Sprintf("rules.%d", i)); err != nil {
					return nil, err
				}
			}
		}
		return b, nil
	})
	return found, err
}

// AddHost adds a host, or "host:port", to those that the user's file lets commands
// connect to.
func AddHost(d Dirs, host string) error {
	raw, err := json.Marshal(host)
	if err != nil {
		return err
	}
	_, err = addToList(d, "network.allow", []json.RawMessage{raw})
	return err
}

// addToList adds values to the list at a path of keys, but for those it has, and returns what the
// file holds then.
func addToList(d Dirs, path string, values []json.RawMessage) ([]byte, error) {
	return editUserFile(d, func(b []byte) (_ []byte, err error) {
		list := json.RawMessage(b)
		for _, key := range strings.Split(path, ".") {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(list, &object); err != nil {
				return nil, fmt.Errorf("%s cannot be added to: %w: make an object of what holds %s", path, err, key)
			}
			if list = object[key]; list == nil {
				break
			}
		}
		var have []any
		if list == nil {
			b, err = sjson.SetRawBytes(b, path, []byte("[]"))
		} else {
			err = json.Unmarshal(list, &have)
		}
		for _, raw := range values {
			var v any
			if err == nil {
				err = json.Unmarshal(raw, &v)
			}
			if err == nil && !slices.ContainsFunc(have, func(h any) bool { return reflect.DeepEqual(h, v) }) {
				b, err = sjson.SetRawBytes(b, path+".-1", raw)
			}
		}
		return b, err
	})
}
