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

// fieldKept is agentbash field keep, status and stop.
func (a *app) fieldKept(ctx context.Context, file, op string, names []string, asJSON bool) int {
	if op == "keep" && len(names) == 0 || op == "status" && len(names) > 0 {
		return a.usageError("field", errors.New("write keep NAME ..., status, or stop [NAME ...]"))
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	if file != "" { // a keeper looks for it elsewhere
		file, _ = filepath.Abs(file)
	}
	b, err := a.openBash(bashOptions{flags: config.Flags{File: file}, asker: a.newAsker()})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if op == "keep" {
		status := exitOK
		for _, name := range names {
			if err := b.Fields().Keep(ctx, name); err != nil {
				fmt.Fprintln(a.err, "agentbash:", err)
				status = registry.ExitStatus(err)
			}
		}
		return status
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, registry.FieldPrefix)
	}
	found, err := b.Fields().Kept(ctx, names, op == "stop")
	if err != nil {
		return a.reportError(err)
	}
	if asJSON {
		writeLine(a.out, append([]kept.Status{}, found...))
		return exitOK
	}
	if len(found) == 0 && len(names) > 0 {
		fmt.Fprintln(a.err, "agentbash field: no server of these names is kept: agentbash field status shows those that are")
		return exitFailed
	}
	for _, s := range found {
		if op == "stop" {
			fmt.Fprintf(a.out, "field:%s is stopped\n", s.Server)
			continue
		}
		fmt.Fprintf(a.out, "field:%s: kept since %s, in %s, by process %d; %d requests, %d clients now; ends after %s without a call\n", s.Server,
			s.Started.Format(time.TimeOnly), safetext.Visible(s.Dir), s.PID, s.Requests, s.Clients, time.Until(s.Ends).Round(time.Second))
	}
	if len(found) == 0 {
		fmt.Fprintln(a.err, `no server is kept: agentbash field keep NAME, or "keepAlive": true in its configuration`)
	}
	return exitOK
}
