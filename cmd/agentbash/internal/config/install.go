package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/atomicfile"
)

// ourEntry is what we are called in the files of other clients.
const ourEntry = "agentbash"

// Installable are the clients that we can be registered with.
func Installable() (names []string) {
	for _, c := range clients() {
		if c.at != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// Installation is a change of a client's file that registers us with it or takes that
// back. Nothing is written before Write.
type Installation struct {
	Client  string
	File    string
	Before  []byte        // what the file holds; nil: there is none
	After   []byte        // what it is to hold; nil: it is to be removed
	Servers []FoundServer // the client's own, for all its projects
	Backup  string        // where what the file held is kept
	Config  string        // our configuration for this client: the servers that are taken over

	client   client
	dirs     Dirs
	lookup   func(string) (string, bool)
	original []byte // what the file held before us
	exact    bool   // After is that, to the byte
	record   installed
	taken    map[string]fieldbash.Server
}

// installed is what is remembered of an installation.
type installed struct {
	File  string        `json:"file"`
	None  bool          `json:"none,omitempty"` // there was no file
	After string        `json:"after"`          // what we wrote
	Taken []takenServer `json:"taken,omitempty"`
}

// takenServer is an entry of the client's file, as it stood there.
type takenServer struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// OpenInstallation looks at a client's file, as it would be without us.
func OpenInstallation(name string, dirs Dirs, lookup func(string) (string, bool)) (*Installation, error) {
	i := slices.IndexFunc(clients(), func(c client) bool { return c.name == name && c.at != "" })
	if i < 0 {
		return nil, &Error{Text: fmt.Sprintf("there is no client %q: it is %s", name, strings.Join(Installable(), ", "))}
	}
	c := clients()[i]
	in := &Installation{Client: name, client: c, dirs: dirs, lookup: lookup,
		Config: filepath.Join(dirs.Config, "clients", name+".json"), Backup: filepath.Join(dirs.State, "clients", name+".backup")}
	in.File = c.installFile(lookup)
	known, err := os.ReadFile(in.recordFile())
	if err == nil {
		err = json.Unmarshal(known, &in.record)
		in.File = cmp.Or(in.record.File, in.File)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: in.recordFile(), Text: err.Error()}
	}
	if st, statErr := os.Stat(in.File); statErr == nil && !st.Mode().IsRegular() {
		return nil, &Error{File: in.File, Text: "it is no regular file: move it away first"}
	}
	if in.Before, err = os.ReadFile(in.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: in.File, Text: err.Error()}
	}
	if err := in.restore(); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(in.original)) == 0 {
		return in, nil
	}
	found, err := c.parse(in.File, in.original, "", lookup)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.Project == "" && f.Name != ourEntry {
			in.Servers = append(in.Servers, f)
		}
	}
	return in, nil
}

// Installed reports whether we are registered, by us.
func (in *Installation) Installed() bool { return in.record.File != "" }

// Registers reports whether it registers us, and does not take that back.
func (in *Installation) Registers() bool { return in.taken != nil }

// KeepsBackup reports whether there is something in the backup that the file, as it is
// written, may not have.
func (in *Installation) KeepsBackup() bool {
	return in.original != nil && (in.Registers() || !in.exact && !in.record.None)
}

func (in *Installation) recordFile() string {
	return filepath.Join(in.dirs.State, "clients", in.Client+".json")
}

// restore makes what the file would be without us: what it was, if nobody changed it
// since; else what it is, without our entry and with those that were taken.
func (in *Installation) restore() (err error) {
	r := in.record
	switch {
	case !in.Installed():
		in.original = in.Before
	case string(in.Before) == r.After && r.None:
		in.exact = true
	case string(in.Before) == r.After:
		in.exact = true
		if in.original, err = os.ReadFile(in.Backup); err != nil {
			return &Error{File: in.Backup, Text: fmt.Sprintf("the backup cannot be read: %v", err)}
		}
	default:
		var back []clientEntry
		for _, t := range r.Taken {
			back = append(back, clientEntry{name: t.Name, text: t.Text})
		}
		in.original, _, err = in.edit(in.Before, []string{ourEntry}, back)
	}
	in.After = in.original
	return err
}

