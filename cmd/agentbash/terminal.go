package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// typedRunner runs what the person types: among a model's commands, or in its place.
type typedRunner struct {
	chat.RouterRunner
	said  bool // that they typed it is their yes
	alone bool // there is no model: each command is a turn
}

// Run is that of RouterRunner.
func (r *typedRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	return r.RouterRunner.Run(r.markTyped(ctx), command, timeout)
}

func (r *typedRunner) markTyped(ctx context.Context) context.Context {
	if r.alone {
		r.BeginTurn()
	}
	if r.said {
		ctx = guard.Said(ctx)
	}
	return ctx
}

// RunLive is Run, with what the command writes as it comes.
func (r *typedRunner) RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (string, int) {
	res := r.Router.Run(r.markTyped(ctx), command, &router.RunOptions{Timeout: timeout, Stdout: stdout, Stderr: stderr}) // nobody shows images
	return res.Output, res.ExitCode
}

// terminalOptions are what a person expects of a terminal: colours, the project's history, an
// editor, names to complete.
func (s *openedChat) terminalOptions(choice modelChoice) (*term.Options, error) {
	a, b := s.a, s.b
	prompter, _ := b.asker.(*term.Prompter)
	root := confinement.Repository(b.projectDir())
	o := &term.Options{
		Records: s.transcript.records, First: s.c.firstTexts(), In: a.in, Out: a.out, Err: a.err, Asker: prompter, Info: b.bannerInfo(choice),
		Runner:     &typedRunner{chat.RouterRunner{Router: b.Router(), Turns: b}, s.c.config.Mode == "" || choice.model != "", choice.model == ""},
		Background: func() int { return b.runningShells() + b.Agents().Running() },
		Plain:      a.plainTerminal(), Color: a.wantsColours(), StatusLine: a.statusCommand(b),
		Mode: func() string { return string(b.Guard().Mode()) }, SetMode: b.setMode, ModeText: b.modeText,
		Editor: a.editorCommand(), Home: b.home, Dir: b.Router().Dir, Names: b.completionNames,
		History:     filepath.Join(b.cfg.Dirs.State, "history", shortHash([]byte(root))[:16]+".jsonl"),
		CommandDirs: commandDirs(b.cfg.Dirs, root), Skills: func() []term.Skill { return a.skillCommands(b) },
	}
	return o, b.describeTerminal(o)
}

// editorCommand is the person's, as POSIX's utilities choose it.
func (a *app) editorCommand() string {
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

// completionNames are the tools, and the groups whose tools are not known yet.
func (b *configuredBash) completionNames() []string {
	var out []string
	for _, t := range b.Registry().All() {
		out = append(out, t.Name)
	}
	for _, g := range b.Registry().Groups() {
		out = append(out, registry.FieldPrefix+g.Name+":")
	}
	return out
}

func (b *configuredBash) slashTools(_ context.Context, query string) (string, error) {
	tools := b.Registry().All()
	if query != "" {
		tools = b.Registry().Search(query)
	}
	var out bytes.Buffer
	(&app{out: &out}).listTools(b, tools, query, "")
	if out.Len() == 0 {
		return "", fmt.Errorf("nothing matches %q: /tools lists everything", query)
	}
	return out.String(), nil
}

func (b *configuredBash) slashConfig(context.Context, string) (string, error) {
	var out bytes.Buffer
	(&app{out: &out, err: &out}).showConfig(b.cfg, b.Guard(), false)
	return out.String(), nil
}

// commandTrust remembers which of a project's commands the person has seen, by
// path and content: a prompt from somebody else's repository is not sent unseen.
type commandTrust struct{ dir string }

func (t commandTrust) recordPath(path string, data []byte) string {
	return filepath.Join(t.dir, shortHash([]byte(fmt.Sprintf("%d\n%s\n%s", len(path), path, data))))
}

// Trusted reports whether this very text was trusted.
func (t commandTrust) Trusted(path string, data []byte) bool {
	_, err := os.Stat(t.recordPath(path, data))
	return err == nil
}

// Trust records that it is.
func (t commandTrust) Trust(path string, data []byte) error {
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	if err := os.WriteFile(t.recordPath(path, data), []byte(path+"\n"), 0o600); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	return nil
}

// plainTerminal reports a terminal that can only print, or a person who wants
// it to.
func (a *app) plainTerminal() bool {
	t, _ := a.lookup("TERM")
	accessible, _ := a.lookup("ACCESSIBLE")
	return t == "dumb" || t == "" || accessible != "" && accessible != "0"
}

// wantsColours reports whether the person wants colours (no-color.org).
func (a *app) wantsColours() bool {
	noColor, _ := a.lookup("NO_COLOR")
	return noColor == ""
}
