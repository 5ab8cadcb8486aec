package policy

import "strings"

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
	case systemDir(dir):
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

// systemDir reports whether a directory belongs to the system (hier(7), and
// its kin on macOS).
func systemDir(dir string) bool {
	switch dir {
	case "/bin", "/boot", "/dev", "/efi", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/lost+found", "/media",
		"/mnt", "/nix", "/opt", "/proc", "/root", "/run", "/sbin", "/snap", "/srv", "/sys", "/usr", "/var",
		"/Applications", "/Library", "/System", "/Users", "/Volumes", "/private", "/cores",
		"/usr/bin", "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/local", "/usr/sbin", "/usr/share", "/usr/src",
		"/usr/local/bin", "/usr/local/lib", "/var/lib", "/var/log", "/var/spool", "/var/www", "/var/mail", "/etc/ssh", "/etc/systemd", "/boot/efi":
		return true
	}
	return false
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
	for _, p := range j.world.Protected {
		if _, ok := below(abs, clean(p)); ok {
			return "this program's own configuration"
		}
	}
	if why := repositoryFile(abs); why != "" {
		return why
	}
	if j.world.Home != "" && j.place(abs) != Inside {
		if rest, ok := below(abs, clean(j.world.Home)); ok && strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ".cache/") {
			return "a dotfile of the home directory"
		}
	}
	if startupFile(lastOf(abs)) {
		return "a file that a shell runs when it starts"
	}
	if _, home := below(abs, clean(j.world.Home)); home && j.world.Home != "" || j.place(abs) == Inside || j.place(abs) == Scratch {
		return ""
	}
	return systemFile(abs)
}

func lastOf(abs string) string { return abs[strings.LastIndexByte(abs, '/')+1:] }

// repositoryFile returns why a file in a working tree is run by other programs.
func repositoryFile(abs string) string {
	if i := strings.Index(abs+"/", "/.git/"); i >= 0 {
		rest := strings.TrimPrefix(abs[i:], "/.git")
		for _, p := range [...]string{"/hooks", "/config", "/info", "/modules", "/worktrees", "/commondir", "/gitdir", "/objects/info"} {
			if strings.HasPrefix(rest, p) {
				return "git runs what this says"
			}
		}
		if rest == "" || !known(rest) {
			return "the repository itself"
		}
	}
	for _, d := range [...]string{"/.husky/", "/.githooks/", "/.agentbash/", "/.claude/", "/.vscode/", "/.idea/", "/.github/workflows/", "/.devcontainer/"} {
		if strings.Contains(abs+"/", d) {
			return "other programs run what this says"
		}
	}
	switch lastOf(abs) {
	case ".envrc", ".mcp.json", ".pre-commit-config.yaml", ".lefthook.yml", "lefthook.yml", ".gitconfig":
		return "other programs run what this says"
	}
	return ""
}

// startupFile reports whether a shell runs a file of that name by itself.
func startupFile(name string) bool {
	switch name {
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
		".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsession":
		return true
	}
	return false
}

// systemFile returns why a file outside belongs to the system, or "".
func systemFile(abs string) string {
	for _, d := range [...]string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/root", "/opt",
		"/var/spool/cron", "/var/lib", "/run/systemd", "/Library", "/System", "/Applications", "/dev"} {
		if _, ok := below(abs, d); ok && abs != "/dev/shm" && !strings.HasPrefix(abs, "/dev/shm/") {
			return "it belongs to the system"
		}
	}
	if abs == "/" {
		return "it is the system's root"
	}
	return ""
}
