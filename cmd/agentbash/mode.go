package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session"
)

// workspace is what work that begins in dir may touch.
func (a *app) workspace(dirs config.Dirs, c config.Confine, dir string) confinement.Workspace {
	home, _ := a.lookup("HOME")
	temp, _ := a.lookup("TMPDIR")
	return confinement.FindWorkspace(dir, &confinement.WorkspaceOptions{
		Home: home, Temp: temp, Own: []string{dirs.Config, dirs.State}, Write: c.Workspace,
		Secrets: slices.Concat([]string{filepath.Join(dirs.State, "field", "tokens")}, c.Secrets),
	})
}

// enter changes the mode of a world: who decides, what the kernel and the tools
// hold commands to, and the environment. The shell is started again with its
// directory and variables; the context bounds the wait for a command that runs.
// missing says what the kernel does not do of what the mode promises.
func (w *world) enter(ctx context.Context, mode policy.Mode) (missing []string, err error) {
	old := w.guard.Mode()
	undo := w.confinement.SetMode(mode, false)
	w.guard.SetMode(mode)
	s, err := w.confinement.Start()
	if err == nil {
		// From auto to plan nothing is gained, so the whole state may go along.
		trust := old == mode || mode == policy.PlanMode
		err = w.router.SetLauncher(ctx, session.RestartOptions{Launcher: s.Launcher, Env: s.Env, Trust: trust})
		if err == nil && !trust && (old == policy.PlanMode || old == policy.AutoMode) {
			w.guard.NewShell()
		}
	}
	if err != nil {
		undo()
		w.guard.SetMode(old)
		return nil, fmt.Errorf("mode %s: %w", mode, err)
	}
	return s.Missing, nil
}

// trustSender makes whoever sends commands the person: nothing holds them.
func (w *world) trustSender(ctx context.Context) error {
	w.guard.SetMode(policy.FullMode)
	w.guard.SetSaid(true)
	w.confinement.SetMode(policy.FullMode, true)
	s, err := w.confinement.Start()
	if err != nil {
		return err
	}
	return w.router.SetLauncher(ctx, session.RestartOptions{Launcher: s.Launcher, Env: s.Env})
}
