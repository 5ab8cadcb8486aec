package policy

import (
	"strings"
)

// push publishes; --force and the like overwrite what others may have.
func (g *gitCall) push() {
	if g.dryRun() {
		return
	}
	why := ""
	switch {
	case g.has("-f", "--force", "--force-with-lease", "--force-if-includes"):
		why = "a force push overwrites what is there"
	case g.has("--mirror"):
		why = "git push --mirror deletes and overwrites what is there"
	case g.has("-d", "--delete", "--prune"):
		why = "git push --delete deletes what is there"
	}
	for i, f := range g.operands() {
		if strings.HasPrefix(f.text, "+") && i > 0 || strings.HasPrefix(f.text, "+refs") {
			why = "a force push overwrites what is there"
		}
		if strings.HasPrefix(f.text, ":") && len(f.text) > 1 {
			why = "git push deletes " + f.text[1:] + " there"
		}
		g.transport(f)
	}
	for i, a := range g.args {
		if (a.text == "--receive-pack" || a.text == "--exec") && i+1 < len(g.args) {
			g.effect(executes|unknown, "git "+a.text+" runs a program", a.at)
			g.raiseText(g.args[i+1], "git "+a.text)
		}
	}
	if why != "" {
		g.danger(Confirm, why, g.at)
	}
}

func (g *gitCall) others() {
	for i, a := range g.args {
		if (a.text == "-x" || a.text == "--extcmd") && i+1 < len(g.args) {
			g.raiseText(g.args[i+1], "git "+g.sub)
		}
		if rest, ok := strings.CutPrefix(a.text, "--extcmd="); ok {
			g.raiseText(a.after(len(a.text)-len(rest)), "git "+g.sub)
		}
	}
	if g.sub == "send-email" || g.sub == "imap-send" {
		g.danger(Confirm, "git "+g.sub+" publishes patches", g.at)
	}
}
