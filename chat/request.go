package chat

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requestReply sends the conversation and returns the reply. A reply that breaks off is
// asked for again: its calls only run when all of it is there, so nothing can
// run twice by it. The reply is never nil.
func (c *Conversation) requestReply(ctx context.Context) (*reply, error) {
	attempts, backoff := c.opts.Attempts, c.opts.Backoff
	if attempts == 0 {
		attempts = defaultAttempts
	}
	if backoff == 0 {
		backoff = defaultBackoff
	}
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
		case n >= attempts || ctx.Err() != nil || !isCut(within), errors.Is(within, errIdle) && r.isEmpty() && c.isLocal():
			return r, c.explainStream(ctx, within, r.text.Len() > 0)
		}
		wait := backoff + rand.N(backoff/4+1)
		c.emitEvent(Retry{Attempt: n, Wait: wait, Reason: "the reply broke off (" + oneLine(within.Error()) + ")", Void: r.text.Len() > 0})
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
	for _, word := range []string{"invalid", "authentication", "permission", "context_length", "content_filter", "quota", "billing"} {
		if strings.Contains(kind, word) || strings.Contains(code, word) {
			return true
		}
	}
	return false
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
	if c.plain || !namesReasoning().MatchString(text) {
		return false
	}
	for i := range c.messages {
		if c.messages[i].ReasoningContent != "" || c.messages[i].rec.Extra != nil {
			return true
		}
	}
	return false
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
