package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/safetext"
)

// needApproval are the keys by which a file starts programs or sends things
// somewhere. baseURL is one: whoever sets it gets the conversation, which holds
// the user's files, and with it the user's key, since a key from the
// environment goes to whatever server is configured.
func needApproval() (names []string) {
	for field := range reflect.TypeFor[Settings]().Fields() {
		if name := field.Tag.Get("json"); field.Tag.Get("project") != "approved" {
		} else if name != "" {
			names = append(names, name)
		} else {
			names = append(names, keyNames(field.Type)...)
		}
	}
	return names
}

// readProject reads the project's files.
func (l *loader) readProject() {
	l.above = l.result.Limits
	for _, p := range findProject(l.opts.Dir) {
		before := len(l.errs)
		var approved []byte
		f := l.readFile(p.path, p.root, p.shared, false, func(s *source, v *value) {
			l.cutUnused(p, s, v)
			approved = s.content()
		})
		if p.shared && len(l.errs) > before {
			// The file is other programs' too: it must not keep us from starting.
			for _, err := range l.errs[before:] {
				l.result.Warnings = append(l.result.Warnings, fmt.Errorf("%w; the file is left out", err))
			}
			l.errs = l.errs[:before]
		}
		if f != nil {
			l.takeProject(f, p)
			l.noteRuns(f, p.root, approved, true)
		}
	}
}

// cutUnused takes out of a project's file what is not used: of a shared one all but
// the servers, of one that was not approved what needs that.
func (l *loader) cutUnused(p projectFile, s *source, v *value) {
	if p.shared {
		v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.key != "mcpServers" })
	}
	path := resolveLinks(p.path)
	if isApproved(l.result.Dirs, path, s.content()) {
		return
	}
	names := needApproval()
	adds := listAdditions(v, names)
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return slices.Contains(names, m.key) })
	if len(adds) > 0 {
		l.result.Pending = append(l.result.Pending, PendingProject{Path: path, Adds: append(adds, s.shownDefinitions()...), Data: s.content(), runs: l.wantedRuns(p, s.data)})
	}
}

// wantedRuns are the programs that a file would run if it were approved, as far as
// they are known before it is checked.
func (l *loader) wantedRuns(p projectFile, data []byte) []run {
	lookup := func(name string) (string, bool) {
		text, _ := l.opts.Lookup(name)
		return text, true
	}
	s := &source{path: p.path, data: data, lookup: lookup}
	v, err := s.parse()
	if err != nil {
		return nil
	}
	keys := []string{"mcpServers", "functions", "hooks"}
	if p.shared {
		keys = keys[:1]
	}
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return !slices.Contains(keys, m.key) })
	s.readDefinitions(v, p.root)
	f, _ := s.readSettings(v)
	path, _ := lookup("PATH")
	return runsOf(f, p.root, path)
}

// listAdditions lists what a file would add, whole and as it stands in the file, so
// that nothing is approved unseen.
func listAdditions(v *value, names []string) (adds []string) {
	for _, name := range names {
		m := v.find(name)
		switch {
		case m == nil:
		case m.object:
			for _, entry := range m.members {
				adds = append(adds, safetext.Line(name+"."+entry.key+": "+string(fieldbash.HideJSON(entry.value.compact()))))
			}
		case name == "apiKey":
			adds = append(adds, "apiKey: a key of its own")
		default:
			adds = append(adds, safetext.Line(name+": "+string(fieldbash.HideJSON(m.compact()))))
		}
	}
	return adds
}

// takeProject merges what may be taken at once, and keeps the file for tighten,
// when the user's own wishes are known.
func (l *loader) takeProject(f *file, p projectFile) {
	own := *f
	if !p.shared {
		l.tight = &own
	}
	l.leaveOut(f, "", reflect.ValueOf(&f.Settings).Elem(), nil)
	f.Tools = maps.Clone(f.Tools)
	maps.DeleteFunc(f.Tools, func(_ string, on bool) bool { return on })
	l.tightenConfine(f, p.root)
	l.atRoot(f, p.root)
	for i := range f.Rules {
		f.Rules[i].Project = true
	}
	l.merge(&f.Settings, f.path)
}

// leaveOut takes out what a project's file may not say, with a warning, and what only
// tightens. more has reasons for keys beside those of the tags.
func (l *loader) leaveOut(f *file, path string, v reflect.Value, more map[string]string) {
	for field, v := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch may := cmp.Or(field.Tag.Get("project"), more[name]); {
		case v.IsZero() || may == "approved":
		case may == "tighten":
			v.SetZero()
		case may != "":
			if name == "" {
				name = strings.Join(saidKeys(v), ", ")
			}
			l.warn(f.path, joinKey(path, name), "a project's file cannot "+may+": set it in your own file")
			v.SetZero()
		case name == "" && v.Kind() == reflect.Struct:
			l.leaveOut(f, path, v, nil)
		}
	}
}

