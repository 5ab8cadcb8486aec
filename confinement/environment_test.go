package confinement

import (
	"strings"
	"testing"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

func TestCommandEnv(t *testing.T) {
	for _, row := range []struct {
		entry string
		want  bool
	}{
		{"PATH=/bin", true}, {"LC_ALL=C", true}, {"XDG_CONFIG_HOME=/x", true}, {"GOFLAGS=-mod=mod", true}, {"VIRTUAL_ENV=/v", true}, {"https_proxy=http://p:8080", true},
		{"NODE_ENV=test", true}, {"SSH_AUTH_SOCK=/s", false}, {"GIT_AUTHOR_NAME=a", true}, {"PYTHONPATH=.", true},
		{"RANDOM_THING=1", false}, {"DATABASE_URL=postgres://h/db", false}, {"AWS_REGION=eu", false}, {"BASH_ENV=/x", false}, {"LD_PRELOAD=/x", false}, {"DISPLAY=:0", false},
		{"OPENAI_API_KEY=k", false}, {"GITHUB_TOKEN=t", false}, {"GIT_TOKEN=t", false}, {"PYPI_PASSWORD=p", false}, {"NODE_AUTH_TOKEN=t", false}, {"CARGO_REGISTRY_TOKEN=t", false},
		{"NPM_CONFIG__AUTH=a", false}, {"UV_PUBLISH_PASSWORD=p", false}, {"MAVEN_GPG_PASSPHRASE=p", false}, {"GOOGLE_APPLICATION_CREDENTIALS=/f", false}, {"AWS_ACCESS_KEY_ID=k", false},
		{"git_secret=s", false}, {"XDG_SECRET=s", false}, {"CONDA_TOKEN=s", false},
		{"PIP_INDEX_URL=https://me:pw@host/simple", false}, {"HTTPS_PROXY=http://me:pw@proxy:1", false}, {"PIP_EXTRA=https://host/simple", true},
		{"GIT_CONFIG_VALUE_0=Authorization: Basic bWU6cHc=", false}, {"GIT_CONFIG_VALUE_1=PRIVATE-TOKEN: x", false}, {"GIT_CONFIG_KEY_0=http.extraHeader", false}, {"GIT_CONFIG_KEY_0=a.b", true}, {"GIT_CONFIG_PARAMETERS='http.extraheader=Authorization: Bearer x'", false},
		{"BUNDLE_GEMS__X__COM=user:pw", false}, {"BUNDLE_GITHUB__COM=0a1b2c", false}, {"BUNDLE_BUILD__NOKOGIRI=--use-system-libraries", true}, {"BUNDLE_PATH=vendor", true},
		{"NIX_CONFIG=access-tokens=github.com=abc", false}, {"NIX_CONFIG=access-tokens = github.com=ghp_" + strings.Repeat("aB3d", 9), false}, {"NIX_PATH=nixpkgs=/nix", true},
		{"MAVEN_OPTS=-Xmx1g -Dproxy.password=pw", false}, {"MAVEN_OPTS=-Xmx1g", true}, {"GRADLE_OPTS=-Dorg.gradle.daemon=false -PsigningPassword=pw", false}, {"JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStorePassword=changeit", false},
		{"PIP_PROXY=me:pw@proxy:1", false}, {"CARGO_DB_PWD=p", false}, {"PWD=/x", true}, {"NUGET_PAT1=p", false}, {"NODE_EXTRA=sk-ant-" + strings.Repeat("aB3dE", 9), false},
		{"NODE_OPTIONS=--max-old-space-size=4096", true}, {"GIT_SSH_COMMAND=ssh -i ~/.ssh/id", true}, {"LS_COLORS=rs=0:di=01;34", true},
		{"nonsense", false},
	} {
		require.Equal(t, row.want, len(CommandEnv([]string{row.entry}, nil)) == 1, row.entry)
	}
	require.Equal(t, []string{"LANG=C"}, CommandEnv([]string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c", "GIT_CONFIG_KEY_1=http.extraHeader", "GIT_CONFIG_VALUE_1=Cookie: a=b", "LANG=C"}, nil),
		"git refuses to start when one of them is missing")
	got := CommandEnv([]string{"AWS_REGION=eu", "AWS_SECRET_ACCESS_KEY=s", "MY_TOKEN=t", "OTHER=1", "HTTPS_PROXY=http://me:pw@proxy:1"}, []string{"AWS_*", "MY_TOKEN", "HTTPS_PROXY"})
	require.Equal(t, "AWS_REGION=eu MY_TOKEN=t HTTPS_PROXY=http://me:pw@proxy:1", strings.Join(got, " "), "a pattern names no secret, a whole name does")
}

// What acts for the person elsewhere is not led to where commands are held.
func TestAgentsOfThePersonAreForFreeShells(t *testing.T) {
	for mode, want := range map[policy.Mode]int{policy.PlanMode: 0, policy.AutoMode: 0, policy.FullMode: 1} {
		c := New(FindWorkspace(t.TempDir(), nil), &Options{Mode: mode, Environ: []string{"SSH_AUTH_SOCK=/s"}})
		held, err := c.Confine(router.Grant{})
		require.NoError(t, err)
		require.Len(t, held.Env, want, "%s", mode)
		require.NoError(t, c.Close())
	}
}

// What runs outside is no program that confined commands can write.
func TestFreePath(t *testing.T) {
	ws := t.TempDir()
	c := New(FindWorkspace(ws, nil), &Options{Environ: []string{"PATH=" + ws + "/venv/bin:/usr/bin:bin:" + ws + ":/bin"}})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	held, err := c.Confine(router.Grant{Profile: router.FreeProfile})
	require.NoError(t, err)
	require.Equal(t, []string{"PATH=/usr/bin:/bin"}, held.Env)
}
