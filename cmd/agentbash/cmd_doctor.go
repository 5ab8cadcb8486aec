package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
	"golang.org/x/sys/unix"
)

// doctor looks at one thing after the other; a failure ends nothing.
type doctor struct {
	a    *app
	sick bool
}

// runDoctor is agentbash doctor.
func runDoctor(ctx context.Context, a *app, words []string) int {
	f := newFlags("doctor")
	file, timeout := f.String("config", "", ""), f.Float64("timeout", 5, "")
	if err := f.Parse(words); err != nil {
		return a.usageError("doctor", err)
	}
	if f.NArg() > 0 || !(*timeout > 0) {
		return a.usageError("doctor", fmt.Errorf("it takes no words, and a --timeout above 0"))
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	d := &doctor{a: a}
	d.ok("agentbash", moduleVersion()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	d.checkBash(ctx)
	d.checkKernel()
	d.checkSandbox()
	if cfg := d.checkConfig(*file); cfg != nil {
		d.checkState(cfg)
		d.checkServers(cfg)
		d.checkModel(ctx, cfg, time.Duration(*timeout*float64(time.Second)))
	}
	if d.sick {
		return exitFailed
	}
	return exitOK
}

func (d *doctor) ok(what, text string) { fmt.Fprintf(d.a.out, "ok    %-9s %s\n", what, text) }

func (d *doctor) note(what, text string) { fmt.Fprintf(d.a.out, "note  %-9s %s\n", what, text) }

func (d *doctor) bad(what, text string) {
	d.sick = true
	fmt.Fprintf(d.a.out, "BAD   %-9s %s\n", what, text)
}

// checkBash starts a session, as the shell's is.
func (d *doctor) checkBash(ctx context.Context) {
	path, err := exec.LookPath("bash")
	if err != nil {
		d.bad("bash", "there is none on PATH: install it")
		return
	}
	s, err := session.New(&session.Options{Shell: path})
	if err != nil {
		d.bad("bash", fmt.Sprintf("%s: %v", path, err))
		return
	}
	defer s.Close()
	res, err := s.Run(ctx, `echo "$BASH_VERSION"`, nil)
	if err != nil || res.Canceled || res.TimedOut {
		d.bad("bash", fmt.Sprintf("%s starts, and did not answer: %v", path, cmp.Or(err, ctx.Err())))
		return
	}
	d.ok("bash", strings.TrimSpace(string(res.Stdout))+" at "+path)
}

// checkKernel tries what the shell's session is built on.
func (d *doctor) checkKernel() {
	var u unix.Utsname
	unix.Uname(&u)
	release := unix.ByteSliceToString(u.Release[:])
	if _, err := os.Stat(syscalls.Descriptors); err != nil {
		d.bad("kernel", release+" lacks "+syscalls.Descriptors+" ("+err.Error()+"): the shell cannot be kept")
		return
	}
	if missing := syscalls.Missing(); len(missing) > 0 {
		d.note("kernel", release+" lacks "+strings.Join(missing, ", ")+": it is done in another way")
		return
	}
	d.ok("kernel", release+": pidfd, memfd, /proc")
}

// checkSandbox says what holds commands in the modes plan, ask and auto.
func (d *doctor) checkSandbox() {
	does, lacks := sandbox.Kernel().Lines()
	for _, line := range does {
		d.ok("sandbox", line)
	}
	for _, line := range lacks {
		d.note("sandbox", line)
	}
	if does == nil {
		d.note("sandbox", "the modes go by what commands are judged to do, and nothing else holds them: ask asks about reads too")
	}
}

func (d *doctor) checkConfig(file string) *config.Result {
	dir, err := workDir("")
	if err != nil {
		d.bad("config", err.Error())
		return nil
	}
	cfg, err := config.Load(&config.Options{Flags: config.Flags{File: file}, Dir: dir, Lookup: d.a.lookup})
	if err != nil {
		d.bad("config", strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	}
	if len(cfg.Files) == 0 {
		d.ok("config", "no file; "+filepath.Join(cfg.Dirs.Config, "config.json")+" would be yours")
	} else {
		d.ok("config", strings.Join(cfg.Files, ", "))
	}
	for _, w := range cfg.Warnings {
		d.note("config", w.Error())
	}
	for _, p := range cfg.Pending {
		d.note("config", pendingNote(p))
	}
	return cfg
}

func (d *doctor) checkState(cfg *config.Result) {
	err := cfg.Dirs.MakeState()
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(cfg.Dirs.State, "doctor-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		d.bad("state", err.Error()+": make it writable")
		return
	}
	d.ok("state", cfg.Dirs.State)
}

// checkServers looks whether each server's program is there; it starts none.
func (d *doctor) checkServers(cfg *config.Result) {
	for name, s := range cfg.Fields.MCPServers {
		switch _, err := exec.LookPath(s.Command); {
		case s.Command == "":
			d.ok("server", name+": "+s.Launch())
		case err != nil:
			d.bad("server", name+": "+err.Error()+": install it, or correct \"command\"")
		default:
			d.ok("server", name+": "+s.Command)
		}
	}
}

func (d *doctor) checkModel(ctx context.Context, cfg *config.Result, limit time.Duration) {
	switch {
	case cfg.APIKey != "":
		d.ok("key", "set, from "+cfg.From["apiKey"])
	case cfg.Provider != "" && cfg.KeyVar != "":
		d.bad("key", "the provider "+cfg.Provider+" has none: set "+cfg.KeyVar)
		return
	default:
		d.note("key", "none is set; servers on this machine need none")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	base := cfg.BaseURL
	if base == "" && cfg.APIKey == "" {
		local := config.FindLocal(ctx, config.Candidates())
		if local == nil {
			d.note("model", "none is configured and none runs on this machine: agentbash works without, you type the commands")
			return
		}
		base = local.BaseURL
	}
	if base == "" {
		base = config.Providers()[0].BaseURL
	}
	first, err := config.FirstModel(ctx, base, cfg.APIKey)
	if err != nil {
		d.bad("model", err.Error())
		return
	}
	if cfg.Model != "" {
		d.ok("model", cfg.Model+"; "+secrettext.Shown(base)+" answers")
	} else {
		d.ok("model", secrettext.Shown(base)+" answers, its first model is "+first)
	}
}
