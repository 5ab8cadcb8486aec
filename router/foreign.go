package router

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// translateForeign makes our words of a command that is another program's tool; nil: its name is not known.
func translateForeign(name string, words []string) ([]string, error) {
	n := 0
	for n < len(words) && !strings.HasPrefix(words[n], "--") {
		n++
	}
	parsed, err := (&registry.Tool{Name: name, Params: registry.AnyParams()}).Parse(words[n:], false)
	if err != nil {
		if known, _ := registry.Foreign(name, nil); known == nil {
			return nil, nil
		}
		return nil, err
	}
	ours, err := registry.Foreign(name, parsed.Kwargs)
	switch {
	case err != nil || ours == nil:
		return nil, err
	case parsed.Help != registry.NoHelp:
		return []string{ours[0], "--help"}, nil
	case ours[0] == ToolName:
		command := slices.Clone(words[:n])
		for _, key := range []string{"command", "cmd"} {
			if text, ok := parsed.Kwargs[key].(string); ok {
				command = append(command, text)
			}
		}
		return nil, &statusError{fmt.Sprintf("%s is no command here: type what it is to run itself: %s", name, strings.Join(command, " ")), exitUnknown}
	}
	ours = append(ours, words[:n]...)
	if !strings.HasPrefix(ours[0], agentPrefix) && !strings.HasPrefix(ours[0], registry.FieldPrefix) {
		return nil, &statusError{fmt.Sprintf("%s is no command here: type %s", name, quote.Line(ours[0], ours[1:])), exitUnknown}
	}
	return ours, nil
}

// foreignHint says what to type for a plain command that is another program's tool; "" where it is not.
func (p *Plan) foreignHint() string {
	if p.router == nil || !p.Native || p.Name == "" || !isPlain(p.Raw, false) {
		return ""
	}
	words, ok := p.router.names.Load().split(p.Raw)
	if !ok || len(words) == 0 || !slices.Contains(p.router.foreignNames(), registry.FoldForeign(words[0])) {
		return ""
	}
	ours, err := translateForeign(words[0], words[1:])
	switch {
	case err != nil:
		return err.Error()
	case ours == nil:
		return ""
	}
	return fmt.Sprintf("%s is no command here: type %s", words[0], quote.Line(ours[0], ours[1:]))
}

func (r *Router) foreignNames() []string {
	return registry.ForeignNames(func(name string) bool { _, ok := r.reg.Lookup(name); return ok })
}

var unknownCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m): line \d+: ([A-Za-z][\w.:-]*): command not found$`)
})

// explainUnknown says of commands that bash did not find what may have been meant.
func (r *Router) explainUnknown(p *Plan, stderr *capture) {
	names := r.names.Load()
	said := map[string]bool{}
	for _, m := range unknownCommand().FindAllStringSubmatch(stderr.start(), 8) {
		name := m[1]
		if said[name] {
			continue
		}
		said[name] = true
		_, err := registry.Foreign(name, nil)
		near := registry.Closest(name, slices.Collect(names.tools()), 1)
		field := r.fieldNamed(name)
		switch {
		case name+":" == agentPrefix || name+":" == registry.FieldPrefix:
			fmt.Fprintf(stderr, "hint: a tool is called as %s:NAME, without a blank; `%[1]s:` lists them\n", name)
		case err != nil:
			fmt.Fprintf(stderr, "hint: %v\n", err)
		case field != "":
			fmt.Fprintf(stderr, "hint: it is called as %s: `%[1]s --help` shows its parameters\n", field)
		case near != nil && slips(name, near[0], p.Raw, names):
			fmt.Fprintf(stderr, "hint: did you mean %s? `%s%[1]s --help` shows its parameters\n", near[0], agentPrefix)
		}
	}
}

// fieldNamed is the tool of a server that is called so without the prefix, or without its server.
func (r *Router) fieldNamed(name string) string {
	for _, g := range r.reg.Groups() {
		prefix := registry.FieldPrefix + g.Name + ":"
		if tool, ok := strings.CutPrefix(name, g.Name+":"); ok && tool != "" {
			return prefix + tool
		}
		var known []string
		if g.Known != nil {
			known = g.Known()
		}
		if _, ok := r.reg.Lookup(prefix + name); ok || slices.Contains(known, prefix+name) {
			return prefix + name
		}
	}
	return ""
}

// asFunction is a call in the form of most programming languages.
var asFunction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\w:]+)\(.*\)$`) })

// explainFunction says how a tool is called, where a text calls it with brackets.
func (r *Router) explainFunction(text string, stderr io.Writer) {
	m := asFunction().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return
	}
	name := r.fieldNamed(m[1])
	if name == "" && r.names.Load().agent[m[1]] != nil {
		name = agentPrefix + m[1]
	}
	if name != "" {
		fmt.Fprintf(stderr, "hint: a command has no brackets and no commas: type %s --key value; %[1]s --help shows its keys\n", name)
	}
}

// slips reports whether a name is likely a tool's, mistyped: by its letters, or by a key in the text.
func slips(name, tool, text string, names *nameIndex) bool {
	return registry.SameLetters(name, tool) ||
		slices.ContainsFunc(names.agent[tool].Params.List(), func(q registry.Param) bool { return strings.Contains(text, "--"+q.Name) })
}
