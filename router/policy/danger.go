package policy

import "strings"

// dangerousAssign judges the setting of a variable that changes what other
// commands do (bash manual, 5; environ(7); ld.so(8); git(1)).
func (j *judge) dangerousAssign(name string, v value, at span) {
	for _, s := range v {
		if known(s) && (strings.Contains(s, "[$(") || strings.Contains(s, "[`")) {
			j.hidden(s, at) // it runs when the variable is evaluated as arithmetic
		}
	}
	switch {
	case commandVariable(name):
		j.commandIn(name, v, at)
	case loaderVariable(name):
		j.variable(name, v, Confirm, "makes other programs load code", at)
	case lookupVariable(name):
		if name == "PATH" && j.harmlessPath(v) {
			return
		}
		j.variable(name, v, NoDanger, "changes what names mean", at)
	case strings.HasPrefix(name, "BASH_FUNC_"):
		j.variable(name, v, Confirm, "defines a function in every bash started from here", at)
	case strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM":
		j.variable(name, v, NoDanger, "changes what git runs", at)
	case name == "HISTFILE":
		for _, s := range v {
			if s != "" && s != "/dev/null" {
				j.addPath(AssignPart, field{text: s, at: at, from: -1}, true)
			}
		}
	}
}

// variable notes an assignment that reaches beyond the line's own words.
func (j *judge) variable(name string, v value, d Danger, why string, at span) {
	p := Part{Kind: AssignPart, set: executes | unknown, Start: at.start, End: at.end, Via: j.via}
	text := anyText
	if len(v) == 1 {
		text = v[0]
	}
	p.words = []field{{text: name + "=" + text, at: at, from: -1}}
	if d != NoDanger {
		j.danger(&p, d, name+" "+why, at)
	} else {
		j.reason(name+" "+why, unknown, NoDanger, at)
	}
	j.add(p)
}

// commandIn judges a variable whose text other programs run.
func (j *judge) commandIn(name string, v value, at span) {
	harmless := true
	for _, s := range v {
		harmless = harmless && harmlessCommand(name, s)
	}
	if harmless {
		return
	}
	p := Part{Kind: AssignPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	p.words = []field{{text: name + "=" + show(one(v)), at: at, from: -1}}
	slot := j.reserve()
	j.reason(name+" is run by the shell or by other programs", executes, NoDanger, at)
	saved := j.env.copy()
	for _, s := range v {
		if !known(s) {
			p.set |= unknown
		}
		text := strings.TrimPrefix(s, "|")
		if name == "PS1" || name == "PS2" || name == "PS4" || name == "PS0" {
			j.hidden(text, at)
			continue
		}
		j.innerText(text, field{text: text, at: at, from: -1}, name, true)
	}
	j.env = saved
	if !strings.HasPrefix(name, "PS") || len(name) != 3 {
		p.set |= unknown
	}
	j.fill(slot, p)
}

// harmlessCommand reports whether what a variable is set to is known to do
// nothing but pass text through.
func harmlessCommand(name, s string) bool {
	if strings.HasPrefix(name, "PS") && len(name) == 3 {
		return known(s) && !strings.ContainsAny(s, "`$")
	}
	switch strings.TrimPrefix(strings.TrimPrefix(s, "/bin/"), "/usr/bin/") {
	case "", "cat", "true", ":", "less", "more", "head", "false", "vi", "vim", "nano", "ed", "emacs", "code", "echo":
		return true
	}
	return false
}

// commandVariable reports whether a variable holds a command that something
// runs.
func commandVariable(name string) bool {
	switch name {
	case "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "EDITOR", "VISUAL", "FCEDIT",
		"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR",
		"GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "BROWSER", "LESSOPEN", "LESSCLOSE", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "TAR_OPTIONS",
		"MAKEFLAGS", "CC", "CXX", "SHELL", "RUSTC_WRAPPER", "HGEDITOR", "BAT_PAGER", "DELTA_PAGER", "GH_PAGER", "AWS_PAGER", "XDG_UTILS_OPEN", "TERMINAL", "FZF_DEFAULT_COMMAND", "MAIL", "MAILPATH":
		return true
	}
	return false
}

// loaderVariable reports whether a variable makes programs load code.
func loaderVariable(name string) bool {
	switch name {
	case "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "GCONV_PATH", "PYTHONSTARTUP", "PERL5OPT", "PERL5DB", "RUBYOPT",
		"BASH_LOADABLES_PATH", "OPENSSL_CONF", "OPENSSL_ENGINES", "LUA_INIT", "VIMINIT", "EXINIT", "DYLD_INSERT_LIBRARIES":
		return true
	}
	return false
}

// lookupVariable reports whether a variable changes which program or file a
// name means.
func lookupVariable(name string) bool {
	switch name {
	case "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LOCPATH", "PYTHONHOME", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
		"JDK_JAVA_OPTIONS", "PHPRC", "PYTHONPATH", "PERL5LIB", "PERLLIB", "RUBYLIB", "NODE_PATH", "CLASSPATH", "GOFLAGS", "RIPGREP_CONFIG_PATH", "AWKPATH",
		"LUA_PATH", "LUA_CPATH", "EXECIGNORE", "SHELLOPTS", "BASHOPTS", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CONFIG_DIRS",
		"GIT_DIR", "GIT_WORK_TREE", "GIT_TEMPLATE_DIR", "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONFIG", "GNUPGHOME", "TERMINFO", "CURL_HOME", "WGETRC", "SSH_AUTH_SOCK",
		"CARGO_HOME", "npm_config_prefix", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY", "GOPROXY", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY":
		return true
	}
	return false
}

// harmlessPath reports whether a PATH holds the installed programs' directories
// and what it held before, and nothing else.
func (j *judge) harmlessPath(v value) bool {
	old := j.lookup("PATH").val
	for _, s := range v {
		for _, o := range old {
			if o != "" {
				s = strings.Replace(s, o, "/bin", 1)
			}
		}
		for _, dir := range strings.Split(s, ":") {
			switch strings.TrimSuffix(dir, "/") {
			case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin":
			default: // none at all is the current directory
				return false
			}
		}
	}
	return true
}
