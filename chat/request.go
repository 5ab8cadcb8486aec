package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requestReply sends the conversation and returns the reply, of another model where the
// server of this one fails. The reply is never nil.
func (c *Conversation) requestReply(ctx context.Context) (*reply, error) {
	for {
		r, err := c.askServer(ctx)
		if err == nil || !c.fallBack(ctx, r, err) {
			return r, err
		}
	}
}

// fallBack goes on with the next model, where the server of this one is in trouble: it
// cannot be reached, is overloaded, or breaks off.
func (c *Conversation) fallBack(ctx context.Context, r *reply, err error) bool {
	var e *Error
	var said *serverError
	status, _ := statusOf(err)
	if c.opts.Fallback == nil || ctx.Err() != nil || !errors.As(err, &e) || e.Exit != ExitModel || e.tooLong || errors.As(err, &said) && said.lasting ||
		status > 0 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout {
		return false
	}
	m, ok := c.opts.Fallback(ctx)
	if !ok || c.SetModel(m) != nil {
		return false
	}
	if r.text.Len() > 0 {
		c.emitEvent(Retry{Attempt: 1, Reason: "another model goes on", Void: true})
	}
	c.emitEvent(Notice{Text: fmt.Sprintf("%s. %s at %s goes on from here", e.Text, c.opts.Model, c.server)})
	return true
}

// askServer sends the conversation and returns the reply. A reply that breaks off is
// asked for again: its calls only run when all of it is there, so nothing can
// run twice by it. The reply is never nil.
func (c *Conversation) askServer(ctx context.Context) (*reply, error) {
	backoff := cmp.Or(c.opts.Backoff, defaultBackoff)
	for n := 1; ; n++ {
		r, before, within := c.streamReply(ctx)
		switch {
		case before != nil && c.changesTheRequest(before):
			n--
			continue
		case before != nil:
			return r, c.explainError(ctx, c.keepProtocol(before))
		case within == nil:
			c.keepProtocol(nil)
			return r, nil
		case n >= cmp.Or(c.opts.Attempts, defaultAttempts) || ctx.Err() != nil || !isCut(within), errors.Is(within, errIdle) && r.isEmpty() && c.isLocal():
			return r, c.explainStream(ctx, within, r.text.Len() > 0)
		}
		wait := backoff + rand.N(backoff/4+1)
		c.emitEvent(Retry{Attempt: n, Wait: wait, Reason: "the reply broke off (" + c.withoutKey(oneLine(within.Error())) + ")", Void: r.text.Len() > 0})
		if sleepContext(ctx, wait) != nil {
			return r, c.interruptError(ctx)
		}
		backoff *= 2
	}
}

// isCut reports an error that another attempt may not meet.
func isCut(err error) bool {
	var said *serverError
	var network net.Error
	return errors.As(err, &said) && !said.lasting || isReset(err) || errors.Is(err, errIdle) || errors.As(err, &network)
}

// isLastingCode reports an error in a stream that says the request was wrong.
func isLastingCode(kind, code string) bool {
	if status, err := strconv.Atoi(code); err == nil {
		return status >= 400 && status < 500 && status != 408 && status != 429
	}
	return slices.ContainsFunc([]string{"invalid", "authentication", "permission", "context_length", "content_filter", "quota", "billing"}, func(word string) bool {
		return strings.Contains(kind+" "+code, word)
	})
}

// changesTheRequest reports whether the server's refusal says how it wants the
// request, so that it is sent again in another form. Each thing is changed once.
func (c *Conversation) changesTheRequest(err error) bool {
	status, text := statusOf(err)
	switch {
	case c.otherAPI(err):
	case status >= 400 && c.refusesImages(text):
	case status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && (status != http.StatusInternalServerError || !isTemplates(text)):
		return false
	case c.leaveOut(text):
	case c.refusesReasoning(text):
		c.plain = true
	default:
		return false
	}
	return true
}

var namesReasoning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)reasoning|thinking|signature|encrypted|\brs_`) })

// refusesReasoning is true when a server does not take back the reasoning that it
// sent, as DeepSeek's first reasoner did not.
func (c *Conversation) refusesReasoning(text string) bool {
	return !c.plain && namesReasoning().MatchString(text) && slices.ContainsFunc(c.messages, func(m message) bool {
		return m.ReasoningContent != "" || m.rec.Extra != nil
	})
}

// The limits of silence are long, since a model on a small machine may read a long prompt
// for minutes before its first word.
const (
	defaultIdle = 5 * time.Minute
	localIdle   = 30 * time.Minute // of a server on this machine, which would begin anew if it was asked again
)

func (c *Conversation) idleLimit() time.Duration {
	switch {
	case c.opts.Idle > 0:
		return c.opts.Idle
	case c.isLocal():
		return localIdle
	}
	return defaultIdle
}

var errIdle = errors.New("nothing came for too long")

// idleCause is errIdle where that ended the request, else err.
func idleCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errIdle) {
		return cause
	}
	return err
}
