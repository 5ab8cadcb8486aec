package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	root "github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// Options are those of all targets of a program.
type Options struct {
	Bash    *root.Bash        // whose field tools, questions and record are used
	Made    *root.Options     // that it was made with
	Names   map[string]string // targets by their names
	Environ []string          // of which a list gets to what makes connections
	Version string            // of the program
	Dir     string            // where the first target's shell starts; "": where the target says

	Programs func() map[string]string // see Programs
	Keep     time.Duration            // how long a session there goes on without a connection; 0: ten minutes
	Tell     func(string)             // is told that a connection broke, or is back; may be nil
}

const defaultKeep = 10 * time.Minute

// Client is a session on a target. It implements [router.Remote]. Its connection is made when it is
// first needed. It is safe for concurrent use. Close it.
type Client struct {
	target   *Target
	opts     Options
	names    func() []string // of targets
	taken    bool            // for a command of on; see Targets
	programs map[string][]byte
	cases    string
	sent     int // how often the machine of this session got one

	turn    atomic.Int64
	inRun   atomic.Int32 // commands that run there
	opening sync.Mutex   // held while a session is made; guards what follows
	id      string
	peer    *peer // nil: there is no session
	keeping sync.WaitGroup
	lost    string // why the last session is no more; "": it was not lost
	closed  bool

	mu      sync.Mutex // guards what follows
	at      opened
	dir     string
	jobs    []shells.Job
	records map[uint64]func(router.Outcome)
	made    uint64          // records that were made
	unsaid  map[string]bool // commands that were sent, and of which no record was asked for
}

func newClient(t *Target, o Options, names func() []string) *Client {
	o.Keep = cmp.Or(o.Keep, defaultKeep)
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	return &Client{target: t, opts: o, names: names, dir: t.Dir, records: map[uint64]func(router.Outcome){}, unsaid: map[string]bool{}}
}

// Target is the name of the target, as the user gave it.
func (c *Client) Target() string { return c.target.Name }

// Open connects, if it is not connected yet.
func (c *Client) Open(ctx context.Context) error {
	_, _, err := c.open(ctx)
	return err
}

// open returns the session; lost says why the one before is gone.
func (c *Client) open(ctx context.Context) (_ *peer, lost string, err error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	switch {
	case c.closed:
		return nil, "", router.ErrClosed
	case c.peer != nil && c.peer.ctx.Err() == nil:
		return c.peer, "", nil
	case c.peer != nil:
		c.keeping.Wait()
		c.lost = c.peer.why().Error()
		c.peer = nil
	}
	if c.programs == nil {
		if c.programs, c.cases, err = loadPrograms(c.opts.Programs()); err != nil {
			return nil, "", err
		}
	}
	c.id, c.sent = strings.ToLower(rand.Text()[:16]), 0
	conn, err := c.dial(ctx, false)
	if err != nil {
		return nil, "", err
	}
	p := newPeer(c.opts.Version, c.handlers())
	c.keeping.Go(func() { c.keep(p, conn) })
	conf, err := c.config()
	var at opened
	if err == nil {
		err = p.request(ctx, openRequest, conf, &at, streams{})
	}
	if err != nil {
		p.close(err)
		return nil, "", fmt.Errorf("%s: %w", c.target.Name, err)
	}
	c.mu.Lock()
	at.Dir, at.System = safetext.Visible(at.Dir), safetext.Visible(at.System)
	c.at, c.dir = at, at.Dir
	c.mu.Unlock()
	lost, c.lost, c.peer = c.lost, "", p
	return p, lost, nil
}

// why is why a peer is closed.
func (p *peer) why() error {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.link.err
}

// The waits between two tries to connect again.
const (
	firstWait = 50 * time.Millisecond
	maxWait   = 5 * time.Second
	dialTime  = 30 * time.Second
)

