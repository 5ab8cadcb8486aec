// Package protected is the table of the files that are protected, since other
// programs run what they say, and of those that are secret. The policy asks
// before a command changes one, the tools refuse to, and the sandbox keeps
// those that exist from being written: all three by this table, so that what
// is protected by one is protected by all.
//
// Nothing here looks at a file: paths are absolute and clean, and a path may
// have parts that are not known, which match nothing.
package protected

import (
	"path/filepath"
	"slices"
	"strings"
)

// The table. A name with a slash is a path below the directory that a list is
// for, a directory stands for all that is below it.
var (
	// homeSecrets are below the home directory: keys, and what holds passwords
	// and tokens in a form that everybody can use.
	homeSecrets = strings.Fields(`
		.ssh .gnupg .aws .azure .config/gcloud .oci .kube .docker/config.json .config/containers/auth.json
		.netrc .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli
		.npmrc .yarnrc.yml .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .config/composer/auth.json
		.pgpass .my.cnf .mylogin.cnf .vault-token .terraform.d/credentials.tfrc.json .config/op .config/rclone .s3cfg .boto
		.password-store .local/share/keyrings .local/share/kwalletd .mozilla .config/google-chrome .config/chromium .config/BraveSoftware .thunderbird
		.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history`)

	// systemSecrets can be read by root alone.
	systemSecrets = strings.Fields(`/etc/shadow /etc/gshadow /etc/shadow- /etc/gshadow-`)

	// shellStartup are files that a shell or a login runs by itself: in the home
	// directory, and wherever else they lie, for links lead to them from there.
	shellStartup = strings.Fields(`
		.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout
		.kshrc .mkshrc .cshrc .tcshrc .login .logout .xinitrc .xsession .xsessionrc .xprofile .pam_environment`)

	// homeStartup are below the home directory: what shells, editors, desktops and
	// the PATH run from there besides.
	homeStartup = strings.Fields(`
		.zsh .config/environment.d .config/fish .config/autostart .config/systemd .config/git .gitconfig .vimrc .vim .config/nvim .emacs .emacs.d
		.tmux.conf .screenrc .gdbinit .pythonrc .pythonstartup .Rprofile .irbrc .psqlrc .curlrc .wgetrc .ssh .gnupg .local/bin bin`)

	// tree are below any directory: what editors, agents, hooks and build servers
	// run there.
	tree = strings.Fields(`
		.husky .githooks .agentbash .claude .codex .vscode .idea .github/workflows .devcontainer .devcontainer.json
		.envrc .mcp.json .gitconfig .pre-commit-config.yaml
		lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml lefthook-local.yml .lefthook-local.yml`)

	// gitRuns are the beginnings of what git runs, or is led elsewhere by, in its
	// directory. It changes the rest itself all the time, and some of these.
	gitRuns = strings.Fields(`hooks config info modules worktrees commondir gitdir objects/info`)

	// gitKept are those of them that git does not change in everyday work.
	gitKept = strings.Fields(`hooks config config.worktree`)

	// system are directories in which files belong to the system.
	system = strings.Fields(`
		/etc /usr /bin /sbin /lib /lib64 /boot /sys /proc /root /opt /var/spool/cron /var/lib /run/systemd /Library /System /Applications /dev`)

	// systemDirs would be lost with the system (hier(7), and its kin on macOS).
	systemDirs = strings.Fields(`
		/bin /boot /dev /efi /etc /home /lib /lib32 /lib64 /libx32 /lost+found /media
		/mnt /nix /opt /proc /root /run /sbin /snap /srv /sys /usr /var
		/Applications /Library /System /Users /Volumes /private /cores
		/usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local /usr/sbin /usr/share /usr/src
		/usr/local/bin /usr/local/lib /var/lib /var/log /var/spool /var/www /var/mail /etc/ssh /etc/systemd /boot/efi`)
)

// Secrets are the secrets of a home directory.
func Secrets(home string) []string { return joinNames(home, homeSecrets) }

// SystemSecrets are those of the system, for root.
func SystemSecrets() []string { return slices.Clone(systemSecrets) }

// Startup are the files and directories of a home directory that programs run by
// themselves.
func Startup(home string) []string {
	return append(joinNames(home, shellStartup), joinNames(home, homeStartup)...)
}

// InTree are the files and directories right in a directory that other programs
// run or obey.
func InTree(dir string) []string {
	return append(joinNames(dir, tree), joinNames(dir, shellStartup)...)
}

// InGitDir are the files and directories of a repository, by its git directory,
// that git runs and does not change in everyday work.
func InGitDir(dir string) []string { return joinNames(dir, gitKept) }

func joinNames(dir string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// Tree returns why a file is protected wherever it lies, or "".
func Tree(path string) string {
	if rest, ok := Git(path); ok && slices.ContainsFunc(gitRuns, func(name string) bool { return strings.HasPrefix(rest, name) }) {
		return "git runs what this says"
	}
	if slices.ContainsFunc(tree, func(name string) bool { return strings.Contains(path+"/", "/"+name+"/") }) {
		return "other programs run what this says"
	}
	if slices.Contains(shellStartup, path[strings.LastIndexByte(path, '/')+1:]) {
		return "a file that a shell runs when it starts"
	}
	return ""
}

// Git splits a path that is a .git, or in one, and returns the path in there.
func Git(path string) (rest string, ok bool) {
	_, rest, ok = strings.Cut(path+"/", "/.git/")
	return strings.TrimSuffix(rest, "/"), ok
}

// InHome reports whether a path is one of those of Startup, or below it.
func InHome(home, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/")
	in := func(name string) bool { return rest == name || strings.HasPrefix(rest, name+"/") }
	return ok && (slices.ContainsFunc(shellStartup, in) || slices.ContainsFunc(homeStartup, in))
}

// System reports whether a file belongs to the system, as far as its path tells.
func System(path string) bool {
	return path != "/dev/shm" && !strings.HasPrefix(path, "/dev/shm/") &&
		slices.ContainsFunc(system, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// SystemDir reports whether a directory is one that the system is made of.
func SystemDir(path string) bool { return slices.Contains(systemDirs, path) }
