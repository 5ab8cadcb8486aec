package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// executed knows what the files of a configuration run, and what of it a command
// could write: only that is looked at.
type executed struct {
	dirs  Dirs
	reach []string // directories
	path  string   // the PATH
	runs  []run
	first []run          // of the user's own files, never seen before
	fresh []ExecutedFile // which these run, and nothing before
}

// inReach reports whether a file lies where commands may write, by its name or by
// where it leads. The user's own directories of this program are protected whole.
func (e *executed) inReach(path string) bool {
	real := resolveLinks(path)
	if strings.HasPrefix(real, resolveLinks(e.dirs.Config)+"/") {
		return false
	}
	return slices.ContainsFunc(e.reach, func(dir string) bool {
		dir = strings.TrimSuffix(dir, "/") + "/"
		return strings.HasPrefix(path, dir) || strings.HasPrefix(real, dir)
	})
}

// isKnown reports whether a file was trusted once, as whatever it was.
func (e *executed) isKnown(path string) bool { return isApproved(e.dirs, path, anyContent) }

// filesOf are the files in reach, or known, that runs name. An error is one that cannot be read.
func (e *executed) filesOf(runs []run) (files []ExecutedFile, err error) {
	for _, r := range runs {
		for _, path := range r.paths() {
			if !e.inReach(path) && !e.isKnown(path) || slices.ContainsFunc(files, func(f ExecutedFile) bool { return f.Path == path }) {
				continue
			}
			hash, err := hashProgram(path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if hash != "" {
				files = append(files, ExecutedFile{path, hash})
			}
		}
	}
	return files, nil
}

// changed are those of the files that are not as they were when they were trusted.
func (e *executed) changed(files []ExecutedFile) []ExecutedFile {
	return slices.DeleteFunc(slices.Clone(files), func(f ExecutedFile) bool { return isApproved(e.dirs, f.Path, f.record()) })
}

// record is what an approval of the file holds.
func (f ExecutedFile) record() []byte { return []byte("executed " + f.Hash) }

// anyContent is what an approval holds of a file that has another one.
var anyContent = []byte("executed")

// approve records the file as it is.
func (f ExecutedFile) approve(dirs Dirs) error {
	if err := writeApproval(dirs, f.Path, anyContent, "known: "+f.Path); err != nil {
		return err
	}
	return writeApproval(dirs, f.Path, f.record(), f.Path)
}

// seen is what the approval of a run holds that needs none but to have been there.
func (r run) seen() []byte {
	text, err := json.Marshal([]any{r.argv, r.dir})
	if err != nil {
		panic("config: " + err.Error()) // strings
	}
	return append([]byte("seen "), text...)
}

// Executed are the files that hooks, functions and servers run and that a command
// could write, absolute, by their names and by where these lead. One of them may be
// missing yet.
func (r *Result) Executed() (paths []string) {
	for _, one := range r.executed.runs {
		for _, path := range one.paths() {
			if !r.executed.inReach(path) {
				continue // not read either: it may be as big as node
			}
			if hash, err := hashProgram(path); hash != "" || err != nil || !exists(path) {
				paths = append(paths, path, resolveLinks(path))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// CheckRun is the error of a program that is not to be run since a file that its
// argv names is not what it was when it was trusted. It looks at the files now; dir
// is absolute.
func (r *Result) CheckRun(argv []string, dir string) error {
	e := r.executed
	files, err := e.filesOf([]run{{argv: argv, dir: dir, path: e.path}})
	if err != nil {
		return err
	}
	if changed := e.changed(files); len(changed) > 0 {
		return fmt.Errorf("%s is not what it was when it was trusted, so it does not run: look at it, then type agentbash config trust", changed[0].Path)
	}
	return nil
}

// TrustFirstSeen records what the user's own files run, as it is now, where they want
// it to be run for the first time.
func (r *Result) TrustFirstSeen() error {
	e := r.executed
	for _, f := range e.fresh {
		if err := f.approve(e.dirs); err != nil {
			return err
		}
	}
	for _, one := range e.first {
		if err := writeApproval(e.dirs, one.dir, one.seen(), "seen in "+one.dir); err != nil {
			return err
		}
	}
	e.first, e.fresh = nil, nil
	return nil
}

// executing is a file of the configuration and what it runs.
type executing struct {
	file      string
	data      []byte // that was approved, of a project's
	runs      []run
	protected []run // besides
	project   bool
}

// noteRuns keeps what a file runs.
func (l *loader) noteRuns(f *file, dir string, approved []byte, project bool) {
	path, _ := l.opts.Lookup("PATH")
	from := executing{file: resolveLinks(f.path), data: approved, runs: runsOf(f, dir, path), project: project}
	if defs := definitionRuns(f); project {
		from.protected = defs // approved with the file's own content
	} else {
		from.runs = append(from.runs, defs...)
	}
	l.executing = append(l.executing, from)
}

// checkExecuted looks at what all files run, once it is known where commands may write.
func (l *loader) checkExecuted() {
	r := l.result
	path, _ := l.opts.Lookup("PATH")
	e := &executed{dirs: r.Dirs, path: path, reach: l.writable()}
	r.executed = e
	filesOf := func(runs []run) []ExecutedFile {
		files, err := e.filesOf(runs)
		if err != nil {
			r.Warnings = append(r.Warnings, err)
		}
		return files
	}
	for i := range r.Pending {
		r.Pending[i].Files = filesOf(r.Pending[i].runs)
	}
	for _, from := range l.executing {
		e.runs = slices.Concat(e.runs, from.runs, from.protected)
		p := PendingProject{Path: from.file, Data: from.data, Changed: true}
		for _, one := range from.runs {
			first := !from.project && !isApproved(e.dirs, one.dir, one.seen())
			if first && slices.ContainsFunc(one.paths(), e.inReach) {
				e.first = append(e.first, one)
			}
			for _, f := range e.changed(filesOf([]run{one})) {
				switch {
				case first && !e.isKnown(f.Path):
					e.fresh = append(e.fresh, f)
				case !slices.Contains(p.Files, f):
					p.Files = append(p.Files, f)
				}
			}
		}
		if len(p.Files) > 0 {
			r.Pending = append(r.Pending, p)
		}
	}
}

// leaveChanged leaves out files of definitions that changed since they were trusted: they
// say what is run.
func (l *loader) leaveChanged(s *source, _ *value) {
	for _, d := range s.defOrder {
		one := definitionRuns(&file{definitions: []string{d.path}})[0]
		sum := sha256.Sum256(d.data)
		now := ExecutedFile{d.path, hex.EncodeToString(sum[:])}
		if d.err == nil && isApproved(l.result.Dirs, one.dir, one.seen()) && !isApproved(l.result.Dirs, d.path, now.record()) {
			d.err = fmt.Errorf("%s changed since it was trusted: look at it, then type agentbash config trust", d.path)
		}
	}
}

// writable are the directories that commands may write.
func (l *loader) writable() (dirs []string) {
	home, _ := l.opts.Lookup("HOME")
	up := projectDirs(l.opts.Dir)
	dirs = []string{l.opts.Dir}
	if top := up[len(up)-1]; top != "/" && top != filepath.Clean(home) {
		dirs = append(dirs, top)
	}
	temp, _ := l.opts.Lookup("TMPDIR")
	if !filepath.IsAbs(temp) {
		temp = os.TempDir()
	}
	dirs = append(dirs, temp)
	for _, dir := range l.result.Confine.Workspace {
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
			dir = home + rest
		}
		dirs = append(dirs, dirBelow(home, dir))
	}
	for _, dir := range slices.Clone(dirs) {
		dirs = append(dirs, resolveLinks(dir))
	}
	return dirs
}