// keep serves the connections of a session, one after the other, until it is closed or lost.
func (c *Client) keep(p *peer, conn *pipe) {
	for {
		err := p.serve(conn)
		if p.ctx.Err() != nil {
			return
		}
		if errors.Is(err, errProtocol) {
			p.close(err)
			return
		}
		c.opts.Tell("the connection to " + c.target.Name + " broke: trying again")
		if conn, err = c.redial(p); err != nil {
			p.close(fmt.Errorf("the connection to %s was lost: %w", c.target.Name, err))
			return
		}
		c.opts.Tell("connected to " + c.target.Name + " again: the shell is the same")
	}
}

// redial connects again to a session that is there.
func (c *Client) redial(p *peer) (*pipe, error) {
	until := time.Now().Add(c.opts.Keep)
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		ctx, cancel := context.WithTimeout(p.ctx, dialTime)
		conn, err := c.dial(ctx, true)
		cancel()
		if err == nil || errors.Is(err, errGone) || errors.Is(err, errSent) || p.ctx.Err() != nil {
			return conn, err
		}
		if time.Now().After(until) {
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		}
	}
}

// System is what runs there, as in GOOS/GOARCH; "" before it is connected.
func (c *Client) System() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.System
}

// Dir is the directory of the next command.
func (c *Client) Dir() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dir
}

// BeginTurn begins a turn with the next command.
func (c *Client) BeginTurn() { c.turn.Add(1) }

// Texts are the files of instructions that were found there, from the repository's root down.
func (c *Client) Texts() []Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.Texts
}

// Jobs are the background shells there, as they were after the last command.
func (c *Client) Jobs() []shells.Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jobs
}

// Run runs a command string there. What went wrong is in the result.
func (c *Client) Run(ctx context.Context, command string, opts *router.RunOptions) router.Result {
	return c.RunWith(ctx, command, nil, opts)
}

// maxKept is how much of a stream a result holds.
const maxKept = 16 << 20

// head keeps the beginning of what is written, and passes all of it on.
type head struct {
	bytes.Buffer
	next io.Writer
	err  error // of next
}

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), maxKept-h.Len())])
	if h.next != nil && h.err == nil {
		_, h.err = h.next.Write(b)
	}
	return len(b), h.err
}

// RunWith is Run with a stdin; nil: it has none.
func (c *Client) RunWith(ctx context.Context, command string, stdin io.Reader, opts *router.RunOptions) router.Result {
	var o router.RunOptions
	if opts != nil {
		o = *opts
	}
	start := time.Now()
	c.inRun.Add(1)
	defer c.inRun.Add(-1)
	p, lost, err := c.open(ctx)
	args := runArgs{Command: command, Timeout: o.Timeout, MaxChars: o.MaxChars, Images: o.Images, Said: guard.IsSaid(ctx), Kills: router.KillsAtLimit(ctx),
		Stdin: stdin != nil, Turn: int(c.turn.Load())}
	if c.opts.Made.Session != nil {
		args.Session = c.opts.Made.Session()
	}
	out, notes := &head{next: o.Stdout}, &head{next: o.Stderr}
	var got result
	if err == nil {
		c.expectRecord(command)
		err = p.request(ctx, runRequest, args, &got, streams{stdin, out, notes})
	}
	if err != nil {
		res := c.failed(ctx, command, err, p != nil, out, notes, start)
		c.recordUnsaid(command, res.ExitCode)
		return res
	}
	c.recordUnsaid(command, got.ExitCode)
	res := got.result()
	res.Command, res.Dir = command, safetext.Visible(res.Dir)
	if res.Layer != router.Agent && res.Layer != router.Field {
		res.Layer = router.Native
	}
	res.Stdout, res.Stderr = out.String(), notes.String()
	res.DurationMS = time.Since(start).Milliseconds()
	if out.err != nil {
		res.ExitCode = 128 + int(syscall.SIGPIPE)
	}
	c.mu.Lock()
	c.dir, c.jobs = res.Dir, got.Shells
	c.mu.Unlock()
	if lost != "" {
		res.Restarted = true
		res.Output = "[" + lost + ": this ran in a new shell, without the directory, variables, functions and jobs of the one before]\n" + res.Output
	}
	return res
}

