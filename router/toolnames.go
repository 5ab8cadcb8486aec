package router

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// arg is one argument of a command as far as it can be known before bash has expanded it.
type arg struct {
	text  string  // quotes removed; "$" stands for every expansion
	multi bool    // may become any number of words: $x, $@, {a,b}
	globs []place // where in the text unquoted * ? [ stand
}

// site is what the decision table looks at.
type site struct {
	flow
	name  string
	args  []arg
	stdin bool // a pipe, a redirection or a function's caller may feed it
	ifs   bool // IFS is set for it alone, as only bash's read needs it
	inner bool // it stands in a command's argument
}

// hint is what to say of a command that stays bash's.
type hint struct {
	tool string // that was meant, perhaps
	file string // that read was to read
	sure bool   // bash's answer is of no use, whatever its status
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
func (s site) meansTool(t *registry.Tool) (tool bool, h hint) {
	if s.inner {
		return strings.Contains(s.name, "_") || s.hasKey(t), hint{} // no Unix program has such a name
	}
	if len(s.args) == 1 && (s.args[0].text == "-h" || s.args[0].text == "--help") {
		return !(s.name == "grep" && s.taken && s.args[0].text == "--help"), hint{}
	}
	switch s.name {
	case "read":
		if tool, h.file = s.meantRead(t); h.file != "" {
			h.tool, h.sure = "read", !s.stdin && !s.ifs
		}
		return tool, h
	case "write":
		if tool = s.meantWrite(t); !tool {
			h.tool = "write"
		}
		return tool, h
	case "grep":
		if tool, h.sure = s.meantGrep(t); h.sure {
			h.tool = "grep"
		}
		return tool, h
	}
	return true, hint{}
}

// hasKey reports whether a key that only the tool has stands in the words: nothing else can be meant.
func (s site) hasKey(t *registry.Tool) bool {
	if s.name == "grep" {
		return s.grepUse(t).toolKey
	}
	for _, a := range s.args {
		if a.text == "--" {
			break
		}
		if k, ok := longKey(a.text); ok && (t.Params.Find(k) != nil || k == "json" || k == "help" && !s.inner) {
			return true
		}
	}
	return false
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
	if s.hasKey(t) {
		return true, ""
	}
	if !identifier().MatchString(first) {
		return !s.fillsVariable(first), ""
	}
	if len(s.args) == 1 && s.alone && !s.stdin && !s.ifs {
		return true, "" // it has nothing to read, and its variable is gone at once
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
	switch {
	case s.hasKey(t):
		return true
	case len(s.args) == 0 || strings.HasPrefix(s.args[0].text, "-") && s.args[0].text != "--":
		return false
	case len(s.args) == 1 && userName().MatchString(s.args[0].text):
		return s.hdoc // a message of several lines is piped to write(1), if anything is
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
