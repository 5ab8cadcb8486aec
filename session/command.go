package session

import (
	"context"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/proctable"
	"github.com/agentbash/agentbash/internal/syscalls"
)

// Exit statuses of commands that did not end by themselves.
const (
	exitTimedOut = 124
	exitCanceled = 130
	exitLost     = -1
	exitSyntax   = 2
)

// maxInline is the length up to which a text stands in the line that evaluates it.
const maxInline = 2 << 10

// A command is one command on its way through the shell.
type command struct {
	e        *engine
	sh       *shell
	id       int64
	text     string
	timeout  time.Duration
	goOn     func() bool
	out, err stream
	lineEnd  int  // of all bytes for the shell, those that it must have read for the command to run
	unsent   bool // the shell was gone before it could be told
	opens    bool // it may end within $( ), and leaves its state

	start   time.Time
	stop    stopper
	probe   prober
	done    bool // the report is here, or never will be
	died    bool // the shell ended
	lost    bool
	goesOn  bool // at its time limit it was let go
	report  frame
	hupWait time.Duration // until the next look at a pipe that nobody holds

	leftPipes bool // the shell has let go of the control or the diagnostics pipe, by exec
	res       Result
}

func (e *engine) newCommand(text string, opts *RunOptions, t *tee) *command {
	e.seq++
	keep := collector{headCap: e.cfg.Head, tailCap: e.cfg.Tail}
	c := &command{e: e, sh: e.shell.Load(), id: e.seq, text: text, timeout: opts.Timeout, goOn: opts.GoOn}
	c.out = stream{pipe: &e.out, kept: keep, tee: t}
	c.err = stream{pipe: &e.err, kept: keep, tee: t, toErr: true, renamed: !strings.Contains(text, "eval")}
	return c
}

// composeLine writes what the shell evaluates for the command into e.line, and the
// line that has it do so into e.scratch. A shell that is not interactive reads
// its command pipe byte by byte, so that this line is short.
func (c *command) composeLine() error {
	l := append(c.e.scratch[:0], firstLine...)
	l = appendStatus(l, c.e.status)
	l = append(l, `\builtin eval -- `...)
	if len(c.text) <= maxInline {
		l = appendQuoted(l, c.text)
	} else {
		// $'...' takes long for a long text. This does not fork (bash 5.2), and
		// drops newlines at the end.
		text := strings.TrimRight(c.text, "\n")
		if err := c.e.text.set([]byte(text)); err != nil {
			return err
		}
		l = append(append(append(l, `"$(<`...), c.e.text.path...), `)"`...)
		l = appendQuoted(l, c.text[len(text):])
	}
	l = append(append(l, ` </dev/null >|`...), c.e.out.path...)
	l = append(append(l, ` 2>|`...), c.e.err.path...)
	l = append(l, "; "...)
	if strings.Contains(c.text, "builtin") && namesBuiltin().MatchString(c.text) {
		l = append(l, dropBuiltin...)
	}
	if c.e.cfg.PromptCommand {
		l = append(l, keepStatus...)
	}
	by := reportFunc
	if c.e.closes = c.e.closes || c.e.cfg.PromptCommand || mayClose().MatchString(c.text); c.e.closes {
		by = findFunc
	}
	l = appendReport(l, by, c.id)
	if c.sh.hasJobs = c.sh.hasJobs || startsJobs().MatchString(c.text); c.sh.hasJobs {
		l = append(l, forgetJobs...)
	}
	if c.e.cfg.PromptCommand {
		l = append(l, promptCommands...)
	}
	if c.opens = strings.Contains(c.text, "$(") && strings.Count(c.text, "(") != strings.Count(c.text, ")"); c.opens {
		l = append(append(l, ';'), dumpLine(c.e.snap.path)...)
	}
	if err := c.e.line.set(l); err != nil {
		return err
	}
	c.e.scratch = append(append(append(l[:0], `\builtin eval "$(<`...), c.e.line.path...), ")\"\n"...)
	return nil
}

