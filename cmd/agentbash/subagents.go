package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agentbash/agentbash/agentbash/agents"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/remote"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// subagents does the tasks of agent_start: each has a bash, a conversation and a transcript of
// its own, and counts in the budgets of whoever started it.
type subagents struct {
	a *app
	b *configuredBash // of whoever starts them

	mu   sync.Mutex
	opts *chat.Options // of the conversation that starts them; nil: there is none yet
}

// startFrom makes o the options that agents have theirs from.
func (s *subagents) startFrom(o *chat.Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts = o
}

// setModel has agents ask m, from the next one that is started.
func (s *subagents) setModel(m chat.Model) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts != nil {
		o := *s.opts
		o.SetModel(m)
		s.opts = &o
	}
}

// agentPrompt follows the system prompt of an agent.
const agentPrompt = "\n\nAnother agent gave you this task, and reads nothing of you but your last message: put into it all that was asked for, with files and lines, and what you could not do and why. Nobody answers questions."

// work implements [agents.Options].
func (s *subagents) work(t agents.Task) agents.Work {
	s.mu.Lock()
	from, on := s.opts, s.b.on
	s.mu.Unlock()
	return func(ctx context.Context, step func(string)) (string, error) {
		if from == nil {
			return "", errors.New("there is no model that could do it")
		}
		return s.doTask(ctx, &t, from, on, step)
	}
}

// doTask does a task with the options of the conversation that it was given in, where that has its
// commands run.
func (s *subagents) doTask(ctx context.Context, t *agents.Task, from *chat.Options, on *remote.Client, step func(string)) (answer string, err error) {
	b, err := s.a.openAgentBash(s.b, t, on)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	o := *from
	o.Runner = &agentRunner{&chat.RouterRunner{Router: b.Router()}, b, s.b}
	o.Description, o.Debug, o.History, o.Unattended = router.Definition(b.Registry()).Description, nil, nil, true
	o.Waited = nil // nobody is asked for it
	o.System = s.a.systemText(b) + agentPrompt
	o.Brief = func(most int) (string, string) {
		system, description := s.a.briefPrompt(b, most-len(agentPrompt))
		return system + agentPrompt, description
	}
	if t.Model != "" {
		m, err := s.a.findModel(ctx, b, chat.Model{Name: o.Model, BaseURL: o.BaseURL, APIKey: o.APIKey}, t.Model)
		if err != nil {
			return "", err
		}
		o.SetModel(m)
	}
	o.Fallback = s.a.fallback(b, chat.Model{BaseURL: o.BaseURL, APIKey: o.APIKey})
	o.Events = agentSteps(step)
	if o.Journal != nil {
		journal, err := agentTranscripts(s.b.cfg.Dirs).Create(b.Router().Dir(), moduleVersion())
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, journal.Close()) }()
		o.Journal = journal
	}
	return chat.New(&o).Turn(ctx, t.Prompt)
}

// agentTranscripts is where the transcripts of agents are: apart, so that none is taken for a
// session that somebody goes on with.
func agentTranscripts(dirs config.Dirs) *transcript.Store {
	return &transcript.Store{Path: filepath.Join(dirs.State, "agents")}
}

// agentSteps tells each command that has run, in a line.
func agentSteps(step func(string)) func(chat.Event) {
	commands := map[string]string{}
	return func(e chat.Event) {
		switch e := e.(type) {
		case chat.ToolCall:
			commands[e.ID] = oneLineOf(e.Command, 200)
		case chat.ToolResult:
			line := fmt.Sprintf("$ %s  [%s]", commands[e.ID], e.Duration.Round(time.Millisecond))
			if e.ExitCode != 0 {
				line = fmt.Sprintf("$ %s  [exit %d, %s]", commands[e.ID], e.ExitCode, e.Duration.Round(time.Millisecond))
			}
			step(line)
		}
	}
}

// stricter is the stricter of two modes; "" is the other.
func stricter(a, b policy.Mode) policy.Mode {
	if a == "" || b != "" && slices.Index(modes[:], b) < slices.Index(modes[:], a) {
		return b
	}
	return a
}

// openAgentBash makes the bash of an agent, with the configuration, the rules and the budgets of the one
// that starts it. Nobody is asked, so that what would be asked about is denied.
func (a *app) openAgentBash(parent *configuredBash, t *agents.Task, on *remote.Client) (*configuredBash, error) {
	b := &configuredBash{cfg: parent.cfg, asker: nobody{func(text string) { parent.asker.Tell("agent " + t.ID + ": " + text) }}, appended: parent.appended, check: parent.check, home: parent.home}
	b.audit = a.newRecorder(b.cfg.Dirs, whoModel, b.apiKeys(a), nil)
	o := bashOptions{session: true, who: whoModel, noSnapshots: true, guard: guard.Options{Parent: parent.Guard(), Mode: stricter(policy.Mode(t.Mode), parent.Guard().Mode())}}
	dir := t.Dir
	if on != nil { // it is a directory there
		dir, o.dir, o.on = parent.dir, t.Dir, targetName(on.Target())
	}
	return b, a.makeBash(b, dir, o)
}

// agentRunner runs the commands of an agent, never in a wider mode than its parent's.
type agentRunner struct {
	*chat.RouterRunner
	b, parent *configuredBash
}

// Run is that of RouterRunner.
func (r *agentRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	now := r.b.Guard().Mode()
	if want := stricter(now, r.parent.Guard().Mode()); want != now {
		if _, err := r.b.SetMode(ctx, want); err != nil {
			return "the mode could not be changed, and nothing was run: " + err.Error(), 1
		}
	}
	return r.RouterRunner.Run(ctx, command, timeout)
}

// RunLive is Run: nobody looks on.
func (r *agentRunner) RunLive(ctx context.Context, command string, timeout time.Duration, _, _ io.Writer) (string, int) {
	return r.Run(ctx, command, timeout)
}
