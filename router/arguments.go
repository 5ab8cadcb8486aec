package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// Arguments are the arguments of one call of the bash tool.
type Arguments struct {
	Command string
	Timeout time.Duration // 0: none was given
	Kill    bool          // at its time limit it is ended, and does not go on
	Note    string        // what was read otherwise than it was sent, for who called; "" for nothing
}

// Context is the one to run the command with.
func (a *Arguments) Context(ctx context.Context) context.Context {
	if a.Kill {
		return KillAtLimit(ctx)
	}
	return ctx
}

// Noted is what a command wrote, and the note.
func (a *Arguments) Noted(output string) string {
	if a.Note == "" {
		return output
	}
	return strings.TrimSuffix(output, "\n") + "\n[" + a.Note + "]"
}

const rightForm = `bash takes arguments such as {"command": "ls -l", "timeout": 60}`

// ParseArguments reads the arguments of a call of the one tool, as models send
// them, to a shell that is in dir. An error is meant for who called, and names the right form.
func ParseArguments(data []byte, dir string) (Arguments, error) {
	args, err := decodeArguments(data)
	if err != nil {
		return Arguments{}, err
	}
	return readArguments(args, dir, 0)
}

// ParseCall reads a call by a model. One of a tool that is not bash becomes a command that
// does what was meant. has says which agent commands there are; nil: bash is all there is.
func ParseCall(name string, data []byte, dir string, has func(name string) bool) (Arguments, error) {
	name = templateMarks().ReplaceAllString(strings.TrimSpace(name), "")
	if name == "" { // there is but one tool
		name = ToolName
	}
	args, err := decodeArguments(data)
	if err != nil && bareCommand().Match(data) {
		args, err = registry.Kwargs{"command": string(data)}, nil
	}
	if err != nil {
		return Arguments{}, err
	}
	words, err := registry.Foreign(name, args)
	switch {
	case name == ToolName, len(words) == 1 && words[0] == ToolName:
		return readArguments(args, dir, 0)
	case has == nil || !toolNames().MatchString(name):
		return Arguments{}, fmt.Errorf("there is no tool %.80q, the only tool is bash: %s", name, rightForm)
	case words == nil && err == nil, has(name) && (err != nil || words[0] != agentPrefix+name):
		words = registry.KeyWords(prefixedName(name), args)
	case err != nil:
		return Arguments{}, err
	}
	return Arguments{Command: quote.Line(words[0], words[1:])}, nil
}

// templateMarks are what a model's chat template leaves around a tool's name.
var templateMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(functions|default_api|tools)\.|(:\d+)?(<\|.*)?$`)
})

var toolNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`) })

// decodeArguments takes an object, also encoded twice, in a list, or almost JSON; and the words of a command.
func decodeArguments(data []byte) (registry.Kwargs, error) {
	text := strings.TrimSpace(string(data))
	if text == "" {
		return nil, nil
	}
	for range 3 {
		v, err := registry.DecodeJSON([]byte(text))
		if err != nil {
			if v, err = registry.DecodeJSON([]byte(repairJSON(text))); err != nil {
				return nil, malformed(text)
			}
		}
		list, isList := v.([]any)
		if isList && len(list) == 1 {
			if object, ok := list[0].(map[string]any); ok {
				v = object
			}
		}
		switch v := v.(type) {
		case map[string]any:
			return v, nil
		case string:
			text = strings.TrimSpace(v)
			continue
		case []any:
			if _, err := commandText(v); err == nil {
				return registry.Kwargs{"command": v}, nil
			}
		}
		break
	}
	return nil, fmt.Errorf("the arguments are not a JSON object: %s: %s", quoteHead(data), rightForm)
}

