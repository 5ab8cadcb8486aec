package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// envToken is the variable with the token that clients over HTTP must send.
const envToken = "AGENTBASH_MCP_TOKEN"

// runMCP is agentbash mcp.
func runMCP(ctx context.Context, a *app, words []string) int {
	f := newFlags("mcp")
	all, address := f.Bool("all-tools", false, ""), f.String("http", "", "")
	killAtLimit := f.Bool("kill-at-limit", false, "")
	mode, dir, file := f.String("mode", a.mode, ""), f.String("dir", "", ""), f.String("config", "", "")
	err := f.Parse(words)
	token, _ := a.lookup(envToken)
	var listen string
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("%q: it takes flags only", f.Arg(0))
	case checkMode(*mode) != nil:
		err = checkMode(*mode)
	case f.Changed("http"):
		listen, err = listenAddress(*address, token)
	}
	if err != nil {
		return a.usageError("mcp", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	b, err := a.openBash(bashOptions{dir: *dir, flags: config.Flags{File: *file, Mode: *mode}, session: true, who: whoModel, killAtLimit: *killAtLimit})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	defer a.tellLeft(b)
	b.Start()
	server := mcp.NewServer(a.offeredTools(ctx, b, *all), &mcp.ServerOptions{Name: "agentbash", Version: moduleVersion(), Token: token})
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
