package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// The bash tool, the only one that a model is told of.
const (
	ToolName = "bash"

	// ToolParameters is the JSON Schema of its arguments.
	ToolParameters = `{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command line, as typed at a bash prompt; several lines are fine"},` +
		`"timeout":{"type":"number","description":"Seconds until the command is stopped; 120 if absent, at most 600"}},` +
		`"required":["command"]}`
)

// description is paid for with every request, so it says only what --help
// cannot: which kinds of commands there are, and how to find out more. Field
// commands are in it whether there is a server or not, since one may come later.
const description = `Runs a command in one persistent bash: directory, variables and functions carry over. %s kinds of commands, freely mixed in pipes and loops:
- anything bash can run
%s- field commands: field: lists the servers, field:SERVER its tools, field:SERVER:TOOL --key value calls one
COMMAND -h says what a command is for, COMMAND --help lists its parameters. The output is stdout, then [stderr], then [exit code: N] if not 0.`

// shown are the agent commands that a description names first, each with an
// example, which stands there if the tool takes it.
var shown = []struct{ name, example string }{
	{"read", "read --file_path main.go --limit 50"},
	{"write", "write --file_path f <<'EOF'"},
	{"edit", "edit --file_path a.go --old_string 'x' --new_string 'y'"},
	{"grep", ""},
	{"glob", ""},
}

// Definition returns the definition of the bash tool, for a model's provider or a
// program that lists tools. Its description names read, write, edit, grep and glob,
// as far as they are registered, and every tool without a Category; the command
// agent: lists the others. The same tools give the same bytes, which a provider's
// prompt cache needs.
func Definition(reg *registry.ToolRegistry) registry.Definition {
	kinds, agents := "Two", agentLine(reg)
	if agents != "" {
		kinds = "Three"
	}
	return registry.Definition{Name: ToolName, Description: fmt.Sprintf(description, kinds, agents), Parameters: json.RawMessage(ToolParameters)}
}

// agentLine is the line of a description about agent commands; "" if there are none.
func agentLine(reg *registry.ToolRegistry) string {
	var names, examples []string
	long := "" // how a long text is passed
	for _, s := range shown {
		t, ok := reg.Lookup(s.name)
		if !ok {
			continue
		}
		names = append(names, s.name)
		words := strings.Fields(strings.TrimSuffix(s.example, " <<'EOF'"))
		switch {
		case len(words) == 0:
		case !takesWords(t, words[1:]):
		case s.name == "write":
			long = " Long text: " + s.example
		default:
			examples = append(examples, s.example)
		}
	}
	some := false
	for _, t := range reg.All() {
		if strings.HasPrefix(t.Name, registry.FieldPrefix) {
			continue
		}
		some = true
		if t.Category != "" || slices.Contains(names, t.Name) {
			continue
		}
		names = append(names, t.Name)
		if len(examples) == 0 && len(t.Examples) > 0 {
			examples = t.Examples[:1]
		}
	}
	switch {
	case !some:
		return ""
	case len(names) == 0:
		names = []string{"agent: lists them"}
	}
	line := "- agent commands: " + strings.Join(names, ", ")
	if len(examples) > 0 {
		line += ". Example: " + strings.Join(examples, "; ")
	}
	if long != "" {
		line += "." + long
	}
	return line + "\n"
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
	return typedAs(prefixedName(t.Name), words), nil
}
