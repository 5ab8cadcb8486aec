package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// toolGCPercent lets garbage grow in a program that soon ends: to collect it would take a
// sixth of the time of a search through a source tree.
const toolGCPercent = 800

// collectAt has garbage collected when the heap has grown by so many percent, unless the person says when.
func (a *app) collectAt(percent int) {
	if _, said := a.lookup("GOGC"); !said {
		debug.SetGCPercent(percent)
	}
}

// runTool runs `agentbash read --file_path x` and `agentbash field:server:tool`.
// A command that works on files needs little of the configuration.
func runTool(ctx context.Context, a *app, name string, words []string) int {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return a.callField(ctx, bashOptions{asker: a.newAsker(), guard: typedBy(a.mode)}, name, words)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	a.collectAt(toolGCPercent)
	dir, err := workDir("")
	if err != nil {
		return a.reportError(err)
	}
	call := a.newCall(dir)
	defer showSafely(&call.Stdout, &call.Stderr)()
	t, err := a.agentTool(strings.TrimPrefix(name, "agent:"))
	if err != nil {
		fmt.Fprintf(a.err, "agentbash %v\n", err)
		return registry.ExitStatus(err)
	}
	if name = t.Name; a.mode != "" || a.on != "" || t.Category != files.Category || a.isRestricted(name, dir) {
		return a.runConfigured(ctx, name, words, call)
	}
	o := typedBy("")
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	record := a.newRecorder(dirs, whoPerson, nil, nil)
	defer record.Close()
	o.World, o.Recorder = a.workspace(dirs, dir).World(), record
	reg := registry.New()
	if err := reg.Register(t); err != nil {
		return a.reportError(err)
	}
	r, err := router.New(reg, &router.Options{Dir: dir, Guard: guard.New(&o), StateDir: filepath.Join(dirs.State, "outputs"), NoCalls: true})
	if err != nil {
		return a.reportError(err)
	}
	defer r.Close()
	return r.Call(ctx, name, words, call).ExitStatus
}

// callField runs a field command with the person's own streams.
func (a *app) callField(ctx context.Context, o bashOptions, name string, words []string) int {
	ctx, stop := interruptContext(ctx)
	defer stop()
	b, err := a.openBash(o)
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	call := a.newCall(b.Router().Dir())
	defer showSafely(&call.Stdout, &call.Stderr)()
	if o.only != nil {
		call.Stderr = adHocNotes{call.Stderr}
	}
	return b.Router().Call(ctx, name, words, call).ExitStatus
}

// newCall is a call with the person's own streams.
func (a *app) newCall(dir string) *registry.Call {
	return &registry.Call{Dir: dir, Stdin: a.toolStdin(), Stdout: a.out, Stderr: a.err,
		Descriptor: func(n int) (*os.File, error) { return registry.ProcessDescriptor("self", n) }}
}

// agentTool finds an agent command as it is without a configuration; a name that is neither one nor a
// subcommand is an error that says what may have been meant.
func (a *app) agentTool(name string) (*registry.Tool, error) {
	var o files.Options
	dir, err := workDir("")
	if dirs, missing := config.UserDirs(a.lookup); errors.Join(err, missing) == nil {
		home, _ := a.lookup("HOME")
		o.StateDir, o.Workspace = filepath.Join(dirs.State, "checkpoints"), confinement.Repository(dir)
		o.Snapshots = snapshot.Open(o.Workspace, filepath.Join(dirs.State, "snapshots"), &snapshot.Options{Home: home, Environ: a.environ})
	}
	all, err := agentbash.New(&agentbash.Options{Files: o})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range all.Tools() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	for _, c := range allCommands() {
		names = append(names, c.name)
	}
	return nil, &unknownCommand{name: name, near: registry.Closest(name, names, 1)}
}

type unknownCommand struct {
	name string
	near []string
}

func (e *unknownCommand) Error() string {
	if len(e.near) > 0 {
		return fmt.Sprintf("%s: no such command: did you mean agentbash %s?", e.name, e.near[0])
	}
	return fmt.Sprintf("%s: no such command: agentbash --help lists them; a native command runs with agentbash exec '%s ...'", e.name, e.name)
}

func (e *unknownCommand) ExitStatus() int { return exitUnknown }

// toolStdin is what a tool may read: a pipe or a file. A terminal and /dev/null
// are nobody's content.
func (a *app) toolStdin() io.Reader {
	st, err := a.in.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	return a.in
}

// showSafely has terminals shown what tools print of names and contents, which they
// would obey; all others get every byte as it is. The function that it returns
// ends that.
func showSafely(streams ...*io.Writer) (end func()) {
	var writers []*safetext.Writer
	for _, s := range streams {
		if isTerminal(*s) {
			w := &safetext.Writer{W: *s}
			writers = append(writers, w)
			*s = w
		}
	}
	return func() {
		for _, w := range writers {
			w.Flush()
		}
	}
}