// bareCommand is a line that can be no attempt at JSON.
var bareCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][\w./-]*( [^\n{}]*)?$`) })

// malformed says where the fault of a text is, which the model does not see otherwise.
func malformed(text string) error {
	at := len(text)
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal([]byte(text), new(any)), &syntax) {
		at = int(syntax.Offset)
	}
	at = min(max(at-1, 0), len(text))
	why := "it ends in the midst, as if it were cut off"
	if at < len(text)-1 {
		why = "near " + strconv.Quote(strings.ToValidUTF8(text[max(0, at-30):min(len(text), at+30)], ""))
	}
	return fmt.Errorf("the arguments are not a JSON object: at character %d of %d %s: %s: %s", at, len(text), why, quoteHead([]byte(text)), rightForm)
}

func quoteHead(text []byte) string {
	const most = 120
	if len(text) > most {
		return strconv.Quote(string(text[:most]) + "...")
	}
	return strconv.Quote(string(text))
}

// maxUnwraps bounds how often a call is taken out of another one's text.
const maxUnwraps = 4

// readArguments reads the arguments, by the names that agents have for them.
func readArguments(args registry.Kwargs, at string, depth int) (a Arguments, err error) {
	if inner := innerArguments(args); inner != nil && depth < maxUnwraps {
		return readArguments(inner, at, depth+1)
	}
	var text any
	dir, background, others := "", false, registry.Kwargs{}
	for _, key := range slices.Sorted(maps.Keys(args)) {
		v := args[key]
		name := strings.ToLower(strings.ReplaceAll(key, "_", ""))
		if slices.Contains([]string{"code", "commands", "bash", "input"}, name) && args["command"] == nil && args["cmd"] == nil {
			name = "command"
		}
		switch name {
		case "command", "cmd", "commandline", "script":
			if text != nil {
				return a, fmt.Errorf("there are two commands, one of them in %s: %s", key, rightForm)
			}
			if list, ok := v.([]any); ok && key == "commands" {
				v = joinLines(list)
			}
			text = v
		case "timeout", "timeoutseconds", "timeoutsecs", "timeoutsec":
			err = a.setTimeout(key, v, false)
		case "timeoutms", "timeoutmilliseconds":
			err = a.setTimeout(key, v, true)
		case "kill", "killattimeout", "killontimeout", "killatlimit":
			a.Kill = v == true || v == "true"
		case "workingdirectory", "workingdir", "workdir", "cwd", "directory", "dirpath", "dir":
			var ok bool
			if dir, ok = v.(string); !ok && v != nil {
				err = fmt.Errorf("%s is not a string: %s", key, rightForm)
			}
		case "runinbackground", "isbackground", "background":
			background = v == true || v == "true"
		case "description", "explanation", "justification", "reason", "thought", "goal", "id", "requiresapproval", "securityrisk",
			"yieldtimems", "maxoutputtokens", "login", "blocking", "waitmsbeforeasync", "safetoautorun":
		default:
			if v != nil && v != false && v != "" && v != "false" {
				others[key] = v
			}
		}
		if err != nil {
			return a, err
		}
	}
	if a.Command, err = commandText(text); err == nil && len(others) > 0 {
		err = unknownArguments(a.Command, others)
	}
	if err == nil {
		err = a.unwrap(at, depth)
	}
	if err == nil {
		a.place(at, dir, background)
	}
	return a, err
}

// innerArguments are arguments that stand in an argument of another name; nil: they do not.
func innerArguments(args registry.Kwargs) registry.Kwargs {
	for _, key := range []string{"arguments", "parameters", "params", "args", "input"} {
		if inner, ok := args[key].(map[string]any); ok && args["command"] == nil && args["cmd"] == nil {
			return inner
		}
	}
	return nil
}

// joinLines is a list of commands as one text. What follows a cd that fails is not for the directory before it.
func joinLines(list []any) any {
	var lines []string
	for i, v := range list {
		line, ok := v.(string)
		if !ok {
			return list
		}
		if i < len(list)-1 && plainCD().MatchString(line) {
			line += " &&"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

var plainCD = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*cd [^\n;|&#]+$`) })

