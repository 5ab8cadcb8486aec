package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// typed runs what the person types: among a model's commands, or in its place.
type typed struct {
	chat.RouterRunner
	said  bool // that they typed it is their yes
	alone bool // there is no model: each command is a turn
}

// Run is that of RouterRunner.
func (r *typed) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	return r.RouterRunner.Run(r.says(ctx), command, timeout)
}

func (r *typed) says(ctx context.Context) context.Context {
	if r.alone {
		r.BeginTurn()
	}
	if r.said {
		ctx = guard.Said(ctx)
	}
	return ctx
}

// RunLive is Run, with what the command writes as it comes.
func (r *typed) RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (string, int) {
	ctx = r.says(ctx)
	res := r.Router.Run(ctx, command, &router.RunOptions{Timeout: timeout, Stdout: stdout, Stderr: stderr})
	return res.Output, res.ExitCode
}

// dress gives a session what a person expects of a terminal: colours, the
// project's history, an editor, names to complete, slash commands. undo stops the
// signals.
func (a *app) dress(o *term.Options, w *world) (undo func()) {
	resize := make(chan os.Signal, 1)
	signal.Notify(resize, syscall.SIGWINCH)
	o.Resize = resize
	o.Editor = a.editor()
	o.Dir = w.Router().Dir
	o.Names = w.names
	root := confinement.Repository(w.Router().Dir())
	o.History = filepath.Join(w.cfg.Dirs.State, "history", shortHash([]byte(root))[:16]+".jsonl")
	o.CommandDirs = []term.CommandDir{
		{Path: filepath.Join(w.cfg.Dirs.Config, "commands")},
		{Path: filepath.Join(root, ".agentbash", "commands"), Trust: commandTrust{dir: filepath.Join(w.cfg.Dirs.State, "commands")}},
	}
	return func() { signal.Stop(resize) }
}

// editor is the person's, as POSIX's utilities choose it.
func (a *app) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if v, _ := a.lookup(name); strings.TrimSpace(v) != "" {
			return v
		}
	}
	return ""
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// names are the tools, and the groups whose tools are not known yet.
func (w *world) names() []string {
	var out []string
	for _, t := range w.Registry().All() {
		out = append(out, t.Name)
	}
	for _, g := range w.Registry().Groups() {
		out = append(out, registry.FieldPrefix+g.Name+":")
	}
	return out
}

func (w *world) slashTools(_ context.Context, query string) (string, error) {
	tools := w.Registry().All()
	if query != "" {
		tools = w.Registry().Search(query)
	}
	var b bytes.Buffer
	(&app{out: &b}).listTools(w, tools, query, "")
	if b.Len() == 0 {
		return "", fmt.Errorf("nothing matches %q: /tools lists everything", query)
	}
	return b.String(), nil
}

func (w *world) slashConfig(context.Context, string) (string, error) {
	var b bytes.Buffer
	(&app{out: &b}).showConfig(w.cfg, false)
	return b.String(), nil
}

// commandTrust remembers which of a project's commands the person has seen, by
// path and content: a prompt from somebody else's repository is not sent unseen.
type commandTrust struct{ dir string }

func (t commandTrust) record(path string, data []byte) string {
	return filepath.Join(t.dir, shortHash([]byte(fmt.Sprintf("%d\n%s\n%s", len(path), path, data))))
}

// Trusted reports whether this very text was trusted.
func (t commandTrust) Trusted(path string, data []byte) bool {
	_, err := os.Stat(t.record(path, data))
	return err == nil
}

// Trust records that it is.
func (t commandTrust) Trust(path string, data []byte) error {
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	if err := os.WriteFile(t.record(path, data), []byte(path+"\n"), 0o600); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	return nil
}
