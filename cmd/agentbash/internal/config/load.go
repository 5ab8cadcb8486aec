package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/agentbash/agentbash/fieldbash"
)

// The environment variables that are looked at, apart from HOME and the XDG ones.
const (
	EnvKey     = "OPENAI_API_KEY"
	EnvBaseURL = "OPENAI_BASE_URL"
	EnvModel   = "AGENTBASH_MODEL"
)

// Flags are what the command line said. "" is not given.
type Flags struct {
	Model, BaseURL, APIKey, Mode string
	Provider, Effort             string

	AddDirs []string // may be written, too; absolute
	Rules   []string // above those of all files: "allow git push"

	// File is one more file, over the project's and the user's. Who names it
	// approves of it.
	File string
}

// Options are where to look.
type Options struct {
	Flags  Flags
	Dir    string                           // the working directory; absolute
	Lookup func(name string) (string, bool) // the environment, as os.LookupEnv
	Fields fieldbash.Config                 // rank over the files' of the same names; who starts the program approves of them
}

// Result is what a program was told, merged.
type Result struct {
	Settings
	KeyVar  string   // the variable that holds the key; "": none does
	KeyVars []string // those that an apiKey in a file names
	Effort  string   // of every model; "": as Models has it

	From     map[string]string // where model, baseURL, apiKey, mode and provider were said
	Files    []string          // that were read, highest rank first
	Dirs     Dirs
	Pending  []PendingProject // what waits for approval
	Warnings []error          // what was left out, one line each with the next move

	executed *executed
}

// Load reads and merges. An error is one or more [*Error], joined.
func Load(opts *Options) (*Result, error) {
	dirs, err := UserDirs(opts.Lookup)
	if err != nil {
		return nil, err
	}
	l := &loader{opts: opts, result: &Result{Dirs: dirs, From: map[string]string{}}}
	l.result.Tools, l.result.Models, l.result.Targets.Names = map[string]bool{}, map[string]ModelFacts{}, map[string]string{}
	if dirs.Temporary && !mayExist(dirs.State) {
		l.result.Warnings = append(l.result.Warnings, fmt.Errorf("the home directory cannot be written: conversations, the audit log and what undo needs go to %s: set XDG_STATE_HOME to keep them", dirs.State))
	}
	l.readFlags()
	l.readEnvironment()
	l.readGiven()
	l.readExplicit()
	l.readProject()
	l.readUser()
	l.tighten()
	merge(reflect.ValueOf(&l.result.Hooks).Elem(), reflect.ValueOf(l.flagHooks), false)
	l.applyProvider()
	l.mendBaseURL()
	if l.keyed != nil && len(l.result.KeyVars) == 0 { // the key itself stands there
		l.result.Confine.Secrets = append(l.result.Confine.Secrets, l.keyed.path)
	}
	l.checkExecuted()
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return l.result, nil
}

// loader goes from the highest rank to the lowest: what is already said stays.
type loader struct {
	opts   *Options
	result *Result
	errs   []error

	tight *file  // the project's own file, which may only tighten; nil: none
	above Limits // what ranks over it said
	keyed *file  // the first that has a key; nil: none

	flagHooks Hooks // of the file of --config, which come last

	executing []executing
}

func (l *loader) readFlags() {
	f := l.opts.Flags
	l.merge(&Settings{Provider: f.Provider}, "--provider")
	l.merge(&Settings{Model: f.Model}, "--model")
	l.merge(&Settings{BaseURL: f.BaseURL}, "--base-url")
	l.merge(&Settings{APIKey: f.APIKey}, "--api-key")
	l.merge(&Settings{Mode: f.Mode}, "--mode")
	l.merge(&Settings{Confine: Confine{Workspace: f.AddDirs}}, "--add-dir")
	l.result.Effort = f.Effort
	if len(f.Rules) > 0 {
		raw, err := json.Marshal(f.Rules)
		if err != nil {
			l.errs = append(l.errs, err)
		}
		l.result.Rules = []Rules{{File: "the command line", Raw: raw}}
	}
}

func (l *loader) readEnvironment() {
	value := func(name string) string { v, _ := l.opts.Lookup(name); return v }
	l.merge(&Settings{APIKey: value(EnvKey)}, EnvKey)
	l.merge(&Settings{BaseURL: value(EnvBaseURL)}, EnvBaseURL)
	l.merge(&Settings{Model: value(EnvModel)}, EnvModel)
	l.merge(&Settings{Provider: value(EnvProvider)}, EnvProvider)
}