// commandText is a command that is a string, or the words of one.
func commandText(v any) (string, error) {
	list, isList := v.([]any)
	var words []string
	for _, e := range list {
		word, ok := e.(string)
		isList = isList && ok
		words = append(words, word)
	}
	text, isText := v.(string)
	switch {
	case v == nil:
		return "", errors.New("the arguments have no command: " + rightForm)
	case isText:
		return text, nil
	case !isList || len(words) == 0:
		return "", errors.New("command is not a string: " + rightForm)
	case len(words) == 1:
		return words[0], nil
	case len(words) == 3 && shells().MatchString(words[0]+" "+words[1]):
		return words[2], nil
	}
	return quote.Line(quote.Word(words[0]), words[1:]), nil
}

var shells = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(/(usr/)?bin/)?(ba|z|da)?sh -[a-z]*c$`) })

// unknownArguments names what bash has no argument for, and what to send.
func unknownArguments(command string, args registry.Kwargs) error {
	names := strings.Join(slices.Sorted(maps.Keys(args)), ", ")
	send := rightForm
	if name := strings.TrimSpace(command); toolNames().MatchString(name) {
		words := registry.KeyWords(name, args)
		example, _ := json.Marshal(quote.Line(words[0], words[1:]))
		send = fmt.Sprintf(`what a command takes stands in it: {"command": %s}`, example)
	}
	return fmt.Errorf("bash has no argument %s, and nothing ran: %s", names, send)
}

// place has the command run in a directory or in the background.
func (a *Arguments) place(at, dir string, background bool) {
	if strings.TrimSpace(a.Command) == "" {
		return
	}
	if background {
		a.Command = quote.Line(agentPrefix+"bash_start", []string{"--command=" + a.Command})
	}
	if dir != "" && filepath.Clean(dir) != "." && filepath.Clean(dir) != at {
		home := ""
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			home, dir = "~/", rest
		}
		a.Command = "(cd -- " + home + quote.Word(dir) + " || exit\n" + a.Command + "\n)"
		a.addNote("the directory was for this call alone, in a subshell, which keeps no variables: cd " + home + quote.Word(dir) + " stays")
	}
}

func (a *Arguments) addNote(text string) {
	if a.Note != "" && text != "" {
		text = "; " + text
	}
	a.Note += text
}

var withUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\d.]+)\s*(ms|milli|[smh])[a-z]*$`) })

// setTimeout takes seconds as a number or text. What is long beyond all sense is in milliseconds.
func (a *Arguments) setTimeout(key string, v any, milliseconds bool) error {
	text := strings.ToLower(strings.TrimSpace(fmt.Sprint(v)))
	if v == nil || text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if m := withUnit().FindStringSubmatch(text); m != nil {
		n, err = strconv.ParseFloat(m[1], 64)
		n *= map[string]float64{"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 3600}[m[2]]
		milliseconds = false
	}
	if text == "none" || err == nil && n <= 0 {
		a.addNote(fmt.Sprintf("timeout %s was left out: the limit is %.0f seconds", text, DefaultTimeout.Seconds()))
		return nil
	}
	if err != nil || math.IsNaN(n) {
		shown, _ := json.Marshal(v)
		return fmt.Errorf("%s is %.40s: give a number of seconds above 0, at most %.0f, or leave it out", key, shown, MaxTimeout.Seconds())
	}
	most := MaxTimeout.Seconds()
	if !withUnit().MatchString(text) && !milliseconds && n > most && (n >= 10_000 || math.Mod(n, 1000) == 0) {
		milliseconds = true
		a.addNote(fmt.Sprintf("timeout %s was read as milliseconds: it is in seconds", text))
	}
	if milliseconds {
		n /= 1000
	}
	if n > most {
		a.addNote(fmt.Sprintf("the time limit is %.0f seconds, the longest there is: bash_start 'COMMAND' runs longer work", most))
		n = most
	}
	a.Timeout = max(time.Duration(n*float64(time.Second)), 1)
	return nil
}
