package confinement

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// gitData matches keys of git's configuration that are data: they lead git to no
// program and to no other file (git-config(1)). Whoever gives somebody a repository
// decides on all others, too.
var gitData = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|whitespace|` +
		`sparsecheckout|sparsecheckoutcone|commentchar|compression|loosecompression|untrackedcache|preloadindex|protectntfs|protecthfs|sharedrepository|bigfilethreshold|checkstat|trustctime|longpaths|worktree|multipackindex|commitgraph)` +
		`|(user|author|committer)\.(name|email)|init\.defaultbranch|remote\.(?s:.*)\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipfetchall)|branch\..*|(pull|push|fetch)\.[a-z]+|rebase\.(auto[a-z]+|updaterefs|stat)` +
		`|merge\.(ff|conflictstyle|renames|renamelimit|directoryrenames|stat|log)|diff\.(algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|submodule|ignoresubmodules|indentheuristic|statgraphwidth)` +
		`|(color|column|status|stash|gc|pack|index|feature|rerere|i18n|tag|advice|maintenance)\.(?s:.*)|log\.(date|decorate|abbrevcommit|follow|mailmap)|extensions\.(objectformat|refstorage|noop|preciousobjects|compatobjectformat)` +
		`|submodule\.((?s:.*)\.(url|active|branch|path|ignore)|recurse|active|fetchjobs)|lfs\.repositoryformatversion)$`)
})

// gitConfigs are the configurations of the workspace's repositories that confined
// commands see instead of the files: their data. A repository that the person trusts
// keeps all of it.
func (c *Confinement) gitConfigs() map[string]string {
	if c.trusts() {
		return nil
	}
	texts := map[string]string{}
	for _, path := range c.protected() {
		if name := filepath.Base(path); (name == "config" || name == "config.worktree") && exists(path) && !isPlainConfig(path) {
			texts[path] = gitDataOf(path)
		}
	}
	return texts
}

// trusts reports whether the person trusts the repository that the work is in.
func (c *Confinement) trusts() bool {
	return len(c.opts.TrustedRepositories) > 0 && isBelow(resolveLinks(Repository(c.workspace.Dir)), c.atHomeReal(c.opts.TrustedRepositories))
}

// atHomeReal makes paths of a config file absolute, without links.
func (c *Confinement) atHomeReal(paths []string) []string {
	out := slices.Clone(paths)
	for i, p := range out {
		out[i] = resolveLinks(atHome(p, c.workspace.Home))
	}
	return out
}

// gitDataOf is the data of a configuration, as git reads it. Of one that git cannot
// read, and without git, nothing is left.
func gitDataOf(path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	git := exec.CommandContext(ctx, "git", "config", "--file", path, "--no-includes", "--list", "-z")
	git.Dir = "/"
	listed, err := git.Output()
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n")
	if err != nil {
		return b.String()
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		key, value, set := strings.Cut(entry, "\n")
		if !gitData().MatchString(key) {
			continue
		}
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		section := key[:first]
		if first < last {
			section += ` "` + gitQuote.Replace(key[first+1:last]) + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s", section, key[last+1:])
		if set { // a name alone is true
			fmt.Fprintf(&b, " = \"%s\"", gitQuote.Replace(value))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// gitQuote escapes what stands between quotes.
var gitQuote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
