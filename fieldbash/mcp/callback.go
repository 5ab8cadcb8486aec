package mcp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// callback is the loopback address (RFC 8252, section 7.3) to which the browser
// returns from a login. It listens only while there is one.
type callback struct {
	url     string
	addr    string
	answers chan url.Values
	server  *http.Server
	done    chan struct{}
}

// newCallback finds a free port.
func newCallback() (*callback, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the login: %w", err)
	}
	defer l.Close()
	addr := l.Addr().String()
	return &callback{url: "http://" + addr + "/callback", addr: addr}, nil
}

func (c *callback) open() error {
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listen for the login: %w", err)
	}
	answers := make(chan url.Values, 1)
	c.answers, c.done = answers, make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code") == "" && q.Get("error") == "" {
			http.Error(w, "this address is for the end of a login", http.StatusBadRequest)
			return
		}
		select {
		case answers <- q:
		default: // only the first counts
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "The login is done. You can close this page.\n")
	})
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(c.done)
		if err := c.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close()
		}
	}()
	return nil
}

func (c *callback) close() {
	c.server.Close()
	<-c.done
}
