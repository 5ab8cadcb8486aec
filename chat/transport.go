package chat

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// httpClient is the client that go-openai gets.
func (c *Conversation) httpClient() *http.Client {
	client := http.Client{}
	if c.opts.HTTPClient != nil {
		client = *c.opts.HTTPClient
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	if client.CheckRedirect == nil {
		// A redirected POST becomes a GET, and its answer misleads.
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	if c.opts.Debug != nil {
		client.Transport = &debugger{next: client.Transport, out: c.opts.Debug, key: c.opts.APIKey}
	}
	client.Transport = &patcher{&retrier{
		next:     &checker{next: client.Transport, setting: c.opts.Settings.BaseURL},
		attempts: c.opts.Attempts,
		backoff:  c.opts.Backoff,
		tell:     func(r Retry) { c.emitEvent(r) },
	}}
	return &client
}

// checker refuses responses that are no event stream, and takes out of a stream
// what go-openai does not read well.
type checker struct {
	next    http.RoundTripper
	setting string // of the base URL
}

// responseError is a response that cannot be a model's reply.
type responseError struct{ text string }

func (e *responseError) Error() string { return e.text }

func (c *checker) RoundTrip(req *http.Request) (*http.Response, error) {
	state := stateOf(req.Context())
	state.restartWait()
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	state.restartWait()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		resp.Body.Close()
		return nil, &responseError{fmt.Sprintf("it redirects to %s: set %s to where it really is", oneLine(resp.Header.Get("Location")), c.setting)}
	case resp.StatusCode >= 400:
		return resp, nil
	}
	// Waiting for the first byte here lets the retrier take a body that broke off
	// before it for a connection that did.
	body := bufio.NewReader(&living{resp.Body, state})
	if _, err := body.Peek(1); err != nil {
		resp.Body.Close()
		return nil, err
	}
	if err := checkType(resp.Header.Get("Content-Type"), body, c.setting); err != nil {
		resp.Body.Close()
		return nil, err
	}
	resp.Body = &eventBody{r: body, c: resp.Body}
	return resp, nil
}

// living tells that bytes come.
type living struct {
	r     io.Reader
	state *requestState
}

func (l *living) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.state.restartWait()
	return n, err
}

// checkType wants text/event-stream. Some servers send events under another
// name, so that other types are judged by how the body begins.
func checkType(header string, body *bufio.Reader, setting string) error {
	kind, _, _ := mime.ParseMediaType(header)
	if kind == "text/event-stream" {
		return nil
	}
	head, _ := body.Peek(min(body.Buffered(), 200))
	start := bytes.TrimLeft(head, "\r\n \ufeff")
	for _, field := range []string{"data:", ":", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return nil
		}
	}
	if kind == "" {
		kind = "no content type"
	}
	return &responseError{fmt.Sprintf("it answered with %s in place of an event stream (%s): check the base URL with %s, it usually ends in /v1", kind, quoteHead(oneLine(string(start))), setting)}
}

// eventBody is a stream of server-sent events without the lines that go-openai
// would gather as if they were parts of an error: comments, which servers send to
// keep a connection alive, and fields other than data (WHATWG HTML, section 9.2.5).
type eventBody struct {
	r    *bufio.Reader
	c    io.Closer
	rest []byte // of a line that is passed on
}

// maxLine bounds one line of a stream: a server that never ends one must not
// take all memory.
const maxLine = 32 << 20

var errLine = fmt.Errorf("a line of more than %d bytes", maxLine)

// line reads one line with its end, as far as it goes.
func (b *eventBody) line() ([]byte, error) {
	var line []byte
	for {
		part, err := b.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, errLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (b *eventBody) Close() error { return b.c.Close() }

func (b *eventBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		line, err := b.line()
		if err != nil {
			// A last line without its end is no event, but go-openai wants to
			// see an error object there.
			if len(line) == 0 || !errors.Is(err, io.EOF) {
				return 0, err
			}
			line = append(line, '\n')
		}
		if rest, ok := bytes.CutPrefix(line, []byte(`data: {"error":`)); ok {
			// go-openai would gather it, and lose what is not in OpenAI's form.
			line = append([]byte(`data: { "error":`), rest...)
		}
		if !isSkippedLine(line) {
			b.rest = line
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func isSkippedLine(line []byte) bool {
	for _, field := range []string{":", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// isReset reports an error of a connection that was closed under us.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "malformed MIME header: missing colon") // closed in the middle of the headers
}

// defaultBackoff is the wait before the second attempt.
const defaultBackoff = 500 * time.Millisecond
