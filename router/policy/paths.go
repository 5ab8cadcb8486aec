package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/protected"
)

// clean makes a path as short as it can be. Holes stay.
func clean(p string) string { return path.Clean(p) }

// resolve returns the absolute paths that a name may mean, by directory. One whose beginning is not known stays.
func (j *judge) resolve(name string) []string {
	dirs, up := j.env.dirs, strings.Contains(name, "..")
	switch {
	case name == "":
		return nil
	case name[0] == '/':
		dirs = []string{""}
	case name[0] == hole && wild(name[:2]) && !up:
		return []string{name}
	}
	out := make([]string, len(dirs))
	for i, dir := range dirs {
		if out[i] = path.Join(dir, name); up && wild(dir+name) {
			out[i] = anyText // what .. takes away cannot be told
		}
	}
	return out
}

// path notes that a part reads or writes a file, or with tree everything below it.
func (j *judge) path(p *Part, f word, write, tree bool) {
	name := f.asName()
	// Where a name that goes down and up again leads depends on symbolic links,
	// which cannot be seen here.
	climbs := strings.Contains(strings.TrimLeft(name, "./"), "/..")
	for _, abs := range j.resolve(name) {
		place := j.place(abs)
		if place == Harmless || !write {
			p.set |= reads
		} else if climbs {
			place = Nowhere
		}
		if place == Harmless {
			continue
		}
		p.Paths = append(p.Paths, Path{Path: show(abs), Write: write, Tree: tree, Place: place, raw: abs})
		if write {
			j.writing(p, abs, place, f.at)
		}
	}
}

// writing notes that a file is changed, and how bad that is.
func (j *judge) writing(p *Part, abs string, place Place, at span) {
	p.set |= writes
	text := "writes " + j.short(abs)
	if place == Nowhere {
		p.set |= unknown
		j.reason("writes a file that cannot be told: "+show(abs), unknown, NoDanger, at)
	} else {
		j.reason(text, writes, NoDanger, at)
	}
	if isListed("disk", abs) { // to write it destroys a disk or the memory
		j.danger(p, Block, "overwrites the device "+show(abs), at)
	} else if why := j.protected(abs); why != "" {
		p.needs = text + ": " + why
		j.danger(p, Confirm, p.needs, at)
	}
}

// danger raises a part.
func (j *judge) danger(p *Part, d Danger, why string, at span) {
	if d.worse(p.Danger) {
		p.Danger = d
	}
	j.reason(why, 0, d, at)
}

// short is how a path is shown: relative to the directory or home it is in.
func (j *judge) short(abs string) string {
	if rest, ok := below(abs, j.world.Dir); ok && rest != "" && j.world.Dir != "/" {
		return show(rest)
	}
	if rest, ok := below(abs, j.world.Home); ok && j.world.Home != "/" {
		return show(strings.TrimSuffix("~/"+rest, "/"))
	}
	return show(abs)
}

// below reports whether p is dir or lies in it, and returns the rest.
func below(p, dir string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, strings.TrimSuffix(dir, "/"))
	return strings.TrimPrefix(rest, "/"), ok && dir != "" && (rest == "" || rest[0] == '/')
}

// within reports whether p is one of the directories or lies in one.
func within(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { _, ok := below(p, clean(dir)); return ok })
}

// place tells where an absolute path lies.
func (j *judge) place(abs string) Place {
	switch {
	case isListed("harmless-file", abs):
		return Harmless
	case abs == "" || abs[0] != '/' || wild(abs):
		return Nowhere
	case within(abs, j.world.roots()):
		return Inside
	case within(abs, j.world.Scratch) && !(within(abs, []string{j.world.Home}) && within(j.world.Home, j.world.Scratch)):
		return Scratch // a home in there is seen as it is
	}
	return Outside
}

// isListed reports whether a path fits a pattern of a list, whatever is not known of it.
func isListed(list, abs string) bool {
	return slices.ContainsFunc(programs().lists[list], func(p string) bool { return globFit(p, abs, true) == fits })
}

// critical returns what would be lost with a path and all in it: the system, a home, the workspace; "" for none of these.
func (j *judge) critical(abs string) string {
	dir, home := emptied(abs), clean(j.world.Home)
	switch {
	case !known(dir) || !strings.HasPrefix(dir, "/"):
		return ""
	case dir == "/":
		return "the whole system"
	case protected.SystemDir(dir):
		return "the system directory " + dir
	case dir == home || isListed("home", dir):
		return "a home directory (" + dir + ")"
	}
	for _, kept := range slices.Concat(j.world.roots(), []string{home}) {
		switch rest, in := below(clean(kept), dir); {
		case in && rest == "":
			return "the whole workspace"
		case in:
			return dir + ", in which the workspace or the home directory lies"
		}
	}
	return ""
}

// ours reports whether a word is certain to name files of the workspace that are not protected, and not all of it.
func (j *judge) ours(f word) bool {
	name := f.asName()
	hides := func(part string) bool { return part == ".." || strings.HasPrefix(part, ".") && !known(part) }
	return !f.multi && !slices.ContainsFunc(strings.Split(name, "/"), hides) &&
		!slices.ContainsFunc(j.resolve(name), func(abs string) bool {
			return j.place(abs) != Inside || j.critical(abs) != "" || j.protected(abs) != ""
		})
}

// emptied is the directory of dir/* and the like, whose last name is what a glob leaves. Other paths stay.
func emptied(abs string) string {
	cut := strings.LastIndexByte(abs, '/')
	last := abs[cut+1:]
	if cut < 0 || known(last) || strings.Trim(withoutHoles(last), ".!^{}") != "" || strings.HasPrefix(last, digits) {
		return abs
	}
	return clean(abs[:cut+1])
}

// protected returns why a change of a file is always asked about, or "".
func (j *judge) protected(abs string) string {
	place, home := j.place(abs), clean(j.world.Home)
	rest, atHome := below(abs, home)
	git, inGit := protected.Git(abs)
	switch tree := protected.Tree(abs); {
	case tree != "":
		return tree
	case inGit && (git == "" || !known(git)):
		return "the repository itself"
	case protected.InHome(home, abs):
		return "programs run what this says by themselves"
	case within(abs, j.world.Protected):
		return "this program's own configuration, or what that runs"
	case atHome && place != Inside && strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ".cache/"):
		return "a dotfile of the home directory"
	case atHome || place == Inside || place == Scratch:
		return ""
	case abs == "/" || protected.System(abs):
		return "it belongs to the system"
	}
	return ""
}

func lastOf(abs string) string { return abs[strings.LastIndexByte(abs, '/')+1:] }
