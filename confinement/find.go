package confinement

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// knownSecrets are below the home directory: keys, and what holds passwords and
// tokens in a form that everybody can use.
var knownSecrets = strings.Fields(`
	.ssh .gnupg .aws .azure .config/gcloud .oci .kube .docker/config.json .config/containers/auth.json
	.netrc .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli
	.npmrc .yarnrc.yml .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .config/composer/auth.json
	.pgpass .my.cnf .mylogin.cnf .vault-token .terraform.d/credentials.tfrc.json .config/op .config/rclone .s3cfg .boto
	.password-store .local/share/keyrings .local/share/kwalletd .mozilla .config/google-chrome .config/chromium .config/BraveSoftware .thunderbird
	.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history`)

// startupFiles are below the home directory: what shells, editors and desktops
// run by themselves.
var startupFiles = strings.Fields(`
	.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .zsh
	.kshrc .mkshrc .cshrc .tcshrc .login .logout .xinitrc .xsession .xprofile .xsessionrc .pam_environment .config/environment.d
	.config/fish .config/autostart .config/systemd .config/git .gitconfig .vimrc .vim .config/nvim .emacs .emacs.d .tmux.conf .screenrc
	.gdbinit .pythonrc .pythonstartup .Rprofile .irbrc .psqlrc .curlrc .wgetrc .ssh .gnupg .local/bin bin`)

// FindWorkspace looks at the file system for what work that begins in dir, an
// absolute path, may touch.
func FindWorkspace(dir string, opts *WorkspaceOptions) Workspace {
	o := WorkspaceOptions{}
	if opts != nil {
		o = *opts
	}
	home := o.Home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if !filepath.IsAbs(o.Temp) {
		o.Temp = os.TempDir()
	}
	w := Workspace{Dir: dir, Home: home, Roots: withReal(dir), Scratch: withReal(o.Temp)}
	if root := Repository(dir); root != dir && root != "/" && root != filepath.Clean(home) {
		w.Roots = append(w.Roots, withReal(root)...)
	}
	for _, dir := range o.Own {
		w.Protected = append(w.Protected, withReal(dir)...)
	}
	for _, dir := range o.Write {
		w.Roots = append(w.Roots, withReal(atHome(dir, home))...)
	}
	if common := commonGit(dir); common != "" {
		w.Roots = append(w.Roots, common)
	}
	for _, root := range w.Roots {
		for _, name := range []string{".agentbash", ".mcp.json", ".envrc"} {
			w.Protected = append(w.Protected, filepath.Join(root, name))
		}
		if st, err := os.Lstat(filepath.Join(root, ".git")); err == nil && !st.IsDir() {
			w.Protected = append(w.Protected, filepath.Join(root, ".git"))
		}
		for _, dir := range []string{root, filepath.Join(root, ".git")} {
			if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
				w.Protected = append(w.Protected, filepath.Join(dir, "hooks"), filepath.Join(dir, "config"), filepath.Join(dir, "config.worktree"))
			}
		}
	}
	if filepath.IsAbs(home) {
		for _, name := range startupFiles {
			w.Protected = append(w.Protected, filepath.Join(home, name))
		}
		for _, name := range knownSecrets {
			w.Secrets = append(w.Secrets, filepath.Join(home, name))
		}
	}
	if os.Geteuid() == 0 {
		w.Secrets = append(w.Secrets, "/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-")
	}
	for _, s := range o.Secrets {
		if off, ok := strings.CutPrefix(s, "!"); ok {
			off = atHome(off, home)
			w.Secrets = slices.DeleteFunc(w.Secrets, func(have string) bool { return have == off })
			continue
		}
		w.Secrets = append(w.Secrets, atHome(s, home))
	}
	return w
}

// atHome makes a path of a config file absolute.
func atHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = home + rest
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(home, path)
	}
	return filepath.Clean(path)
}

// commonGit is the directory of a repository of which dir is a work tree, when
// it lies elsewhere; "" when there is none.
func commonGit(dir string) string {
	link := filepath.Join(Repository(dir), ".git")
	text, err := os.ReadFile(link)
	if err != nil {
		return ""
	}
	own, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok || !filepath.IsAbs(own) {
		return ""
	}
	// A file .git is easily written; the repository must know of it.
	if back, err := os.ReadFile(filepath.Join(own, "gitdir")); err != nil || real(strings.TrimSpace(string(back))) != real(link) {
		return ""
	}
	common, err := os.ReadFile(filepath.Join(own, "commondir"))
	if err != nil {
		return ""
	}
	at := strings.TrimSpace(string(common))
	if !filepath.IsAbs(at) {
		at = filepath.Join(own, at)
	}
	return filepath.Clean(at)
}

// real follows the links of a path that exists.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}