// sendAndWait sends the command and waits for its end; ran is false if the shell had
// ended before it read the command.
func (c *command) sendAndWait(ctx context.Context) (_ Result, ran bool, _ error) {
	if err := c.composeLine(); err != nil {
		return Result{}, false, err
	}
	c.start = time.Now()
	c.probe = prober{at: c.start.Add(probeAfter), gap: probeAfter}
	c.e.snap.fresh, c.e.snap.aborted = false, false
	c.res.Restarted, c.e.restarted = c.e.restarted, false
	c.res.StateLost = c.res.Restarted && c.e.stateLost
	c.sh.frames.skipped = c.sh.frames.skipped[:0]
	c.sh.readDiag(c.e.buf)
	c.sh.diagnostics = c.sh.diagnostics[:0]
	c.unsent = c.sh.queueText(c.e.scratch) != nil
	c.lineEnd = c.sh.queued
	c.waitShort()
	asked := false
	for !c.done {
		if !asked && time.Since(c.start) >= quickWait {
			// The command takes a while. A second report, in a line of its own, also
			// comes when the first one is lost.
			c.sendReport()
			c.out.tee.start()
			asked = true
		}
		if err := c.waitStep(ctx, asked); err != nil {
			return Result{}, false, err
		}
	}
	if c.goesOn {
		return c.letGo(asked), true, nil
	}
	return c.conclude()
}

// sendReport asks for a report in a line of its own.
func (c *command) sendReport() {
	c.e.scratch = append(appendReport(c.e.scratch[:0], reportFunc, c.id), '\n')
	c.sh.queueText(c.e.scratch)
}

// Within shortWait a command of builtins ends and has written little: one wake-up
// instead of one for each write. Within quickWait most others do.
const (
	shortWait = 150 * time.Microsecond
	quickWait = 2 * time.Millisecond
)

// Places in the list of polled descriptors.
const (
	pollCtl = iota
	pollPid
	pollWake
	pollDiag
	pollSnap
	pollOut
	pollErr
	pollIn
)

// waitShort waits for the end of a short command.
func (c *command) waitShort() {
	p := c.e.poll[:pollDiag]
	p[pollCtl] = unix.PollFd{Fd: int32(c.sh.ctl), Events: unix.POLLIN}
	p[pollPid] = unix.PollFd{Fd: int32(c.sh.pidfd), Events: unix.POLLIN}
	p[pollWake] = unix.PollFd{Fd: int32(c.e.wake.FD()), Events: unix.POLLIN}
	n, err := syscalls.PollBriefly(p, shortWait)
	if n > 0 && err == nil && p[pollCtl].Revents&unix.POLLIN != 0 {
		c.readReport()
	}
}

