package policy

import "strings"

// dangerousAssign judges the setting of a variable that changes what other
// commands do (bash manual, 5; environ(7); ld.so(8); git(1)).
func (j *judge) dangerousAssign(name string, v value, at span) {
	for _, s := range v {
		if known(s) && (strings.Contains(s, "[$(") || strings.Contains(s, "[`")) {
			j.hidden(s, at) // it runs when the variable is evaluated as arithmetic
		}
	}
	switch {
	case programs().has("variable-command", name):
		j.commandIn(name, v, at)
	case programs().has("variable-loader", name):
		j.variable(name, v, Confirm, "makes other programs load code", at)
	case programs().has("variable-lookup", name):
		if name == "PATH" && j.harmlessPath(v) {
			return
		}
		j.variable(name, v, NoDanger, "changes what names mean", at)
	case strings.HasPrefix(name, "BASH_FUNC_"):
		j.variable(name, v, Confirm, "defines a function in every bash started from here", at)
	case strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM":
		j.variable(name, v, NoDanger, "changes what git runs", at)
	case name == "HISTFILE":
		for _, s := range v {
			if s != "" && s != "/dev/null" {
				j.redirect(field{text: s, at: at, from: -1}, true)
			}
		}
	}
}

// variable notes an assignment that reaches beyond the line's own words.
func (j *judge) variable(name string, v value, d Danger, why string, at span) {
	p := Part{Kind: AssignPart, set: executes | unknown, Start: at.start, End: at.end, Via: j.via}
	text := anyText
	if len(v) == 1 {
		text = v[0]
	}
	p.words = []field{{text: name + "=" + text, at: at, from: -1}}
	if d != NoDanger {
		j.danger(&p, d, name+" "+why, at)
	} else {
		j.reason(name+" "+why, unknown, NoDanger, at)
	}
	j.add(p)
}

// commandIn judges a variable whose text other programs run.
func (j *judge) commandIn(name string, v value, at span) {
	harmless := true
	for _, s := range v {
		harmless = harmless && harmlessCommand(name, s)
	}
	if harmless {
		return
	}
	p := Part{Kind: AssignPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	p.words = []field{{text: name + "=" + show(one(v)), at: at, from: -1}}
	slot := j.reserve()
	j.reason(name+" is run by the shell or by other programs", executes, NoDanger, at)
	for _, s := range v {
		if !known(s) {
			p.set |= unknown
		}
		text := strings.TrimPrefix(s, "|")
		if name == "PS1" || name == "PS2" || name == "PS4" || name == "PS0" {
			j.hidden(text, at)
			continue
		}
		j.innerText(text, field{text: text, at: at, from: -1}, name, true)
	}
	if !strings.HasPrefix(name, "PS") || len(name) != 3 {
		p.set |= unknown
	}
	j.fill(slot, p)
}

// harmlessCommand reports whether what a variable is set to is known to do
// nothing but pass text through.
func harmlessCommand(name, s string) bool {
	if strings.HasPrefix(name, "PS") && len(name) == 3 {
		return known(s) && !strings.ContainsAny(s, "`$")
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "/bin/"), "/usr/bin/")
	return s == "" || programs().has("value-harmless", s)
}

// harmlessPath reports whether a PATH holds the installed programs' directories
// and what it held before, and nothing else.
func (j *judge) harmlessPath(v value) bool {
	old := j.valueOf("PATH")
	for _, s := range v {
		for _, o := range old {
			if o != "" {
				s = strings.Replace(s, o, "/bin", 1)
			}
		}
		for _, dir := range strings.Split(s, ":") {
			if !programs().has("program-directory", strings.TrimSuffix(dir, "/")) {
				return false // none at all is the current directory
			}
		}
	}
	return true
}
