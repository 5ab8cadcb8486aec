package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/fieldbash/kept"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
)

// keeperWord is what a keeper is started with, the name of its server, and a config file.
const keeperWord = "field-keeper"

// startKeeper returns what starts this program once more, to keep a server for others.
func (a *app) startKeeper(dir, file string) func(server string, listener *os.File) error {
	if file != "" { // the keeper looks for it elsewhere
		file, _ = filepath.Abs(file)
	}
	return func(server string, listener *os.File) error {
		cmd := exec.Command("/proc/self/exe", keeperWord, server, file)
		cmd.Args[0] = "agentbash"
		cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, a.environ, []*os.File{listener}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		go cmd.Wait() // it outlives us, or is reaped
		return nil
	}
}

// runKeeper is the program that startKeeper starts.
func (a *app) runKeeper(ctx context.Context, words []string) int {
	ctx, stop := interruptContext(ctx)
	defer stop()
	listener := os.NewFile(3, "listener")
	syscall.CloseOnExec(3)
	if _, err := listener.Stat(); err != nil || len(words) != 2 {
		return a.usageError("field", errors.New("a keeper is started by the program itself: agentbash field keep NAME"))
	}
	b, err := a.openBash(bashOptions{flags: config.Flags{File: words[1]}})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if err := b.Fields().ServeKept(ctx, words[0], listener); err != nil {
		return a.reportError(err)
	}
	return exitOK
}

// keep is agentbash field keep.
func (c *fieldCommand) keep(ctx context.Context, b *configuredBash, names []string) int {
	if len(names) == 0 {
		return c.a.usageError("field", errKeepUsage)
	}
	status := exitOK
	for _, name := range names {
		if err := b.Fields().Keep(ctx, name); err != nil {
			fmt.Fprintln(c.a.err, "agentbash:", err)
			status = registry.ExitStatus(err)
		}
	}
	return status
}

var errKeepUsage = errors.New("write keep NAME ..., status, or stop [NAME ...]")

// showKept is agentbash field status.
func (c *fieldCommand) showKept(ctx context.Context, b *configuredBash, names []string) int {
	if len(names) > 0 {
		return c.a.usageError("field", errKeepUsage)
	}
	found, err := b.Fields().Kept(ctx, nil, false)
	return c.tellKept(found, err, func(s kept.Status) string {
		return fmt.Sprintf(": kept since %s, in %s, by process %d; %d requests, %d clients now; ends after %s without a call",
			s.Started.Format(time.TimeOnly), safetext.Visible(s.Dir), s.PID, s.Requests, s.Clients, time.Until(s.Ends).Round(time.Second))
	})
}

// stopKept is agentbash field stop.
func (c *fieldCommand) stopKept(ctx context.Context, b *configuredBash, names []string) int {
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, registry.FieldPrefix)
	}
	found, err := b.Fields().Kept(ctx, names, true)
	if err == nil && len(found) == 0 && len(names) > 0 && !c.asJSON {
		fmt.Fprintln(c.a.err, "agentbash field: no server of these names is kept: agentbash field status shows those that are")
		return exitFailed
	}
	return c.tellKept(found, err, func(kept.Status) string { return " is stopped" })
}

// tellKept tells of each server that is kept, or was.
func (c *fieldCommand) tellKept(found []kept.Status, err error, text func(kept.Status) string) int {
	if err != nil {
		return c.a.reportError(err)
	}
	if c.asJSON {
		writeLine(c.a.out, append([]kept.Status{}, found...))
		return exitOK
	}
	for _, s := range found {
		fmt.Fprintf(c.a.out, "field:%s%s\n", s.Server, text(s))
	}
	if len(found) == 0 {
		fmt.Fprintln(c.a.err, `no server is kept: agentbash field keep NAME, or "keepAlive": true in its configuration`)
	}
	return exitOK
}
