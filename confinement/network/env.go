package network

import "strings"

// Env are the variables that tell tools of an HTTP proxy, such as
// "http://127.0.0.1:3128". Tools that read none of them, as those of the JVM, find
// hosts by the name server and the transparent listeners.
func Env(proxyURL string) (env []string) {
	// After the general ones those of tools whose files of settings would win:
	// npm, pnpm and yarn, pip, cargo. Node reads them if it is told to.
	for _, name := range strings.Fields(`http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
		npm_config_proxy npm_config_https_proxy YARN_HTTP_PROXY YARN_HTTPS_PROXY PIP_PROXY CARGO_HTTP_PROXY`) {
		env = append(env, name+"="+proxyURL)
	}
	const own = "localhost,127.0.0.1,::1"
	return append(env, "no_proxy="+own, "NO_PROXY="+own, "npm_config_noproxy="+own, "NODE_USE_ENV_PROXY=1")
}
