package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// clientEntry is a server in another client's file, as text.
type clientEntry struct {
	name, text string
	made       bool // by us, in one line; others keep their form
}

// editJSON takes entries out of the object at a path of a JSON file, which may have
// comments and commas at ends, and puts others, that it has not, at its end. All else stays as it is.
// The text of what is taken out is returned by its name.
func editJSON(doc []byte, path []string, remove []string, add []clientEntry) (out []byte, removed []clientEntry, err error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte("{\n}\n")
	}
	root, err := hujson.Parse(doc)
	if err != nil {
		return nil, nil, err
	}
	unit := "  "
	if bytes.Contains(doc, []byte("\n\t")) {
		unit = "\t"
	}
	at, indent := &root, ""
	for i := 0; ; i++ {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil, fmt.Errorf("%s is no object", strings.Join(append([]string{"its top"}, path[:i]...), "."))
		}
		if i == len(path) {
			removed = removeMembers(obj, remove)
			for _, e := range add {
				if findMember(obj, e.name) >= 0 {
					continue // it was written anew since it was taken out
				}
				if err := addMember(obj, e, indent, unit); err != nil {
					return nil, nil, err
				}
			}
			return root.Pack(), removed, nil
		}
		k := findMember(obj, path[i])
		if k < 0 {
			if add == nil {
				return doc, nil, nil
			}
			if err := addMember(obj, clientEntry{name: path[i], text: "{}"}, indent, unit); err != nil {
				return nil, nil, err
			}
			k = len(obj.Members) - 1
		}
		indent = memberIndent(obj, indent+unit)
		at = &obj.Members[k].Value
	}
}

func findMember(obj *hujson.Object, name string) int {
	return slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool {
		l, ok := m.Name.Value.(hujson.Literal)
		return ok && l.String() == name
	})
}

// removeMembers takes members out, with their comments: those before them, and those
// behind them in their lines. Those around our own stay.
func removeMembers(obj *hujson.Object, names []string) (removed []clientEntry) {
	for _, name := range names {
		i := findMember(obj, name)
		if i < 0 {
			continue
		}
		last := obj.Members[len(obj.Members)-1].Value.AfterExtra // says whether there is a comma at the end
		m, next := obj.Members[i], &obj.AfterExtra
		if i+1 < len(obj.Members) {
			next = &obj.Members[i+1].Name.BeforeExtra
		}
		head, above := cutLine(m.Name.BeforeExtra) // of what stands before it
		behind, rest := cutLine(*next)
		comments := slices.Concat(bytes.TrimRight(above, " \t\r\n"), []byte("\n"+memberIndent(obj, "")), bytes.TrimSpace(behind))
		if name == ourEntry { // comments are not ours
			head, comments = bytes.TrimRight(slices.Concat(head, comments), " \t\r\n"), nil
		}
		if len(bytes.TrimSpace(head)) > 0 && !bytes.HasPrefix(rest, []byte("\n")) {
			head = append(head, '\n')
		}
		*next = slices.Concat(head, rest)
		text := bytes.TrimSpace(slices.Concat(bytes.TrimSpace(comments), []byte("\n"), hujson.Value{Value: m.Value.Value}.Pack()))
		removed = append(removed, clientEntry{name: name, text: string(text)})
		if obj.Members = slices.Delete(obj.Members, i, i+1); len(obj.Members) > 0 {
			obj.Members[len(obj.Members)-1].Value.AfterExtra = last
		}
	}
	return removed
}

// cutLine cuts what stands between two members where the line of the first ends.
func cutLine(extra hujson.Extra) (behind, rest hujson.Extra) {
	i := max(0, bytes.IndexByte(extra, '\n'))
	return bytes.Clone(extra[:i]), extra[i:]
}

// memberIndent is what stands before the members of an object in their lines.
func memberIndent(obj *hujson.Object, otherwise string) string {
	if len(obj.Members) > 0 {
		extra := string(obj.Members[len(obj.Members)-1].Name.BeforeExtra)
		if i := strings.LastIndexByte(extra, '\n'); i >= 0 && strings.TrimSpace(extra[i:]) == "" {
			return extra[i+1:]
		}
	}
	return otherwise
}

// addMember puts a member at the end of an object that is indented by outer.
func addMember(obj *hujson.Object, e clientEntry, outer, unit string) error {
	indent := memberIndent(obj, outer+unit)
	text := []byte(e.text)
	if e.made {
		var b bytes.Buffer
		if json.Indent(&b, text, indent, unit) == nil {
			text = b.Bytes()
		}
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return err
	}
	before, after := string(obj.AfterExtra), "\n"+outer // comments at the end stay behind what they follow
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before, after = before[:i], before[i:]
	}
	var comma hujson.Extra
	if n := len(obj.Members); n > 0 {
		comma = obj.Members[n-1].Value.AfterExtra
	}
	if comments := strings.TrimSpace(string(v.BeforeExtra)); comments != "" {
		before += "\n" + indent + comments
	}
	obj.Members = append(obj.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(before + "\n" + indent), Value: hujson.String(e.name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v.Value, AfterExtra: comma},
	})
	obj.AfterExtra = hujson.Extra(after)
	return nil
}

