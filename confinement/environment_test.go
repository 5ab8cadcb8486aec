package confinement

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandEnv(t *testing.T) {
	for _, row := range []struct {
		entry string
		want  bool
	}{
		{"PATH=/bin", true}, {"LC_ALL=C", true}, {"XDG_CONFIG_HOME=/x", true}, {"GOFLAGS=-mod=mod", true}, {"VIRTUAL_ENV=/v", true}, {"https_proxy=http://p:8080", true},
		{"NODE_ENV=test", true}, {"SSH_AUTH_SOCK=/s", true}, {"GIT_AUTHOR_NAME=a", true}, {"PYTHONPATH=.", true},
		{"RANDOM_THING=1", false}, {"DATABASE_URL=postgres://h/db", false}, {"AWS_REGION=eu", false}, {"BASH_ENV=/x", false}, {"LD_PRELOAD=/x", false}, {"DISPLAY=:0", false},
		{"OPENAI_API_KEY=k", false}, {"GITHUB_TOKEN=t", false}, {"GIT_TOKEN=t", false}, {"PYPI_PASSWORD=p", false}, {"NODE_AUTH_TOKEN=t", false}, {"CARGO_REGISTRY_TOKEN=t", false},
		{"NPM_CONFIG__AUTH=a", false}, {"UV_PUBLISH_PASSWORD=p", false}, {"MAVEN_GPG_PASSPHRASE=p", false}, {"GOOGLE_APPLICATION_CREDENTIALS=/f", false}, {"AWS_ACCESS_KEY_ID=k", false},
		{"git_secret=s", false}, {"XDG_SECRET=s", false}, {"CONDA_TOKEN=s", false},
		{"PIP_INDEX_URL=https://me:pw@host/simple", false}, {"HTTPS_PROXY=http://me:pw@proxy:1", false}, {"PIP_EXTRA=https://host/simple", true},
		{"nonsense", false},
	} {
		require.Equal(t, row.want, len(CommandEnv([]string{row.entry}, nil)) == 1, row.entry)
	}
	got := CommandEnv([]string{"AWS_REGION=eu", "AWS_SECRET_ACCESS_KEY=s", "MY_TOKEN=t", "OTHER=1", "HTTPS_PROXY=http://me:pw@proxy:1"}, []string{"AWS_*", "MY_TOKEN", "HTTPS_PROXY"})
	require.Equal(t, "AWS_REGION=eu MY_TOKEN=t HTTPS_PROXY=http://me:pw@proxy:1", strings.Join(got, " "), "a pattern names no secret, a whole name does")
}
