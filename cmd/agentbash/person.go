package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"golang.org/x/term"
)

// person asks whoever sits at the terminal on behalf of servers. What a server
// says is made safe for the screen. One question is asked at a time.
type person struct {
	mu  sync.Mutex
	in  *bufio.Reader
	out io.Writer
}

// atTerminal returns who can be asked, or nil where nobody can: stdin or
// stderr is no terminal.
func (a *app) atTerminal() *person {
	out, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(a.in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	return &person{in: bufio.NewReader(a.in), out: out}
}

func (p *person) line(prompt string) (string, bool) {
	fmt.Fprint(p.out, router.Safe(prompt))
	s, err := p.in.ReadString('\n')
	return strings.TrimSpace(s), err == nil
}

func (p *person) yes(question string) bool {
	s, ok := p.line(question + " [y/N] ")
	return ok && (strings.EqualFold(s, "y") || strings.EqualFold(s, "yes"))
}

// confirm asks whether a server's changed tool definitions may be used.
func (p *person) confirm(server string, changes []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.yes(fmt.Sprintf("The tools of field:%s are not what they were when you last used it:\n  %s\nUse them as they are now?", server, strings.Join(changes, "\n  ")))
}

// login shows where to log in.
func (p *person) login(_ context.Context, server, url string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "field:%s wants you to log in: open %s\n", router.Safe(server), router.Safe(url))
	return nil
}

// elicit asks a server's question: each property of its schema is a line.
func (p *person) elicit(server string, q mcp.Question) mcp.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "field:%s asks: %s\n", router.Safe(server), router.Safe(q.Message))
	if q.URL != "" {
		if p.yes("Open " + q.URL + " yourself, and go on?") {
			return mcp.Answer{Action: "accept"}
		}
		return mcp.Answer{Action: "decline"}
	}
	params, err := registry.ParseSchema(server, q.Schema)
	if err != nil || !p.yes("Answer it?") {
		return mcp.Answer{Action: "decline"}
	}
	tool := registry.Tool{Name: "answer", Params: params}
	for {
		var words []string
		for _, q := range params.List() {
			s, ok := p.line(fmt.Sprintf("  %s (%s): ", q.Name, q.Description))
			if !ok {
				return mcp.Answer{Action: "cancel"}
			}
			if s != "" || q.Required {
				words = append(words, "--"+q.Name+"="+s)
			}
		}
		parsed, err := tool.Parse(words, false)
		if err == nil {
			return mcp.Answer{Action: "accept", Content: plainValues(parsed.Kwargs)}
		}
		fmt.Fprintln(p.out, err)
	}
}

// plainValues turns literal numbers into Go's, for a reply that is encoded again.
func plainValues(k registry.Kwargs) map[string]any {
	out := map[string]any{}
	for name, v := range k {
		if n, ok := v.(json.Number); ok {
			v = json.RawMessage(n)
		}
		out[name] = v
	}
	return out
}