func (l *loader) readGiven() {
	f := &file{Settings: Settings{Fields: l.opts.Fields}}
	l.merge(&f.Settings, "")
	l.noteRuns(f, l.opts.Dir, nil, false)
}

func (l *loader) readExplicit() {
	if l.opts.Flags.File == "" {
		return
	}
	path, err := filepath.Abs(l.opts.Flags.File)
	if err != nil {
		l.errs = append(l.errs, &Error{Text: fmt.Sprintf("--config %s: %v", l.opts.Flags.File, err)})
		return
	}
	l.mergeFile(path, true, func(f *file) { l.flagHooks, f.Hooks = f.Hooks, Hooks{} })
}

func (l *loader) readUser() { l.mergeFile(l.result.Dirs.UserFile(), false, func(*file) {}) }

// mergeFile merges a file that may say anything.
func (l *loader) mergeFile(path string, must bool, change func(*file)) {
	f := l.readFile(path, "", false, must, l.leaveChanged)
	if f == nil {
		return
	}
	f.functionsIn(filepath.Dir(path))
	l.noteRuns(f, l.opts.Dir, nil, false)
	change(f)
	l.merge(&f.Settings, path)
	if l.keyed == nil && f.APIKey != "" {
		l.keyed = f
	}
}

// readFile parses, checks and expands a file. It returns nil when there is none,
// and after an error. keep, if not nil, may cut the tree before it is expanded.
// Files of definitions must lie in within, if it is not "".
func (l *loader) readFile(path, within string, shared, must bool, keep func(s *source, v *value)) *file {
	var data []byte
	st, err := os.Stat(path)
	if err == nil && !must && st.Mode()&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0 {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file")} // and would be waited for
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if !must && (isMissing(err) || l.result.Dirs.Temporary && errors.Is(err, fs.ErrPermission)) {
		return nil
	}
	if err != nil {
		next := ": make it readable, or move it away"
		if must {
			next = ": check the path given with --config"
		}
		l.errs = append(l.errs, &Error{File: path, Text: errors.Unwrap(err).Error() + next})
		return nil
	}
	for _, seen := range l.result.Files {
		if resolveLinks(seen) == resolveLinks(path) {
			return nil // the file of --config is the project's or the user's
		}
	}
	s := &source{path: path, data: data, shared: shared, lookup: l.opts.Lookup}
	v, err := s.parse()
	if err != nil {
		l.errs = append(l.errs, err)
		return nil
	}
	var errs []error
	if !shared {
		errs = s.checkKeys(v, nil, reflect.TypeFor[Settings](), true)
	}
	s.readDefinitions(v, within)
	if keep != nil {
		keep(s, v)
	}
	f, more := s.readSettings(v)
	l.result.KeyVars = append(l.result.KeyVars, s.keyVars...)
	if errs = append(errs, more...); len(errs) > 0 {
		l.errs = append(l.errs, errs...)
		return nil
	}
	l.result.Warnings = append(l.result.Warnings, f.warnings...)
	l.result.Files = append(l.result.Files, path)
	return f
}

// merge takes over what was not said by a higher rank. Of texts that are no part of
// anything it remembers where they were said.
func (l *loader) merge(s *Settings, from string) {
	into, said := reflect.ValueOf(&l.result.Settings).Elem(), reflect.ValueOf(s).Elem()
	for field, v := range into.Fields() {
		if v.Kind() == reflect.String && v.IsZero() && !said.FieldByIndex(field.Index).IsZero() {
			l.result.From[field.Tag.Get("json")] = from
		}
	}
	merge(into, said, false)
}

// merge fills in what a value does not say: member by member, and of lists, if they are
// joined, behind what is there.
func merge(into, from reflect.Value, join bool) {
	switch kind := into.Kind(); {
	case kind == reflect.Struct:
		for field, v := range into.Fields() {
			merge(v, from.FieldByIndex(field.Index), join || field.Tag.Get("join") != "")
		}
	case kind == reflect.Map:
		for name, v := range from.Seq2() {
			if into.IsNil() {
				into.Set(reflect.MakeMap(into.Type()))
			}
			if !into.MapIndex(name).IsValid() {
				into.SetMapIndex(name, v)
			}
		}
	case kind == reflect.Slice && join:
		into.Set(reflect.AppendSlice(into, from))
	case into.IsZero():
		into.Set(from)
	}
}
