package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
)

// describeTerminal takes over what the configuration says of the terminal.
func (b *configuredBash) describeTerminal(o *term.Options) error {
	t := &b.cfg.Terminal
	keys, err := term.ParseKeys(t.Keys)
	if err := errors.Join(err, term.CheckTheme(t.Theme)); err != nil {
		return &registry.UsageError{Problems: []string{"configuration: " + err.Error()}}
	}
	o.Keys, o.Theme, o.Vim, o.Notify = keys, t.Theme, t.Vim, t.Notify
	o.Todo, o.Branch = b.Todo().Items, func() string { return currentBranch(confinement.Repository(b.Router().Dir())) }
	o.Files = b.workspaceFiles
	return nil
}

// currentBranch is what is checked out in a repository of git: a branch, or the
// beginning of a commit; "" where there is none.
func currentBranch(root string) string {
	git := filepath.Join(root, ".git")
	if text, err := os.ReadFile(git); err == nil { // a worktree
		dir := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
		if git = dir; !filepath.IsAbs(dir) {
			git = filepath.Join(root, dir)
		}
	}
	head, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(head))
	if branch, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
		return branch
	}
	return text[:min(len(text), 8)]
}

// workspaceFiles are the files below the directory that .gitignore does not ignore, as
// glob lists them.
func (b *configuredBash) workspaceFiles() []string {
	glob, ok := b.Registry().Lookup("glob")
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), filesTime)
	defer cancel()
	var out bytes.Buffer
	glob.Invoke(ctx, &registry.Call{Kwargs: registry.Kwargs{"pattern": "**/*", "null": true}, Dir: b.Router().Dir(), Stdout: &out})
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 })
}

const (
	filesTime  = 10 * time.Second // for a list of the workspace's files
	statusTime = 5 * time.Second  // for the person's status line
	mostStatus = 64 << 10         // bytes of it
)

// statusCommand runs the person's own status line, with what Claude Code's gets on stdin.
func (a *app) statusCommand(b *configuredBash) func(context.Context, term.Status) (string, error) {
	command := string(b.cfg.Terminal.StatusLine)
	if command == "" {
		return nil
	}
	return func(ctx context.Context, s term.Status) (string, error) {
		used := 0
		if s.Window > 0 {
			used = min(100, 100*s.Used/s.Window)
		}
		input, err := json.Marshal(map[string]any{
			"hook_event_name": "Status", "cwd": s.Dir, "version": moduleVersion(),
			"model":          map[string]any{"id": s.Model, "display_name": s.Model},
			"workspace":      map[string]any{"current_dir": s.Dir, "project_dir": confinement.Repository(s.Dir)},
			"cost":           map[string]any{"total_cost_usd": s.Cost},
			"context_window": map[string]any{"context_window_size": s.Window, "used_tokens": s.Used, "used_percentage": used, "remaining_percentage": 100 - used},
			"mode":           s.Mode, "branch": s.Branch, "background_shells": s.Background, "queued": s.Queued,
			"todo": map[string]any{"done": s.Done, "total": s.Steps},
		})
		if err != nil {
			return "", err
		}
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env, cmd.Stdin = s.Dir, a.environ, bytes.NewReader(input)
		out, err := term.CommandOutput(ctx, cmd, statusTime, mostStatus)
		return string(out), err
	}
}
