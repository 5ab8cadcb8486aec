package router

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session"
)

// RunOptions are what one command may have of its own; nil means none of it.
type RunOptions struct {
	Timeout        time.Duration // 0: the router's; cut to MaxTimeout
	MaxChars       int           // of the result's Output; 0, and more than the router's, is the router's
	Stdout, Stderr io.Writer     // also get every byte as it comes
	Images         bool          // the caller shows Result.Images to who reads the result
}

// Run runs a command string and never fails: what went wrong is in the result.
// Cancelling the context stops what the command started and keeps the shell.
func (r *Router) Run(ctx context.Context, command string, opts *RunOptions) Result {
	return r.RunPlan(ctx, r.Plan(command), opts)
}

// RunPlan runs a plan that this router made.
func (r *Router) RunPlan(ctx context.Context, p *Plan, opts *RunOptions) Result {
	var o RunOptions
	if opts != nil {
		o = *opts
	}
	if remote := r.remote.Load(); remote != nil {
		res := (*remote).Run(ctx, p.Raw, opts)
		res.Output, res.Error = r.hider.Hide(res.Output), r.hider.Hide(res.Error)
		return res
	}
	start := time.Now()
	s := r.newStreams(o.Stdout, o.Stderr)
	res := Result{Command: p.Raw, limit: r.timeLimit(o.Timeout)}
	if o.Images {
		s.images = &pictures{}
	}
	p = r.preparePlan(ctx, p, false, res.limit)
	p, seen, refused := r.askHooks(ctx, p, r.Dir, false)
	res.Layer, res.Name = p.Layer, p.Name
	res.listing = p.InProcess && p.isListing() && (p.Help || p.Name == registry.FieldPrefix) // else it is a command of a server's own
	grant, allowed := r.beginPlan(ctx, p, s, &res, refused)
	shown := allowed && p.Err == nil && seen != nil && seen.after
	if shown {
		s.holdOutput()
	}
	switch {
	case !allowed:
	case p.Err != nil:
		fmt.Fprintln(s.err, p.Err)
		res.ExitCode, res.Error = registry.ExitStatus(p.Err), p.Err.Error()
		res.TimedOut, res.Canceled = errors.Is(p.Err, errTimeLimit), ctx.Err() != nil
		if p.Err == ErrClosed {
			res.Err = p.Err
		}
		r.setStatus(res.ExitCode)
	case p.InProcess, p.tool != nil && r.host == nil:
		r.runTool(grant.context(ctx), p, s, &res)
	case r.opts.Confiner != nil:
		r.runHeld(ctx, p, grant, s, &res)
	default:
		r.runShell(ctx, p, s, &res)
	}
	if res.Dir == "" {
		res.Dir = r.Dir()
	}
	res.Images = s.images.taken()
	if shown {
		s = seen.showOutput(ctx, s, res.ExitCode)
	}
	res.DurationMS = time.Since(start).Milliseconds()
	res.Success = res.ExitCode == 0
	if !res.Success && res.Error == "" {
		res.Error = res.failureReason()
	}
	r.renderResult(&res, s, p.InProcess && p.Name == "read", min(r.opts.MaxChars, cmp.Or(o.MaxChars, maxMaxChars)))
	grant.end(Outcome{ExitCode: res.ExitCode, Canceled: res.Canceled, Duration: time.Since(start), Result: &res})
	return res
}

// timeLimit is the time a command gets.
func (r *Router) timeLimit(asked time.Duration) time.Duration {
	if asked <= 0 {
		asked = r.opts.Timeout
	}
	if asked <= 0 {
		asked = DefaultTimeout
	}
	return min(asked, MaxTimeout)
}

func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// failureReason says in one line why a result is no success.
func (res *Result) failureReason() string {
	switch {
	case res.Running > 0:
		return fmt.Sprintf("still running as shell %d after %s", res.Running, formatLimit(res.limit))
	case res.TimedOut:
		return "timed out after " + formatSeconds(res.limit)
	case res.Canceled:
		return "interrupted"
	}
	return fmt.Sprintf("exit status %d", res.ExitCode)
}

// runShell gives a text to the shell.
func (r *Router) runShell(ctx context.Context, p *Plan, s *streams, res *Result) {
	sess, err := r.startSession()
	if err == nil && r.host != nil {
		err = r.host.links.addWords(p.Script)
	}
	var got session.Result
	start := time.Now()
	if err == nil {
		if status := r.status.Swap(0); status > 0 {
			sess.SetStatus(int(status) - 1)
		}
		defer r.showing.Store(r.showing.Swap(s.images))
		got, err = sess.Run(ctx, p.Script, &session.RunOptions{Timeout: res.limit, Stdout: s.out, Stderr: s.err, GoOn: r.goOn(ctx, &res.noRoom)})
	}
	if err != nil {
		res.Err, res.Error, res.ExitCode = err, err.Error(), exitTransport
		fmt.Fprintln(s.err, err)
		return
	}
	res.ExitCode, res.TimedOut, res.Canceled, res.Dir = got.ExitCode, got.TimedOut, got.Canceled, got.Dir
	res.Background, res.Restarted, res.stateLost, res.shellEnded = got.Background, got.Restarted, got.StateLost, got.ShellExited && !strings.Contains(p.Raw, "exit") // or somebody asked for it
	got.ShellExited = res.shellEnded
	res.endTold = r.ended.Swap(res.shellEnded)
	res.resumed, res.Lost = got.Resumed, lostParts(&got)
	if got.Running != nil {
		r.handOver(p, s, start, &got, res)
	}
	if got.WantsTerminal {
		res.Error = "it waited for a terminal, and there is none here"
		fmt.Fprintln(s.err, res.Error+": it was ended; "+r.terminalHint(p.Raw))
	} else if !res.TimedOut && !res.Canceled {
		r.printHints(p, s.err, res.ExitCode)
	}
}

