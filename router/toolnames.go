package router

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// arg is one argument of a command as far as it can be known before bash has
// expanded it.
type arg struct {
	text  string // quotes removed; "$" stands for every expansion
	multi bool   // may become any number of words: $x, $@, *.go
}

// site is what the decision table looks at.
type site struct {
	name   string
	args   []arg
	stdin  bool // a pipe, a redirection or a function's caller may feed it
	direct bool // it has a pipe or a redirection of its own
	ifs    bool // IFS is set for it alone, as only bash's read needs it
}

var (
	identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\[.*\])?$`) })
	anyName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\[.*\])?$`) }) // an identifier after expansion, perhaps
	userName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`) })
	terminal   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(/dev/)?(tty\w*|pts/\d+|console|hvc\d+)$`) })
)

// meansTool reports whether a command that has the name of an agent tool means the
// tool, and if not, what the hint is in case bash's own answer fails. It is the
// decision table of the router's documentation: first match wins, and no
// working use of bash's read, of write(1) and of grep(1) is diverted.
func (s site) meansTool(t *registry.Tool) (tool bool, hint string) {
	if len(s.args) == 1 && (s.args[0].text == "-h" || s.args[0].text == "--help") {
		return true, ""
	}
	switch s.name {
	case "read":
		tool, file := s.meantRead(t)
		if file != "" {
			return tool, "read " + file
		}
		return tool, ""
	case "write":
		if s.meantWrite(t) {
			return true, ""
		}
		return false, "write"
	case "grep":
		return s.meantGrep(t)
	}
	return true, ""
}

// meantRead tells `read FILE` from bash's builtin, which takes options and variable names.
func (s site) meantRead(t *registry.Tool) (bool, string) {
	if len(s.args) == 0 {
		return false, ""
	}
	first := s.args[0].text
	if _, ok := longKey(first); ok {
		return true, ""
	}
	if strings.HasPrefix(first, "-") && first != "-" {
		return false, ""
	}
	if s.args[0].multi && strings.Contains(first, "{") { // read {a,b}
		first = strings.NewReplacer("{", "", "}", "", ",", "").Replace(first)
	}
	if !anyName().MatchString(first) {
		return true, ""
	}
	for _, a := range s.args[1:] {
		if k, ok := longKey(a.text); ok && (t.Params.Find(k) != nil || k == "help") {
			return true, ""
		}
	}
	if !identifier().MatchString(first) {
		return !s.fillsVariable(first), ""
	}
	return false, first
}

// fillsVariable reports whether `read "$x"` or `read "x$i"` is a use of bash's
// read that works: it has something to read. A loop's or a function's stdin is
// no sign of it for `read "$x"`, which is how a file is read there.
func (s site) fillsVariable(first string) bool {
	if strings.Trim(first, "$") == "" {
		return s.direct || s.ifs
	}
	return s.stdin || s.ifs
}

// meantWrite tells `write FILE ...` from write(1), which takes a user and a terminal.
func (s site) meantWrite(t *registry.Tool) bool {
	for _, a := range s.args {
		if a.text == "--" {
			break
		}
		if k, ok := longKey(a.text); ok && (t.Params.Find(k) != nil || k == "help") {
			return true
		}
	}
	switch {
	case len(s.args) == 0 || strings.HasPrefix(s.args[0].text, "-") && s.args[0].text != "--":
		return false
	case len(s.args) == 1 && userName().MatchString(s.args[0].text):
		return false
	case len(s.args) == 2 && userName().MatchString(s.args[0].text) && terminal().MatchString(s.args[1].text):
		return false
	}
	return true
}

// longKey returns the key of --key, --key=value, --key:=JSON or --key@=FILE, dashes folded.
func longKey(word string) (string, bool) {
	k, ok := strings.CutPrefix(word, "--")
	if !ok || k == "" || !(k[0]|0x20 >= 'a' && k[0]|0x20 <= 'z') {
		return "", false
	}
	k, _, _ = strings.Cut(k, "=")
	return registry.Fold(strings.TrimRight(k, ":@")), true
}
