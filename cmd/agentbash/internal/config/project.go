package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/safetext"
)

// needApproval are the keys by which a file starts programs or sends things
// somewhere. baseURL is one: whoever sets it gets the conversation, which holds
// the user's files, and with it the user's key, since a key from the
// environment goes to whatever server is configured.
const needApproval = "mcpServers functions hooks provider baseURL apiKey"

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
	names := strings.Fields(needApproval)
	adds := listAdditions(v, names)
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return listContains(names, m.key) })
	if len(adds) > 0 {
		l.result.Pending = append(l.result.Pending, PendingProject{Path: path, Adds: append(adds, s.shownDefinitions()...), Data: s.content(), runs: l.wantedRuns(p, s.data)})
	}
}

// wantedRuns are the programs that a file would run if it were approved, as far as
// they are known before it is checked.
func (l *loader) wantedRuns(p projectFile, data []byte) []run {
	s := &source{path: p.path, data: data}
	v, err := s.parse()
	if err != nil {
		return nil
	}
	lookup := func(name string) (string, bool) {
		text, _ := l.opts.Lookup(name)
		return text, true
	}
	keys := []string{"mcpServers", "functions", "hooks"}
	if p.shared {
		keys = keys[:1]
	}
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return !slices.Contains(keys, m.key) })
	s.readDefinitions(v, p.root, lookup)
	s.expandUsed(v, lookup)
	f, _ := s.decode(v, lookup)
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
				adds = append(adds, safetext.Line(name+"."+entry.key+": "+string(entry.value.compact())))
			}
		case name == "apiKey":
			adds = append(adds, "apiKey: a key of its own")
		default:
			adds = append(adds, safetext.Line(name+": "+string(m.compact())))
		}
	}
	return adds
}

// takeProject merges what may be taken at once, and keeps the rest for finish,
// when the user's own wishes are known.
func (l *loader) takeProject(f *file, p projectFile) {
	l.setValue("provider", f.provider, f.path)
	l.setValue("model", f.model, f.path)
	l.setValue("baseURL", f.baseURL, f.path)
	l.setValue("apiKey", f.apiKey, f.path)
	if f.rules != nil {
		l.result.Rules = append(l.result.Rules, Rules{File: f.path, Project: true, Raw: f.rules})
	}
	for name, on := range f.tools {
		if _, said := l.result.Tools[name]; !said && !on {
			l.result.Tools[name] = false
		}
	}
	l.tightenConfine(f, p.root)
	l.atRoot(f, p.root)
	l.projectHooks = f.hooks.inDir(p.root)
	l.takeFields(f)
	l.leaveWeb(f)
	if f.snapshots != nil {
		l.warn(f.path, "snapshots", "a project's file cannot say what is kept to be taken back: write it in your own file")
	}
	if !p.shared {
		l.tight = f
	}
}

// atRoot makes a project's entries start in the project, wherever below it we
// are, and takes away what would loosen.
func (l *loader) atRoot(f *file, root string) {
	for name, s := range f.fields.MCPServers {
		s.Cwd = dirBelow(root, s.Cwd)
		if s.Trust {
			s.Trust = false
			l.warn(f.path, "mcpServers."+name+".trust", "a project's file cannot vouch for a server: set it in your own file")
		}
		if s.Roles != nil {
			s.Roles = nil
			l.warn(f.path, "mcpServers."+name+".roles", "a project's file cannot say what a server's tools do: set it in your own file")
		}
		if s.Sampling {
			s.Sampling = false
			l.warn(f.path, "mcpServers."+name+".sampling", "a project's file cannot lend your model to a server: set it in your own file")
		}
		f.fields.MCPServers[name] = s
	}
	for _, group := range f.fields.Functions {
		for i := range group {
			if e := group[i].Exec; e != nil {
				group[i].Exec = &fieldbash.Exec{Argv: e.Argv, Env: e.Env, Cwd: dirBelow(root, e.Cwd)}
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

// tightenLimits lets the project's file tighten what the user said. Flags, environment
// and an explicit file rank over it and stay.
func (l *loader) tightenLimits() {
	f, r := l.tight, l.result
	if f == nil {
		return
	}
	users := r.Mode
	if users == "" {
		users = ModeAsk // the default of a chat
	}
	fixed := r.Mode != "" && r.From["mode"] != filepath.Join(r.Dirs.Config, "config.json")
	switch {
	case f.mode == "" || fixed:
	case slices.Index(modeNames(), f.mode) <= slices.Index(modeNames(), users):
		r.Mode, r.From["mode"] = f.mode, f.path
	default:
		l.warn(f.path, "mode", fmt.Sprintf("a project's file cannot loosen the mode from %s to %s: use --mode %[2]s", users, f.mode))
	}
	for name, on := range f.tools {
		if now, said := r.Tools[name]; on && said && !now {
			l.warn(f.path, "tools."+name, "a project's file cannot switch on what is switched off: change your own file")
		}
	}
	l.tightenShell(f)
	tightenLimit(l, f, "limits.turns", l.above.Turns, &r.Limits.Turns, f.limits.Turns)
	tightenLimit(l, f, "limits.cost", l.above.Cost, &r.Limits.Cost, f.limits.Cost)
	tightenLimit(l, f, "limits.time", l.above.Time, &r.Limits.Time, f.limits.Time)
	tightenLimit(l, f, "limits.calls", l.above.Calls, &r.Limits.Calls, f.limits.Calls)
	tightenLimit(l, f, "limits.output", l.above.Output, &r.Limits.Output, f.limits.Output)
	above, now, project := &l.above.Session, &r.Limits.Session, &f.limits.Session
	tightenLimit(l, f, "limits.session.calls", above.Calls, &now.Calls, project.Calls)
	tightenLimit(l, f, "limits.session.time", above.Time, &now.Time, project.Time)
	tightenLimit(l, f, "limits.session.output", above.Output, &now.Output, project.Output)
}

// tightenLimit lowers a limit to the project's, unless a higher rank set it.
func tightenLimit[T int | float64](l *loader, f *file, key string, above T, now *T, project T) {
	switch {
	case project == 0 || above != 0:
	case *now == 0 || project <= *now:
		*now = project
	default:
		l.warn(f.path, key, fmt.Sprintf("a project's file cannot raise a limit from %v to %v: change your own file", *now, project))
	}
}

func (l *loader) warn(path, key, text string) {
	l.result.Warnings = append(l.result.Warnings, &Error{File: path, Key: key, Text: text + "; it is ignored"})
}
