package policy

import "strings"

// gitCommands are git's subcommands, as of git 2.47.
func gitCommands() []gitCommand {
	return []gitCommand{
		{"status log diff show rev-parse ls-files ls-tree cat-file blame annotate shortlog describe rev-list name-rev merge-base show-ref for-each-ref var version count-objects check-ignore check-attr check-ref-format check-mailmap diff-tree diff-index diff-files whatchanged cherry range-diff show-branch verify-commit verify-tag verify-pack get-tar-commit-id patch-id fsck stripspace column mailinfo interpret-trailers merge-tree diagnose last-modified", reads, nil},
		{"help", reads | executes, nil},
		{"grep", reads, (*gitCall).grep},
		{"reflog", reads, (*gitCall).reflog},
		{"branch tag notes", reads, (*gitCall).refs},
		{"remote", reads, (*gitCall).remote},
		{"config", reads, (*gitCall).configure},
		{"stash", writes, (*gitCall).stash},
		{"worktree submodule bisect sparse-checkout maintenance lfs bundle replace rerere", writes | executes, (*gitCall).verbs},
		{"symbolic-ref", reads, (*gitCall).symbolicRef},
		{"add mv init write-tree commit-tree hash-object update-index read-tree mktree mktag pack-objects pack-refs index-pack unpack-objects repack multi-pack-index commit-graph update-server-info merge-file", writes, (*gitCall).edits},
		{"rm", writes, (*gitCall).remove},
		{"commit merge rebase cherry-pick revert am apply checkout switch restore reset clean checkout-index gc prune prune-packed update-ref filter-branch filter-repo fast-import quiltimport format-patch archive fast-export", writes | executes, (*gitCall).history},
		{"clone fetch pull ls-remote fetch-pack remote-update", reads | writes | networks | executes, (*gitCall).fetches},
		{"push send-pack http-push", reads | writes | networks | executes, (*gitCall).push},
		{"send-email imap-send request-pull svn p4 cvsimport daemon http-backend shell upload-pack receive-pack upload-archive instaweb web--browse credential credential-store credential-cache difftool mergetool gui gitk citool hook", executes | networks | unknown, (*gitCall).others},
	}
}

func (g *gitCall) grep() {
	for i, a := range g.args {
		if strings.HasPrefix(a.text, "-O") {
			g.effect(executes|unknown, "git grep -O runs a program", a.at)
			g.raiseText(a.after(2), "git grep -O")
		}
		if a.text == "-f" && i+1 < len(g.args) {
			g.read(g.args[i+1])
		}
	}
	g.readTree(g.here())
}

func (g *gitCall) reflog() {
	if ops := g.operands(); len(ops) > 0 && (ops[0].text == "expire" || ops[0].text == "delete" || ops[0].text == "drop") {
		g.does(writes)
		g.danger(Confirm, "git reflog "+ops[0].text+" makes lost work lost for good", ops[0].at)
	}
}

// refs is branch, tag and notes: they list without operands.
func (g *gitCall) refs() {
	ops := g.operands()
	switch {
	case g.has("-D", "--delete", "-d"):
		g.does(writes)
		if g.has("-D", "--force", "-f") || g.sub == "tag" {
			g.danger(Confirm, "git "+g.sub+" deletes what may not be elsewhere", g.at)
		}
	case g.has("-f", "--force", "-M", "-C"):
		g.does(writes)
		g.danger(Confirm, "git "+g.sub+" --force moves a name away from what it named", g.at)
	case g.has("--list", "-l", "--contains", "--merged", "--no-merged", "--points-at", "--show-current", "-v", "-n", "--verify") && g.sub != "notes" && !g.has("-m", "-a") || g.sub == "branch" && g.has("-a", "-r", "--all", "--remotes") && len(ops) == 0:
		return
	case g.sub == "notes":
		if len(ops) > 0 && ops[0].text != "list" && ops[0].text != "show" {
			g.does(writes)
		}
	case len(ops) > 0 || g.has("-m", "-u", "--set-upstream-to", "--unset-upstream", "--edit-description", "-c"):
		g.does(writes)
	}
	if g.part.set.has(writes) {
		g.part.Paths = append(g.part.Paths, g.repository()...)
		g.j.reason("git "+g.sub+" changes the repository", writes, NoDanger, g.at)
	}
}

func (g *gitCall) remote() {
	ops := g.operands()
	if len(ops) == 0 {
		return
	}
	switch ops[0].text {
	case "show", "get-url":
		if ops[0].text == "show" && len(ops) > 1 {
			g.does(networks)
		}
	case "update", "prune":
		g.does(networks | writes)
	default:
		g.does(writes)
		g.part.Paths = append(g.part.Paths, g.repository()...)
		for _, f := range ops[1:] {
			g.transport(f)
		}
	}
}

