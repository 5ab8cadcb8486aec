package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/atomicfile"
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
	return unset, editUserFile(d, func(b []byte) ([]byte, error) { return sjson.SetRawBytes(b, serverPath(name), raw) })
}

// RemoveServer takes an MCP server out of the user's file and reports whether
// it was there.
func RemoveServer(d Dirs, name string) (bool, error) {
	found := false
	err := editUserFile(d, func(b []byte) ([]byte, error) {
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

// editUserFile changes the user's file as a whole or not at all.
func editUserFile(d Dirs, edit func([]byte) ([]byte, error)) error {
	path := d.UserFile()
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte("{\n}\n")
	case err != nil:
		return &Error{File: path, Text: err.Error()}
	case !json.Valid(old):
		return &Error{File: path, Text: "it is not valid JSON, and is left as it is: correct it first (agentbash config names the place)"}
	}
	fresh, err := edit(old)
	if err != nil {
		return &Error{File: path, Text: err.Error()}
	}
	if string(fresh) == string(old) {
		return nil
	}
	if err := os.MkdirAll(d.Config, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, fresh)
}

// AddRules puts rules, each as it stands in a file, at the end of those of the
// user's file, but for those it has, and leaves the rest of the file as it is.
func AddRules(d Dirs, rules []json.RawMessage) error { return addToList(d, "rules", rules) }

// AddHost adds a host, or "host:port", to those that the user's file lets commands
// connect to.
func AddHost(d Dirs, host string) error {
	raw, err := json.Marshal(host)
	if err != nil {
		return err
	}
	return addToList(d, "network.allow", []json.RawMessage{raw})
}

// addToList adds values to the list at a path of keys, but for those it has.
func addToList(d Dirs, path string, values []json.RawMessage) error {
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
