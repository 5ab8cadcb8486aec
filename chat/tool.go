package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/router"
	openai "github.com/sashabaranov/go-openai"
)

// DefaultTimeout is how long a command may run when the model names no time.
const DefaultTimeout = 2 * time.Minute

// MaxTimeout is the longest time that the model may name.
const MaxTimeout = 10 * time.Minute

const (
	toolName       = router.ToolName
	toolParameters = router.ToolParameters
)

// toolDefinitions is the one tool of every request.
func toolDefinitions(description string) []openai.Tool {
	return []openai.Tool{{
		Type: openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{
			Name:        toolName,
			Description: description,
			Parameters:  json.RawMessage(toolParameters),
		},
	}}
}

const rightForm = `the only tool is bash, with arguments such as {"command": "ls -l", "timeout": 60}`

// parseCall reads the command and the time limit out of a tool call. An error
// is meant for the model and names the right form.
func parseCall(name, arguments string) (command string, timeout time.Duration, err error) {
	if name != toolName {
		return "", 0, unknownTool(name, arguments)
	}
	var args struct {
		Command json.RawMessage `json:"command"`
		Timeout json.RawMessage `json:"timeout"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return "", 0, fmt.Errorf("the arguments are not a JSON object (%v): %s: %s", err, quoteHead(arguments), rightForm)
	}
	if args.Command == nil {
		return "", 0, fmt.Errorf("the arguments have no command: %s: %s", quoteHead(arguments), rightForm)
	}
	if err := json.Unmarshal(args.Command, &command); err != nil || bytes.Equal(args.Command, []byte("null")) {
		return "", 0, fmt.Errorf("command is not a string: %s: %s", quoteHead(string(args.Command)), rightForm)
	}
	timeout, err = parseTimeout(args.Timeout)
	return command, timeout, err
}

// unknownTool names what to send instead; a model that calls read as a tool of
// its own has usually just forgotten that it is a command.
func unknownTool(name, arguments string) error {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil || len(args) == 0 || name == "" {
		return fmt.Errorf("there is no tool %q: %s; other commands are typed into it: name --key value", name, rightForm)
	}
	return fmt.Errorf("there is no tool %q: %s; if %[1]s is a command, call bash with {\"command\": \"%[1]s --key value ...\"}", name, rightForm)
}

// parseTimeout takes seconds as a number, or as the text of one, which some
// models send.
func parseTimeout(raw json.RawMessage) (time.Duration, error) {
	text := strings.Trim(string(raw), `"`)
	if raw == nil || text == "null" || text == "" {
		return DefaultTimeout, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(seconds) || seconds <= 0:
		return 0, fmt.Errorf("timeout is %s: give a number of seconds above 0, at most %.0f, or leave it out", quoteHead(string(raw)), MaxTimeout.Seconds())
	case seconds > MaxTimeout.Seconds():
		return 0, fmt.Errorf("timeout is %s seconds: at most %.0f; start what takes longer in the background with &", text, MaxTimeout.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// quoteHead shows the beginning of what the model sent.
func quoteHead(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
