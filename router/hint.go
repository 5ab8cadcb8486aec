package router

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// printHints says what to type where bash's answer was of no use and a tool was probably meant.
func (r *Router) printHints(p *Plan, stderr *capture, status int) {
	said := map[hint]bool{}
	for _, h := range p.hints {
		if !h.sure && status == 0 || said[h] {
			continue
		}
		said[h] = true
		switch h.tool {
		case "grep":
			fmt.Fprintln(stderr, "hint: grep had no file and nothing on its stdin: to search the files below this directory type grep --pattern TEXT [--path DIR] [--ignore_case], or give grep -r and a file")
		case "write":
			fmt.Fprintln(stderr, "hint: this was write(1), which sends a message to a user: to write a file type write ./FILE, or write --file_path FILE --content TEXT")
		case "read":
			switch st, err := os.Stat(filepath.Join(r.Dir(), h.file)); {
			case err == nil && st.IsDir():
				fmt.Fprintf(stderr, "hint: bash's own read fills variables, and %s is a directory: list it with ls %[1]s, or what is below it with glob '**' --path %[1]s\n", h.file)
			case err != nil && p.isLone("read"):
				fmt.Fprintf(stderr, "hint: bash's own read fills variables and had nothing to read, and there is no file %s here: look for it with glob '**/%[1]s*'\n", h.file)
			case err == nil:
				fmt.Fprintf(stderr, "hint: bash's own read fills variables: to see the file type read ./%s, or read --file_path %s\n", h.file, h.file)
			}
		}
	}
	if p.unparsed && keyedCall().MatchString(p.Raw) {
		switch {
		case stderr.holds("syntax error"), stderr.holds("unexpected EOF"):
			fmt.Fprintln(stderr, "hint: bash cannot read this text: look for a quote, bracket, fi, done or esac that is missing or too many; long text goes into a here-document (write FILE <<'EOF', the text, EOF)")
		case stderr.holds("command not found"), stderr.holds("not a valid identifier"):
			fmt.Fprintln(stderr, "hint: calls could not be found in this text, so a read, write or grep in it was bash's own: type agent:read, agent:write or agent:grep there")
		}
	}
	if stderr.holds("syntax error near unexpected token") {
		r.explainFunction(p.Raw, stderr)
	}
	r.printSlips(p, stderr, status)
	if status != 0 && wantsTerminal().MatchString(stderr.start()) {
		fmt.Fprintln(stderr, "hint: commands here have no terminal and an empty stdin: "+r.terminalHint(p.Raw))
	}
	if status == exitUnknown || stderr.holds("command not found") {
		r.explainUnknown(p, stderr)
	}
	if r.host != nil {
		r.explainErrors(p, stderr)
	}
}

// wantsTerminal is what programs say that ask a person.
var wantsTerminal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)/dev/tty|not a (tty|terminal)|isn't a terminal|terminal is (required|dumb)|from a terminal|failed tty get|inappropriate ioctl for device|` +
		`could not read (username|password)|no tty present|error opening terminal|EOF when reading a line|authentication token manipulation`)
})

// terminalHint says what to type instead of a command that asks a person.
func (r *Router) terminalHint(command string) string {
	const instead = "say by an option, a file or a pipe what it would ask"
	if offer := r.offerTerminal(command); offer != "" {
		return offer + "; or " + instead
	}
	return instead
}

// offerTerminal is how a command gets a terminal; "": in no way.
func (r *Router) offerTerminal(command string) string {
	if r.names.Load().agent["bash_input"] == nil {
		return ""
	}
	if len(command) > 200 || strings.Contains(command, "\n") {
		command = "COMMAND"
	}
	return "bash_start --tty " + quote.Word(command) + " gives it one, bash_input ID TEXT types there"
}

// isLone reports whether a text is one plain command of that name.
func (p *Plan) isLone(name string) bool { return p.Name == name && isPlain(p.Raw, false) }

// keyedCall is what can be no other command than a tool's.
var keyedCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s;&|({!])((read|write|edit|glob)[ \t]+--[a-z]|grep[ \t]+--pattern|(agent|field):\w)`)
})

// explainErrors looks in what was reported for calls that did not reach their tools.
func (r *Router) explainErrors(p *Plan, stderr *capture) {
	if stderr.holds("Argument list too long") && stderr.holds(r.host.links.dir) {
		fmt.Fprintln(stderr, "hint: inside bash no argument of a command can be longer than 128 KiB: give the value on stdin or from a file (write FILE <<'EOF', or --content@=FILE, which every parameter has)")
	}
	notFound := func(c CallSite) bool {
		name := prefixedName(c.Name)
		return slices.ContainsFunc([]string{name + ": No such file", "'" + name + "': No such file", "‘" + name + "’: No such file", name + ": command not found"}, stderr.holds)
	}
	if (stderr.holds("No such file") || stderr.holds("command not found")) && slices.ContainsFunc(p.Calls, notFound) {
		fmt.Fprintln(stderr, "hint: tools are found by PATH, which is unset, empty or another there: set it (PATH=/usr/bin:/bin in the session), or keep it (env -i PATH=\"$PATH\")")
	}
	for _, name := range append(slices.Clone(unixNames), "edit") { // mailcap's, on some systems
		if t := r.names.Load().agent[name]; t != nil && (notReached(t, stderr) || name == "write" && len(p.hints) == 0 && stderr.holds(" is not logged in")) {
			fmt.Fprintf(stderr, "hint: that was not the tool: where a program or a script's own text runs it, %s is called %s%s\n", name, agentPrefix, name)
		}
	}
}

// unixNames are those of tools that are bash's or a Unix program's, too.
var unixNames = []string{"read", "write", "grep"}

// notReached reports whether bash or a program said that it was no tool that had a tool's name.
func notReached(t *registry.Tool, stderr *capture) bool {
	if stderr.holds("No such file or directory") {
		for _, form := range []string{"xargs: %s", "find: '%s'", "find: ‘%s’", "env: '%s'", "env: ‘%s’", "failed to run command '%s'", "failed to run command ‘%s’"} {
			if stderr.holds(fmt.Sprintf(form, t.Name) + ": No such file or directory") {
				return true
			}
		}
	}
	for _, form := range []string{"%s: --: invalid option", "No such file or directory: '%s'", `no "%s" mailcap rules`} {
		if stderr.holds(fmt.Sprintf(form, t.Name)) {
			return true
		}
	}
	return stderr.holds(t.Name+": unrecognized option '--") &&
		slices.ContainsFunc(t.Params.List(), func(q registry.Param) bool { return stderr.holds(t.Name + ": unrecognized option '--" + q.Name) })
}
