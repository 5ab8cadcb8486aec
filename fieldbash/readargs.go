package fieldbash

import (
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// maxFile bounds what --key@=FILE and --json @FILE read, in bytes.
const maxFile = 64 << 20

// readArguments are a call's kwargs with what had to be read now, and the form of
// the result. They are checked here if Parse could not.
func readArguments(call *registry.Call) (args registry.Kwargs, format string, err error) {
	args = maps.Clone(call.Kwargs)
	format, _ = args[formatKey].(string)
	later, _ := args[laterKey].([]any)
	delete(args, formatKey)
	delete(args, laterKey)
	if later == nil {
		return args, format, nil
	}
	stdin := &onceReader{r: call.Stdin}
	for _, one := range later {
		want, _ := one.(map[string]any)
		name, _ := want["file"].(string)
		text, err := readText(call, stdin, name)
		if err != nil {
			return nil, "", err
		}
		if want["as"] == "json" {
			args, err = overBase(text, name, args)
		} else {
			err = setFromText(call.Tool, args, want["set"], text)
		}
		if err != nil {
			return nil, "", err
		}
	}
	if problems := call.Tool.Check(args); len(problems) > 0 {
		return nil, "", &registry.UsageError{Problems: problems, Next: call.Tool.Advice()}
	}
	return args, format, nil
}

// overBase lays the arguments that were given over those that a file holds.
func overBase(text, name string, args registry.Kwargs) (registry.Kwargs, error) {
	v, err := registry.DecodeJSON([]byte(text))
	base, ok := v.(map[string]any)
	if err != nil {
		return nil, registry.Usagef("--json %s: not JSON: %v", name, err)
	}
	if !ok {
		return nil, registry.Usagef("--json %s: not a JSON object: write one with the arguments as members", name)
	}
	maps.Copy(base, args)
	return base, nil
}

// setFromText sets the place of --key@=FILE; text for a string is taken as it is.
func setFromText(t *registry.Tool, args registry.Kwargs, set any, text string) error {
	list, _ := set.([]any)
	path := make([]string, len(list))
	for i := range list {
		path[i], _ = list[i].(string)
	}
	leaf := t.Params.Find(path[0])
	for _, part := range path[1:] {
		leaf, _ = memberOf(leaf, part)
	}
	var v any = text
	if leaf != nil && leaf.Type != registry.String && leaf.Type != "" {
		var err error
		if v, err = coerceWords(leaf, []string{strings.TrimSpace(text)}); err != nil {
			return registry.Usagef("--%s@=: %v", strings.Join(path, "."), err)
		}
	}
	if err := setPlace(args, path, v, t.Params); err != nil {
		return registry.Usagef("--%s@=: %v", strings.Join(path, "."), err)
	}
	return nil
}

// onceReader is stdin, which can be read once.
type onceReader struct {
	r    io.Reader
	used bool
}

func readText(call *registry.Call, stdin *onceReader, name string) (string, error) {
	var r io.Reader
	switch {
	case name == "-" && stdin.r == nil:
		return "", registry.Usagef("there is nothing on stdin: pipe something into the command")
	case name == "-" && stdin.used:
		return "", registry.Usagef("stdin is asked for twice: name a file for one of them")
	case name == "-":
		stdin.used = true
		r = stdin.r
	default:
		f, err := os.Open(call.Path(name))
		if err != nil {
			return "", registry.Usagef("%v", err)
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > maxFile {
		return "", registry.Usagef("%s holds more than %d MB", name, maxFile>>20)
	}
	return string(b), nil
}
