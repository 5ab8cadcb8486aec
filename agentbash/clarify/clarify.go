// Package clarify holds the tool of that name, which puts a question to the
// person.
package clarify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Question is a question to a person.
type Question struct {
	Text    string
	Choices []string // the answers that are offered; another may be typed
	Default string   // what Enter takes; "" takes none
}

// ErrNobody is what Options.Ask returns where nobody can be asked.
var ErrNobody = errors.New("nobody can be asked")

// ErrNoAnswer is what Options.Ask returns when the person does not want to
// answer.
var ErrNoAnswer = errors.New("no answer was given")

// Options configures Tool.
type Options struct {
	// Ask puts the question and waits for the answer, or until ctx ends. Its
	// texts may hold anything: Ask makes them fit for the screen. nil: nobody can
	// be asked.
	Ask func(ctx context.Context, q Question) (answer string, err error)
}

// Tool returns clarify, which is safe for concurrent use if Ask is. The Metadata
// of its results is by_default: nobody answered, and the default stands in.
func Tool(opts *Options) *registry.Tool {
	return &registry.Tool{
		Name:     "clarify",
		Summary:  "ask the person a question and print the answer",
		Kind:     registry.ReadOnly,
		Category: "person",
		Tags:     []string{"ask", "question", "user", "human", "confirm", "choose"},
		Detail: `Asks whoever sits at the terminal, and prints the answer. With --choices they are offered, and another answer may be
typed. Where nobody can be asked the default is the answer, and without one exit status 126. Without --timeout it waits as long as the
command may run; when the time is over the default is the answer, and without one exit status 124.`,
		Params: registry.NewParams(
			registry.Param{Name: "question", Type: registry.String, Required: true, Pattern: true, Aliases: []string{"text", "q"}, Description: "What to ask."},
			registry.Param{Name: "choices", Type: registry.Array, Items: &registry.Param{Type: registry.String}, Aliases: []string{"options"}, Description: "Answers to choose from: a JSON array, or --choices once for each."},
			registry.Param{Name: "default", Type: registry.String, Aliases: []string{"default_answer"}, Description: "The answer when there is no other."},
			registry.Param{Name: "timeout", Type: registry.Number, Min: registry.Float(0.1), Max: registry.Float(86400), Description: "How many seconds to wait."},
		),
		Examples: []string{
			"clarify --question 'Which database?' --choices '[\"postgres\", \"sqlite\"]' --default sqlite",
			"name=$(clarify 'What is the service called?' --timeout 60)",
		},
		Check: checkQuestion,
		Run:   opts.run,
	}
}

func checkQuestion(k registry.Kwargs) (problems []string) {
	if q, ok := k["question"].(string); ok && strings.TrimSpace(q) == "" {
		problems = append(problems, "the question is empty")
	}
	list, _ := k["choices"].([]any)
	for i, c := range list {
		if s, _ := c.(string); strings.TrimSpace(s) == "" {
			problems = append(problems, fmt.Sprintf("choice %d is empty", i+1))
		} else if slices.Contains(list[:i], c) {
			problems = append(problems, fmt.Sprintf("choice %q is there twice", s))
		}
	}
	return problems
}

func (o *Options) run(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	q := Question{Text: call.String("question"), Default: call.String("default")}
	for _, c := range call.Array("choices") {
		q.Choices = append(q.Choices, c.(string))
	}
	asking, cancel := ctx, context.CancelFunc(func() {})
	if call.Has("timeout") {
		asking, cancel = context.WithTimeout(ctx, time.Duration(call.Float("timeout")*float64(time.Second)))
	}
	defer cancel()
	answer, err := "", ErrNobody
	if o.Ask != nil {
		answer, err = o.Ask(asking, q)
	}
	late := errors.Is(asking.Err(), context.DeadlineExceeded)
	switch {
	case err == nil:
		return answerResult(answer, false), nil
	case errors.Is(err, ErrNobody) && call.Has("default"):
		fmt.Fprintln(call.Stderr, "nobody can be asked: this is the default")
		return answerResult(q.Default, true), nil
	case late && call.Has("default"):
		fmt.Fprintln(call.Stderr, "nobody answered in time: this is the default")
		return answerResult(q.Default, true), nil
	case errors.Is(err, ErrNobody):
		return failureResult(126, "nobody can be asked: decide by yourself and say so, or give --default"), nil
	case late:
		return failureResult(124, "nobody answered in time: decide by yourself and say so, or ask with --default"), nil
	case ctx.Err() != nil:
		return registry.ToolResult{}, ctx.Err()
	case errors.Is(err, ErrNoAnswer):
		return failureResult(126, "the person did not answer: do not ask the same again"), nil
	}
	return registry.ToolResult{}, err
}

func answerResult(answer string, byDefault bool) registry.ToolResult {
	res := registry.Success(answer + "\n")
	res.Display, res.Metadata = "answered", map[string]any{"by_default": byDefault}
	if byDefault {
		res.Display = "answered by default"
	}
	return res
}

func failureResult(exit int, text string) registry.ToolResult {
	res := registry.Failure("%s", text)
	res.ExitStatus = exit
	return res
}
