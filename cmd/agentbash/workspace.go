package main

import (
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/confinement"
)

// workspaceOptions are what of the configuration and the environment counts for
// what may be touched.
func (a *app) workspaceOptions(dirs config.Dirs, c config.Confine, executed []string) confinement.WorkspaceOptions {
	temp, _ := a.lookup("TMPDIR")
	return confinement.WorkspaceOptions{
		Home: dirs.Home, Temp: temp, Own: []string{dirs.Config, dirs.State}, Write: c.Workspace, Protect: executed,
		Secrets: slices.Concat(secretState(dirs.State), c.Secrets),
	}
}

// secretState are the parts of the program's state that nobody else reads: tokens, and
// what was said, run and there in other sessions.
func secretState(dir string) (paths []string) {
	for _, name := range []string{"field/tokens", "audit", "sessions", "agents", "runs", "history", "commands", "snapshots"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// workspace is what work that begins in dir may touch, without a configuration.
func (a *app) workspace(dirs config.Dirs, dir string) confinement.Workspace {
	o := a.workspaceOptions(dirs, config.Confine{}, nil)
	return confinement.FindWorkspace(dir, &o)
}
