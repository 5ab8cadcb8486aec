package policy

import (
	"slices"
	"strings"
)

// dangerousAssign judges the setting of a variable that changes what other
// commands do (bash manual, 5; environ(7); ld.so(8); git(1)).
func (j *judge) dangerousAssign(name string, v value, at span) {
	for _, s := range v {
		if known(s) && (strings.Contains(s, "[$(") || strings.Contains(s, "[`")) {
			j.hidden(s, at) // it runs when the variable is evaluated as arithmetic
		}
	}
	t, text := programs(), anyText
	if len(v) == 1 {
		text = v[0]
	}
	p := j.part(AssignPart, at, field{text: name + "=" + text, at: at, from: -1})
	p.set = executes | unknown
	switch {
	case t.has("variable-command", name):
		j.commandIn(p, name, v, at)
		return
	case t.fits("variable-loader", name):
		j.danger(p, Confirm, name+" makes other programs load code", at)
	case t.fits("variable-lookup", name) && name != "GIT_CONFIG_NOSYSTEM" && (name != "PATH" || !j.harmlessPath(v)):
		j.reason(name+" changes what names mean", unknown, NoDanger, at)
	case name == "HISTFILE" && text != "" && text != "/dev/null":
		j.redirect(field{text: text, at: at, from: -1}, true)
		return
	default:
		return
	}
	j.add(p)
}

// commandIn judges a variable whose text other programs run.
func (j *judge) commandIn(p *Part, name string, v value, at span) {
	prompt := len(name) == 3 && strings.HasPrefix(name, "PS")
	v = slices.DeleteFunc(slices.Clone(v), func(s string) bool {
		if prompt {
			return known(s) && !strings.ContainsAny(s, "`$")
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, "/bin/"), "/usr/bin/")
		return s == "" || programs().has("value-harmless", s) // it only passes text through
	})
	if len(v) == 0 {
		return
	}
	j.add(p)
	j.reason(name+" is run by the shell or by other programs", executes, NoDanger, at)
	for _, s := range v {
		if text := strings.TrimPrefix(s, "|"); prompt {
			j.hidden(text, at)
		} else {
			j.innerText(text, field{text: text, at: at, from: -1}, name, true)
		}
	}
	if prompt && v.known() {
		p.set &^= unknown
	}
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
