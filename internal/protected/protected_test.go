package protected

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What each of the three lists before this one protected, and what it did not.
func TestTree(t *testing.T) {
	const git, others, shell = "git runs what this says", "other programs run what this says", "a file that a shell runs when it starts"
	for path, why := range map[string]string{
		"/ws/.git/hooks/pre-commit": git, "/ws/.git/config": git, "/ws/.git/config.worktree": git, "/ws/.git/config.lock": git, "/ws/.git/info/attributes": git,
		"/ws/.git/modules/a/hooks/x": git, "/ws/.git/worktrees/a/gitdir": git, "/ws/.git/commondir": git, "/ws/.git/gitdir": git, "/ws/.git/objects/info/alternates": git,
		"/ws/sub/.git/hooks": git,
		"/ws/.git":           "", "/ws/.git/HEAD": "", "/ws/.git/index.lock": "", "/ws/.git/objects/ab/cd": "", "/ws/x.git/hooks/y": "", "/ws/.github/x": "",
		"/ws/.husky/pre-commit": others, "/ws/.husky/_/h": others, "/ws/.githooks/x": others, "/ws/.agentbash/config.json": others, "/ws/.agentbash": others,
		"/ws/.claude/settings.json": others, "/ws/.codex/config.toml": others, "/ws/.vscode/tasks.json": others, "/ws/.idea/workspace.xml": others,
		"/ws/.github/workflows/ci.yml": others, "/ws/.github/workflows": others, "/ws/.devcontainer/devcontainer.json": others, "/ws/.devcontainer.json": others,
		"/ws/.envrc": others, "/ws/sub/.envrc": others, "/ws/.mcp.json": others, "/ws/.pre-commit-config.yaml": others, "/ws/lefthook.yml": others,
		"/ws/.lefthook.yml": others, "/ws/lefthook-local.yml": others, "/ws/.gitconfig": others,
		"/ws/dots/.bashrc": shell, "/ws/.zshenv": shell, "/ws/.profile": shell, "/ws/.inputrc": shell, "/ws/.xsession": shell,
		"/ws/main.go": "", "/ws/.env": "", "/ws/.gitignore": "", "/ws/husky/x": "", "/ws/.github/CODEOWNERS": "", "/ws/.vscodeX": "", "/ws/bashrc": "", "/": "",
	} {
		require.Equal(t, why, Tree(path), path)
	}
}

func TestGit(t *testing.T) {
	for path, want := range map[string]string{"/ws/.git": "", "/ws/.git/index": "index", "/ws/a/.git/b/c": "b/c"} {
		rest, ok := Git(path)
		require.True(t, ok, path)
		require.Equal(t, want, rest, path)
	}
	for _, path := range []string{"/ws", "/ws/.gitignore", "/ws/x.git/y"} {
		_, ok := Git(path)
		require.False(t, ok, path)
	}
}

func TestHome(t *testing.T) {
	for _, path := range []string{"/h/.bashrc", "/h/.vim/x", "/h/bin/ls", "/h/.local/bin/x", "/h/.config/autostart/x", "/h/.ssh/config", "/h/.gitconfig", "/h/.pam_environment"} {
		require.True(t, InHome("/h", path), path)
	}
	for _, path := range []string{"/h", "/h/notes", "/h/binary", "/h/.config", "/h/.config/x", "/other/.bashrc", "/h/x/.bashrc"} {
		require.False(t, InHome("/h", path), path)
	}
	for _, path := range Startup("/h") {
		require.True(t, InHome("/h", path), path)
	}
	require.Contains(t, Secrets("/h"), "/h/.ssh")
	require.Contains(t, Secrets("/h"), "/h/.config/gh")
	require.Contains(t, SystemSecrets(), "/etc/shadow")
}

// A list and what matches it are one.
func TestListsMatch(t *testing.T) {
	for _, path := range append(InTree("/ws"), InGitDir("/ws/.git")...) {
		require.NotEmpty(t, Tree(path), path)
	}
	for name, list := range map[string][]string{"secrets": homeSecrets, "shell": shellStartup, "home": homeStartup, "tree": tree, "git": gitRuns, "system": system, "dirs": systemDirs} {
		require.Equal(t, len(list), len(slices.Compact(slices.Sorted(slices.Values(list)))), "%s has a name twice", name)
		for _, path := range list {
			require.False(t, strings.HasSuffix(path, "/") || strings.Contains(path, "//"), path)
		}
	}
}

func TestSystem(t *testing.T) {
	for _, path := range []string{"/etc/passwd", "/usr/bin/x", "/var/lib/x", "/dev/sda", "/root/x", "/etc"} {
		require.True(t, System(path), path)
	}
	for _, path := range []string{"/", "/home/u/x", "/tmp/x", "/etcetera", "/dev/shm/x", "/dev/shm", "/var/tmp/x"} {
		require.False(t, System(path), path)
	}
	require.True(t, SystemDir("/usr/local"))
	require.False(t, SystemDir("/usr/local/share"))
}
