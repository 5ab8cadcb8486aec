package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/safetext"
)

// maxDefinitions bounds a file of function definitions, in bytes.
const maxDefinitions = 8 << 20

// defFile is a file of function definitions that an entry of a group names:
// {"file": "tools.json", "exec": {...}}. It is read once, so that what was
// approved is what is used.
type defFile struct {
	path string // absolute
	data []byte
	err  error // why it cannot be used
}

// readDefinitions reads the files that groups of functions name, relative to the
// configuration's own directory. within, if not "", is where they must lie.
func (s *source) readDefinitions(v *value, within string) {
	groups := v.find("functions")
	if groups == nil {
		return
	}
	for _, g := range groups.members {
		for _, entry := range g.value.list {
			if name := entry.find("file"); name != nil {
				if s.defs == nil {
					s.defs = map[*value]*defFile{}
				}
				d := s.openDefinitions(name, within)
				s.defs[entry] = d
				s.defOrder = append(s.defOrder, d)
			}
		}
	}
}

func (s *source) openDefinitions(name *value, within string) *defFile {
	text, ok := name.scalar.(string)
	if !ok || text == "" {
		return &defFile{err: errors.New("it is " + name.kind() + `: write the path of a file, as in "tools.json"`)}
	}
	path, err := expandText(text, s.lookup)
	if err != nil {
		return &defFile{err: err}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.path), path)
	}
	d := &defFile{path: filepath.Clean(path)}
	if real := resolveLinks(d.path); within != "" && !strings.HasPrefix(real, resolveLinks(within)+string(filepath.Separator)) {
		d.err = fmt.Errorf("%s lies outside of the project: move it there", d.path)
		return d
	}
	d.data, d.err = readBounded(d.path)
	return d
}

// readBounded reads a regular file: a pipe would hold up the start, and a
// device never ends.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: correct the path", path, errors.Unwrap(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file: name one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: make it readable", path, errors.Unwrap(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDefinitions+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > maxDefinitions {
		return nil, fmt.Errorf("%s: larger than %d MB: split it", path, maxDefinitions>>20)
	}
	return data, nil
}

// content is what an approval of the file covers: its text and that of the
// definitions that it names. Without any it is the text alone.
func (s *source) content() []byte {
	if len(s.defOrder) == 0 {
		return s.data
	}
	var b bytes.Buffer
	b.Write(s.data)
	for _, d := range s.defOrder {
		fmt.Fprintf(&b, "\x00%d %s\n%d\n", len(d.path), d.path, len(d.data))
		b.Write(d.data)
	}
	return b.Bytes()
}

// shownDefinitions are the files' contents as an approval shows them.
func (s *source) shownDefinitions() (lines []string) {
	for _, d := range s.defOrder {
		var text bytes.Buffer
		data, err := d.json()
		switch {
		case d.err != nil:
			text.WriteString("cannot be read: " + d.err.Error())
		case err != nil || json.Compact(&text, data) != nil:
			text.Reset()
			text.Write(d.data)
		default:
			data = fieldbash.HideJSON(text.Bytes())
			text = *bytes.NewBuffer(data)
		}
		lines = append(lines, safetext.Line("functions, from "+d.path+": "+text.String()))
	}
	return lines
}

// fromFile makes the functions of an entry that names a file. How they are run
// stands in the entry, unless a definition says it itself. What is wrong with the
// file is an error, which does not concern the rest of the configuration.
func (s *source) fromFile(entry *value, key string) ([]fieldbash.Function, error) {
	d := s.defs[entry]
	if d.err != nil {
		return nil, &Error{File: s.path, Key: key + ".file", Text: d.err.Error()}
	}
	var all fieldbash.Function
	if err := s.decodeInto(entry, key, &all); err != nil {
		return nil, err
	}
	data, err := d.json()
	if err != nil {
		return nil, &Error{File: d.path, Text: err.Error()}
	}
	file := &source{path: d.path, data: data, lookup: s.lookup}
	v, err := file.parseValue()
	if err != nil {
		return nil, err
	}
	if errs := file.expandRuns(v); len(errs) > 0 {
		return nil, errs[0]
	}
	list, err := fieldbash.ParseFunctions(v.encode())
	if err != nil {
		return nil, &Error{File: d.path, Text: err.Error()}
	}
	for i := range list {
		list[i].Inherit(all)
	}
	return list, nil
}

// expandRuns expands variables where definitions say how they are run, whatever
// the shape of the file.
func (s *source) expandRuns(v *value) (errs []error) {
	for _, m := range v.list {
		errs = append(errs, s.expandRuns(m)...)
	}
	for _, key := range []string{"tools", "functions", "function", "functionDeclarations"} {
		if m := v.find(key); m != nil {
			errs = append(errs, s.expandRuns(m)...)
		}
	}
	for _, key := range []string{"exec", "http"} {
		if m := v.find(key); m != nil {
			errs = append(errs, s.expand(m, &jsonPath{key: key}, s.lookup)...)
		}
	}
	return errs
}

// json is the file's content as JSON, which it is unless its name says YAML.
func (d *defFile) json() ([]byte, error) {
	if ext := filepath.Ext(d.path); ext == ".yaml" || ext == ".yml" {
		return yamlToJSON(d.data)
	}
	return d.data, nil
}

// yamlToJSON is a YAML document as JSON, its keys as texts in their order.
func yamlToJSON(data []byte) ([]byte, error) {
	var doc yaml.Node
	var probe any // refuses what its aliases would make endless
	if err := cmp.Or(yaml.Unmarshal(data, &doc), yaml.Unmarshal(data, &probe)); err != nil {
		return nil, err
	}
	return yamlValue(&doc).compact(), nil
}

func yamlValue(n *yaml.Node) *value {
	v := &value{object: n.Kind == yaml.MappingNode, isList: n.Kind == yaml.SequenceNode}
	switch {
	case n.Kind == yaml.DocumentNode:
		return yamlValue(n.Content[0])
	case n.Kind == yaml.AliasNode:
		return yamlValue(n.Alias)
	case n.Tag == "!!null":
	case n.Tag == "!!bool":
		v.scalar = strings.EqualFold(n.Value, "true")
	case (n.Tag == "!!int" || n.Tag == "!!float") && json.Valid([]byte(n.Value)):
		v.scalar = json.Number(n.Value)
	case n.Kind == yaml.ScalarNode:
		v.scalar = n.Value
	}
	for i, one := range n.Content {
		switch {
		case v.isList:
			v.list = append(v.list, yamlValue(one))
		case i%2 == 1:
			v.members = append(v.members, member{key: n.Content[i-1].Value, value: yamlValue(one)})
		}
	}
	return v
}
