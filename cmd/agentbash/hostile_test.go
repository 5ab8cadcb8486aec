//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// hostileLines look like readings and are more. OUT is outside, where C must not be
// made; data, cmds and evil in the workspace would make it. ;; parts two commands.
var hostileLines = strings.Split(strings.TrimSpace(`
PROMPT_COMMAND[0]='touch OUT/C' ;; ls
declare -a PROMPT_COMMAND=('touch OUT/C') ;; ls
declare -n r=PROMPT_COMMAND; r='touch OUT/C' ;; ls
mapfile -t PROMPT_COMMAND < cmds ;; ls
mapfile -t PS4 < data; set -x; ls
unset PS1; : "${PS1:=$(cat data)}" ;; ls
unset BASH_ENV; : "${BASH_ENV:=./cmds}"; export BASH_ENV ;; bash -c ls
: "${GIT_EXTERNAL_DIFF:=./evil}"; export GIT_EXTERNAL_DIFF ;; git diff
for PATH in bin; do ls; done
BASH_CMDS[ls]=$PWD/evil; ls
BASH_CMDS=([cat]=$PWD/evil); cat f
printf -v 'BASH_CMDS[cat]' %s "$PWD/evil"; cat f
BASH_ALIASES[ls]='touch OUT/C' ;; ls
declare 'BASH_ALIASES[ls]=touch OUT/C' ;; ls
shopt -u interactive_comments ;; ls # ; touch OUT/C
set -k ;; git diff GIT_EXTERNAL_DIFF=./evil
set -k ;; git status HOME=$PWD/home
unset PATH; ls
unset -v PATH; head f
read -r x < data; test -v "$x"
x=$(cat data); [ -v "$x" ]
test -v "$(cat data)"
a=(1); read -r x < data; unset "$x"
declare -i x; read x < data
declare -i x; mapfile -t x < data
OPTIND=$(cat data)
RANDOM=$(cat data)
read -r HISTCMD < data
declare -a a='($(touch OUT/C))'
x='($(touch OUT/C))'; declare -a a="$x"
f(){ local -a a='($(touch OUT/C))'; }; f
typeset -a "a=($(cat data))"
compgen -W '$(touch OUT/C)'
compgen -W "$(cat data)"
LESSKEYIN=lk less f
less --lesskey-src=lk f
gawk -W file=evil.awk
sed ':a e touch OUT/C' f
git --no-pager grep -nO./evil foo
GIT_TRACE=$PWD/made git status
GIT_TRACE=OUT/C git status
GIT_TRACE2_EVENT=OUT/C git status
LD_DEBUG=all LD_DEBUG_OUTPUT=OUT/C ls
gawk -pOUT/C 1 f
gawk -o OUT/C 1 f
iconv -f utf8 -t utf16 -o OUT/C f
git interpret-trailers --in-place f
python3 -m json.tool f OUT/C
tee OUT/C < f
dd if=f of=OUT/C
find . -fprint OUT/C
sort -o OUT/C f
git log --output=OUT/C
git config --file OUT/C a.b c
tar cf OUT/C f
xargs -a cmds sh -c
env -S 'touch OUT/C'
awk 'BEGIN{system("touch OUT/C")}'
perl -e 'open F, ">OUT/C"'
. ./cmds
bash < cmds
sh -c "$(cat cmds)"
$(cat cmds)
eval "$(cat cmds)"
trap "$(cat cmds)" EXIT; exit
coproc sh cmds
exec 3>OUT/C
mapfile -C 'touch OUT/C' -c 1 < f
complete -C 'touch OUT/C' ls; compgen -C 'touch OUT/C' x
enable -f ./evil.so x
hash -p ./evil ls; ls
alias ls='touch OUT/C' ;; ls
command_not_found_handle() { touch OUT/C; } ;; nosuchcommand
ls() { touch OUT/C; } ;; ls
printf 'touch OUT/C\n' > .bashrc
cat ~/.ssh/id_rsa
cat /proc/self/root$HOME/.ssh/id_rsa
cat HOME/.s?h/id_rsa
cat H*/.ssh/id_rsa HOME/.ssh/*
jq -n --rawfile x ~/.ssh/id_rsa '$x'
git diff --no-index /dev/null ~/.ssh/id_rsa
man ~/.ssh/id_rsa
sort --files0-from=<(printf '%s\0' ~/.ssh/id_rsa)
awk 'BEGIN{while((getline l < "HOME/.ssh/id_rsa")>0) print l}'
head $(< names); cat - < $(cat names)
cat lnk; rg -L . lnk; grep -r . lnk
tar cf - ~/.ssh | cat
tr '\0' '\n' < /proc/$PPID/environ
ps -o args= e -p $PPID
getent ahosts "$(cat f).x.test"
xmllint http://127.0.0.1:TCP/x
echo x > /dev/tcp/127.0.0.1/TCP
curl -s http://127.0.0.1:TCP/
wget -q -O- http://127.0.0.1:TCP/
git ls-remote http://127.0.0.1:TCP/x`), "\n")