// saidKeys are the keys of a struct that have a value.
func saidKeys(v reflect.Value) (names []string) {
	for _, k := range keysOf(v.Type()) {
		if !v.FieldByIndex(k.index).IsZero() {
			names = append(names, k.name)
		}
	}
	return names
}

// tightenConfine leaves of a project's file what tightens.
func (l *loader) tightenConfine(f *file, root string) {
	c := &f.Confine
	var secrets []string
	for _, s := range c.Secrets {
		if strings.HasPrefix(s, "!") {
			l.warn(f.path, "secrets", fmt.Sprintf("a project's file cannot take %q off the list of secrets: set it in your own file", s[1:]))
		} else if strings.HasPrefix(s, "~") {
			secrets = append(secrets, s)
		} else {
			secrets = append(secrets, dirBelow(root, s))
		}
	}
	c.Secrets = secrets
	if c.Network.Allow != nil {
		c.Network.Allow = nil
		l.warn(f.path, "network", "a project's file cannot widen what commands reach: set it in your own file")
	}
}

// vouching are the keys of a server that are the user's to say.
var vouching = map[string]string{"trust": "vouch for a server", "roles": "say what a server's tools do", "sampling": "lend your model to a server"}

// atRoot makes a project's entries start in the project, wherever below it we
// are, and takes away what would loosen.
func (l *loader) atRoot(f *file, root string) {
	for name, s := range f.Fields.MCPServers {
		s.Cwd = dirBelow(root, s.Cwd)
		l.leaveOut(f, "mcpServers."+name, reflect.ValueOf(&s).Elem(), vouching)
		f.Fields.MCPServers[name] = s
	}
	f.Hooks = f.Hooks.inDir(root)
	f.functionsIn(root)
}

// functionsIn has the programs of functions run in a directory, below which theirs are.
func (f *file) functionsIn(root string) {
	for _, group := range f.Fields.Functions {
		for i := range group {
			if e := group[i].Exec; e != nil {
				own := *e // one may be that of many
				own.Cwd = dirBelow(root, e.Cwd)
				group[i].Exec = &own
			}
		}
	}
}

func dirBelow(root, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(root, dir)
}

// tighten lets the project's file tighten what the user said. Flags, environment
// and an explicit file rank over it and stay.
func (l *loader) tighten() {
	f, r := l.tight, l.result
	if f == nil {
		return
	}
	users := cmp.Or(r.Mode, ModeAsk) // the default of a chat
	fixed := r.Mode != "" && r.From["mode"] != r.Dirs.UserFile()
	switch {
	case f.Mode == "" || fixed:
	case slices.Index(modeNames(), f.Mode) <= slices.Index(modeNames(), users):
		r.Mode, r.From["mode"] = f.Mode, f.path
	default:
		l.warn(f.path, "mode", fmt.Sprintf("a project's file cannot loosen the mode from %s to %s: use --mode %[2]s", users, f.Mode))
	}
	for name, on := range f.Tools {
		if now, said := r.Tools[name]; on && said && !now {
			l.warn(f.path, "tools."+name, "a project's file cannot switch on what is switched off: change your own file")
		}
	}
	r.Shell.BackgroundLimit = cmp.Or(r.Shell.BackgroundLimit, backgroundLeft)
	l.lower("backgroundLimit", reflect.ValueOf(0.0), reflect.ValueOf(&r.Shell.BackgroundLimit).Elem(), reflect.ValueOf(f.Shell.BackgroundLimit))
	if f.Shell.PromptCommand && !r.Shell.PromptCommand {
		l.warn(f.path, "promptCommand", "a project's file cannot have PROMPT_COMMAND run: set it in your own file")
	}
	l.lower("limits", reflect.ValueOf(l.above), reflect.ValueOf(&r.Limits).Elem(), reflect.ValueOf(f.Limits))
}

// backgroundLeft is how long a command may go on where nothing is said, in seconds.
const backgroundLeft = 3600

// lower lowers a limit, or all in a struct of them, to the project's, unless a higher rank set it.
func (l *loader) lower(path string, above, now, project reflect.Value) {
	number := func(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }
	switch {
	case now.Kind() == reflect.Struct:
		for _, k := range keysOf(now.Type()) {
			l.lower(joinKey(path, k.name), above.FieldByIndex(k.index), now.FieldByIndex(k.index), project.FieldByIndex(k.index))
		}
	case project.IsZero() || !above.IsZero():
	case now.IsZero() || number(project) <= number(now):
		now.Set(project)
	default:
		l.warn(l.tight.path, path, fmt.Sprintf("a project's file cannot raise a limit from %v to %v: change your own file", now, project))
	}
}

func (l *loader) warn(path, key, text string) {
	l.result.Warnings = append(l.result.Warnings, &Error{File: path, Key: key, Text: text + "; it is ignored"})
}
