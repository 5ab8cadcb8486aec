// Package agents holds the tools for other agents that work beside the one that calls
// them: agent_start, agent_output and agent_stop.
//
// An agent gets one task as a text, and its answer is one text. What it is, which model it asks
// and where its commands run, is [Options.Work]; this package numbers agents, bounds how many work
// at once, keeps what they did and said, and ends them.
package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Task is what an agent is to do.
type Task struct {
	ID     string
	Prompt string
	Dir    string // where its commands start
	Mode   string // how much runs without a question; "": as for whoever started it
	Model  string // "": that of whoever started it
}

// Options configures New.
type Options struct {
	// Work takes a task, while whoever starts it waits, and returns what does it. nil: there are
	// no agents, and no tools for them.
	Work func(Task) Work
}

// Work does a task and returns the answer; step is called with a line for each step. It runs in
// a goroutine of its own. ctx ends when the agent is stopped.
type Work func(ctx context.Context, step func(string)) (answer string, err error)

// mostAtOnce is how many agents work at the same time; others wait.
const mostAtOnce = 4

// Agents are those of one program. It is safe for concurrent use. Close it.
type Agents struct {
	work  func(Task) Work
	slots chan struct{}
	all   sync.WaitGroup

	mu     sync.Mutex
	agents []*agent
	closed bool
}

// agent is one; what is below done is guarded by Agents.mu until done is closed.
type agent struct {
	Task
	cancel context.CancelFunc
	done   chan struct{}

	status         Status
	started, ended time.Time
	steps          []string
	seen           int // of the steps
	answer         string
	err            error
}

// Status is how an agent is doing.
type Status string

// The statuses.
const (
	Waiting    Status = "waiting" // for one of those that work to end
	Running    Status = "running"
	Completed  Status = "completed"
	Failed     Status = "failed"
	Terminated Status = "terminated" // by agent_stop
)

// New returns a manager that has started nothing.
func New(o *Options) *Agents {
	return &Agents{work: o.Work, slots: make(chan struct{}, mostAtOnce)}
}

// start begins a task.
func (a *Agents) start(t Task) (*agent, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, errors.New("agentbash ends")
	}
	t.ID = fmt.Sprintf("a%d", len(a.agents)+1)
	ctx, cancel := context.WithCancel(context.Background())
	g := &agent{Task: t, cancel: cancel, done: make(chan struct{}), status: Waiting, started: time.Now()}
	a.agents = append(a.agents, g)
	work := a.work(t)
	a.all.Go(func() {
		defer cancel()
		a.run(ctx, g, work)
	})
	return g, nil
}

// run waits for its turn, and works.
func (a *Agents) run(ctx context.Context, g *agent, work Work) {
	defer close(g.done)
	var answer string
	var err error
	select {
	case a.slots <- struct{}{}:
		a.mu.Lock()
		g.status, g.started = Running, time.Now()
		a.mu.Unlock()
		answer, err = work(ctx, func(line string) {
			a.mu.Lock()
			defer a.mu.Unlock()
			g.steps = append(g.steps, line)
		})
		<-a.slots
	case <-ctx.Done():
		err = ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	g.answer, g.err, g.ended, g.status = answer, err, time.Now(), Completed
	if ctx.Err() != nil {
		g.status = Terminated
	} else if err != nil {
		g.status = Failed
	}
}

// find returns the agent with an ID.
func (a *Agents) find(id string) (*agent, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ids []string
	for _, g := range a.agents {
		if g.ID == id || g.ID == "a"+id {
			return g, nil
		}
		ids = append(ids, g.ID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("there is no agent %q: none was started: agent_start 'TASK' starts one", id)
	}
	return nil, fmt.Errorf("there is no agent %q: those that there are: %s", id, strings.Join(ids, ", "))
}

// Lines are the agents, a line each: ID, how it is doing, its task.
func (a *Agents) Lines() []string { return a.lines(false) }

// Working are the lines of those that work or wait.
func (a *Agents) Working() []string { return a.lines(true) }

func (a *Agents) lines(working bool) (lines []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, g := range a.agents {
		if !working || g.ended.IsZero() {
			lines = append(lines, g.line())
		}
	}
	return lines
}

// line is an agent in one line; Agents.mu is held.
func (g *agent) line() string {
	return fmt.Sprintf("%s: %s: %s", g.ID, g.says(), clip(strings.Join(strings.Fields(g.Prompt), " "), 100))
}

// says is how an agent is doing, in words; Agents.mu is held.
func (g *agent) says() string {
	steps := fmt.Sprintf("%d commands", len(g.steps))
	if len(g.steps) == 1 {
		steps = "1 command"
	}
	end := g.ended
	if end.IsZero() {
		end = time.Now()
	}
	text := fmt.Sprintf("%s, %s, %s", g.status, end.Sub(g.started).Round(time.Second), steps)
	if g.status == Failed {
		text += " (" + g.err.Error() + ")"
	}
	return text
}

func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// Running is how many work or wait.
func (a *Agents) Running() int { return len(a.Working()) }

// shownSteps is how many steps a look shows at most.
const shownSteps = 20

// Show returns how an agent is doing, its last steps, and its answer.
func (a *Agents) Show(id string) (string, error) {
	g, err := a.find(id)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	lines := append([]string{g.line()}, g.steps[max(0, len(g.steps)-shownSteps):]...)
	return strings.Join(append(lines, g.answer), "\n"), nil
}

// Stop ends an agent, and says how it ended.
func (a *Agents) Stop(id string) (string, error) {
	g, err := a.find(id)
	if err != nil {
		return "", err
	}
	select {
	case <-g.done:
		return "", fmt.Errorf("agent %s has ended already: agent_output %[1]s has its answer", g.ID)
	default:
	}
	g.cancel()
	<-g.done
	a.mu.Lock()
	defer a.mu.Unlock()
	return g.line(), nil
}

// Close ends all agents, and returns when they have ended.
func (a *Agents) Close() error {
	a.mu.Lock()
	a.closed = true
	all := slices.Clone(a.agents)
	a.mu.Unlock()
	for _, g := range all {
		g.cancel()
	}
	a.all.Wait()
	return nil
}
