package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// The bash tool, the only one that a model is told of.
const (
	ToolName = "bash"

	// ToolParameters is the JSON Schema of its arguments.
	ToolParameters = `{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command line, as typed at a bash prompt; several lines are fine"},` +
		`"timeout":{"type":"number","description":"Seconds to wait for the command, which then goes on in the background (a kill: true beside it ends it); 120 if absent, at most 600"}},` +
		`"required":["command"]}`
)

// The parts of a description. It is paid for with every request, so it says only what
// --help cannot: which kinds of commands there are, and how to find out more.
const (
	aboutBash  = `Runs a command in one persistent bash: directory, variables and functions carry over.`
	aboutKinds = ` %s kinds of commands, freely mixed in pipes, loops and $(...):
- anything bash can run
%sCOMMAND -h says what a command is for, COMMAND --help lists its keys.`
	aboutOutput = ` The output is stdout, with [stderr] and [stdout] where the other begins, then [exit code: N] if not 0.`
)

// shown are the agent commands that a description names first, with examples of words that they may take.
var shown = []struct{ name, words, example string }{
	{"read", "--file_path f --offset 40 --limit 20", "read --file_path main.go --offset 40 --limit 20 (`read NAME` is bash's own)"},
	{"write", "--file_path f", "write --file_path notes.md <<'EOF'\nany text, as it is\nEOF"},
	{"edit", "--file_path f --old_string x --new_string y", "edit --file_path a.go --old_string 'x = 5' --new_string \"$(cat <<'EOF'\nany text, as it is\nEOF\n)\""},
	{"edit", "--file_path f", "edit --file_path a.go <<'EOF'\n<<<<<<< SEARCH\nold lines\n=======\nnew lines\n>>>>>>> REPLACE\nEOF"},
	{"grep", "--pattern x --glob y", "grep --pattern 'func main' --glob '*.go'"},
	{"glob", "--pattern x", "for f in $(glob '**/*_test.go'); do wc -l \"$f\"; done"},
	{"bash_start", "--command x", "id=$(bash_start 'npm run dev'); bash_output $id --wait 'listening' (for what takes long)"},
}

// Definition returns the definition of the bash tool, for a model's provider or a
// program that lists tools. Its description names read, write, edit, grep, glob and bash_start,
// as far as they are registered, every tool without a Category, and the first servers; the commands
// agent: and field: list the others. The same tools give the same bytes, which a provider's
// prompt cache needs.
func Definition(reg *registry.ToolRegistry) registry.Definition {
	text, agents, fields := aboutBash, agentLines(reg), fieldLines(reg)
	switch {
	case agents != "" && fields != "":
		text += fmt.Sprintf(aboutKinds, "Three", agents+fields)
	case agents+fields != "":
		text += fmt.Sprintf(aboutKinds, "Two", agents+fields)
	}
	return registry.Definition{Name: ToolName, Description: text + aboutOutput, Parameters: json.RawMessage(ToolParameters)}
}

// BriefDescription is a description for a model whose window is small: what there is, in a line each.
func BriefDescription(reg *registry.ToolRegistry) string {
	text := aboutBash
	var names []string
	for _, s := range shown {
		if _, ok := reg.Lookup(s.name); ok && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	if names != nil {
		text += " Beside what bash runs: " + strings.Join(names, ", ") + " (NAME --help), and what agent: lists."
	}
	if len(reg.Groups()) > 0 {
		text += " field: lists the servers."
	}
	return text
}

// agentLines are the lines of a description about agent commands; "" if there are none.
func agentLines(reg *registry.ToolRegistry) string {
	var names, examples []string
	for _, s := range shown {
		t, ok := reg.Lookup(s.name)
		if !ok {
			continue
		}
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
		if takesWords(t, strings.Fields(s.words)) {
			examples = append(examples, s.example)
		}
	}
	var others []string // categories
	for _, t := range reg.All() {
		if strings.HasPrefix(t.Name, registry.FieldPrefix) || slices.Contains(names, t.Name) {
			continue
		}
		if t.Category != "" {
			others = append(others, t.Category)
			continue
		}
		names = append(names, t.Name)
		if len(examples) == 0 && len(t.Examples) > 0 {
			examples = t.Examples[:1]
		}
	}
	if slices.Sort(others); len(others) > 0 {
		names = append(names, "and what agent: lists ("+strings.Join(slices.Compact(others), ", ")+")")
	}
	if len(names) == 0 {
		return ""
	}
	line := "- agent commands: " + strings.Join(names, ", ")
	if len(examples) > 0 {
		line += ", with --key value:\n" + strings.Join(examples, "\n")
	}
	return line + "\n"
}

// How much of a description is about servers.
const (
	maxServers     = 30
	maxServerBytes = 1500
)

// fieldLines are those about servers and functions; "" if there are none.
func fieldLines(reg *registry.ToolRegistry) string {
	groups := reg.Groups()
	if len(groups) == 0 && !slices.ContainsFunc(reg.All(), func(t *registry.Tool) bool { return strings.HasPrefix(t.Name, registry.FieldPrefix) }) {
		return ""
	}
	var b strings.Builder
	b.WriteString("- field commands, of servers: field:SERVER -h lists the tools of one, field: search WORDS looks in all, field:SERVER:TOOL --key value calls one\n")
	for i, g := range groups {
		if i == maxServers {
			fmt.Fprintf(&b, "and %d more: field: lists them\n", len(groups)-i)
			break
		}
		line := strings.TrimSuffix("field:"+g.Name+": "+g.Summary, ": ")
		if most := maxServerBytes / min(len(groups), maxServers); len(line) > most {
			line = strings.ToValidUTF8(line[:most-3], "") + "..."
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func takesWords(t *registry.Tool, words []string) bool {
	_, err := t.Parse(words, true)
	return err == nil
}

// CommandFor is a command string that calls a tool with these kwargs.
func CommandFor(t *registry.Tool, kwargs registry.Kwargs) (string, error) {
	words, err := t.Words(kwargs)
	if err != nil {
		return "", err
	}
	return quote.Line(prefixedName(t.Name), words), nil
}