// configure is git config: with a value it writes.
func (g *gitCall) configure() {
	ops := g.operands()
	if len(ops) > 0 && (ops[0].text == "list" || ops[0].text == "get" || ops[0].text == "get-urlmatch" || ops[0].text == "get-color") {
		return
	}
	file := field{}
	for i, a := range g.args {
		if (a.text == "-f" || a.text == "--file") && i+1 < len(g.args) {
			file = g.args[i+1]
		}
	}
	if g.has("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--show-origin", "--show-scope") {
		return
	}
	if len(ops) > 0 && (ops[0].text == "set" || ops[0].text == "unset") {
		ops = ops[1:]
	} else if len(ops) < 2 && !g.has("--unset", "--unset-all", "--add", "--replace-all", "--remove-section", "--rename-section", "--edit", "-e") {
		return
	}
	g.does(writes)
	if file.text != "" {
		g.write(file)
	} else {
		g.part.Paths = append(g.part.Paths, g.repository()...)
	}
	if g.has("--edit", "-e") {
		g.does(executes | unknown)
	}
	if len(ops) > 1 && !g.has("--global", "--system", "--file", "-f") && harmlessSetting(strings.ToLower(ops[0].text), ops[1].text, true) {
		g.j.reason("git config changes the repository's settings", writes, NoDanger, g.at)
		return
	}
	g.danger(Confirm, "git config changes what git does, and may run", g.at)
	if len(ops) > 1 {
		g.raiseText(field{text: strings.TrimPrefix(ops[1].text, "!"), at: ops[1].at, from: -1}, "git config")
	}
}

func (g *gitCall) stash() {
	ops := g.operands()
	if len(ops) == 0 {
		return
	}
	switch ops[0].text {
	case "list", "show":
		g.part.set, g.part.Paths = reads, nil
	case "drop", "clear":
		g.danger(Confirm, "git stash "+ops[0].text+" loses what was stashed", g.at)
	}
}

// verbs is a subcommand with verbs of its own; some only list.
func (g *gitCall) verbs() {
	ops := g.operands()
	verb := ""
	if len(ops) > 0 {
		verb = ops[0].text
	}
	switch verb {
	case "list", "status", "summary", "log", "view", "verify", "list-heads", "ls-files", "env", "diff", "":
		if g.sub != "maintenance" && !(g.sub == "submodule" && verb == "") {
			g.part.set, g.part.Paths = reads, nil
		} else {
			g.part.set = g.part.set&^writes&^executes | reads
		}
	case "foreach":
		f := field{text: joined(ops[1:]), at: g.at, from: -1}
		if len(ops) == 2 {
			f = ops[1]
		}
		g.text(f, "git submodule foreach", true)
	case "run":
		g.effect(executes, "git "+g.sub+" run runs a command", g.at)
		for i, a := range g.args {
			if a.text == "run" && i+1 < len(g.args) {
				g.inner("git "+g.sub+" run", g.args[i+1:])
				g.part.Wrapper = false
				break
			}
		}
	case "remove", "prune", "deinit", "reset":
		g.danger(Confirm, "git "+g.sub+" "+verb+" may lose work", g.at)
	case "add", "update", "init", "sync":
		if g.sub == "submodule" {
			g.does(networks)
			for _, f := range ops[1:] {
				g.transport(f)
			}
		}
	case "create":
		if g.sub == "bundle" && len(ops) > 1 {
			g.write(ops[1])
		}
	}
}

func (g *gitCall) symbolicRef() {
	if len(g.operands()) > 1 || g.has("-d", "--delete") {
		g.does(writes)
		g.part.Paths = append(g.part.Paths, g.repository()...)
	}
}

// edits is a subcommand that changes the index or adds objects.
func (g *gitCall) edits() {
	if g.sub == "init" {
		for _, f := range g.operands() {
			g.write(f)
		}
	}
	if g.sub == "add" && g.has("-e", "--edit", "-i", "--interactive", "-p", "--patch") {
		g.does(executes)
	}
	if g.sub == "mv" && g.has("-f", "--force") {
		g.danger(Confirm, "git mv -f overwrites a file", g.at)
	}
}

func (g *gitCall) remove() {
	for _, f := range g.operands() {
		if !g.has("--cached") {
			g.writeTree(f)
			if g.has("-r") {
				g.wipes(f, "deletes")
			}
		}
	}
	if g.has("-r", "-f", "--force") && !g.has("--cached") {
		g.danger(Confirm, "git rm deletes "+g.targets(g.operands()), g.at)
	}
}

