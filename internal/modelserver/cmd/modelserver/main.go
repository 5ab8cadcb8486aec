// Command modelserver plays a scripted model over HTTP; see package modelserver.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(modelserver.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
