package router

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// The one tool that a model is told of. Its texts are constants: requests must
// be the same bytes each time, or a server's prompt cache is missed.
const (
	ToolName = "bash"

	// ToolDescription is paid for with every request, so it says only what --help
	// cannot: that there are three kinds of commands, and how to find out more.
	ToolDescription = `Runs a command in one persistent bash: directory, variables and functions carry over. Three kinds of commands, freely mixed in pipes and loops:
- anything bash can run
- agent commands: read, write, edit, grep, glob. Example: read --file_path main.go --limit 50; edit --file_path a.go --old_string 'x' --new_string 'y'. Long text: write --file_path f <<'EOF'
- field commands: field: lists the servers, field:SERVER its tools, field:SERVER:TOOL --key value calls one
COMMAND -h says what a command is for, COMMAND --help lists its parameters. The output is stdout, then [stderr], then [exit code: N] if not 0.`

	// ToolParameters is the JSON Schema of its arguments.
	ToolParameters = `{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command line, as typed at a bash prompt; several lines are fine"},` +
		`"timeout":{"type":"number","description":"Seconds until the command is stopped; 120 if absent, at most 600"}},` +
		`"required":["command"]}`
)

// Definition is the one tool, for a provider or a program that lists tools.
func Definition() registry.Definition {
	return registry.Definition{Name: ToolName, Description: ToolDescription, Parameters: json.RawMessage(ToolParameters)}
}

// Arguments are those of one call of the one tool.
type Arguments struct {
	Command string
	Timeout time.Duration // 0: none was given
}

const rightForm = `bash takes arguments such as {"command": "ls -l", "timeout": 60}`

// ParseArguments reads the arguments of a call of the one tool. An error is
// meant for who called, and names the right form.
func ParseArguments(data []byte) (a Arguments, err error) {
	var raw struct {
		Command json.RawMessage `json:"command"`
		Timeout json.RawMessage `json:"timeout"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return a, fmt.Errorf("the arguments are not a JSON object (%w): %s", err, rightForm)
	}
	if raw.Command == nil {
		return a, errors.New("the arguments have no command: " + rightForm)
	}
	if err := json.Unmarshal(raw.Command, &a.Command); err != nil || bytes.Equal(raw.Command, []byte("null")) {
		return a, errors.New("command is not a string: " + rightForm)
	}
	text := strings.Trim(string(raw.Timeout), `"`)
	if text == "" || text == "null" {
		return a, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 || seconds > MaxTimeout.Seconds() {
		return a, fmt.Errorf("timeout is %.40s: give a number of seconds above 0, at most %.0f, or leave it out", raw.Timeout, MaxTimeout.Seconds())
	}
	a.Timeout = time.Duration(seconds * float64(time.Second))
	return a, nil
}

// CommandFor is a command string that calls a tool with these kwargs.
func CommandFor(t *registry.Tool, kwargs registry.Kwargs) (string, error) {
	words, err := t.Words(kwargs)
	if err != nil {
		return "", err
	}
	return typedAs(unmistakable(t.Name), words), nil
}
