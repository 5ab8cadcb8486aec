package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	Provider                     string

	// File is one more file, over the project's and the user's. Who names it
	// approves of it.
	File string
}

// Options are where to look.
type Options struct {
	Flags  Flags
	Dir    string                           // the working directory; absolute
	Lookup func(name string) (string, bool) // the environment, as os.LookupEnv
}

// Result is what a program was told, merged.
type Result struct {
	Model, BaseURL, APIKey, Mode string
	Provider                     string                // "": none was named
	KeyVar                       string                // the variable that holds the key; "": none does
	KeyVars                      []string              // those that an apiKey in a file names
	Models                       map[string]ModelFacts // by name, from the user's own files
	Fields                       fieldbash.Config
	Hooks                        Hooks
	Rules                        []Rules         // from the highest rank to the lowest
	Tools                        map[string]bool // switched on or off by name; absent: on
	Limits                       Limits
	WebFetch                     *WebFetch  // nil: the defaults
	WebSearch                    *WebSearch // nil: not configured
	Snapshots                    *Snapshots // nil: the defaults
	Confine                      Confine
	Shell                        Shell

	From     map[string]string // where model, baseURL, apiKey, mode and provider were said
	Files    []string          // that were read, highest rank first
	Dirs     Dirs
	Pending  []PendingProject // what waits for approval
	Warnings []error          // what was left out, one line each with the next move

	executed *executed
}

// Rules are one file's rules: their JSON, variables expanded, in the lines and
// columns where it stands in the file.
type Rules struct {
	File    string
	Project bool // only rules that tighten may be taken from it
	Raw     json.RawMessage
}

// Load reads and merges. An error is one or more [*Error], joined.
func Load(opts *Options) (*Result, error) {
	dirs, err := UserDirs(opts.Lookup)
	if err != nil {
		return nil, err
	}
	l := &loader{opts: opts, result: &Result{Dirs: dirs, From: map[string]string{}, Tools: map[string]bool{}, Models: map[string]ModelFacts{}}}
	if dirs.Temporary && !mayExist(dirs.State) {
		l.result.Warnings = append(l.result.Warnings, fmt.Errorf("the home directory cannot be written: conversations, the audit log and what undo needs go to %s: set XDG_STATE_HOME to keep them", dirs.State))
	}
	l.readFlags()
	l.readEnvironment()
	l.readExplicit()
	l.readProject()
	l.readUser()
	l.tightenLimits()
	l.mergeHooks()
	l.applyProvider()
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

	projectHooks, userHooks, flagHooks Hooks

	executing []executing
}

func (l *loader) readFlags() {
	f := l.opts.Flags
	l.setValue("provider", f.Provider, "--provider")
	l.setValue("model", f.Model, "--model")
	l.setValue("baseURL", f.BaseURL, "--base-url")
	l.setValue("apiKey", f.APIKey, "--api-key")
	l.setValue("mode", f.Mode, "--mode")
}

func (l *loader) readEnvironment() {
	for key, name := range map[string]string{"apiKey": EnvKey, "baseURL": EnvBaseURL, "model": EnvModel, "provider": EnvProvider} {
		v, _ := l.opts.Lookup(name)
		l.setValue(key, v, name)
	}
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
	if f := l.readFile(path, "", false, true, l.leaveChanged); f != nil {
		l.mergeFile(f)
		l.flagHooks = f.hooks
		l.noteRuns(f, l.opts.Dir, nil, false)
	}
}

func (l *loader) readUser() {
	if f := l.readFile(filepath.Join(l.result.Dirs.Config, "config.json"), "", false, false, l.leaveChanged); f != nil {
		l.mergeFile(f)
		l.userHooks = f.hooks
		l.noteRuns(f, l.opts.Dir, nil, false)
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
	s := &source{path: path, data: data, shared: shared}
	v, err := s.parse()
	if err != nil {
		l.errs = append(l.errs, err)
		return nil
	}
	var errs []error
	if !shared {
		errs = s.checkAllKeys(v)
	}
	s.readDefinitions(v, within, l.opts.Lookup)
	if keep != nil {
		keep(s, v)
	}
	errs = append(errs, s.expandUsed(v, l.opts.Lookup)...)
	l.result.KeyVars = append(l.result.KeyVars, s.keyVars...)
	f, more := s.decode(v, l.opts.Lookup)
	if errs = append(errs, more...); len(errs) > 0 {
		l.errs = append(l.errs, errs...)
		return nil
	}
	l.result.Warnings = append(l.result.Warnings, f.warnings...)
	l.result.Files = append(l.result.Files, path)
	return f
}

// setValue sets a value that was not said by a higher rank.
func (l *loader) setValue(key, val, from string) {
	into := map[string]*string{
		"model": &l.result.Model, "baseURL": &l.result.BaseURL, "apiKey": &l.result.APIKey, "mode": &l.result.Mode,
		"provider": &l.result.Provider,
	}[key]
	if val == "" || *into != "" {
		return
	}
	*into = val
	l.result.From[key] = from
}

// mergeFile merges a file that may say anything.
func (l *loader) mergeFile(f *file) {
	r := l.result
	l.setValue("provider", f.provider, f.path)
	l.setValue("model", f.model, f.path)
	l.setValue("baseURL", f.baseURL, f.path)
	l.setValue("apiKey", f.apiKey, f.path)
	l.setValue("mode", f.mode, f.path)
	if f.rules != nil {
		r.Rules = append(r.Rules, Rules{File: f.path, Raw: f.rules})
	}
	for name, m := range f.models {
		if _, said := r.Models[name]; !said {
			r.Models[name] = m
		}
	}
	for name, on := range f.tools {
		if _, said := r.Tools[name]; !said {
			r.Tools[name] = on
		}
	}
	r.Limits.fill(f.limits)
	if r.Snapshots == nil {
		r.Snapshots = f.snapshots
	}
	l.takeConfine(&f.confine)
	l.takeShell(&f.shell)
	l.takeFields(f)
	l.takeWeb(f)
}

func firstSet[T int | float64](a, b T) T {
	if a != 0 {
		return a
	}
	return b
}

func (l *loader) takeFields(f *file) {
	have := &l.result.Fields
	for name, s := range f.fields.MCPServers {
		if _, said := have.MCPServers[name]; !said {
			if have.MCPServers == nil {
				have.MCPServers = map[string]fieldbash.Server{}
			}
			have.MCPServers[name] = s
		}
	}
	for name, g := range f.fields.Functions {
		if _, said := have.Functions[name]; !said {
			if have.Functions == nil {
				have.Functions = map[string][]fieldbash.Function{}
			}
			have.Functions[name] = g
		}
	}
}