// expectRecord notes that a command is sent: its guard there asks for a record of it, before it runs or is denied.
func (c *Client) expectRecord(command string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaid[command] = c.opts.Made.Guard.Recorder != nil && strings.TrimSpace(command) != ""
}

// recordUnsaid records a command that was sent and of which the far side has recorded nothing: it may have run.
func (c *Client) recordUnsaid(command string, status int) {
	c.mu.Lock()
	unsaid := c.unsaid[command]
	delete(c.unsaid, command)
	c.mu.Unlock()
	if !unsaid {
		return
	}
	e := entry{Raw: command, Dir: c.Dir(), Decision: policy.Decision{Because: []string{c.target.Name + " ran it, or not, and recorded nothing"}}}
	done, err := c.opts.Made.Guard.Recorder.Intent(e.entry(c.target.Name))
	if err == nil && done != nil {
		done(router.Outcome{ExitCode: status})
	}
	if err != nil && c.opts.Made.Warn != nil {
		c.opts.Made.Warn(err)
	}
}

// failed is the result of a command of which nobody knows what came.
func (c *Client) failed(ctx context.Context, command string, err error, sent bool, out, notes *head, start time.Time) router.Result {
	text := err.Error()
	res := router.Result{Command: command, Layer: router.Native, ExitCode: exitTransport, Dir: c.Dir(), Err: err, DurationMS: time.Since(start).Milliseconds()}
	switch {
	case ctx.Err() != nil:
		res.Canceled, res.ExitCode, text = true, 130, "interrupted"
		if sent {
			text += ", and " + c.target.Name + " has not said what came of it"
		}
	case sent:
		text = "interrupted: " + text + ": the command began, and may have done all, some or nothing of its work: look before it is sent again; the next command begins in a new shell"
	}
	fmt.Fprintln(notes, text)
	res.Stdout, res.Stderr, res.Error = out.String(), notes.String(), text
	res.Output = res.Stdout + "[stderr]\n" + res.Stderr + fmt.Sprintf("[exit code: %d]", res.ExitCode)
	return res
}

// Tool runs a tool there by the words after its name.
func (c *Client) Tool(ctx context.Context, name string, words []string, call *registry.Call) registry.ToolResult {
	p, _, err := c.open(ctx)
	var got toolResult
	if err == nil {
		err = p.request(ctx, toolRequest, toolArgs{Name: name, Words: words, Stdin: call.Stdin != nil}, &got, streams{call.Stdin, call.Stdout, call.Stderr})
	}
	if err != nil {
		fmt.Fprintln(call.Stderr, err)
		return registry.ToolResult{Error: err.Error(), ExitStatus: exitTransport}
	}
	return got.result(nil)
}

// SetMode changes the mode there; missing lists what it cannot hold. With trust it is that of
// a person who types the commands.
func (c *Client) SetMode(ctx context.Context, mode policy.Mode, trust bool) (missing []string, err error) {
	c.opening.Lock()
	p := c.peer
	c.opening.Unlock()
	if p == nil || p.ctx.Err() != nil {
		return nil, nil // the next session begins with it
	}
	return missing, p.request(ctx, modeRequest, modeArgs{Mode: mode, Trust: trust}, &missing, streams{})
}

// closeTime is how long a session may take to end.
const closeTime = 10 * time.Second

// Close ends the session there, with what it started.
func (c *Client) Close() error {
	c.opening.Lock()
	defer c.opening.Unlock()
	c.closed = true
	if c.peer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := c.peer.request(ctx, closeRequest, nil, nil, streams{})
	c.peer.close(router.ErrClosed)
	c.keeping.Wait()
	if err != nil {
		return fmt.Errorf("end the session on %s: %w: it ends itself within %s", c.target.Name, err, c.opts.Keep)
	}
	return nil
}
