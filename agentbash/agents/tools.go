package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

const category = "agents"

// Tools returns agent_start, agent_output and agent_stop, or none where nothing can do the
// work. The Metadata of their results are agent_id and status; of a list agents, how many there are.
func (a *Agents) Tools() []*registry.Tool {
	if a.work == nil {
		return nil
	}
	return []*registry.Tool{a.startTool(), a.outputTool(), a.stopTool()}
}

func idParam() registry.Param {
	return registry.Param{Name: "agent_id", Type: registry.String, Required: true, Aliases: []string{"id", "task_id"}, Description: "Its ID, which agent_start printed."}
}

func (a *Agents) startTool() *registry.Tool {
	return &registry.Tool{
		Name:     "agent_start",
		Summary:  "have another agent do a task beside you; without one, list them",
		Kind:     registry.ReadOnly, // each command of the agent is judged by itself
		Category: category,
		Tags:     []string{"agent", "subagent", "task", "delegate", "parallel", "spawn", "research", "explore"},
		Detail: `Starts an agent with a model, a shell and a conversation of its own, and prints its ID at once. It knows nothing but the task: say
in it all that it needs, and what its answer must hold. Four work at once, others wait; they start none themselves, and end with agentbash. agent_output ID
--wait waits for the answer. Good for what can be done apart: searching, reading, checking, a change in files that nobody else edits.
It may do no more without a question than you; nobody is asked for it, so that what would be asked about is denied.`,
		Params: registry.NewParams(
			registry.Param{Name: "task", Type: registry.String, Positional: true, Pattern: true, Stdin: true, Aliases: []string{"prompt", "description"},
				Description: "The task, in quotes, or on stdin. Without one, the agents are listed."},
			registry.Param{Name: "mode", Type: registry.String, Enum: []string{"plan", "ask", "auto", "full"}, Description: "How much it may do; never more than you: plan only reads."},
			registry.Param{Name: "model", Type: registry.String, Description: "Another model: NAME, PROVIDER or PROVIDER:NAME."},
		),
		Examples: []string{
			"agent_start 'Find every place where a session is closed, and say for each file:line whether errors are checked.' --mode plan",
			"a=$(agent_start 'Write tests for parse.go in parse_test.go; run them.'); agent_output $a --wait",
			"agent_start",
		},
		Run: a.runStart,
	}
}

// maxTask bounds the text of a task, in bytes.
const maxTask = 1 << 20

func (a *Agents) runStart(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
	prompt, given, err := call.Input("task", maxTask)
	if err != nil {
		return registry.ToolResult{}, err
	}
	if !given {
		lines := a.Lines()
		if len(lines) == 0 {
			fmt.Fprintln(call.Stderr, "there are no agents: agent_start 'TASK' starts one")
		}
		for _, l := range lines {
			fmt.Fprintln(call.Stdout, l)
		}
		return registry.ToolResult{Success: true, Display: fmt.Sprintf("agents: %d", len(lines)), Metadata: map[string]any{"agents": len(lines)}}, nil
	}
	task := Task{Prompt: prompt, Dir: call.Dir, Mode: call.String("mode"), Model: call.String("model")}
	switch {
	case strings.TrimSpace(prompt) == "":
		return registry.ToolResult{}, registry.Usagef("the task is empty: agent_start 'TASK', or agent_start alone to list")
	case len(prompt) > maxTask:
		return registry.ToolResult{}, registry.Usagef("the task is longer than 1 MiB: put it into a file, and name that")
	}
	g, err := a.start(task)
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	if _, err := fmt.Fprintln(call.Stdout, g.ID); err != nil {
		return registry.ToolResult{}, err
	}
	fmt.Fprintf(call.Stderr, "it works: agent_output %s --wait waits for its answer, agent_stop %[1]s ends it\n", g.ID)
	return a.result(g, "started "+g.ID), nil
}

// result is a result about an agent.
func (a *Agents) result(g *agent, display string) registry.ToolResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	return registry.ToolResult{Success: true, Display: display, Metadata: map[string]any{"agent_id": g.ID, "status": string(g.status)}}
}

func (a *Agents) outputTool() *registry.Tool {
	return &registry.Tool{
		Name:     "agent_output",
		Summary:  "show the answer of an agent, or what it did since the last look",
		Kind:     registry.ReadOnly,
		Category: category,
		Tags:     []string{"agent", "subagent", "answer", "result", "wait", "status"},
		Detail: `Prints the answer of an agent that has ended; of one that works, the commands that it ran since the last look. How it is doing stands
on stderr: waiting, running, completed, failed or terminated (by agent_stop). --wait waits for the end; exit status 124 says that it did not
come in time. The time limit of the command itself applies too.`,
		Params: registry.NewParams(
			idParam(),
			registry.Param{Name: "wait", Type: registry.Boolean, Description: "Wait for its answer."},
			registry.Param{Name: "timeout", Type: registry.Number, Default: 110, Min: registry.Float(0), Max: registry.Float(600), Description: "How many seconds --wait waits."},
		),
		Examples: []string{"agent_output a1 --wait", "agent_output a1"},
		Run:      a.runOutput,
	}
}

func (a *Agents) runOutput(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	g, err := a.find(call.String("agent_id"))
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	late := false
	if call.Bool("wait") {
		limit := time.NewTimer(time.Duration(call.Float("timeout") * float64(time.Second)))
		defer limit.Stop()
		select {
		case <-g.done:
		case <-limit.C:
			late = true
		case <-ctx.Done():
			return registry.ToolResult{}, ctx.Err()
		}
	}
	a.mu.Lock()
	text, status, ended := g.answer, g.says(), !g.ended.IsZero()
	if !ended {
		from := max(g.seen, len(g.steps)-shownSteps)
		text = strings.Join(g.steps[from:], "\n")
		g.seen = len(g.steps)
	}
	failed := g.status == Failed || g.status == Terminated
	a.mu.Unlock()
	if text != "" {
		if _, err := fmt.Fprintln(call.Stdout, text); err != nil {
			return registry.ToolResult{}, err
		}
	}
	fmt.Fprintf(call.Stderr, "%s: %s\n", g.ID, status)
	res := a.result(g, g.ID+": "+status)
	switch {
	case late && !ended:
		res.Success, res.ExitStatus, res.Error = false, 124, fmt.Sprintf("it did not end in time: the same again waits on, --timeout longer, agent_stop %s ends it", g.ID)
	case failed && text == "":
		res.Success, res.ExitStatus, res.Error = false, 1, "it ended without an answer: do the task yourself, or start it again with another task or --model"
	}
	return res, nil
}

func (a *Agents) stopTool() *registry.Tool {
	return &registry.Tool{
		Name:     "agent_stop",
		Summary:  "end an agent",
		Kind:     registry.ReadOnly, // it ends what this session started, and nothing else
		Category: category,
		Tags:     []string{"agent", "subagent", "kill", "cancel"},
		Detail:   "Ends an agent and what it runs. What it changed stays.",
		Params:   registry.NewParams(idParam()),
		Examples: []string{"agent_stop a1"},
		Run: func(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
			line, err := a.Stop(call.String("agent_id"))
			if err != nil {
				return registry.Failure("%v", err), nil
			}
			fmt.Fprintln(call.Stderr, line)
			return registry.ToolResult{Success: true, Display: line}, nil
		},
	}
}
