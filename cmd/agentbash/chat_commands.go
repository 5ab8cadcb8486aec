package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// chatCommands is a chat that runs, as its slash commands see it.
type chatCommands struct {
	a          *app
	b          *configuredBash
	transcript *chatTranscript
	opts       *chat.Options // nil: the person is in the model's place
	conv       *chat.Conversation
	none       bool // nothing is recorded
}

// slashCommands are the slash commands that show what only the program knows.
func (t *chatCommands) slashCommands() []term.Command {
	list := []term.Command{
		{Name: "tools", Args: "[WORDS]", Help: "lists the agent commands and servers, or those that match", Run: t.b.slashTools},
		{Name: "jobs", Args: "[ID | kill ID]", Help: "lists the background shells, shows the end of what one wrote, or ends it", Run: t.b.slashJobs},
		{Name: "config", Help: "shows what is configured, and where", Run: t.b.slashConfig},
	}
	if t.conv == nil {
		return list
	}
	return append(list,
		term.Command{Name: "model", Args: "[NAME]", Help: "shows which models there are, or has another one go on", Run: t.switchModel, Complete: t.modelNames},
		term.Command{Name: "sessions", Help: "lists the sessions of this project", Run: t.listSessions},
		term.Command{Name: "export", Args: "[md|json|sh] [FILE]", Help: "writes the session to a file: to read, as data, or as a script that runs its commands again",
			Run: t.exportSession, Complete: func() []string { return []string{"md", "json", "sh"} }})
}

// slashJobs is /jobs.
func (b *configuredBash) slashJobs(ctx context.Context, words string) (string, error) {
	shells := b.Shells()
	word, id, _ := strings.Cut(strings.TrimSpace(words), " ")
	switch {
	case word == "kill" && strings.TrimSpace(id) != "":
		return shells.End(strings.TrimSpace(id))
	case word == "kill":
		return "", errors.New("/jobs kill: which one? /jobs kill ID, and /jobs lists them")
	case word != "":
		return shells.Show(word)
	}
	var list strings.Builder
	for _, j := range shells.Jobs() {
		list.WriteString(j.Line() + "\n")
	}
	if list.Len() > 0 {
		list.WriteString("\n/jobs ID shows one, /jobs kill ID ends it\n")
	}
	if res := b.Router().Run(guard.Said(ctx), "jobs -l", nil); res.Stdout != "" {
		list.WriteString("\nin the shell itself:\n" + res.Stdout)
	}
	return cmp.Or(list.String(), "nothing runs in the background"), nil
}

// switchModel is /model.
func (t *chatCommands) switchModel(ctx context.Context, name string) (string, error) {
	now := t.conv.Model()
	if name == "" {
		var b strings.Builder
		for _, m := range t.modelNames() {
			mark := "  "
			if m == now.Name {
				mark = "* "
			}
			b.WriteString(mark + m + "\n")
		}
		fmt.Fprintf(&b, "\n%s at %s answers. Another: /model NAME at the same server, /model PROVIDER or PROVIDER:NAME at another.\n", now.Name, now.BaseURL)
		return b.String(), nil
	}
	next, err := t.a.findModel(ctx, t.b, now, name)
	if err != nil {
		return "", err
	}
	if err := t.conv.SetModel(next); err != nil {
		return "", err
	}
	next = t.conv.Model()
	return fmt.Sprintf("%s at %s answers from here on", next.Name, next.BaseURL), nil
}

