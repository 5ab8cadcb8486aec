package chat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// longestWait bounds what a server may make us wait between two attempts; one
// that asks for more gets no further attempt.
const longestWait = time.Minute

const defaultAttempts = 4

// quotaCode marks a 429 that waiting does not cure (OpenAI's error codes).
const quotaCode = "insufficient_quota"

// retrier sends a request again when no byte of a reply has come: after a reset
// connection and after the statuses that say "later". It does not touch
// connections that were refused: a server that is not there needs its user.
type retrier struct {
	next     http.RoundTripper
	attempts int
	backoff  time.Duration
	tell     func(Retry)
}

func (t *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	backoff := t.backoff
	var loading time.Time // since when the server says so
	for n := 1; ; n++ {
		resp, err := t.next.RoundTrip(req)
		reason := retryReason(resp, err)
		first := loading.IsZero()
		if reason == isLoadingReason && (first || time.Since(loading) < longestLoad) {
			if first {
				loading = time.Now()
			}
			n = 0
		}
		if reason == "" || n >= t.attempts || req.Context().Err() != nil || req.GetBody == nil {
			return resp, err
		}
		wait, ok := retryWait(resp, backoff)
		if !ok {
			return resp, err
		}
		if resp != nil {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
			resp.Body.Close()
		}
		if n > 0 || first {
			t.tell(Retry{Attempt: max(n, 1), Wait: wait, Reason: reason})
		}
		stateOf(req.Context()).stopWait()
		if err := sleepContext(req.Context(), wait); err != nil {
			return nil, err
		}
		backoff = min(2*backoff, longestBackoff)
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = body
	}
}

// retryReason says why a request may be sent again, or "" if it may not.
func retryReason(resp *http.Response, err error) string {
	if err != nil {
		if isReset(err) {
			return "the connection was closed"
		}
		return ""
	}
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
	default:
		return ""
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	resp.Body = &rereadBody{Reader: io.MultiReader(bytes.NewReader(head), resp.Body), Closer: resp.Body}
	switch e := newStatusError(resp.StatusCode, head); {
	case bytes.Contains(head, []byte(quotaCode)), isFinal(e):
		return ""
	case isLoading(e.text):
		return isLoadingReason
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
}

// isLoadingReason is why a request waits for a server that loads its model.
const isLoadingReason = "the server is loading the model"

// longestLoad is how long a server may load its model, longestBackoff the longest wait that
// doubling leads to.
const (
	longestLoad    = 10 * time.Minute
	longestBackoff = 4 * time.Second
)

var loadingWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)loading (the )?model|model (is )?(still |currently |being )*load(ing|ed)\b.{0,20}(wait|try|progress|yet|$)`)
})

// isLoading reports an error of a server whose model is not there yet.
func isLoading(text string) bool { return loadingWords().MatchString(text) }

// retryWait is the server's Retry-After (RFC 9110, section 10.2.3), or the
// backoff and up to a quarter of it. ok is false when that is too long.
func retryWait(resp *http.Response, backoff time.Duration) (wait time.Duration, ok bool) {
	wait = backoff + rand.N(backoff/4+1)
	if resp != nil {
		header := resp.Header.Get("Retry-After")
		if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds >= 0 {
			wait = time.Duration(seconds * float64(time.Second))
		} else if at, err := http.ParseTime(header); err == nil {
			wait = max(0, time.Until(at))
		}
	}
	return wait, wait <= longestWait
}

func sleepContext(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rereadBody is a body whose head was read and put back.
type rereadBody struct {
	io.Reader
	io.Closer
}
