package confinement

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/secrettext"
)

// knownVars are the variables that commands get which a model sends: what
// tells where things are and how programs are built, run and shown. Anything
// else, however useful, may be somebody's secret.
var knownVars = strings.Fields(`
	PATH HOME USER LOGNAME SHELL HOSTNAME HOSTTYPE PWD LANG LANGUAGE LC_* TERM TZ TMPDIR XDG_* COLUMNS LINES LS_COLORS NO_COLOR CI
	EDITOR VISUAL PAGER MANPATH INFOPATH
	http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
	SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE
	CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS CMAKE_* PKG_CONFIG_* CCACHE_* LD_LIBRARY_PATH LIBRARY_PATH CPATH
	GOPATH GOROOT GOBIN GOCACHE GOENV GOFLAGS GOMODCACHE GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GOTOOLCHAIN GOWORK GOOS GOARCH GOAMD64 GOEXPERIMENT GOMAXPROCS GOMEMLIMIT GODEBUG GO111MODULE CGO_*
	CARGO_* RUSTUP_* RUST_* RUSTC RUSTFLAGS RUSTDOCFLAGS SCCACHE_*
	NODE_* NVM_* FNM_* VOLTA_* PNPM_HOME COREPACK_* DENO_* BUN_*
	PYTHON* PYENV_* VIRTUAL_ENV VIRTUAL_ENV_PROMPT CONDA_* MAMBA_* UV_* POETRY_* PIPENV_* PIP_* WORKON_HOME
	JAVA_HOME JDK_HOME JAVA_TOOL_OPTIONS M2_HOME MAVEN_* GRADLE_* SDKMAN_* ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_* SCALA_* SBT_*
	RUBY* RBENV_* RVM_* GEM_* BUNDLE_* PERL* PERLBREW_* LUA_* R_* JULIA_* OPAM* GHCUP_* STACK_* ERL_* MIX_* HEX_HOME PHP_* COMPOSER_HOME DOTNET_* NUGET_*
	GIT_* HOMEBREW_* NIX_* ASDF_* MISE_* DIRENV_* WSL_*`)

// freeVars are those that commands get besides where nothing holds them: what they
// lead to acts for the person, and is not looked at.
var freeVars = []string{"SSH_AUTH_SOCK"}

// secretValue matches an address with a password in it and without a scheme.
var secretValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^/\s:@]+:[^/\s@]+@`) })

// bundleOptions are those of Bundler that have a host's or a gem's name in theirs and
// hold no credentials.
var bundleOptions = []string{"BUNDLE_BUILD__", "BUNDLE_MIRROR__", "BUNDLE_LOCAL__"}

// gitConfig are the variables that hold git's configuration: git starts with all of
// them, or none.
func gitConfig(name string) bool {
	return name == "GIT_CONFIG_COUNT" || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// CommandEnv is the part of an environment that commands get which a model
// sends: known variables and the extra ones, "NAME" or "PREFIX_*". What is a
// secret by its name or its value passes only if it is named in full.
func CommandEnv(environ, extra []string) (out []string) {
	noGit := false
	for _, e := range environ {
		name, value, ok := strings.Cut(e, "=")
		switch {
		case !ok:
		case slices.Contains(extra, name):
			out = append(out, e)
		case IsSecret(name, value):
			noGit = noGit || gitConfig(name)
		case isNamed(name, knownVars), isNamed(name, extra):
			out = append(out, e)
		}
	}
	if noGit {
		out = slices.DeleteFunc(out, func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return gitConfig(name)
		})
	}
	return out
}

// IsSecret reports whether a variable looks like a secret, by its name or its value.
func IsSecret(name, value string) bool {
	switch {
	case secrettext.Name(name) || secrettext.Contains(value) || secretValue().MatchString(value):
		return true
	case strings.HasPrefix(name, "BUNDLE_") && strings.Contains(name, "__"):
		return !slices.ContainsFunc(bundleOptions, func(p string) bool { return strings.HasPrefix(name, p) })
	case strings.HasPrefix(name, "GIT_CONFIG_"):
		return strings.Contains(strings.ToLower(value), "extraheader") // what follows it is sent to a host
	}
	return false
}

// withoutWorkspace takes the workspace out of PATH: what runs outside shall not be a
// program that confined commands could write.
func withoutWorkspace(env, roots []string) []string {
	out := slices.Clone(env)
	for i, e := range out {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
			return !filepath.IsAbs(dir) || isBelow(resolveLinks(dir), roots)
		})
		out[i] = "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))
	}
	return out
}

func isNamed(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}
