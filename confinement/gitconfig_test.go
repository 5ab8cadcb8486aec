package confinement

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// TestGitConfigs: in confined commands git sees the data of a repository's
// configuration, and runs nothing that it names, unless the person trusts it.
func TestGitConfigs(t *testing.T) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	text := `[core]
	filemode = true
	hooksPath = hooks
[remote "a \"b\" c"]
	url = https://example.org/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[diff]
	external = touch ran; true
[diff "x"]
	textconv = touch ran; cat
[filter "x"]
	clean = touch ran; cat
[gpg]
	program = ./evil
[log]
	showSignature = true
[branch "topic"]
	merge = refs/heads/main
[alias]
	st = !touch ran
`
	make := exec.Command("sh", "-c", "git init -q -b main . && echo a >f && echo '* diff=x filter=x' >.gitattributes && mkdir hooks && printf '#!/bin/sh\ntouch ran\n' >hooks/post-index-change && chmod +x hooks/* && "+
		"git add . && git -c user.name=n -c user.email=e@x commit -qm first && echo b >>f")
	make.Dir = ws
	out, err := make.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(ws+"/.git/config", []byte(text), 0o644))
	run := func(trusted []string) (string, bool) {
		c := New(FindWorkspace(ws, nil), &Options{Mode: policy.AutoMode, StateDir: t.TempDir(), TrustedRepositories: trusted})
		r, err := router.New(registry.New(), &router.Options{Dir: ws, Confiner: c, NoCalls: true})
		require.NoError(t, err)
		defer func() {
			require.NoError(t, r.Close())
			require.NoError(t, c.Close())
		}()
		res := r.Run(context.Background(), "git diff; git show >/dev/null; git log -p >/dev/null; git status --short; git st; git config --list --local", nil)
		_, err = os.Stat(ws + "/ran")
		return res.Stdout, err == nil
	}
	said, ran := run(nil)
	require.False(t, ran, said)
	require.Contains(t, said, "+b\n")
	require.Contains(t, said, "remote.a \"b\" c.url=https://example.org/x.git\n")
	require.Contains(t, said, "branch.topic.merge=refs/heads/main\n")
	require.NotContains(t, said, "external")
	kept, err := os.ReadFile(ws + "/.git/config")
	require.NoError(t, err)
	require.Equal(t, text, string(kept))
	said, ran = run([]string{filepath.Dir(ws)})
	require.True(t, ran, said)
	require.Contains(t, said, "diff.external=")
}
