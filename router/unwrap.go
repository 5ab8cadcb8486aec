package router

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// What models put around a command.
var (
	fenced = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)^(`{3,})[ \t]*([A-Za-z0-9_+-]*)[^\n`]*\n(.*?)\\s*(`{3,})?$")
	})
	quoted  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^`([^`\n]+)`$") })
	tagged  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^<([a-z_]+)>\s*(.*?)\s*</([a-z_]+)>$`) })
	withDoc = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^(?:agent:)?([a-z_]+|field:[\w.-]+:[\w.-]+)\s+'?(\{\s*".*\})'?$`)
	})
)

// unwrap takes off what models put around a command: Markdown's fence, a prompt, tags, and the call itself.
func (a *Arguments) unwrap(at string, depth int) error {
	text := strings.TrimSpace(a.Command)
	if depth == maxUnwraps || text == "" {
		return nil
	}
	switch m := tagged().FindStringSubmatch(text); {
	case strings.HasPrefix(text, "```"):
		f := fenced().FindStringSubmatch(text)
		if f == nil || hasFence(f[3]) {
			return errMarkdown
		}
		switch strings.ToLower(f[2]) {
		case "", "bash", "sh", "shell", "zsh", "console", "terminal", "shell-session":
			a.Command = f[3]
		default:
			return fmt.Errorf("the command is %s in Markdown, and nothing ran: send a bash command without a fence, such as python3 - <<'EOF'", f[2])
		}
	case quoted().MatchString(text):
		a.Command = text[1 : len(text)-1]
	case m != nil && m[1] == m[3]:
		a.Command = m[2]
	case strings.HasPrefix(text, "$ "):
		if err := a.dropPrompts(text); err != nil {
			return err
		}
	case strings.HasPrefix(text, "{"):
		return a.unwrapCall(text, at, depth)
	case hasFence(text):
		return errMarkdown
	default:
		a.unwrapDocument(text)
		return nil
	}
	return a.unwrap(at, depth+1)
}

var errMarkdown = errors.New("there is Markdown around the command, and nothing ran: send the command alone: " + rightForm)

// hasFence reports whether bash would take a Markdown fence for substitutions: an empty one next to another.
func hasFence(text string) (found bool) {
	if !strings.Contains(text, "```") {
		return false
	}
	for _, stmt := range bashtext.Parse(text).Stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if w, ok := n.(*syntax.Word); ok && len(w.Parts) > 1 {
				first, _ := w.Parts[0].(*syntax.CmdSubst)
				_, next := w.Parts[1].(*syntax.CmdSubst)
				found = found || next && first != nil && first.Backquotes && len(first.Stmts) == 0
			}
			return true
		})
	}
	return found
}

// dropPrompts takes the prompt off every line.
func (a *Arguments) dropPrompts(text string) error {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "$ ")
		if !ok && strings.TrimSpace(line) != "" {
			return fmt.Errorf("the command begins with a prompt, and nothing ran: send it without the `$ ` and without its output: %s", rightForm)
		}
		lines[i] = rest
	}
	a.Command = strings.Join(lines, "\n")
	return nil
}

// unwrapCall takes the arguments, or a whole call, out of a text that is JSON.
func (a *Arguments) unwrapCall(text, at string, depth int) error {
	args, _ := decodeArguments([]byte(text))
	if inner := innerArguments(args); inner != nil {
		args = inner
	}
	if args["command"] == nil && args["cmd"] == nil {
		return nil
	}
	inner, err := readArguments(args, at, depth+1)
	if inner.Timeout == 0 {
		inner.Timeout = a.Timeout
	}
	inner.addNote(a.Note)
	*a = inner
	return err
}

// unwrapDocument makes a command of a name and its arguments in JSON.
func (a *Arguments) unwrapDocument(text string) {
	m := withDoc().FindStringSubmatch(text)
	if m == nil {
		return
	}
	v, err := registry.DecodeJSON([]byte(m[2]))
	args, ok := v.(map[string]any)
	if err != nil || !ok {
		return
	}
	if strings.HasPrefix(m[1], registry.FieldPrefix) {
		a.Command = quote.Line(m[1], []string{"--json", m[2]})
	} else if words, err := registry.Foreign(m[1], args); err == nil && len(words) > 1 && words[0] == agentPrefix+m[1] {
		a.Command = quote.Line(words[0], words[1:])
	}
}