// history is a subcommand that moves branches and changes the working tree.
func (g *gitCall) history() {
	ops := g.operands()
	lose := ""
	switch g.sub {
	case "reset":
		if g.has("--hard", "--merge", "--keep") {
			lose = "git reset --hard throws away uncommitted work"
		} else {
			g.part.set &^= executes
		}
	case "clean":
		if g.cleansNothing() {
			g.part.set, g.part.Paths = reads, nil
			return
		}
		lose = "git clean deletes files that git does not know"
	case "checkout":
		if g.has("-f", "--force") || g.dashes() || len(ops) > 0 && ops[len(ops)-1].text == "." || g.has("-B") {
			lose = "git checkout throws away uncommitted work"
		}
	case "switch":
		if g.has("-f", "--force", "--discard-changes", "-C", "--force-create") {
			lose = "git switch throws away uncommitted work"
		}
	case "restore":
		if !g.hasExactly("--staged", "-S") || g.has("--worktree", "-W") {
			lose = "git restore throws away uncommitted work"
		}
	case "checkout-index":
		if g.has("-f", "--force") {
			lose = "git checkout-index -f overwrites files"
		}
	case "gc":
		if g.has("--prune") {
			lose = "git gc --prune makes lost work lost for good"
		}
	case "prune", "update-ref", "filter-branch", "filter-repo":
		lose = "git " + g.sub + " may lose history"
	case "commit", "merge", "rebase", "cherry-pick", "revert", "am":
		g.editing()
	case "apply", "fast-import", "quiltimport":
		g.part.set &^= executes
	case "archive", "format-patch", "fast-export":
		g.exports()
	}
	if lose != "" {
		g.danger(Confirm, lose, g.at)
	}
	g.runsCommands()
}

// dashes reports whether -- stands among the arguments, with a path after it.
func (g *gitCall) dashes() bool {
	for i, a := range g.args {
		if a.text == "--" {
			return i+1 < len(g.args)
		}
	}
	return false
}

// editing is a subcommand that runs an editor without -m.
func (g *gitCall) editing() {
	if g.sub == "rebase" && !g.has("--abort", "--quit") {
		g.does(unknown)
	}
}

// exports is a subcommand that writes a file or its stdout.
func (g *gitCall) exports() {
	g.part.set, g.part.Paths = reads, nil
	for i, a := range g.args {
		if (a.text == "-o" || a.text == "--output-directory") && i+1 < len(g.args) {
			g.write(g.args[i+1])
		} else if strings.HasPrefix(a.text, "-o") && len(a.text) > 2 {
			g.write(a.after(2))
		}
		if strings.HasPrefix(a.text, "--remote") {
			g.effect(networks|executes, "git archive --remote talks to another machine", a.at)
		}
	}
	if g.sub == "format-patch" && !g.has("--stdout", "-o") {
		g.does(writes)
		g.part.Paths = append(g.part.Paths, g.repository()...)
	}
}

// runsCommands judges the options of rebase and filter-branch that are bash
// text.
func (g *gitCall) runsCommands() {
	for i, a := range g.args {
		name, val, has := strings.Cut(a.text, "=")
		text := a.after(len(a.text) - len(val))
		if !has && i+1 < len(g.args) {
			text = g.args[i+1]
		}
		switch {
		case g.sub == "rebase" && (name == "-x" || name == "--exec"), g.sub == "filter-branch" && strings.HasSuffix(name, "-filter"):
			g.effect(executes, "git "+g.sub+" "+name+" runs "+show(text.text), a.at)
			g.text(text, "git "+g.sub+" "+name, true)
		case g.sub == "rebase" && strings.HasPrefix(name, "-x") && len(name) > 2:
			g.text(a.after(2), "git rebase -x", true)
		}
	}
}

// fetches is a subcommand that talks to a remote.
func (g *gitCall) fetches() {
	for i, a := range g.args {
		if a.text == "-u" && g.sub == "clone" && i+1 < len(g.args) || a.text == "--upload-pack" && i+1 < len(g.args) || a.text == "--exec" && i+1 < len(g.args) {
			g.effect(executes|unknown, "git "+a.text+" runs a program", a.at)
			g.raiseText(g.args[i+1], "git "+a.text)
		}
		if (a.text == "-c" || a.text == "--config") && g.sub == "clone" && i+1 < len(g.args) {
			g.config(g.args[i+1].text, g.args[i+1])
		}
	}
	ops := g.operands()
	for _, f := range ops {
		g.transport(f)
	}
	switch g.sub {
	case "ls-remote":
		g.part.set, g.part.Paths = reads|networks|g.part.set&unknown, nil
	case "clone":
		g.part.Paths = nil
		if len(ops) > 1 {
			g.writeTree(ops[len(ops)-1])
		} else {
			g.part.Paths = g.repository()
		}
	case "fetch":
		g.part.set &^= executes
		if g.has("-f", "--force", "-p", "--prune") && g.has("-f", "--force") {
			g.danger(Confirm, "git fetch --force overwrites branches", g.at)
		}
	}
}

// transport judges the address of a repository: ext:: runs a command.
func (g *gitCall) transport(f field) {
	if text, ok := strings.CutPrefix(f.text, "ext::"); ok {
		g.effect(executes|unknown, "git ext:: runs a command", f.at)
		g.raiseText(f.after(len(f.text)-len(text)), "git ext::")
	}
	if strings.HasPrefix(f.text, "fd::") || strings.HasPrefix(f.text, "-") {
		g.effect(executes|unknown, "git takes this for more than an address", f.at)
	}
}
