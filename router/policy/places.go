package policy

import (
	"strings"

	"github.com/agentbash/agentbash/internal/protected"
)

// critical returns what would be lost if path were deleted with all below it,
// or everything in it: the system, a home directory, the workspace. "" if it is
// none of these.
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
	for _, r := range j.world.roots() {
		switch rest, in := below(clean(r), dir); {
		case in && rest == "":
			return "the whole workspace"
		case in:
			return dir + ", in which the workspace lies"
		}
	}
	if _, in := below(home, dir); in {
		return dir + ", in which the home directory lies"
	}
	return ""
}

// emptied is the directory of dir/* and the like, whose last component is
// nothing but holes and dots, as a glob leaves it. Other paths stay.
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
		return "this program's own configuration"
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
