package term

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/internal/safetext"
)

// settleTime is how long nothing may have been typed before a question takes
// what is typed for its answer, in milliseconds.
const settleTime = 400

// lineAsker puts a question to a terminal in its line mode.
type lineAsker struct {
	fd   int
	out  io.Writer
	size func() (width, height int)
	look palette
	// ahead takes the lines that were typed before the question; nil: they are
	// dropped, which is said.
	ahead func(lines []string)
}

func (l *lineAsker) ask(ctx context.Context, q *Question) (Reply, error) {
	in, err := newSource(l.fd)
	if err != nil {
		return Reply{}, fmt.Errorf("ask: %w", err)
	}
	defer in.close()
	defer in.cancelOn(ctx)()
	width, _ := l.size()
	b, list := block{l.look, width}, q
	q = q.inLines()
	choices := b.choices(q)
	if list.Items != nil {
		choices = nil // they stand in the text
	}
	l.print(b.title(q), b.text(q, list.Items != nil, "?"), choices)
	if q.Secret { // the person asked for it: what is typed already is the answer's
		defer in.hideTyped()()
	} else {
		l.holdTyped(in)
	}
	a := answering{q: q}
	for {
		io.WriteString(l.out, a.prompt())
		line, err := in.line()
		if err != nil {
			io.WriteString(l.out, "\n")
			if ctx.Err() != nil {
				return Reply{}, context.Cause(ctx)
			}
			return Reply{}, ErrNoAnswer
		}
		if strings.TrimSpace(line) == "?" && a.choice == nil && q.Text != "" {
			l.print(b.text(q, true, ""))
			continue
		}
		reply, problem := a.take(strings.ToValidUTF8(line, "\ufffd"))
		if reply != nil {
			return list.ofItem(*reply), nil
		}
		if problem != "" {
			io.WriteString(l.out, problem+"\n")
		}
	}
}

func (l *lineAsker) print(parts ...[]string) {
	for _, rows := range parts {
		for _, r := range rows {
			io.WriteString(l.out, r+"\n")
		}
	}
}

// holdTyped puts aside what was typed before the question could be read.
func (l *lineAsker) holdTyped(in *source) {
	typed := strings.ToValidUTF8(in.readTyped(settleTime), "\ufffd")
	lines := strings.Split(typed, "\n")
	part := lines[len(lines)-1]
	if lines = lines[:len(lines)-1]; l.ahead != nil {
		l.ahead(lines)
		typed = part
	}
	if strings.TrimSpace(typed) != "" {
		fmt.Fprintf(l.out, "\n(typed before the question, and not taken for its answer: %s)\n", safetext.Line(strings.TrimSpace(typed)))
	}
}
