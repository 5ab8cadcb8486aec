// Package todo holds the tool of that name: the steps of what is being worked
// on, which the model keeps and the person sees. A list lives as long as its
// program.
package todo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// Item is a step. Status is pending, in_progress or completed.
type Item struct{ Content, Status string }

const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
)

// List is the steps; the zero value has none. It is safe for concurrent use.
type List struct {
	mu    sync.Mutex
	items []Item
}

// Items are the steps in their order.
func (l *List) Items() []Item {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

// Text is a list to read, a line for each step.
func Text(items []Item) string {
	var b strings.Builder
	for i, it := range items {
		mark := map[string]string{completed: "x", inProgress: ">"}[it.Status]
		fmt.Fprintf(&b, "[%1s] %d. %s\n", mark, i+1, strings.Join(strings.Fields(it.Content), " "))
	}
	return b.String()
}

// Progress is how many of the steps are done.
func Progress(items []Item) (done int) {
	for _, it := range items {
		if it.Status == completed {
			done++
		}
	}
	return done
}

// Tool returns todo, which changes the list and prints it.
func (l *List) Tool() *registry.Tool {
	status := registry.Param{Name: "status", Type: registry.String, Enum: []string{pending, inProgress, completed}, Default: pending}
	return &registry.Tool{
		Name:     "todo",
		Summary:  "keep the list of steps of a longer task, which the person sees",
		Kind:     registry.ReadOnly,
		Category: "person",
		Tags:     []string{"plan", "steps", "task", "progress", "checklist"},
		Detail: `Prints the steps, and changes them first: --items gives the whole list, add, start, done and remove change one step. For work
of three steps and more: write the list first, start a step before it is worked on and have one started at a time, and mark it done at once.`,
		Params: registry.NewParams(
			registry.Param{Name: "action", Type: registry.String, Positional: true, Enum: []string{"list", "add", "start", "done", "remove", "clear"}, Default: "list", Description: "What to do."},
			registry.Param{Name: "step", Type: registry.Array, Items: &registry.Param{Type: registry.String}, Positional: true, Pattern: true, Aliases: []string{"content", "id"}, Description: "The text of what is added, or the numbers of steps."},
			registry.Param{Name: "items", Type: registry.Array, Aliases: []string{"todos"}, Description: "The whole list, in the place of what there was.",
				Items: &registry.Param{Type: registry.Object, Props: registry.NewParams(registry.Param{Name: "content", Type: registry.String, Required: true}, status)}},
		),
		Examples: []string{
			`todo --items '[{"content": "find the bug", "status": "in_progress"}, {"content": "write a test"}]'`,
			"todo add 'update the docs'",
			"todo done 1 && todo start 2",
		},
		Run: l.run,
	}
}

func (l *List) run(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.change(call); err != nil {
		return registry.ToolResult{}, err
	}
	res := registry.Success(Text(l.items))
	res.Display = fmt.Sprintf("%d of %d done", Progress(l.items), len(l.items))
	if len(l.items) == 0 {
		res.Display = "no steps"
		fmt.Fprintln(call.Stderr, "there are no steps: todo add TEXT, or todo --items '[{\"content\": \"...\"}]'")
	}
	return res, nil
}

// change does what the call says; after an error the list is as it was.
func (l *List) change(call *registry.Call) error {
	items := slices.Clone(l.items)
	if call.Has("items") {
		items = nil
		for _, v := range call.Array("items") {
			m, _ := v.(map[string]any)
			content, _ := m["content"].(string)
			status, _ := m["status"].(string)
			if status == "" {
				status = pending
			}
			items = append(items, Item{content, status})
		}
	}
	steps := call.Array("step")
	switch action := call.String("action"); action {
	case "add":
		for _, s := range steps {
			items = append(items, Item{s.(string), pending})
		}
	case "clear":
		items = nil
	case "start", "done", "remove":
		for _, s := range steps {
			n, err := stepNumber(s.(string), len(items))
			if err != nil {
				return err
			}
			items[n].Status = map[string]string{"start": inProgress, "done": completed, "remove": "remove"}[action]
		}
		items = slices.DeleteFunc(items, func(it Item) bool { return it.Status == "remove" })
	}
	l.items = items
	return nil
}

func stepNumber(word string, steps int) (int, error) {
	var n int
	if _, err := fmt.Sscanf(word, "%d", &n); err != nil || n < 1 || n > steps {
		return 0, fmt.Errorf("there is no step %q: todo lists those there are, by their numbers", word)
	}
	return n - 1, nil
}
