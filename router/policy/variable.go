package policy

import (
	"strconv"
	"strings"
)

// lookup returns what is known of a variable, following references.
func (j *judge) lookup(name string) variable {
	for range 8 {
		v := j.lookupHere(name)
		if !v.ref || len(v.val) != 1 || !known(v.val[0]) || v.val[0] == name {
			return v
		}
		name = v.val[0]
	}
	return variable{name: name, val: value{anyText}}
}

func (j *judge) lookupHere(name string) variable {
	if v := j.env.find(name); v != nil {
		if j.env.child && !v.export && !v.array && name != "IFS" {
			out := *v
			out.val = v.val.join(value{""}) // a child has only what is exported
			return out
		}
		return *v
	}
	return j.outside(name)
}

// outside is what a variable is that the line has not set.
func (j *judge) outside(name string) variable {
	v := variable{name: name}
	if vals, ok := j.world.Vars[name]; ok {
		v.val = vals
		if v.val.has(anyWords) {
			v.array, v.lists = true, [][]string{{anyWords}}
		}
		return v
	}
	switch name {
	case "@", "*":
		v.array, v.lists = true, [][]string{nil}
	case "HOME":
		v.val = value{inherited}
		if j.world.Home != "" {
			v.val = value{clean(j.world.Home)}
		}
	case "PWD":
		v.val = value(j.env.dirs)
	case "IFS":
		v.val = value{" \t\n"}
	case "SHELL", "BASH":
		v.val = value{"/bin/bash"}
	case "0":
		v.val = value{"bash", "/bin/bash"}
	case "$", "?", "!", "#", "PPID", "UID", "EUID", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS",
		"HISTCMD", "COLUMNS", "LINES", "SHLVL", "OPTIND":
		v.val = value{digits}
	default:
		if hole, ok := holeOf(name); ok {
			v.val = value{hole}
		} else if n, err := strconv.Atoi(name); err == nil {
			v.val = j.positional(n)
		} else {
			v.val = value{inherited}
		}
	}
	return v
}

// positional returns what $n may be.
func (j *judge) positional(n int) value {
	at := j.lookupHere("@")
	var v value
	for _, l := range at.lists {
		v = v.join(value{element(l, n-1)})
	}
	return v
}

// element returns a list's element, "" beyond its end.
func element(l []string, n int) string {
	for i, s := range l {
		if s == anyWords {
			return anyText
		}
		if i == n {
			return s
		}
	}
	return ""
}

// elements returns every text that an array's elements may have.
func (j *judge) elements(v variable) value {
	var out value
	for _, l := range v.asLists() {
		for _, s := range l {
			if s == anyWords {
				s = anyText
			}
			out = out.join(value{s})
		}
	}
	if len(out) == 0 {
		return value{""}
	}
	return out
}

// assign gives a variable a value, in the shell that is being walked.
func (j *judge) assign(v variable) {
	if old := j.env.find(v.name); old != nil {
		if old.ref && !v.ref && len(old.val) == 1 && known(old.val[0]) && old.val[0] != v.name {
			v.name = old.val[0]
			j.assign(v)
			return
		}
		v.export, v.integer = v.export || old.export, v.integer || old.integer
		if old.fold != 0 {
			v.refold(old.fold)
		}
		v.assoc = v.assoc || old.assoc && v.array
		if old.array && !v.array { // an array's name alone is its first element
			v.array, v.assoc, v.lists = true, old.assoc, replaceFirst(old.lists, v.val)
		}
	}
	if len(v.val) == 0 && v.array && len(v.lists) > 0 {
		for _, l := range v.lists {
			v.val = v.val.join(value{element(l, 0)})
		}
	}
	j.env.set(v)
	if j.keepEver {
		j.remember(v)
	}
}

// refold gives a variable what its attribute makes of its texts; both are kept,
// since it may have been set before it got the attribute.
func (v *variable) refold(fold byte) {
	v.fold = fold
	change := func(string) string { return anyText }
	switch fold {
	case 'l':
		change = strings.ToLower
	case 'u':
		change = strings.ToUpper
	}
	v.val = v.val.join(v.val.each(change))
	if len(v.lists) > 0 {
		v.lists = joinLists(v.lists, [][]string{{anyWords}})
	}
}

// remember adds to what a variable ever was, for texts that run at any time.
func (j *judge) remember(v variable) {
	for i := range j.ever {
		if j.ever[i].name == v.name {
			j.ever[i] = j.ever[i].join(&v)
			return
		}
	}
	j.ever = append(j.ever, v)
}

// unset forgets a variable.
func (j *judge) unset(name string) {
	j.env.set(variable{name: name})
}

func validName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) {
			return false
		}
	}
	return true
}

// subscripted splits a[x] into its name and subscript.
func subscripted(s string) (name, subscript string, ok bool) {
	open := strings.IndexByte(s, '[')
	if open <= 0 || !strings.HasSuffix(s, "]") || !validName(s[:open]) {
		return s, "", false
	}
	return s[:open], s[open+1 : len(s)-1], true
}