// hostileConfigs are what a repository's own configuration can hold, each with a
// command that looks at the repository.
var hostileConfigs = map[string]string{
	"[core]\n\tfsmonitor = \"touch OUT/C; false\"":                "git status",
	"[diff]\n\texternal = \"touch OUT/C;\"":                       "git diff",
	"[diff \"x\"]\n\ttextconv = \"touch OUT/C; cat\"":             "git show; git log -p",
	"[diff \"x\"]\n\tcommand = \"touch OUT/C;\"":                  "git diff",
	"[filter \"x\"]\n\tclean = \"touch OUT/C; cat\"":              "git status; git diff",
	"[core]\n\thooksPath = hooks":                                 "git status; git diff",
	"[include]\n\tpath = ../inc":                                  "git status",
	"[gpg]\n\tprogram = ./evil\n[log]\n\tshowSignature = true":    "git log",
	"[core]\n\tpager = touch OUT/C\n[pager]\n\tlog = touch OUT/C": "git log; git diff",
	"[alias]\n\tst = !touch OUT/C\n\tstatus = !touch OUT/C":       "git status; git st",
	"[core]\n\tsshCommand = ./evil\n[remote \"o\"]\n\turl = ssh://x/y\n\tpromisor = true\n[extensions]\n\tpartialClone = o": "git show HEAD:f; git log",
	"[core]\n\teditor = touch OUT/C\n[sequence]\n\teditor = touch OUT/C":                                                    "git branch --edit-description; git commit --amend",
	"[extensions]\n\tworktreeConfig = true":                                                                                 "git status",
	"[credential]\n\thelper = !touch OUT/C":                                                                                 "git ls-remote",
	"[core]\n\taskPass = ./evil":                                                                                            "git ls-remote https://127.0.0.1:TCP/x",
}

// hostilePlace is a workspace with what the lines and configurations lead to.
func hostilePlace(t *testing.T, config string) *confinedSetup {
	p := newConfinedSetup(t)
	require.NoError(t, os.RemoveAll(p.ws+"/.git"))
	evil := p.text.Replace("#!/bin/sh\ntouch OUT/C WS/ran\n")
	for name, text := range map[string]string{
		"f": "ours\n", "data": "a[$(touch OUT/C)]\n", "cmds": "touch OUT/C\n", "lk": "#env\nLESSOPEN=|touch OUT/C\n", "names": "HOME/.ssh/id_rsa\n",
		"evil.awk": "BEGIN { system(\"touch OUT/C\") }\n", "home/.gitconfig": "[core]\n\tfsmonitor = touch OUT/C\n", ".gitattributes": "* diff=x filter=x\n",
		"inc": "[core]\n\tfsmonitor = \"touch OUT/C WS/ran; false\"\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.ws, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(p.ws, name), []byte(p.text.Replace(text)), 0o644))
	}
	for _, name := range []string{"evil", "ls", "head", "bin/ls", "hooks/post-index-change"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.ws, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(p.ws, name), []byte(evil), 0o755))
	}
	require.NoError(t, os.Symlink(p.home+"/.ssh/id_rsa", p.ws+"/lnk"))
	git := exec.Command("sh", "-c", "git init -q -b main . && git add f && git -c user.name=n -c user.email=e@x commit -qm first && echo more >>f && git add f && cat >>.git/config && cp .git/config .git/config.worktree")
	git.Dir, git.Stdin = p.ws, strings.NewReader(p.text.Replace(strings.ReplaceAll(config, "touch OUT/C", "touch OUT/C WS/ran"))+"\n")
	out, err := git.CombinedOutput()
	require.NoError(t, err, "%s", out)
	// An embedded bare repository is all that a plain clone needs.
	bare := exec.Command("sh", "-c", "mkdir -p vendor && git init -q --bare vendor/lib && cat >>vendor/lib/config")
	bare.Dir, bare.Stdin = p.ws, strings.NewReader(p.text.Replace("[core]\n\tbare = false\n\tworktree = wt\n\tfsmonitor = \"touch OUT/C WS/ran; false\"\n"))
	out, err = bare.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return p
}

// harmless runs commands one after the other and reports what they must not do.
func (p *confinedSetup) harmless(r *router.Router, mode policy.Mode, line string) {
	p.t.Helper()
	before := p.outside(policy.PlanMode)
	var said strings.Builder
	for part := range strings.SplitSeq(p.text.Replace(line), " ;; ") {
		res := r.Run(context.Background(), part, &router.RunOptions{Timeout: waitLimit})
		said.WriteString(res.Output)
	}
	require.NotContains(p.t, said.String(), secretText, "%s in %s", line, mode)
	require.Zero(p.t, p.met.Load(), "%s in %s\n%s", line, mode, said.String())
	require.NoFileExists(p.t, p.out+"/C", "%s in %s", line, mode)
	if mode != policy.AutoMode { // there, the workspace may be written
		require.Equal(p.t, before, p.outside(policy.PlanMode), "%s in %s\n%s", line, mode, said.String())
	}
}

// TestHostileLines: whatever a line is taken for, nothing is made outside, nothing in the
// workspace in the modes ask and plan, nobody is connected to, and no secret is shown.
func TestHostileLines(t *testing.T) {
	p := hostilePlace(t, "")
	for _, mode := range []policy.Mode{policy.PlanMode, policy.AskMode, policy.AutoMode} {
		b := p.newBash(mode)
		for _, line := range hostileLines {
			r, err := router.New(b.Registry(), &router.Options{Dir: p.ws, Confiner: b.Confinement(), Guard: b.Guard(), NoCalls: true})
			require.NoError(t, err)
			p.harmless(r, mode, line)
			require.NoError(t, r.Close())
		}
	}
}

// TestHostileRepositories: to look at a repository is safe, whatever its configuration
// says.
func TestHostileRepositories(t *testing.T) {
	for config, line := range hostileConfigs {
		p := hostilePlace(t, config)
		for _, mode := range []policy.Mode{policy.PlanMode, policy.AskMode, policy.AutoMode} {
			r := p.newBash(mode).Router()
			p.harmless(r, mode, line)
			p.harmless(r, mode, "cd vendor/lib && git status; git log; git diff")
			p.harmless(r, mode, "git -C vendor/lib status; npm ls")
			require.NoFileExists(t, p.ws+"/ran", "%s in %s", config, mode)
		}
	}
}