// exitTransport is the exit status of what could not reach bash, a host or a server.
const exitTransport = 3

// abandonAfter is how long a tool may take to notice that it was stopped.
const abandonAfter = 2 * time.Second

// awaitTool waits for what a tool sends; ended is false for one that does not stop with ctx.
func awaitTool[T any](ctx context.Context, done <-chan T) (got T, ended bool) {
	select {
	case got = <-done:
		return got, true
	case <-ctx.Done():
	}
	select {
	case got = <-done:
		return got, true
	case <-time.After(abandonAfter):
		return got, false
	}
}

// runTool runs an in-process command under its time limit. A tool that does not stop is left behind.
func (r *Router) runTool(ctx context.Context, p *Plan, s *streams, res *Result) {
	ctx, cancel := context.WithTimeoutCause(ctx, res.limit, errTimeLimit)
	defer cancel()
	done := make(chan registry.ToolResult, 1)
	go func() {
		done <- r.invokeTool(ctx, p, &registry.Call{Dir: r.Dir(), View: r.view(), Stdout: s.out, Stderr: s.err, Show: s.images.shower()})
	}()
	got, _ := awaitTool(ctx, done)
	res.ExitCode, res.Error = got.ExitStatus, got.Error
	res.Display, res.Metadata, res.rest = got.Display, got.Metadata, got.Rest
	res.listing = res.listing || got.Listing
	if ctx.Err() != nil && !got.Success {
		res.TimedOut = errors.Is(context.Cause(ctx), errTimeLimit)
		res.Canceled = !res.TimedOut
		res.ExitCode, res.Error = 130, ""
		if res.TimedOut {
			res.ExitCode = 124
		}
	}
	r.setStatus(res.ExitCode)
}

// statusError is an error with its exit status.
type statusError struct {
	text   string
	status int
}

func (e *statusError) Error() string   { return e.text }
func (e *statusError) ExitStatus() int { return e.status }

// errTimeLimit is why a command was stopped.
var errTimeLimit error = &statusError{"time limit", 124}

// Call runs a tool from the words after its name, or prints the help or the
// listing they ask for, between its hooks and if it may run: for a person who
// types a tool's name and words in a terminal. The name may have the prefix
// "agent:". The call's Kwargs are set from the words.
func (r *Router) Call(ctx context.Context, name string, words []string, c *registry.Call) registry.ToolResult {
	return r.runCall(ctx, r.planWords(name, words, c.Stdin != nil), c)
}

// invokeTool runs what a plan calls, or prints the help or the listing it asks for.
func (r *Router) invokeTool(ctx context.Context, p *Plan, c *registry.Call) registry.ToolResult {
	if reader, ok := r.opts.Confiner.(Reader); ok {
		held := *c
		held.MayRead, c = reader.MayRead, &held
	}
	if p.Err == nil && p.isListing() {
		group, _, isField := registry.SplitField(p.Name)
		return r.callGroup(ctx, group, isField, p.words, c)
	}
	if p.Err != nil {
		return failedResult(c, p.Err)
	}
	res := p.tool.RunParsed(ctx, p.parsed, c)
	if !res.Success && brokenPipe(c.Stdout) {
		res.ExitStatus = exitSIGPIPE
	}
	return res
}

const exitSIGPIPE = 128 + int(syscall.SIGPIPE)

// callGroup lists tools, or runs a command of a group's own.
func (r *Router) callGroup(ctx context.Context, group string, isField bool, words []string, c *registry.Call) registry.ToolResult {
	if g, ok := r.reg.Group(group); ok && isField && g.Command != nil && len(words) > 0 {
		if res, ok := g.Command(ctx, words, c); ok {
			return res
		}
	}
	if !isField {
		return failedResult(c, r.listAgents(words, c.Stdout))
	}
	return failedResult(c, r.printListing(ctx, group, words, c.Stdout))
}

// notFound is the error for a name that is no tool's, as it was typed.
func (r *Router) notFound(typed string) error {
	return asTyped(r.reg.NotFound(strings.TrimPrefix(typed, agentPrefix)), typed)
}

func asTyped(err error, typed string) error {
	var missing *registry.NotFoundError
	if errors.As(err, &missing) && agentPrefix+missing.Name == typed {
		missing.Name = typed
	}
	return err
}

// failedResult reports an error that came before the tool ran.
func failedResult(c *registry.Call, err error) registry.ToolResult {
	if err == nil {
		return registry.ToolResult{Success: true}
	}
	if brokenPipe(c.Stdout) {
		return registry.ToolResult{ExitStatus: exitSIGPIPE}
	}
	fmt.Fprintln(c.Stderr, err)
	return registry.ToolResult{Error: err.Error(), ExitStatus: registry.ExitStatus(err)}
}

// brokenPipe reports whether the reader of a call's stdout has gone.
func brokenPipe(w io.Writer) bool {
	f, ok := w.(*fdWriter)
	return ok && f.broken.Load()
}