// waitStep waits for something to happen and deals with it; asked says that a
// report was asked for a second time.
func (c *command) waitStep(ctx context.Context, asked bool) error {
	p := &c.e.poll
	ctl, diag := c.sh.ctl, c.sh.diag
	if c.leftPipes { // nobody holds them, and they would be ready all the time: they are looked at now and then
		ctl, diag = -1, -1
	}
	for i, fd := range [...]int{ctl, c.sh.pidfd, c.e.wake.FD(), diag, c.e.snap.in, c.out.pollFD(), c.err.pollFD(), -1} {
		p[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	if len(c.sh.pending) > 0 {
		p[pollIn] = unix.PollFd{Fd: int32(c.sh.in), Events: unix.POLLOUT}
	}
	if _, err := unix.Poll(p[:], c.nextTimeout(asked)); err != nil && err != unix.EINTR {
		return err
	}
	c.readOutput(p[pollOut].Revents, p[pollErr].Revents)
	c.leftPipes = c.leftPipes || p[pollCtl].Revents&(unix.POLLHUP|unix.POLLIN) == unix.POLLHUP || p[pollDiag].Revents&(unix.POLLHUP|unix.POLLIN) == unix.POLLHUP
	if p[pollDiag].Revents != 0 {
		c.sh.readDiag(c.e.buf)
	}
	if p[pollSnap].Revents != 0 {
		c.e.snap.readPipe(c.e.buf)
	}
	if p[pollCtl].Revents&unix.POLLIN != 0 || c.leftPipes {
		c.readReport()
	}
	if !c.done && p[pollPid].Revents != 0 && p[pollCtl].Revents&unix.POLLIN == 0 {
		c.died, c.done = true, true
	}
	if c.done {
		return nil
	}
	if p[pollIn].Revents != 0 {
		c.sh.writeQueued()
	}
	if p[pollWake].Revents != 0 {
		c.e.wake.Drain()
	}
	c.checkLimits(ctx, time.Now())
	return nil
}

// maxHupWait is the longest pause before a stream that nobody held is looked at
// again.
const maxHupWait = 50 * time.Millisecond

// nextTimeout is the time until the next timer, in milliseconds, rounded up.
func (c *command) nextTimeout(asked bool) int {
	next := c.probe.at
	if !asked {
		next = c.start.Add(quickWait)
	}
	if c.stop.stage > 0 {
		next = c.stop.at
	} else if end := c.start.Add(c.timeout); end.Before(next) {
		next = end
	}
	d := time.Until(next)
	if c.out.closed || c.err.closed || c.leftPipes {
		c.hupWait = min(max(2*c.hupWait, time.Millisecond), maxHupWait)
		d = min(d, c.hupWait)
	} else {
		c.hupWait = 0
	}
	return max(0, int((d+time.Millisecond-1)/time.Millisecond))
}

// readOutput takes in what the streams hold. A stream that nobody held is
// looked at whenever there is an occasion.
func (c *command) readOutput(out, err int16) {
	if out != 0 || c.out.closed {
		c.out.readWaiting(&c.e.buf)
	}
	if err != 0 || c.err.closed {
		c.err.readWaiting(&c.e.buf)
	}
}

func (c *command) readReport() {
	c.sh.readControl(c.e.buf)
	for {
		f, ok := c.sh.frames.next()
		if !ok {
			return
		}
		if f.id == c.id && !c.done { // the second line reports again
			c.report, c.done = f, true
		}
	}
}

// checkLimits looks at the clock, the context and the amount of output.
func (c *command) checkLimits(ctx context.Context, now time.Time) {
	if c.stop.stage > 0 {
		if !now.Before(c.stop.at) {
			c.pressOn(now)
		}
		if c.e.closing.Load() {
			c.stop.skipToLast()
		}
		return
	}
	limit := c.e.cfg.OutputLimit
	switch {
	case c.e.closing.Load():
		c.res.Canceled = true
		c.interrupt(now)
		c.stop.skipToLast()
	case ctx.Err() != nil:
		c.res.Canceled = true
		c.interrupt(now)
	case limit > 0 && c.out.kept.total+c.err.kept.total > limit:
		c.res.OutputLimited = true
		c.interrupt(now)
	case now.Sub(c.start) >= c.timeout:
		c.res.TimedOut = true
		if c.goesOn = c.goOn != nil && c.goOn(); c.goesOn {
			c.done = true
		} else {
			c.interrupt(now)
		}
	case !now.Before(c.probe.at) && c.waitsForTerminal(now):
		c.res.WantsTerminal = true
		c.interrupt(now)
	case !now.Before(c.probe.at):
		c.lookForReport(now)
	}
}

// A prober finds out that a report was lost: the shell is back at its prompt
// and did not report, for a command hid builtin behind a function or made the
// shell skip the rest of the line (extdebug with a failing DEBUG trap).
type prober struct {
	at    time.Time
	gap   time.Duration
	sent  bool // an empty line waits in the command pipe
	eaten int  // how many have been read
}

const (
	probeAfter  = 50 * time.Millisecond
	maxProbeGap = 1500 * time.Millisecond
)

// lookForReport puts an empty line into the command pipe, which stays there as
// long as the command runs. A slow shell may read the first together with the
// command; when it has read a second, it is back, and the report is due.
func (c *command) lookForReport(now time.Time) {
	p := &c.probe
	if at, _ := proctable.Stat(c.sh.pid); at.State == 'T' { // nobody else would wake it
		c.sh.signal(syscall.SIGCONT)
		c.res.Resumed = true
	}
	left, err := c.sh.unreadBytes()
	switch {
	case len(c.sh.pending) > 0 || err != nil:
	case !p.sent && c.sh.queueText([]byte{'\n'}) == nil:
		p.sent = true
	case !p.sent || left > 0: // nobody reads, for the shell has become another program; or it is at work
		p.gap = min(2*p.gap, maxProbeGap)
	case p.eaten < 2:
		p.eaten++
		p.gap, p.sent = probeAfter, p.eaten == 2
	default:
		c.done, c.lost = true, true
	}
	p.at = now.Add(p.gap)
}
