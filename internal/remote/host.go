package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	root "github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"

	commands "github.com/agentbash/agentbash/agentbash"
)

// host is a session on the far side: the one tool with everything behind it, but for the
// tools, questions and records of the near side.
type host struct {
	peer     *peer
	stateDir string
	ended    chan struct{} // closed when the near side has ended the session
	opened   chan config   // gets the one configuration

	mu      sync.Mutex // guards what follows
	bash    *root.Bash
	turn    int
	session string
	inputs  map[string]io.Reader // what was piped into commands
	next    int
}

// newHost makes one; the first request opens it.
func newHost(version, stateDir string) *host {
	h := &host{stateDir: stateDir, ended: make(chan struct{}), opened: make(chan config, 1), inputs: map[string]io.Reader{}}
	h.peer = newPeer(version, map[string]handler{
		openRequest: answering(h.open), runRequest: answering(h.run), toolRequest: answering(h.tool), modeRequest: answering(h.setMode), closeRequest: h.end,
	})
	return h
}

// ready returns what runs commands, once the session is open.
func (h *host) ready() (*root.Bash, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bash == nil {
		return nil, errors.New("the session is not open")
	}
	return h.bash, nil
}

// open makes the session.
func (h *host) open(_ context.Context, _ *request, conf config) (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bash != nil {
		return nil, errors.New("the session is open already")
	}
	dir, err := startDir(conf.Dir)
	if err != nil {
		return nil, err
	}
	o := &root.Options{Dir: dir, Mode: conf.Mode, StateDir: h.stateDir, Settings: conf.Settings, Snapshots: conf.Snapshots,
		Offer: func(name string) bool { return name == inputName || slices.Contains(conf.Agents, name) }, Session: h.sessionName, Warn: h.warn,
		Tools: []*registry.Tool{h.inputTool(), OnTool(nil, conf.Targets)},
		Workspace: confinement.WorkspaceOptions{Own: []string{h.stateDir}, Write: conf.Write,
			Secrets: append([]string{filepath.Join(h.stateDir, "snapshots")}, conf.Secrets...)},
		Confinement: confinement.Options{Env: conf.Env, Network: conf.Network, TrustedRepositories: conf.TrustedRepositories},
		Guard:       guard.Options{Said: conf.Said, Turn: conf.Turn, Session: conf.Session},
		Commands:    commands.Options{Shells: shells.Options{Limit: conf.BackgroundLimit}},
		Router: router.Options{PromptCommand: conf.PromptCommand, KillAtLimit: conf.KillAtLimit, Exit: func(stdout, stderr []byte) {
			h.peer.request(h.peer.ctx, exitRequest, exitArgs{stdout, stderr}, nil, streams{})
		}},
	}
	for _, s := range conf.Rules {
		rules, err := policy.ParseRules(s.File, s.Raw, s.Project)
		if err != nil {
			return nil, err
		}
		o.Guard.Rules = append(o.Guard.Rules, rules)
	}
	if conf.Asks {
		o.Guard.Approver = h
	}
	if conf.Records {
		o.Guard.Recorder = h
	}
	for i, def := range conf.Hooks {
		o.Router.Hooks = append(o.Router.Hooks, h.hook(i, def))
	}
	b, err := root.New(o)
	if err == nil {
		err = h.addNear(b.Registry(), conf.Groups)
	}
	if err != nil {
		return nil, err
	}
	b.Start()
	h.bash = b
	h.opened <- conf
	return opened{Dir: b.Router().Dir(), System: runtime.GOOS + "/" + runtime.GOARCH, Texts: findTexts(dir)}, nil
}

// startDir is the directory of a target: the home directory, or / where there is none.
func startDir(dir string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		home = "/"
	}
	if _, err := os.Stat(home); err != nil {
		home = "/"
	}
	rest, inHome := strings.CutPrefix(dir, "~")
	if dir == "" || inHome {
		dir = filepath.Join(home, rest)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fmt.Errorf("%s: there is no such directory there: name another", dir)
	}
	return dir, nil
}

func (h *host) sessionName() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

func (h *host) warn(err error) {
	go h.peer.request(h.peer.ctx, warnRequest, err.Error(), nil, streams{})
}

// setMode changes the mode, and says what cannot be held of it.
func (h *host) setMode(ctx context.Context, _ *request, a modeArgs) (any, error) {
	b, err := h.ready()
	switch {
	case err != nil:
		return nil, err
	case a.Trust:
		return []string{}, b.TrustSender(ctx)
	}
	return b.SetMode(ctx, a.Mode)
}

// run runs a command string.
func (h *host) run(ctx context.Context, r *request, a runArgs) (any, error) {
	b, err := h.ready()
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	begins := a.Turn > h.turn
	h.turn, h.session = max(h.turn, a.Turn), a.Session
	h.mu.Unlock()
	if begins {
		b.Guard().BeginTurn()
	}
	if a.Said {
		ctx = guard.Said(ctx)
	}
	if a.Kills {
		ctx = router.KillAtLimit(ctx)
	}
	command := a.Command
	if a.Stdin {
		var done func()
		command, done = h.withInput(command, r.stdin(ctx))
		defer done()
	}
	res := b.Router().Run(ctx, command, &router.RunOptions{Timeout: a.Timeout, MaxChars: a.MaxChars, Images: a.Images, Stdout: r.output(1), Stderr: r.output(2)})
	w := resultOf(res)
	w.Command, w.Shells = a.Command, b.Shells().Jobs()
	return w, nil
}

