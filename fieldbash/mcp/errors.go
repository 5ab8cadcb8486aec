package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The exit statuses that this package's errors carry.
const (
	exitTransport   = 3
	exitAuth        = 4
	exitRefused     = 126
	exitTimedOut    = 124
	exitInterrupted = 130
)

// Error says that a server could not be reached, was lost, took too long or
// refused us. A tool that ran and failed is no Error: see [Result.IsError]
// and [RequestError].
type Error struct {
	Op     string // what was being done: "start", "call echo"
	Err    error  // what happened
	Next   string // what to do about it; may be empty
	Stderr string // the last lines that the server wrote to stderr; may be empty
	Status int    // exit status: 3 transport, 4 authentication, 124 timed out, 126 not allowed, 130 interrupted
	unsent bool   // the server never saw the request
}

// Error is one line, then the server's last words if it left any.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", e.Op, e.Err)
	if e.Next != "" {
		b.WriteString(": " + e.Next)
	}
	if e.Stderr != "" {
		b.WriteString("\nthe server's last lines on stderr:\n  ")
		b.WriteString(strings.ReplaceAll(e.Stderr, "\n", "\n  "))
	}
	return b.String()
}

// Unwrap returns what happened.
func (e *Error) Unwrap() error { return e.Err }

// ExitStatus is the command's exit status for this error.
func (e *Error) ExitStatus() int { return e.Status }

// RequestError is the server's own refusal of one request (a JSON-RPC error).
// The connection is as good as before.
type RequestError struct {
	Code    int64 // JSON-RPC error code
	Message string
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("the server refused the request: %s (JSON-RPC error %d)", e.Message, e.Code)
}

// ExitStatus is 1: the tool failed, not the connection.
func (e *RequestError) ExitStatus() int { return 1 }

// refusedError is the error of a server that our own side does not let start.
type refusedError struct{ error }

func (e *refusedError) notStarted() *Error {
	return &Error{Op: "start", Err: e.error, Status: exitRefused, unsent: true}
}

// timeoutError is the cause of a context that ran out of our own limits.
type timeoutError struct {
	after time.Duration
	what  string // "no answer", "no answer and no progress"
}

func (e *timeoutError) Error() string { return fmt.Sprintf("%s for %v", e.what, e.after) }

// fromContext makes an Error of a context's end, or returns nil if err is not due to it.
func fromContext(ctx context.Context, op string, err error) *Error {
	if err == nil || ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	var limit *timeoutError
	switch {
	case errors.As(cause, &limit):
		return &Error{Op: op, Err: cause, Status: exitTimedOut}
	case errors.Is(cause, context.DeadlineExceeded):
		return &Error{Op: op, Err: errors.New("timed out"), Status: exitTimedOut}
	default:
		return &Error{Op: op, Err: errors.New("interrupted"), Status: exitInterrupted}
	}
}
