package router

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// gnuGrep are the long options of GNU grep 3.11, and whether each needs a value.
var gnuGrep = map[string]bool{
	"extended-regexp": false, "fixed-strings": false, "basic-regexp": false, "perl-regexp": false, "regexp": true, "file": true,
	"ignore-case": false, "no-ignore-case": false, "word-regexp": false, "line-regexp": false, "null-data": false, "no-messages": false,
	"invert-match": false, "version": false, "help": false, "max-count": true, "byte-offset": false, "line-number": false,
	"line-buffered": false, "with-filename": false, "no-filename": false, "label": true, "only-matching": false, "quiet": false,
	"silent": false, "binary-files": true, "text": false, "directories": true, "devices": true, "recursive": false,
	"dereference-recursive": false, "include": true, "exclude": true, "exclude-from": true, "exclude-dir": true,
	"files-without-match": false, "files-with-matches": false, "count": false, "initial-tab": false, "null": false,
	"before-context": true, "after-context": true, "context": true, "color": false, "colour": false, "binary": false,
	"unix-byte-offsets": false, "group-separator": true, "no-group-separator": false,
}

// grepLetters are grep's short options that take a value.
const grepLetters = "ABCDdefm"

// gnuOption finds a long option by its name or abbreviation; the shortest name wins where several fit.
func gnuOption(typed string) (name string, value, ok bool) {
	if v, ok := gnuGrep[typed]; ok {
		return typed, v, true
	}
	for n, v := range gnuGrep {
		if strings.HasPrefix(n, typed) && (name == "" || len(n) < len(name) || len(n) == len(name) && n < name) {
			name, value, ok = n, v, true
		}
	}
	return name, value, ok
}

// grepUse is what a grep command line says, read as GNU grep would read it.
type grepUse struct {
	positional int
	uncertain  bool // a word that may become several, or none
	recursive  bool // -r, -R, -d recurse
	pattern    bool // -e or -f gave one
	version    bool
	native     bool // an option that the tool does not have
	toolKey    bool // a key of the tool that grep does not have
}

// meantGrep tells the tool from grep(1). Without a file, a pipe or a
// redirection grep would read an empty stdin, so nothing that works is taken
// from it; noInput reports that it is grep's, and will.
func (s site) meantGrep(t *registry.Tool) (tool, noInput bool) {
	u := s.grepUse(t)
	switch {
	case u.version || len(s.args) == 0:
		return false, false
	case u.toolKey:
		return true, false
	}
	files := u.positional
	if !u.pattern {
		files--
	}
	if files > 0 || u.recursive || u.uncertain || s.stdin {
		return false, false
	}
	if !u.native && u.positional == 1 && !u.pattern {
		return true, false
	}
	return false, true
}

func (s site) grepUse(t *registry.Tool) (u grepUse) {
	for i := 0; i < len(s.args); i++ {
		a := s.args[i].text
		u.uncertain = u.uncertain || s.args[i].multi
		if a == "--" {
			u.positional += len(s.args) - i - 1
			return u
		}
		if k, ok := longKey(a); ok {
			i += u.takeLong(a[2:], t.Params.Find(k))
		} else if len(a) > 1 && a[0] == '-' {
			next := ""
			if i+1 < len(s.args) {
				next = s.args[i+1].text
			}
			i += u.takeLetters(a[1:], next)
		} else {
			u.positional++
		}
	}
	return u
}

// takeLong takes an option without its dashes and returns how many of the next words are its value.
func (u *grepUse) takeLong(typed string, q *registry.Param) int {
	typed, _, joined := strings.Cut(typed, "=")
	name, value, gnu := gnuOption(typed)
	switch {
	case !gnu && q != nil:
		u.toolKey = true
		value = q.Type != registry.Boolean
	case !gnu:
		u.native = true
	default:
		u.native = u.native || q == nil
		u.recursive = u.recursive || name == "recursive" || name == "dereference-recursive"
		u.pattern = u.pattern || name == "regexp" || name == "file"
		u.version = u.version || name == "version"
	}
	if value && !joined {
		return 1
	}
	return 0
}

// takeLetters takes a cluster such as "inC3" and returns how many of the next words are its value.
func (u *grepUse) takeLetters(cluster, next string) int {
	u.native = true
	for j := 0; j < len(cluster); j++ {
		c := cluster[j]
		u.recursive = u.recursive || c == 'r' || c == 'R'
		u.pattern = u.pattern || c == 'e' || c == 'f'
		u.version = u.version || c == 'V'
		if strings.IndexByte(grepLetters, c) < 0 {
			continue
		}
		rest := cluster[j+1:]
		if c == 'd' && (rest == "recurse" || rest == "" && next == "recurse") {
			u.recursive = true
		}
		if rest == "" {
			return 1
		}
		return 0
	}
	return 0
}
