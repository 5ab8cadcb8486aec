package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// newAsker is who can be asked at this program's terminal, if anybody: in lines, and
// through the chat while there is one.
func (a *app) newAsker() *term.Prompter {
	return term.NewAsker(a.in, a.err, &term.AskerOptions{Plain: a.plainTerminal(), Color: a.wantsColours()})
}

// asker is who can be asked, and told: a person at this terminal, or in an editor.
type asker interface {
	Ask(ctx context.Context, q *term.Question) (term.Reply, error)
	Present() bool
	Tell(text string)
}

// nobody is told, and not asked.
type nobody struct{ tell func(text string) }

func (nobody) Ask(context.Context, *term.Question) (term.Reply, error) {
	return term.Reply{}, term.ErrNobody
}
func (nobody) Present() bool      { return false }
func (n nobody) Tell(text string) { n.tell(text) }

// readsErrors is nobody, but that stderr is read.
func (a *app) readsErrors() nobody {
	return nobody{func(text string) { fmt.Fprintln(a.err, text) }}
}

// askerIf is newAsker, or nobody.
func (a *app) askerIf(wanted bool) asker {
	if wanted {
		return a.newAsker()
	}
	return a.readsErrors()
}

// person asks on behalf of servers.
type person struct{ ask asker }

func yesNo() []term.Choice {
	return []term.Choice{{Key: "y", Label: "yes"}, {Key: "n", Label: "no"}}
}

func (p *person) confirmYes(title, text string) bool {
	r, err := p.ask.Ask(context.Background(), &term.Question{Title: title, Text: text, Choices: yesNo(), Default: "n"})
	return err == nil && r.Key == "y"
}

// confirmServer asks whether a server's changed tool definitions may be used.
func (p *person) confirmServer(server string, changes []string) bool {
	return p.confirmYes("The tools of field:"+server+" are not what they were when you last used it. Use them as they are now?", strings.Join(changes, "\n"))
}

// showLogin shows where to log in.
func (p *person) showLogin(_ context.Context, server, url string) error {
	p.ask.Tell(fmt.Sprintf("field:%s wants you to log in: open %s", server, url))
	return nil
}

// askElicitation asks a server's question: each property of its schema is one.
func (p *person) askElicitation(server string, q mcp.Question) mcp.Answer {
	if q.URL != "" {
		if p.confirmYes("field:"+server+" asks you to open a page. Open it yourself, and go on?", q.Message+"\n"+q.URL) {
			return mcp.Answer{Action: "accept"}
		}
		return mcp.Answer{Action: "decline"}
	}
	params, err := registry.ParseSchema(server, q.Schema)
	if err != nil || !p.confirmYes("field:"+server+" asks something. Answer it?", q.Message) {
		return mcp.Answer{Action: "decline"}
	}
	tool := registry.Tool{Name: "answer", Params: params}
	for problem := ""; ; {
		var words []string
		for _, q := range params.List() {
			r, err := p.ask.Ask(context.Background(), propertyQuestion(&q, problem))
			if err != nil {
				return mcp.Answer{Action: "cancel"}
			}
			if s := strings.TrimSpace(r.Key + r.Text); s != "" || q.Required {
				words = append(words, "--"+q.Name+"="+s)
			}
			problem = ""
		}
		parsed, err := tool.Parse(words, false)
		if err == nil {
			return mcp.Answer{Action: "accept", Content: plainValues(parsed.Kwargs)}
		}
		problem = err.Error()
	}
}

// propertyQuestion is the question for one property of a server's schema. problem is what
// was wrong with the answers before.
func propertyQuestion(p *registry.Param, problem string) *term.Question {
	q := &term.Question{Title: p.Name, Text: strings.TrimSpace(problem + "\n" + p.Description)}
	if !p.Required {
		q.Title += " (not required)"
	}
	values := p.Enum
	if p.Type == "boolean" {
		values = []string{"true", "false"}
	}
	for _, v := range values {
		q.Choices = append(q.Choices, term.Choice{Key: v})
	}
	if p.Default != nil {
		q.Default = fmt.Sprint(p.Default)
	}
	return q
}

// plainValues turns literal numbers into Go's, since a reply is checked against the
// schema by its Go values.
func plainValues(k registry.Kwargs) map[string]any {
	out := map[string]any{}
	for name, v := range k {
		if n, ok := v.(json.Number); ok {
			if i, err := n.Int64(); err == nil {
				v = i
			} else if f, err := n.Float64(); err == nil {
				v = f
			}
		}
		out[name] = v
	}
	return out
}
