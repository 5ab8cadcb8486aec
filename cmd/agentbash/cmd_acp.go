package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/acp"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
)

// runACP is agentbash acp: an editor drives it.
func runACP(ctx context.Context, a *app, words []string) int {
	h := &acpHost{a: a}
	f := newFlags("acp")
	f.StringVar(&h.flags.Model, "model", "", "")
	f.StringVar(&h.flags.Provider, "provider", "", "")
	f.StringVar(&h.flags.BaseURL, "base-url", "", "")
	f.StringVar(&h.flags.Mode, "mode", a.mode, "")
	f.StringVar(&h.flags.File, "config", "", "")
	socket := f.String("listen", "", "")
	err := f.Parse(words)
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("%q: it takes flags only", f.Arg(0))
	default:
		err = checkMode(h.flags.Mode)
	}
	if err != nil {
		return a.usageError("acp", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	if *socket == "" {
		err = acp.Serve(ctx, h, moduleVersion(), a.in, a.out)
	} else {
		err = a.serveSocket(ctx, h, *socket)
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		return a.reportError(err)
	}
	return exitOK
}

// serveSocket serves whoever connects to a Unix socket, which is the user's alone.
func (a *app) serveSocket(ctx context.Context, h acp.Host, path string) error {
	l, err := listenAlone(path)
	if err != nil {
		return fmt.Errorf("acp: %w: give --listen another path", err)
	}
	fmt.Fprintf(a.err, "agentbash: ACP at %s\n", path)
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also where no more can be accepted
	context.AfterFunc(ctx, func() { l.Close() })
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		all.Go(func() {
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			defer conn.Close()
			if err := acp.Serve(ctx, h, moduleVersion(), conn, conn); err != nil {
				a.warn(err)
			}
		})
	}
}

// listenAlone listens on a socket that only this user can open, also where one is left of a
// program that was killed.
func listenAlone(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177)) // nothing else runs yet
	l, err := net.Listen("unix", path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	st, serr := os.Lstat(path)
	if conn, derr := net.Dial("unix", path); derr == nil {
		conn.Close()
	} else if serr == nil && st.Mode().Type() == os.ModeSocket && errors.Is(derr, syscall.ECONNREFUSED) && os.Remove(path) == nil {
		return net.Listen("unix", path)
	}
	return nil, err
}

// acpHost opens a session for an editor as chat does for a person.
type acpHost struct {
	a     *app
	flags config.Flags
}

// Open implements [acp.Host].
func (h *acpHost) Open(ctx context.Context, o *acp.Open) (acp.Session, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("cwd %q: it is an absolute path", o.Dir)
	}
	opened, err := h.a.openChat(&chatFlags{config: h.flags, dir: o.Dir, resume: o.ID}, bashOptions{asker: o.Editor, servers: o.Servers})
	if err != nil {
		return nil, err
	}
	s := &acpSession{openedChat: opened}
	opts, err := s.modelOptions(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	opts.MaxTime = s.maxTime()
	opts.Runner = &acpRunner{RouterRunner: opts.Runner.(*chat.RouterRunner), session: s, editor: o.Editor, spill: opts.Spill}
	s.conv = chat.New(opts)
	s.commands = (&chatCommands{openedChat: opened, opts: opts, conv: s.conv}).slashCommands()
	s.commands = slices.DeleteFunc(s.commands, func(c term.Command) bool { return c.Run == nil }) // the conversation is the editor's
	s.transcript.createNow()
	s.b.Start()
	s.b.Prepare()
	return s, nil
}

// Find implements [acp.Host].
func (h *acpHost) Find(dir string) ([]acp.Found, error) {
	st, err := h.a.transcriptStore()
	if err != nil {
		return nil, err
	}
	list, err := st.List(dir)
	if err != nil {
		return nil, err
	}
	var out []acp.Found
	for _, e := range list {
		if head, err := transcript.Head(e.Path); err == nil && head.Title != "" {
			out = append(out, acp.Found{ID: e.ID, Dir: head.Dir, Title: head.Title, Modified: e.Modified.UTC().Format(time.RFC3339)})
		}
	}
	return out, nil
}

// acpSession implements [acp.Session].
type acpSession struct {
	*openedChat
	conv     *chat.Conversation
	commands []term.Command
}

func (s *acpSession) ID() string                   { return s.transcript.id() }
func (s *acpSession) Records() []transcript.Record { return s.transcript.records }
func (s *acpSession) Mode() string                 { return string(s.b.Guard().Mode()) }
func (s *acpSession) Commands() []term.Command     { return s.commands }
func (s *acpSession) Plan() []todo.Item            { return s.b.Todo().Items() }
func (s *acpSession) Context() (used, window int)  { return s.conv.Context() }

func (s *acpSession) SetMode(ctx context.Context, mode string) error { return s.b.setMode(ctx, mode) }

// Send implements [acp.Session]: a turn.
func (s *acpSession) Send(ctx context.Context, p chat.Prompt, events func(chat.Event)) error {
	s.conv.OnEvent(events)
	_, err := s.conv.Send(ctx, p)
	return err
}

// Foresee implements [acp.Session].
func (s *acpSession) Foresee(command string) (out acp.Foreseen) {
	p := s.b.Router().Plan(command)
	if t := p.Tool(); t != nil {
		out.Tool = t.Name
	}
	for _, part := range s.b.Guard().Explain(p, s.b.Router().Dir()).Verdict.Parts {
		for _, path := range part.Paths {
			switch {
			case path.Tree || strings.Contains(path.Path, "…") || !filepath.IsAbs(path.Path):
			case path.Write:
				out.Write = append(out.Write, path.Path)
			default:
				out.Reads = append(out.Reads, path.Path)
			}
		}
	}
	return out
}

// acpRunner is a runner whose user has files open. What it does not save is its user's: it
// is not written over, and not taken for what the disk has.
type acpRunner struct {
	*chat.RouterRunner
	session *acpSession
	editor  acp.Editor
	spill   func(string) (string, error)
}

// RunLive is that of RouterRunner.
func (r *acpRunner) RunLive(ctx context.Context, command string, timeout time.Duration, stdout, stderr io.Writer) (string, int) {
	seen, notes := r.session.Foresee(command), ""
	for _, path := range seen.Write {
		if _, unsaved := r.editor.Unsaved(ctx, path); unsaved {
			return path + " has changes in the user's editor that are not saved: ask the user to save or undo them first; nothing was run", 1
		}
	}
	for _, path := range seen.Reads {
		if text, unsaved := r.editor.Unsaved(ctx, path); unsaved {
			if copied, err := r.spill(text); err == nil {
				notes += fmt.Sprintf("\n[%s has changes in the user's editor that are not saved; with them it is %s]", path, copied)
			}
		}
	}
	output, status := r.RouterRunner.RunLive(ctx, command, timeout, stdout, stderr)
	return output + notes, status
}

// Run is RunLive without a look at what it writes.
func (r *acpRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	return r.RunLive(ctx, command, timeout, nil, nil)
}
