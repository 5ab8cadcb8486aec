package session

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"sync"
	"syscall"
)

// Restart is Session.Restart.
func (e *engine) Restart(ctx context.Context, o RestartOptions) error {
	select {
	case e.running <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.running }()
	if e.closing.Load() {
		return ErrClosed
	}
	if sh := e.shell.Load(); sh != nil {
		if e.snap.seq != e.seq {
			e.takeSnapshot()
		}
		e.shell.Store(nil)
		sh.signal(syscall.SIGKILL) // nothing of its own to do: traps stay quiet, jobs go on
		sh.reap()
	}
	e.snap.readPipe(e.buf)
	old := e.cfg
	e.cfg.Launcher = o.Launcher
	if o.Env != nil {
		e.cfg.env = childEnv(o.Env, e.cfg.Unset)
	}
	if old.Launcher != nil || o.Launcher != nil {
		e.conduits.close(&e.pipes) // what one could reach is nothing for the other
	}
	e.pipes.useLauncher(o.Launcher, e.cfg.named)
	e.carryState(&old, o.Trust)
	e.shareState()
	if err := e.restartShell(); err != nil {
		return fmt.Errorf("restart the shell: %w", err)
	}
	e.wentOn = false
	e.planIdleWork()
	return nil
}

// carryState makes the state that the shell under the old configuration left fit
// for the one under the present.
func (e *engine) carryState(old *config, trust bool) {
	if e.snap.whole == nil {
		return
	}
	state := e.snap.whole
	if old.Launcher != nil && !trust {
		e.kept = bytes.Clone(state)
		state = plainData(state)
	}
	if e.cfg.Launcher != nil && old.Launcher == nil && e.kept != nil {
		state = joinStates(e.kept, state)
	}
	for _, name := range leftOut(old, &e.cfg) {
		state = declarationOf(name).ReplaceAll(state, nil)
	}
	e.snap.whole = bytes.Clone(state)
}

func declarationOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^declare -[A-Za-z-]+ ` + regexp.QuoteMeta(name) + `(=.*)?\n`)
}

// aliasesOn is the line of a state that has aliases expanded.
var aliasesOn = []byte("shopt -s expand_aliases\n")

// joinStates is a state that has what is in first too, functions and aliases above
// all. Those of first must not be expanded while second is read.
func joinStates(first, second []byte) []byte {
	out := append([]byte("shopt -u expand_aliases\n"), bytes.ReplaceAll(first, aliasesOn, nil)...)
	out = append(out, bytes.ReplaceAll(second, aliasesOn, nil)...)
	if bytes.Contains(second, aliasesOn) {
		out = append(out, aliasesOn...)
	}
	return out
}

// A confined shell's state is text that a free shell reads, and whatever runs
// confined can forge it. Of it, only lines are read that set a variable to
// literal text, an option or the umask. What is evaluated when it is used is no
// literal text: integers (declare -i) and references (-n).
const (
	quoted  = `(?:"(?:[^"\\$` + "`" + `]|\\["\\$` + "`" + `])*"|\$'(?:[^'\\]|\\.)*')`
	plainly = `^(?:umask [0-7]{3,4}|shopt -[su] [a-z0-9_]+|set [-+]o [a-z]+|` +
		`declare -([-aArxltuc]+) ([A-Za-z_][A-Za-z0-9_]*)(?:=(?:` + quoted + `|\((?:\[(?:\d+|[A-Za-z0-9_.-]+|` + quoted + `)\]=` + quoted + ` ?)*\)))?)$`
)

var plainLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(plainly) })

// programNames are variables that decide which programs are run, or what they
// do before what they were told: a free shell starts with the host's.
var programNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*PATH|LD_.*|DYLD_.*|BASH_.*|ENV|IFS|PS4|.*IGNORE|HOME|SHELL|USER|LOGNAME|TMPDIR|GIT_.*|SSH_.*|GPG_.*|DOCKER_.*|KUBE.*` +
		`|.*_COMMAND|.*_?EDITOR|.*PAGER|VISUAL|BROWSER|LESS.*|PERL.*|RUBY.*|GEM_.*|NODE_.*|NPM_.*|npm_.*|PYTHON.*|PIP_.*|VIRTUAL_ENV|JAVA_.*|_JAVA.*|JDK_.*|MAVEN_.*|GRADLE_.*` +
		`|GO.*|CGO_.*|CARGO.*|RUST.*|CC|CXX|LD|AR|.*FLAGS|MAKE.*|.*_OPTIONS|.*_OPTS|RSYNC_.*|XDG_.*|.*_PRELOAD|OPENSSL_.*|SSL_.*|CURL_.*|.*_proxy|.*_PROXY|AGENTBASH_.*)$`)
})

// leadingNames are variables that lead some program to its configuration, its plugins,
// its helpers or whom it talks to, when they are exported.
var leadingNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*(DIR|DIRS|RC|INIT|HOME|FILE|FILENAME|CONFIG|CONF|CFG|PREFIX|PROFILE|ASKPASS|BUNDLE|SHELL)|.*_(ROOT|USER|LAUNCHER|WRAPPER|COMPILER|ADDRESS|ADDR|HOST|SERVER|URL|URI|SOCK` +
		`|HOOKS|PLUGINS?|MODULES?|REGISTRY|TOOLCHAIN|AGENT|SSH|RSH)|.*ENDPOINT.*|AS|CPP|FC|M4|NM|YACC|LEX|STRIP|RANLIB|AUTO.*|PKG_CONFIG.*|CMAKE_.*|CCACHE_.*|SCCACHE_.*|BUNDLE_.*|YARN_.*|PNPM_.*|UV_.*|PYENV_.*|RBENV_.*|ASDF_.*|MISE_.*` +
		`|ANSIBLE_.*|VAULT_.*|TF_.*|HELM_.*|LUA.*|PHP.*|R_.*|JULIA_.*|DOTNET_.*|NIX_.*|CONDA_.*|POETRY_.*|DENO_.*|BUN_.*|HG.*|SVN_.*|PG.*|TEX.*|MAN.*|SUDO_.*|TMUX.*|DISPLAY|WAYLAND_.*|DBUS_.*|HOSTALIASES|TERM.*)$`)
})

// plainData is what a free shell takes of a confined one's state.
func plainData(state []byte) []byte {
	var out []byte
	for line := range bytes.Lines(state) {
		m := plainLine().FindSubmatch(bytes.TrimSuffix(line, []byte("\n")))
		if m != nil && !programNames().Match(m[2]) && !(bytes.ContainsRune(m[1], 'x') && leadingNames().Match(m[2])) {
			out = append(out, line...)
		}
	}
	return out
}
