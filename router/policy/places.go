package policy

import (
	"strings"

	"github.com/agentbash/agentbash/internal/protected"
)

// critical returns what would be lost if path were deleted with all below it,
// or everything in it: the system, a home directory, the workspace. "" if it is
// none of these.
func (j *judge) critical(abs string) string {
	dir, all := everythingIn(abs)
	if !all {
		dir = abs
	}
	if !known(dir) || dir == "" || dir[0] != '/' {
		return ""
	}
	switch {
	case dir == "/":
		return "the whole system"
	case protected.SystemDir(dir):
		return "the system directory " + dir
	case j.isHome(dir):
		return "a home directory (" + dir + ")"
	}
	for _, r := range j.world.roots() {
		r = clean(r)
		if r == dir {
			return "the whole workspace"
		}
		if _, ok := below(r, dir); ok {
			return dir + ", in which the workspace lies"
		}
	}
	if j.world.Home != "" {
		if _, ok := below(clean(j.world.Home), dir); ok {
			return dir + ", in which the home directory lies"
		}
	}
	return ""
}

// everythingIn splits dir/* and the like: a last component that is nothing but
// holes and dots, as a glob leaves it.
func everythingIn(abs string) (dir string, ok bool) {
	cut := strings.LastIndexByte(abs, '/')
	last := abs[cut+1:]
	if cut < 0 || known(last) {
		return "", false
	}
	if rest := strings.Trim(withoutHoles(last), ".!^{}"); rest != "" || strings.HasPrefix(last, digits) {
		return "", false
	}
	if cut == 0 {
		return "/", true
	}
	return abs[:cut], true
}

// isHome reports whether a directory is somebody's home.
func (j *judge) isHome(dir string) bool {
	if j.world.Home != "" && dir == clean(j.world.Home) {
		return true
	}
	for _, homes := range [...]string{"/home/", "/Users/"} {
		if user, ok := strings.CutPrefix(dir, homes); ok && user != "" && !strings.Contains(user, "/") {
			return true
		}
	}
	return false
}

// protected returns why a change of a file is always asked about, or "".
func (j *judge) protected(abs string) string {
	if why := repositoryFile(abs); why != "" {
		return why
	}
	if j.world.Home != "" && protected.InHome(clean(j.world.Home), abs) {
		return "programs run what this says by themselves"
	}
	for _, p := range j.world.Protected {
		if _, ok := below(abs, clean(p)); ok {
			return "this program's own configuration"
		}
	}
	if j.world.Home != "" && j.place(abs) != Inside {
		if rest, ok := below(abs, clean(j.world.Home)); ok && strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ".cache/") {
			return "a dotfile of the home directory"
		}
	}
	if _, home := below(abs, clean(j.world.Home)); home && j.world.Home != "" || j.place(abs) == Inside || j.place(abs) == Scratch {
		return ""
	}
	return systemFile(abs)
}

func lastOf(abs string) string { return abs[strings.LastIndexByte(abs, '/')+1:] }

// repositoryFile returns why a file in a working tree is run by other programs.
func repositoryFile(abs string) string {
	if why := protected.Tree(abs); why != "" {
		return why
	}
	if rest, ok := protected.Git(abs); ok && (rest == "" || !known(rest)) {
		return "the repository itself"
	}
	return ""
}

// systemFile returns why a file outside belongs to the system, or "".
func systemFile(abs string) string {
	if protected.System(abs) {
		return "it belongs to the system"
	}
	if abs == "/" {
		return "it is the system's root"
	}
	return ""
}
