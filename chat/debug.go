package chat

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// debugger writes every request and response as one JSON line each. The key is
// left out wherever it stands.
type debugger struct {
	next http.RoundTripper
	key  string

	mu  sync.Mutex
	out io.Writer
	n   int
}

type debugLine struct {
	Time    time.Time         `json:"time"`
	N       int               `json:"n"`
	Kind    string            `json:"kind"` // request, response or error
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Error   string            `json:"error,omitempty"`
}

func (d *debugger) RoundTrip(req *http.Request) (*http.Response, error) {
	d.mu.Lock()
	d.n++
	n := d.n
	d.mu.Unlock()
	line := debugLine{N: n, Kind: "request", Method: req.Method, URL: req.URL.String(), Headers: loggedHeaders(req.Header)}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			data, _ := io.ReadAll(body)
			line.Body = string(data)
		}
	}
	d.write(line)
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		d.write(debugLine{N: n, Kind: "error", Error: err.Error()})
		return nil, err
	}
	resp.Body = &debugBody{ReadCloser: resp.Body, done: func(body []byte, err error) {
		line := debugLine{N: n, Kind: "response", Status: resp.StatusCode, Headers: loggedHeaders(resp.Header), Body: string(body)}
		if err != nil && err != io.EOF {
			line.Error = err.Error()
		}
		d.write(line)
	}}
	return resp, nil
}

func (d *debugger) write(line debugLine) {
	line.Time = time.Now().UTC()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(line) != nil {
		return
	}
	text := b.String()
	if len(d.key) >= 4 {
		text = strings.ReplaceAll(text, d.key, "[redacted]")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	io.WriteString(d.out, text) // a full disk must not end a conversation
}

func loggedHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for k, v := range h {
		switch k {
		case "Authorization", "X-Api-Key", "Api-Key", "Cookie", "Set-Cookie", "Proxy-Authorization":
			out[k] = "[redacted]"
		default:
			out[k] = strings.Join(v, ", ")
		}
	}
	return out
}

// debugBody keeps what was read, and tells it at the end.
type debugBody struct {
	io.ReadCloser
	read bytes.Buffer
	err  error
	once sync.Once
	done func([]byte, error)
}

func (b *debugBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err != nil {
		b.err = err
		b.once.Do(func() { b.done(b.read.Bytes(), err) })
	}
	return n, err
}

func (b *debugBody) Close() error {
	b.once.Do(func() { b.done(b.read.Bytes(), b.err) })
	return b.ReadCloser.Close()
}
