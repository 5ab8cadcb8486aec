package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/agentbash/agentbash/internal/secrettext"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// The exit statuses of a headless run that failed.
const (
	ExitModel       = 1   // the model or its server
	ExitUsage       = 2   // what was asked makes no sense
	ExitLimit       = 3   // a limit that the caller set was reached
	ExitAuth        = 4   // the server refused the key
	ExitDenied      = 126 // what the model wanted to do is not allowed
	ExitInterrupted = 130 // cancelled
)

// Error is why a turn ended early: one line that ends with the next move.
type Error struct {
	Exit int    // one of the Exit constants
	Text string // for a person
	Err  error  // the cause; may be nil

	tooLong bool // the conversation does not fit the model's window
	refusal errorBody
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause; context.Canceled for an interrupted turn.
func (e *Error) Unwrap() error { return e.Err }

// ExitStatus is the exit status of a program that ends with this error.
func (e *Error) ExitStatus() int { return e.Exit }

// serverError is an error that the server wrote into its reply.
type serverError struct {
	errorBody
	lasting bool // sending the request again would not help
}

func newServerError(raw json.RawMessage) *serverError {
	e := &serverError{errorBody: readErrorBody(raw)}
	e.lasting = isLastingCode(e.kind, e.code)
	return e
}

func (e *serverError) Error() string { return e.text }

func exitOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Exit
	}
	return ExitModel
}

// interruptError is why ctx ended: its cause, where that is an [*Error].
func (c *Conversation) interruptError(ctx context.Context) error {
	var limit *Error
	if errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	return &Error{Exit: ExitInterrupted, Text: "interrupted: the conversation is kept, go on with another prompt", Err: context.Cause(ctx)}
}

// explainError maps an error from before the reply.
func (c *Conversation) explainError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return c.interruptError(ctx)
	}
	e := &Error{Exit: ExitModel, Err: err}
	var refused *statusError
	if errors.As(err, &refused) {
		c.explainStatus(e, refused)
	} else {
		e.Text = "model server " + c.server + ": " + c.explainTransport(err)
	}
	e.Text = c.withoutKey(e.Text)
	return e
}

// withoutKey leaves the key out of what a server says: some quote the key that they refuse.
func (c *Conversation) withoutKey(text string) string {
	if len(c.opts.APIKey) < 8 {
		return text
	}
	return strings.ReplaceAll(text, c.opts.APIKey, "[redacted]")
}

// explainStream maps an error from the middle of a reply.
func (c *Conversation) explainStream(ctx context.Context, err error, began bool) error {
	if ctx.Err() != nil {
		return c.interruptError(ctx)
	}
	var said *serverError
	if errors.Is(err, errEndless) {
		return &Error{Exit: ExitLimit, Err: err, Text: "stopped: " + err.Error() + ": what came is kept once; put the prompt in other words, or use another " + c.opts.Settings.Model}
	}
	e := &Error{Exit: ExitModel, Err: err}
	kept := "what came is kept, type `go on` to continue"
	if c.opts.Unattended {
		kept = "what came is kept"
	}
	switch {
	case errors.As(err, &said):
		// Some servers find out when the answer has begun, before its first word.
		e.tooLong, e.refusal = isTooLong(http.StatusBadRequest, &said.errorBody), said.errorBody
		e.Text = fmt.Sprintf("model server %s broke off the reply (%s): %s", c.server, oneLine(said.text), kept)
		if !began {
			next := cmp.Or(inability(said.text), "send the prompt again, or use another "+c.opts.Settings.Model)
			e.Text = fmt.Sprintf("model server %s answered with an error: %s: %s", c.server, oneLine(said.text), next)
		}
	case errors.As(err, new(*responseError)):
		return c.explainError(ctx, err)
	default:
		e.Text = fmt.Sprintf("model server %s: the reply was cut off in the middle (%s): %s", c.server, oneLine(err.Error()), kept)
	}
	e.Text = c.withoutKey(e.Text)
	return e
}

// explainStatus maps an HTTP status to what to do about it.
func (c *Conversation) explainStatus(e *Error, refused *statusError) {
	status, text := refused.status, refused.text
	what := fmt.Sprintf("%d %s", status, http.StatusText(status))
	if text := oneLine(text); text != "" {
		what += ": " + text
	}
	next, set := "", c.opts.Settings
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Exit = ExitAuth
		next = "set " + set.APIKey + " to a key of that server"
		if c.opts.APIKey == "" {
			next = "no key is set: " + next
		}
	case namesImages().MatchString(text) && c.lacksPicture():
		next = fmt.Sprintf("%s does not take the picture: it is left out from here on; send the prompt again without it, or use another %s", c.opts.Model, set.Model)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		next = fmt.Sprintf("check the model (%s) with %s and the base URL (%s) with %s; it usually ends in /v1", c.opts.Model, set.Model, secrettext.Shown(c.opts.BaseURL), set.BaseURL)
	case status == http.StatusTooManyRequests && strings.Contains(refused.code+refused.kind, quotaCode):
		next = "the account has no credit left: add some, or use another key or " + set.BaseURL
	case status == http.StatusTooManyRequests:
		next = "too many requests: wait a little and send the prompt again"
	case isTooLong(status, &refused.errorBody):
		e.tooLong, e.refusal = true, refused.errorBody
		next = "the conversation is too long for the model: start a new one (in the chat: /clear, or /compact to shorten it)"
	case inability(text) != "":
		next = inability(text)
	case isTemplates(text):
		next = "the chat template of the model refuses the conversation: use another " + set.Model + ", or give the server another template"
	case isLoading(text):
		next = "the server still loads its model: wait a little and send the prompt again"
	case status >= 500:
		next = "the server is in trouble: send the prompt again, or use another " + set.Model + " or " + set.BaseURL
	default:
		next = fmt.Sprintf("the server refused the request: check that %s %s can call tools", set.Model, c.opts.Model)
	}
	e.Text = fmt.Sprintf("model server %s answered %s: %s", c.server, what, next)
}

// explainTransport maps an error from under HTTP.
func (c *Conversation) explainTransport(err error) string {
	var dns *net.DNSError
	var bad *responseError
	baseURL := c.opts.Settings.BaseURL
	switch {
	case errors.As(err, &bad):
		return bad.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host: check the base URL (" + secrettext.Shown(c.opts.BaseURL) + ") with " + baseURL
	case errors.As(err, &dns):
		return "the name could not be looked up (" + dns.Err + "): check the network, or the base URL with " + baseURL
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: start the server, or point " + baseURL + " at one that runs"
	case errors.Is(err, errIdle):
		return "it sent nothing for " + c.idleLimit().String() + ": send the prompt again, or look at the server"
	case isReset(err):
		return "the connection was closed before an answer came: send the prompt again"
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return oneLine(err.Error()) + ": check the network and the base URL (" + secrettext.Shown(c.opts.BaseURL) + ")"
}

// oneLine folds a text to one line of at most 300 bytes, without control characters.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "..."
	}
	return strings.TrimRight(s, ".:")
}

func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return base
}