// inputName is the tool through which a command reads what was piped into it.
const inputName = "piped_input"

// withInput is a command that reads a stream: in this shell, whose state it changes as any
// other does.
func (h *host) withInput(command string, in io.Reader) (text string, done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	id := strconv.Itoa(h.next)
	h.inputs[id] = in
	return "{ " + command + "\n} < <(agent:" + inputName + " " + id + ")", func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.inputs, id)
	}
}

func (h *host) inputTool() *registry.Tool {
	return &registry.Tool{Name: inputName, Summary: "What was piped into the command that runs, once.", Kind: registry.ReadOnly, Category: shells.Category,
		Params: registry.NewParams(registry.Param{Name: "number", Type: registry.String, Required: true, Description: "which command's"}),
		Run: func(_ context.Context, call *registry.Call) (registry.ToolResult, error) {
			h.mu.Lock()
			in := h.inputs[call.String("number")]
			h.mu.Unlock()
			if in == nil {
				return registry.Failure("nothing was piped into that command"), nil
			}
			_, err := io.Copy(call.Stdout, in)
			return registry.ToolResult{Success: err == nil}, nil // who reads no more is no failure
		}}
}

// tool runs one tool.
func (h *host) tool(ctx context.Context, r *request, a toolArgs) (any, error) {
	b, err := h.ready()
	if err != nil {
		return nil, err
	}
	call := &registry.Call{Dir: b.Router().Dir(), Stdout: r.output(1), Stderr: r.output(2)}
	if a.Stdin {
		call.Stdin = r.stdin(ctx)
	}
	return resultOfTool(b.Router().Call(ctx, a.Name, a.Words, call), nil), nil
}

// maxText bounds a file of instructions, in bytes.
const maxText = 64 << 10

// findTexts reads what tells agents about the work, from the repository's root down to a directory.
func findTexts(dir string) (found []Text) {
	for d, root := dir, confinement.Repository(dir); ; d = filepath.Dir(d) {
		for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
			path := filepath.Join(d, name)
			if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() || st.Size() > maxText {
				continue
			}
			if data, err := os.ReadFile(path); err == nil {
				found = append(found, Text{path, string(data)})
			}
		}
		if d == root || d == filepath.Dir(d) {
			slices.Reverse(found)
			return found
		}
	}
}

// end ends the session, as the near side has asked.
func (h *host) end(context.Context, *request) (any, error) {
	err := h.close()
	close(h.ended)
	return nil, err
}

// close ends all that was started.
func (h *host) close() error {
	h.mu.Lock()
	b := h.bash
	h.mu.Unlock()
	if b == nil {
		return nil
	}
	return b.Close()
}

// Approve implements [guard.Approver]: the person at the near side is asked. A lost link is
// no yes.
func (h *host) Approve(ctx context.Context, e *guard.Entry) (guard.Approval, error) {
	var got approval
	w := entryOf(e)
	w.Preview = e.PreviewChange(ctx)
	if err := h.peer.request(ctx, askRequest, w, &got, streams{}); err != nil {
		return guard.Approval{}, err
	}
	a := guard.Approval{Yes: got.Yes, Outside: got.Outside, Session: got.Session, Reason: got.Reason}
	for _, s := range got.Rules {
		rules, err := policy.ParseRules(s.File, s.Raw, s.Project)
		if err != nil {
			return guard.Approval{}, err
		}
		a.Rules = append(a.Rules, rules)
	}
	return a, nil
}

// Intent implements [guard.Recorder]: the record is the near side's.
func (h *host) Intent(e *guard.Entry) (func(router.Outcome), error) {
	var number uint64
	if err := h.peer.request(h.peer.ctx, recordRequest, entryOf(e), &number, streams{}); err != nil {
		return nil, err
	}
	return func(o router.Outcome) {
		w := outcome{Of: number, ExitCode: o.ExitCode, Canceled: o.Canceled, Duration: o.Duration}
		if o.Result != nil {
			w.Hash = o.Result.Hash()
		}
		go h.peer.request(h.peer.ctx, outcomeRequest, w, nil, streams{})
	}, nil
}

// hook asks a hook of the near side about calls; those of its own tools it asks itself.
func (h *host) hook(index int, def hookDef) router.Hook {
	ask := func(ctx context.Context, call *router.HookCall, out *router.HookOutput) error {
		if t, ok := h.bash.Registry().Lookup(call.Name); ok && IsNear(t) {
			return nil
		}
		got := hookArgs{Out: out}
		if err := h.peer.request(ctx, hookRequest, hookArgs{Index: index, Call: *call, Out: out}, &got, streams{}); err != nil {
			return err
		}
		call.Input = got.Call.Input
		if got.Error != "" {
			return errors.New(got.Error)
		}
		return nil
	}
	hook := router.Hook{Name: def.Name, Match: def.Match, Timeout: def.Timeout}
	if def.Before {
		hook.Before = func(ctx context.Context, call *router.HookCall) error { return ask(ctx, call, nil) }
	}
	if def.After {
		hook.After = ask
	}
	return hook
}
