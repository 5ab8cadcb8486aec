package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// envToken is the variable with the token that clients over HTTP must send.
const envToken = "AGENTBASH_MCP_TOKEN"

// runMCP is agentbash mcp.
func runMCP(ctx context.Context, a *app, words []string) int {
	if len(words) > 0 && (words[0] == "install" || words[0] == "uninstall") {
		return a.mcpInstall(ctx, words[0] == "uninstall", words[1:])
	}
	f := newFlags("mcp")
	all, address := f.Bool("all-tools", false, ""), f.String("http", "", "")
	killAtLimit, shared := f.Bool("kill-at-limit", false, ""), f.Bool("shared", false, "")
	sessions, idle := f.Int("sessions", mcp.DefaultSessions, ""), f.Float64("idle", mcp.DefaultIdle.Seconds(), "")
	mode, dir, file, on := f.String("mode", a.mode, ""), f.String("dir", "", ""), f.String("config", "", ""), a.on
	f.Var(&on, "on", "")
	err := f.Parse(words)
	token, _ := a.lookup(envToken)
	var listen string
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("%q: it takes flags only", f.Arg(0))
	case checkMode(*mode) != nil:
		err = checkMode(*mode)
	case *sessions <= 0 || *idle <= 0:
		err = errors.New("--sessions and --idle are more than 0")
	case f.Changed("http"):
		listen, err = listenAddress(*address, token)
	case *shared || f.Changed("sessions") || f.Changed("idle"):
		err = errors.New("--shared, --sessions and --idle are for --http: over stdin there is one client")
	}
	if err != nil {
		return a.usageError("mcp", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	a.err = &onceLines{w: a.err} // every session warns of the same
	bashes := &offeredBashes{app: a, options: bashOptions{dir: *dir, on: on, flags: config.Flags{File: *file, Mode: *mode}, session: true, who: whoModel, killAtLimit: *killAtLimit}}
	offers, err := bashes.list(ctx, *all, listen == "" || *shared)
	if err != nil {
		return a.reportError(err)
	}
	defer bashes.Close()
	server := mcp.NewServer(offers, bashes.open, &mcp.ServerOptions{Name: "agentbash", Version: moduleVersion(), Token: token,
		Hide: bashes.hide, Shared: *shared, MaxSessions: *sessions, Idle: secondsDuration(*idle)})
	defer func() {
		if err := server.Close(); err != nil {
			a.warn(err)
		}
	}()
	if listen != "" {
		err = a.serveHTTP(ctx, server, listen)
	} else {
		err = server.Serve(ctx, a.in, a.out)
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		return a.reportError(err)
	}
	return exitOK
}

// listenAddress completes an address: without a host it is this machine's own.
// Others may only reach us with a token, since who reaches us runs commands.
func listenAddress(address, token string) (string, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return "", fmt.Errorf("--http %q: give an address such as 127.0.0.1:8765, or a port", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && token == "" {
		return "", fmt.Errorf("--http %s can be reached from other machines: set %s to a secret that clients then have to send, or listen on 127.0.0.1", address, envToken)
	}
	return net.JoinHostPort(host, port), nil
}

// serveHTTP serves until the context ends.
func (a *app) serveHTTP(ctx context.Context, server *mcp.Server, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("mcp: %w: give --http another address", err)
	}
	fmt.Fprintf(a.err, "agentbash: MCP at http://%s/mcp\n", l.Addr())
	web := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- web.Close() }) // answers that wait would never end
	defer stop()
	if err = web.Serve(l); errors.Is(err, http.ErrServerClosed) {
		return <-stopped
	}
	return err
}

// onceLines passes on what is written, but nothing twice. It is safe for concurrent use.
type onceLines struct {
	mu   sync.Mutex
	w    io.Writer
	seen map[string]bool
}

func (o *onceLines) Write(p []byte) (int, error) {
	const most = 1000
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[string(p)] {
		return len(p), nil
	}
	if o.seen == nil || len(o.seen) >= most {
		o.seen = map[string]bool{}
	}
	o.seen[string(p)] = true
	return o.w.Write(p)
}