// edit changes the client's file by its format.
func (in *Installation) edit(doc []byte, remove []string, add []clientEntry) ([]byte, []clientEntry, error) {
	edit := editJSON
	if filepath.Ext(in.File) == ".toml" {
		edit = editTOML
	}
	text, marked := bytes.CutPrefix(doc, byteOrderMark)
	out, removed, err := edit(text, strings.Split(in.client.at, "."), remove, add)
	if err != nil {
		return nil, nil, &Error{File: in.File, Text: fmt.Sprintf("it is left as it is: %v", err)}
	}
	if marked {
		out = slices.Concat(byteOrderMark, out)
	}
	return out, removed, nil
}

// Install plans to register a command line, and to take servers over by their names:
// they leave the client's file, and are those of our configuration for it.
func (in *Installation) Install(argv []string, take []string) error {
	var variables []string
	in.taken = map[string]fieldbash.Server{}
	for _, f := range in.Servers {
		if slices.Contains(take, f.Name) {
			in.taken[f.Name] = f.Server
			variables = append(variables, f.Variables()...)
		}
	}
	if len(take) > 0 {
		argv = append(slices.Clone(argv), "--config", in.Config)
	}
	slices.Sort(variables)
	entry := in.client.entry(argv, slices.Compact(variables))
	after, removed, err := in.edit(in.original, append([]string{ourEntry}, take...), []clientEntry{entry})
	if err != nil {
		return err
	}
	in.After = after
	in.record = installed{File: in.File, None: in.original == nil, After: string(after)}
	for _, e := range removed {
		in.record.Taken = append(in.record.Taken, takenServer{e.name, e.text})
	}
	return nil
}

// Write writes the client's file, our configuration for it, and what is needed to take
// that back; or all that is taken back. A file that changed since it was looked at is
// left as it is.
func (in *Installation) Write() error {
	now, err := os.ReadFile(in.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || string(now) != string(in.Before) {
		return &Error{File: in.File, Text: "it changed in the meantime, and is left as it is: type it again"}
	}
	if !in.Registers() {
		if err := in.writeFile(); err != nil {
			return err
		}
		superfluous := []string{in.recordFile(), in.Config}
		if !in.KeepsBackup() {
			superfluous = append(superfluous, in.Backup)
		}
		return removeAll(superfluous...)
	}
	if err := in.dirs.MakeState(); err != nil {
		return err
	}
	record, err := json.MarshalIndent(in.record, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{in.recordFile(): record}
	if in.original != nil {
		files[in.Backup] = in.original
	}
	if len(in.taken) > 0 {
		if files[in.Config], err = in.configuration(); err != nil {
			return err
		}
	}
	for path, data := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := atomicfile.Write(path, data); err != nil {
			return err
		}
	}
	return in.writeFile()
}

// configuration is ours for the client: the servers, which it let run unasked by us.
func (in *Installation) configuration() ([]byte, error) {
	var rules []string
	for _, name := range slices.Sorted(maps.Keys(in.taken)) {
		rules = append(rules, "allow field:"+fieldbash.GroupName(name)+".*")
	}
	return json.MarshalIndent(struct {
		Servers map[string]fieldbash.Server `json:"mcpServers"`
		Rules   []string                    `json:"rules"`
	}{in.taken, rules}, "", "  ")
}

// writeFile writes the client's file, or removes it.
func (in *Installation) writeFile() error {
	if in.After == nil {
		path, err := atomicfile.Resolve(in.File) // a link to it stays, as it was before
		if err != nil {
			return err
		}
		return removeAll(path)
	}
	if err := os.MkdirAll(filepath.Dir(in.File), 0o700); err != nil {
		return err
	}
	f, err := atomicfile.Open(in.File)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Write(in.File, in.After)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Replace(in.After)
}

func removeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