// modelNames are those that can be named: the present one, the configured ones, and
// the providers that have a key or need none.
func (t *chatCommands) modelNames() []string {
	names := []string{t.conv.Model().Name, t.b.cfg.Model}
	for name := range t.b.cfg.Models {
		names = append(names, name)
	}
	for _, p := range config.Providers() {
		if key, _ := t.a.lookup(p.KeyVar); p.KeyVar != "" && strings.TrimSpace(key) != "" {
			names = append(names, p.Name)
			if p.Model != "" {
				names = append(names, p.Name+":"+p.Model)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

// setMode is /mode.
func (b *configuredBash) setMode(ctx context.Context, mode string) error {
	if err := checkMode(mode); err != nil {
		return err
	}
	missing, err := b.SetMode(ctx, policy.Mode(mode))
	for _, m := range missing {
		b.asker.Tell("agentbash: " + m)
	}
	return err
}

// mostSessions bounds what /sessions lists.
const mostSessions = 20

// listSessions is /sessions.
func (t *chatCommands) listSessions(context.Context, string) (string, error) {
	st, err := t.a.transcriptStore()
	if err != nil {
		return "", err
	}
	entries, err := st.List(t.b.Router().Dir())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, e := range entries {
		if i == mostSessions {
			fmt.Fprintf(&b, "... %d older ones: agentbash sessions list\n", len(entries)-i)
			break
		}
		head, err := transcript.Head(e.Path)
		if err != nil {
			return "", err
		}
		mark := " "
		if e.ID == t.transcript.id() {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s  %12s  %s\n", mark, e.ID, formatAge(time.Since(e.Modified)), oneLineOf(head.Title, 80))
	}
	if len(entries) == 0 {
		return "no session of this project is recorded yet", nil
	}
	return b.String(), nil
}

// formatAge is an age in words.
func formatAge(d time.Duration) string {
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.size); n > 1 {
			return fmt.Sprintf("%d %ss ago", n, u.name)
		} else if n == 1 {
			return "1 " + u.name + " ago"
		}
	}
	return "just now"
}

// resumeSession has another session go on, in the same shell. The one that ran stays
// what it was if that fails.
func (t *chatCommands) resumeSession(ctx context.Context, id string) (*chat.Conversation, string, error) {
	st, err := t.a.transcriptStore()
	if err != nil {
		return nil, "", err
	}
	if id == "" {
		if id, err = t.otherTranscript(st); err != nil {
			return nil, "", err
		}
	}
	if e, err := st.Find(id); err == nil && e.ID == t.transcript.id() {
		return nil, "", errors.New("that is this session: /sessions lists the others")
	}
	s, records, unread, err := st.Open(id, moduleVersion())
	if err != nil {
		return nil, "", err
	}
	old := t.transcript.writer
	t.transcript.writer, t.transcript.lazy = s, nil
	model := t.conv.Model()
	opts := *t.opts
	opts.System = t.a.systemText(t.b)
	opts.Model, opts.BaseURL, opts.APIKey, opts.API, opts.KnownAPI = model.Name, model.BaseURL, model.APIKey, model.API, model.KnownAPI
	opts.Window, opts.Prices = model.Window, model.Prices
	opts.Journal, opts.History = s, records
	t.conv = chat.New(&opts)
	if old != nil {
		err = old.Close()
	}
	return t.conv, t.tellDirectory(ctx, s, records, unread), err
}

// otherTranscript is the session of this project that was written last, but for this one.
func (t *chatCommands) otherTranscript(st *transcript.Store) (string, error) {
	entries, err := st.List(t.b.Router().Dir())
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.ID != t.transcript.id() {
			return e.ID, nil
		}
	}
	return "", errors.New("there is no other session of this project: /resume ID takes one of another, agentbash sessions list --all shows them")
}

// tellDirectory tells where a session that goes on has been, and goes there.
func (t *chatCommands) tellDirectory(ctx context.Context, s *transcript.Writer, records []transcript.Record, unread int) string {
	var b strings.Builder
	prompt, reply := "", ""
	for _, r := range transcript.Settled(records) {
		switch r.Type {
		case transcript.TypeUser:
			prompt, reply = r.Text, ""
		case transcript.TypeAssistant:
			reply = cmp.Or(r.Text, reply)
		}
	}
	fmt.Fprintf(&b, "session %s goes on. Last:\n> %s\n", s.ID, oneLineOf(prompt, 300))
	if reply != "" {
		b.WriteString(strings.TrimRight(reply, "\n") + "\n")
	}
	if unread > 0 {
		fmt.Fprintf(&b, "%d lines of the session could not be read and are left out\n", unread)
	}
	var at chatFlags
	(&chatTranscript{records: records}).chooseDir(&at)
	if at.dir != "" && at.dir != t.b.Router().Dir() {
		res := t.b.Router().Run(ctx, "cd -- "+quote.Word(at.dir), &router.RunOptions{})
		if res.ExitCode != 0 {
			return b.String() + "its directory could not be entered: " + strings.TrimSpace(res.Output) + "\n"
		}
		b.WriteString("the shell is in " + at.dir + "\n")
	}
	return b.String()
}

// exportSession is /export.
func (t *chatCommands) exportSession(_ context.Context, args string) (string, error) {
	if t.transcript.id() == "" {
		if t.none {
			return "", errors.New("nothing is recorded with --no-session: start without it")
		}
		return "", errors.New("nothing was said yet, so there is nothing to export")
	}
	form, file, err := exportForm(args)
	if err != nil {
		return "", err
	}
	if file == "" {
		file = "agentbash-" + t.transcript.id() + "." + form
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(t.b.Router().Dir(), file)
	}
	st, err := t.a.transcriptStore()
	if err != nil {
		return "", err
	}
	_, records, err := st.Read(t.transcript.id())
	if err != nil {
		return "", err
	}
	write, mode := transcript.WriteMarkdown, os.FileMode(0o600)
	switch form {
	case "json":
		write = transcript.WriteJSON
	case "sh":
		write, mode = transcript.WriteScript, 0o700
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return "", fmt.Errorf("%w: name a file that is not there yet", err)
	}
	err = write(f, records)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return "written: " + file, err
}

// exportForm reads [md|json|sh] [FILE]; a file's ending says the form too.
func exportForm(args string) (form, file string, err error) {
	first, rest, _ := strings.Cut(args, " ")
	switch first {
	case "md", "json", "sh":
		return first, strings.TrimSpace(rest), nil
	case "":
		return "md", "", nil
	}
	switch form = strings.TrimPrefix(filepath.Ext(args), "."); form {
	case "md", "json", "sh":
		return form, args, nil
	}
	return "", "", fmt.Errorf("%q: /export md, json or sh, and a file if you like", args)
}
