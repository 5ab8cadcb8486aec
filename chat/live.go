package chat

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/router"
)

// LiveRunner is a [Runner] that can show what a command writes as it comes. The
// output it returns is, as that of Run, what a model is to see. With a method
// Hide(text string) string it hides secrets in what is shown meanwhile.
type LiveRunner interface {
	RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (output string, exitCode int)
}

// Between two events of a command's output pass outputEvery, and one has no more than
// mostOutput bytes: the last.
const (
	outputEvery = 200 * time.Millisecond
	mostOutput  = 4 << 10
)

// liveOutput keeps what a command wrote since it was told last. Both streams write to it.
type liveOutput struct {
	mu      sync.Mutex
	text    []byte
	omitted int64
	quiet   bool // nothing came since the last call of take
}

func (l *liveOutput) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text, l.quiet = append(l.text, p[max(0, len(p)-mostOutput):]...), false
	over := max(0, len(l.text)-mostOutput)
	l.omitted += int64(over + max(0, len(p)-mostOutput))
	l.text = append(l.text[:0], l.text[over:]...)
	return len(p), nil
}

// take is what came since the last call, whole lines: in a part of one a secret would not be
// known. A line that stays unfinished, such as a prompt, counts as whole.
func (l *liveOutput) take() (text string, omitted int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := bytes.LastIndexByte(l.text, '\n') + 1
	if end == 0 && l.quiet {
		end = len(l.text)
	}
	l.quiet = true
	if end == 0 {
		return "", 0
	}
	part := l.text[:end]
	if omitted = l.omitted; omitted > 0 {
		_, rest, _ := bytes.Cut(part, []byte("\n"))
		omitted += int64(len(part) - len(rest))
		part = rest
	}
	text = strings.ToValidUTF8(string(part), "\uFFFD")
	l.text, l.omitted = append(l.text[:0], l.text[end:]...), 0
	return text, omitted
}

// runLive runs a command and tells meanwhile what it writes; not of one that ends soon.
func (c *Conversation) runLive(ctx context.Context, id string, args router.Arguments) (output string, exitCode int) {
	runner, ok := c.opts.Runner.(LiveRunner)
	if !ok {
		return c.opts.Runner.Run(ctx, args.Command, args.Timeout)
	}
	live, hide := &liveOutput{}, func(text string) string { return text }
	if h, ok := c.opts.Runner.(interface{ Hide(text string) string }); ok {
		hide = h.Hide
	}
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		tick := time.NewTicker(outputEvery)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				if text, omitted := live.take(); text != "" {
					c.opts.Events(Output{ID: id, Text: hide(text), Omitted: omitted})
				}
			}
		}
	}()
	defer func() { close(ended); <-told }()
	return runner.RunLive(ctx, args.Command, args.Timeout, live, live)
}
