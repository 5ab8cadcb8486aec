package fieldbash

import (
	"maps"
	"slices"
	"strings"
)

// InServer is set in the environment of every server that is started, so that
// one which starts servers too can tell, and need not start itself for ever.
const InServer = "AGENTBASH_SERVER"

// passed are the variables of our own environment that a server gets: what a
// program needs to find its home, its language, the network and temporary
// files, and nothing that could be a secret of ours.
var passed = []string{
	"HOME", "LOGNAME", "USER", "PATH", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
}

// minimalEnv is the environment of a server or function: the passed variables
// of ours, then extra.
func minimalEnv(ours []string, extra map[string]string) []string {
	env := map[string]string{}
	for _, kv := range ours {
		k, v, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(passed, k) || strings.HasPrefix(k, "LC_")) {
			env[k] = v
		}
	}
	maps.Copy(env, extra)
	out := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+env[k])
	}
	return out
}
