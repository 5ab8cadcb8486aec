package confinement

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// knownVars are the variables that commands get which a model sends: what
// tells where things are and how programs are built, run and shown. Anything
// else, however useful, may be somebody's secret.
var knownVars = strings.Fields(`
	PATH HOME USER LOGNAME SHELL HOSTNAME HOSTTYPE PWD LANG LANGUAGE LC_* TERM TZ TMPDIR XDG_* COLUMNS LINES LS_COLORS NO_COLOR CI
	EDITOR VISUAL PAGER MANPATH INFOPATH SSH_AUTH_SOCK
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

// secretName matches the names that never pass unless they are named in full.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|_)(KEY|KEYS|PASS|PAT|AUTH)$|(^|_)(APIKEY|ACCESS_KEY|PRIVATE_KEY|KEY_ID)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|_AUTH_TOKEN|COOKIE`)
})

// secretValue matches an address with a password in it.
var secretValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/\s:@]*:[^/\s@]+@`) })

// CommandEnv is the part of an environment that commands get which a model
// sends: known variables and the extra ones, "NAME" or "PREFIX_*". What is a
// secret by its name or its value passes only if it is named in full.
func CommandEnv(environ, extra []string) (out []string) {
	for _, e := range environ {
		name, value, ok := strings.Cut(e, "=")
		if !ok || !slices.Contains(extra, name) && (IsSecret(name, value) || !isNamed(name, knownVars) && !isNamed(name, extra)) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// IsSecret reports whether a variable looks like a secret, by its name or its value.
func IsSecret(name, value string) bool {
	return secretName().MatchString(name) || secretValue().MatchString(value)
}

func isNamed(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}
