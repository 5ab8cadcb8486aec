package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// mcpInstall is agentbash mcp install and uninstall.
func (a *app) mcpInstall(ctx context.Context, uninstall bool, words []string) int {
	f := newFlags("mcp")
	yes, takeOver, mode := f.Bool("yes", false, ""), f.Bool("take-over", false, ""), f.String("mode", a.mode, "")
	err := f.Parse(words)
	switch {
	case err != nil:
	case f.NArg() != 1:
		err = fmt.Errorf("name one client: %s", strings.Join(config.Installable(), ", "))
	case uninstall && (*takeOver || *mode != ""):
		err = errors.New("uninstall takes --yes and nothing else: it takes all back")
	case *mode != "":
		err = checkMode(*mode)
	}
	if err != nil {
		return a.usageError("mcp", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	in, err := config.OpenInstallation(f.Arg(0), dirs, a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	switch {
	case uninstall && !in.Installed():
		fmt.Fprintf(a.err, "agentbash mcp: it is not installed in %s\n", in.Client)
		return exitFailed
	case uninstall:
		err = a.writeInstallation(in, *yes, "agentbash mcp uninstall")
	default:
		err = a.install(ctx, in, *mode, *takeOver, *yes)
	}
	if err != nil {
		return a.reportError(err)
	}
	return exitOK
}

// install registers us with a client.
func (a *app) install(ctx context.Context, in *config.Installation, mode string, takeOver, yes bool) error {
	argv := []string{ownPath(), "mcp"}
	if mode != "" {
		argv = append(argv, "--mode", mode)
	}
	again := strings.Join(append([]string{"agentbash mcp install"}, argv[2:]...), " ")
	var take []string
	if takeOver {
		again += " --take-over"
		var err error
		if take, err = a.measureServers(ctx, in); err != nil {
			return err
		}
	}
	if err := in.Install(argv, take); err != nil {
		return err
	}
	if err := a.writeInstallation(in, yes, again); err != nil {
		return err
	}
	if mode == "" {
		fmt.Fprintln(a.out, "in mode ask, what changes something is denied where nobody can be asked: --mode auto lets it build and test in the workspace")
	}
	fmt.Fprintf(a.out, "start %s again; agentbash mcp uninstall %[1]s takes all back\n", in.Client)
	return nil
}

// ownPath is how this program is started: by the link on PATH that leads to it, which
// stays when it is replaced.
func ownPath() string {
	self, err := os.Executable()
	if err != nil {
		return "agentbash"
	}
	onPath, err := exec.LookPath("agentbash")
	if err != nil || !filepath.IsAbs(onPath) {
		return self
	}
	one, err1 := os.Stat(self)
	other, err2 := os.Stat(onPath)
	if err1 == nil && err2 == nil && os.SameFile(one, other) {
		return onPath
	}
	return self
}

// measureServers starts a client's own servers, says what the client saw of them and
// what it will see, and returns the names of those that work here.
func (a *app) measureServers(ctx context.Context, in *config.Installation) (take []string, err error) {
	servers, names := a.usableServers(in)
	b, err := a.openBash(bashOptions{asker: a.newAsker(), guard: typedBy(a.mode), only: servers})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	tools, bytes := 0, 0
	for group, name := range names {
		wg.Go(func() {
			r, err := b.Fields().Test(ctx, group)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				a.sayStays(name, err)
				return
			}
			take = append(take, name)
			tools, bytes = tools+len(r.Tools), bytes+r.Bytes
			fmt.Fprintf(a.out, "%s: %s, %d bytes of definitions\n", safetext.Line(name), term.CountNoun(len(r.Tools), "tool"), r.Bytes)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(take) == 0 {
		fmt.Fprintf(a.out, "%s has no servers that could be taken over\n", in.Client)
		return nil, nil
	}
	slices.Sort(take)
	one, err := router.Definition(b.Registry()).In(registry.MCP)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.out, "%s saw %s of %d servers, %d bytes of definitions; it will see 1 tool, %d bytes: the others are commands in it\n", in.Client, term.CountNoun(tools, "tool"), len(take), bytes, len(one))
	return take, nil
}

// usableServers are the client's servers that can be started here, and their names by group. It says
// why the others stay.
func (a *app) usableServers(in *config.Installation) (servers map[string]fieldbash.Server, names map[string]string) {
	servers, names = map[string]fieldbash.Server{}, map[string]string{}
	for _, f := range in.Servers {
		s, err := fieldbash.Server{}, f.Err
		if err == nil {
			s, err = f.Expanded(a.lookup)
		}
		group := fieldbash.GroupName(f.Name)
		switch {
		case err != nil:
			a.sayStays(f.Name, err)
		case s.Disabled:
		case names[group] != "":
			a.sayStays(f.Name, fmt.Errorf("its name would be field:%s, which is that of %s", group, names[group]))
		default:
			servers[f.Name], names[group] = s, f.Name
		}
	}
	return servers, names
}

func (a *app) sayStays(name string, reason error) {
	fmt.Fprintf(a.out, "%s stays where it is: %s\n", safetext.Line(name), safetext.Line(reason.Error()))
}

// writeInstallation shows what would change, asks, and writes it.
func (a *app) writeInstallation(in *config.Installation, yes bool, again string) error {
	diff := files.Diff(in.File, in.Before, in.After)
	for _, f := range in.Servers {
		diff = f.Server.HideIn(diff)
	}
	fmt.Fprint(a.out, safetext.Visible(secrettext.Shown(diff)))
	p := &person{a.newAsker()}
	switch {
	case yes:
	case !p.ask.Present():
		return fmt.Errorf("nothing is written, since there is no terminal to ask at: if that is what you want, type %s %s --yes", again, in.Client)
	case !p.confirmYes("Write it?", in.File):
		return errors.New("nothing is written: you did not say yes")
	}
	if err := in.Write(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s is written", in.File)
	if in.KeepsBackup() {
		fmt.Fprintf(a.out, "; what it held without agentbash is in %s", in.Backup)
	}
	fmt.Fprintln(a.out)
	return nil
}