// tomlPart is an expression of a TOML file: a table's head, a key with its value, or a
// comment, which belongs to what comes after it.
type tomlPart struct {
	path    []string
	from    int // where its line begins
	table   int // how many keys of the path the table's head says
	comment bool
}

// tomlParts are the expressions of a file.
func tomlParts(doc []byte) (parts []tomlPart, err error) {
	p := unstable.Parser{KeepComments: true}
	p.Reset(doc)
	var table []string
	comments := 0 // that wait for what they belong to
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			parts = append(parts, tomlPart{from: lineStart(doc, int(e.Raw.Offset)), comment: true})
			comments++
			continue
		}
		var key []string
		from := -1
		for it := e.Key(); it.Next(); {
			if from < 0 {
				from = lineStart(doc, int(it.Node().Raw.Offset))
			}
			key = append(key, string(it.Node().Data))
		}
		if e.Kind == unstable.KeyValue {
			key = append(slices.Clone(table), key...)
		} else {
			table = key
		}
		parts = append(parts, tomlPart{path: key, from: from, table: len(table)})
		for i := range comments {
			parts[len(parts)-2-i].path, parts[len(parts)-2-i].table = key, len(table)
		}
		comments = 0
	}
	return parts, p.Error()
}

func lineStart(doc []byte, at int) int { return bytes.LastIndexByte(doc[:at], '\n') + 1 }

// editTOML is editJSON for TOML: entries are tables.
func editTOML(doc []byte, path []string, remove []string, add []clientEntry) (out []byte, removed []clientEntry, err error) {
	parts, err := tomlParts(doc)
	if err != nil {
		return nil, nil, err
	}
	texts := make([]string, len(remove))
	inline := make([]bool, len(remove)) // it has no table of its own
	var left []string                   // names of entries that stay
	end := len(doc)
	for i := len(parts) - 1; i >= 0; i-- {
		from, p := parts[i].from, parts[i].path
		whose := -1
		if len(p) > len(path) && slices.Equal(p[:len(path)], path) {
			whose = slices.Index(remove, p[len(path)])
			if whose < 0 {
				left = append(left, p[len(path)])
			} else if parts[i].comment && remove[whose] == ourEntry { // comments are not ours
				whose = -1
			}
		}
		if whose >= 0 {
			texts[whose] = string(doc[from:end]) + texts[whose]
			inline[whose] = inline[whose] || parts[i].table <= len(path)
		} else {
			out = append(bytes.Clone(doc[from:end]), out...)
		}
		end = from
	}
	out = append(bytes.Clone(doc[:end]), out...)
	for i, text := range texts {
		if inline[i] {
			if text, err = tomlTable(doc, path, remove[i]); err != nil {
				return nil, nil, err
			}
		}
		if text != "" {
			removed = append(removed, clientEntry{name: remove[i], text: text})
		}
	}
	for _, e := range add {
		if slices.Contains(left, e.name) {
			continue // it was written anew since it was taken out
		}
		if len(bytes.TrimSpace(out)) > 0 {
			out = append(bytes.TrimRight(out, "\n"), "\n\n"...)
		}
		out = append(out, strings.TrimSpace(e.text)+"\n"...)
	}
	var check any
	if err := toml.Unmarshal(out, &check); err != nil {
		return nil, nil, fmt.Errorf("its tables cannot be told apart (%w): write each server as [%s.NAME]", err, strings.Join(path, "."))
	}
	return out, removed, nil
}

// tomlTable is an entry as a table of its own.
func tomlTable(doc []byte, path []string, name string) (string, error) {
	var v any
	if err := toml.Unmarshal(doc, &v); err != nil {
		return "", err
	}
	head := ""
	for _, key := range append(slices.Clone(path), name) {
		m, _ := v.(map[string]any)
		v = m[key]
		quoted, err := json.Marshal(key)
		if err != nil {
			return "", err
		}
		head += "." + string(quoted)
	}
	m, _ := v.(map[string]any)
	text := "[" + head[1:] + "]\n"
	for _, e := range sortedEntries(m) {
		var b bytes.Buffer
		enc := toml.NewEncoder(&b)
		enc.SetTablesInline(true)
		if err := enc.Encode(map[string]any{e.key: e.value}); err != nil {
			return "", err
		}
		text += b.String()
	}
	return text, nil
}
