package policy

import "strings"

// dangerousAssign judges the setting of a variable that changes what other commands do (bash manual, 5; ld.so(8); git(1)).
func (j *judge) dangerousAssign(name string, v value, at span) {
	for _, s := range v {
		if known(s) && (strings.Contains(s, "[$(") || strings.Contains(s, "[`")) {
			j.hidden(s, at) // it runs when the variable is evaluated as arithmetic
		}
		t, text := programs(), word{text: strings.TrimPrefix(s, "|"), at: at}
		p := j.part(AssignPart, at, word{text: name + "=" + s, at: at})
		p.set = executes | unknown
		prompt := t.has("variable-prompt", name)
		program, file := commandName(s)
		switch {
		case prompt && known(s) && !strings.ContainsAny(s, "`$"):
		case prompt || t.has("variable-command", name) && s != "" && (file || !t.has("value-harmless", program)):
			j.add(p)
			j.reason(name+" is run by the shell or by other programs", executes, NoDanger, at)
			if !prompt {
				j.innerText(text.text, text, name, true)
			} else if j.hidden(s, at); known(s) {
				p.set = executes
			}
		case t.fits("variable-loader", name):
			j.danger(p, Confirm, name+" makes other programs load code", at)
			j.add(p)
		case t.fits("variable-lookup", name) && name != "GIT_CONFIG_NOSYSTEM" && (name != "PATH" || !j.harmlessPath(s)):
			j.reason(name+" changes what names mean", unknown, NoDanger, at)
			j.add(p)
		case name == "HISTFILE" && s != "" && s != "/dev/null":
			j.redirect(text, true)
		}
	}
}

// harmlessPath reports whether a PATH holds only what it held before and the installed programs' directories.
func (j *judge) harmlessPath(path string) bool {
	for _, old := range j.valueOf("PATH") {
		if old != "" {
			path = strings.Replace(path, old, "/bin", 1)
		}
	}
	for _, dir := range strings.Split(path, ":") {
		if !programs().has("program-directory", strings.TrimSuffix(dir, "/")) {
			return false // none at all is the current directory
		}
	}
	return true
}
